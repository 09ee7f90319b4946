"""Kullback and Leibler's divergence: formulas by pairs of classes."""

from ..core.errors import describe
from ..ops.math import special
from ..tensor.linalg import triangular_solve
from .bernoulli import Bernoulli, Geometric
from .categorical import Categorical
from .counts import Binomial, ContinuousBernoulli, Exponential, Gamma, Poisson
from .dirichlet import Beta, Dirichlet
from .distribution import Distribution, ExponentialFamily
from .location import EULER, Cauchy, Gumbel, Laplace
from .matrices import MultivariateNormal
from .normal import LogNormal, Normal, Uniform
from .transformed import Independent, sum_last

__all__ = ["register_kl", "kl_divergence"]
_FORMULAS = {}


def kl_divergence(p, q):
    """The divergence KL(p || q) by the formula registered for the nearest classes of p and q.

    >>> from paddle.distribution import Normal, kl_divergence
    >>> p = Normal(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
    >>> float(kl_divergence(p, p))
    0.0
    """
    for value, what in ((p, "p"), (q, "q")):
        if not isinstance(value, Distribution):
            raise TypeError(f"kl_divergence(): {what} must be a Distribution, got {describe(value)}")
    best = None
    for i, a in enumerate(type(p).__mro__):
        for j, b in enumerate(type(q).__mro__):
            if (a, b) in _FORMULAS and (best is None or i + j < best[0]):
                best = i + j, _FORMULAS[a, b]
    if best is None:
        raise NotImplementedError(f"kl_divergence(): no formula for {type(p).__name__} and {type(q).__name__}; "
                                  "add one with register_kl")
    return best[1](p, q)


def register_kl(cls_p, cls_q):
    """A decorator that makes a function the formula of KL(p || q) for two classes.

    Args:
        cls_p, cls_q: classes of distributions; subclasses without a formula of their own use it too.

    >>> from paddle.distribution import Beta, register_kl
    >>> class Mine(Beta):
    ...     pass
    >>> @register_kl(Mine, Mine)
    ... def formula(p, q):
    ...     return 0.0
    """
    for value, what in ((cls_p, "cls_p"), (cls_q, "cls_q")):
        if not isinstance(value, type) or not issubclass(value, Distribution):
            raise TypeError(f"register_kl(): {what} must be a subclass of Distribution, got {describe(value)}")

    def register(function):
        _FORMULAS[cls_p, cls_q] = function
        return function
    return register


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio, away = p.scale / q.scale, (p.loc - q.loc) / q.scale
    square = ratio * ratio
    return 0.5 * (square + away * away - 1 - square.log())


@register_kl(LogNormal, LogNormal)
def _log_normal(p, q):
    return _normal(p._base, q._base)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    return ((q.high - q.low) / (p.high - p.low)).log()


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    away = (p.loc - q.loc).abs()
    return (-away / p.scale).exp() * p.scale / q.scale + away / q.scale + (q.scale / p.scale).log() - 1


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio = p.scale / q.scale
    return ((q.scale / p.scale).log() + EULER * (ratio - 1) - 1 + (p.loc - q.loc) / q.scale
            + ((q.loc - p.loc) / q.scale + special.lgamma(ratio + 1)).exp())


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    scales, away = p.scale + q.scale, p.loc - q.loc
    return ((scales * scales + away * away) / (4 * p.scale * q.scale)).log()


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    return q._cross_entropy(p.probs) - p.entropy()


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    a, b = p.probs, q.probs
    return a * (a / b).log() + (1.0 - a) * ((1.0 - a) / (1.0 - b)).log()


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    log_p, log_q = p._log_softmax(), q._log_softmax()
    return (log_p.exp() * (log_p - log_q)).sum(-1, keepdim=True)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    return (special.lgamma(total) - special.lgamma(b.sum(-1)) - (special.lgamma(a) - special.lgamma(b)).sum(-1)
            + ((a - b) * (special.digamma(a) - special.digamma(total).unsqueeze(-1))).sum(-1))


@register_kl(Beta, Beta)
def _beta(p, q):
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    return (b * (p.rate.log() - q.rate.log()) + b.lgamma() - a.lgamma() + (a - b) * a.digamma()
            + (q.rate - p.rate) * (a / p.rate))


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - p.rate + q.rate


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if not bool((p.total_count == q.total_count).all()):
        raise ValueError("kl_divergence(): two Binomial distributions must have one total_count")
    fail, other = 1 - p.probs, 1 - q.probs
    return p.total_count * (p.probs * (p.probs.log() - q.probs.log()) + fail * (fail.log() - other.log()))


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    logits = q.probs.log() - (-q.probs).log1p()
    return -p.entropy() - (p.mean * logits + (-q.probs).log1p() + q._log_constant())


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p, q):
    inner = triangular_solve(q._factor, p._factor, upper=False)
    trace = (inner * inner).sum([-2, -1])
    return q._half_log_det() - p._half_log_det() + 0.5 * (trace + q._squared(p.loc - q.loc) - p.loc.shape[-1])


@register_kl(Independent, Independent)
def _independent(p, q):
    if p._rank != q._rank:
        raise ValueError(f"kl_divergence(): p and q reinterpret {p._rank} and {q._rank} axes")
    return sum_last(kl_divergence(p._base, q._base), p._rank)


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p, q):
    """Bregman's divergence of the log-normaliser, for two of one class."""
    if type(p) is not type(q):
        raise NotImplementedError(f"kl_divergence(): no formula for {type(p).__name__} and {type(q).__name__}")
    mine, normalizer, slopes = p._normalizer_slopes()
    other = list(q._natural_parameters)
    out = q._log_normalizer(*other) - normalizer
    for a, b, slope in zip(mine, other, slopes):
        term = (b - a) * slope
        out = out - sum_last(term, len(term.shape) - len(normalizer.shape))
    return out
