"""paddle.distribution: probability distributions, transforms of them, and their divergences."""

from ..core.addresses import lookup as _lookup
from . import transform
from .bernoulli import Bernoulli, Geometric
from .categorical import Categorical, Multinomial
from .counts import Binomial, Chi2, ContinuousBernoulli, Exponential, Gamma, Poisson, StudentT
from .dirichlet import Beta, Dirichlet
from .distribution import Distribution, ExponentialFamily
from .kl import kl_divergence, register_kl
from .location import Cauchy, Gumbel, Laplace
from .matrices import LKJCholesky, MultivariateNormal
from .normal import LogNormal, Normal, Uniform
from .transform import (
                        AbsTransform,
                        AffineTransform,
                        ChainTransform,
                        ExpTransform,
                        IndependentTransform,
                        PowerTransform,
                        ReshapeTransform,
                        SigmoidTransform,
                        SoftmaxTransform,
                        StackTransform,
                        StickBreakingTransform,
                        TanhTransform,
                        Transform,
)
from .transformed import Independent, TransformedDistribution

__all__ = ["Bernoulli", "Beta", "Categorical", "Cauchy", "Dirichlet", "Distribution", "ExponentialFamily", "Multinomial",
           "Normal", "Uniform", "kl_divergence", "register_kl", "Independent", "TransformedDistribution", "Laplace",
           "LogNormal", "Gumbel", "Geometric", "Binomial", "Chi2", "ContinuousBernoulli", "Exponential", "Gamma", "LKJCholesky",
           "MultivariateNormal", "Poisson", "StudentT", *transform.__all__]


__getattr__ = _lookup(__name__)
