"""Bernoulli's and the geometric distribution."""

import numbers

from ..core.autograd import no_grad
from ..core.context import in_dynamic_mode
from ..core.errors import describe
from ..core.tensor import Tensor
from ..nn.functional import softplus
from ..ops.math.arithmetic import clip
from ..tensor.convert import as_tensor, cast, is_tensor_like, numpy_dtype
from ..tensor.creation import full_like, zeros_like
from ..tensor.gather_scatter import where
from ..tensor.random import bernoulli, rand, uniform
from ..tensor.type_limits import finfo
from .distribution import Distribution, ExponentialFamily, parameter

__all__ = ["Bernoulli", "Geometric"]


def _limited(p):
    """Probabilities away from 0 and 1 by the smallest step that logarithms bear."""
    eps = finfo(p.dtype).eps
    return clip(p, min=eps, max=1 - eps)


class Bernoulli(ExponentialFamily):
    """1 with probability ``probs``, else 0.

    >>> d = paddle.distribution.Bernoulli(paddle.to_tensor(0.25))
    >>> float(d.mean), float(d.variance)
    (0.25, 0.1875)
    """

    def __init__(self, probs, name=None):
        probs = parameter("Bernoulli", "probs", probs)
        if isinstance(probs, Tensor) and not bool(((probs >= 0) & (probs <= 1)).all()):
            raise ValueError(f"Bernoulli(): probs must be in [0, 1], got {describe(probs)}")
        self.name, self.probs, self.dtype = name or "Bernoulli", _limited(probs), probs.dtype.name
        self.logits = self.probs.log() - (-self.probs).log1p()
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        """probs."""
        return self.probs

    @property
    def variance(self):
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            return bernoulli(self.probs.expand(self._full_shape(shape)))

    def rsample(self, shape=(), temperature=1.0):
        """Relaxed draws: log-odds of draws, sharper for a lower temperature; their sigmoid lies in (0, 1)."""
        if not temperature > 0:
            raise ValueError(f"Bernoulli.rsample(): temperature must be positive, got {temperature}")
        if not in_dynamic_mode() and not isinstance(temperature, float):
            raise TypeError(f"Bernoulli.rsample(): temperature must be a float in a program, got {describe(temperature)}")
        u = rand(self._full_shape(shape), self.probs.dtype)
        return (u.log() - (-u).log1p() + self.probs.log() - (-self.probs).log1p()) / temperature

    def _cross_entropy(self, value):
        """-value log(p) - (1 - value) log(1 - p), without the difference of large numbers."""
        return value * softplus(-self.logits) + (1 - value) * softplus(self.logits)

    def log_prob(self, value):
        """The logarithm of the probability."""
        return -self._cross_entropy(self._value(value, self.probs))

    def prob(self, value):
        """The probability."""
        return self.log_prob(value).exp()

    def cdf(self, value):
        """The probability of numbers up to value."""
        value = self._value(value, self.probs)
        inside = where(value < 0, zeros_like(value), 1 - self.probs + zeros_like(value))
        return where(value >= 1, full_like(inside, 1.0), inside)

    def entropy(self):
        """-p log(p) - (1 - p) log(1 - p)."""
        return self._cross_entropy(self.probs)

    @property
    def _natural_parameters(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        return (1 + x.exp()).log()

    @property
    def _mean_carrier_measure(self):
        return 0.0


class Geometric(Distribution):
    """How many trials fail before the first success, each succeeding with probability ``probs``.

    >>> d = paddle.distribution.Geometric(paddle.to_tensor(0.5))
    >>> float(d.mean), float(d.pmf(1))
    (1.0, 0.25)
    """

    def __init__(self, probs):
        if not is_tensor_like(probs) and not isinstance(probs, numbers.Real):
            raise TypeError(f"Geometric(): probs must be a number or a Tensor, got {describe(probs)}")
        self.probs = parameter("Geometric", "probs", probs)
        if isinstance(self.probs, Tensor) and not bool(((self.probs > 0) & (self.probs <= 1)).all()):
            raise ValueError(f"Geometric(): probs must be in (0, 1], got {describe(probs)}")
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        """1 / probs - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def variance(self):
        """(1 / probs - 1) / probs."""
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def _count(self, k):
        if not is_tensor_like(k) and not isinstance(k, numbers.Integral):
            raise TypeError(f"Geometric: a number of failures must be an int or a Tensor, got {describe(k)}")
        return cast(as_tensor(k, "Geometric"), numpy_dtype(self.probs))

    def log_pmf(self, k):
        """The logarithm of the probability of k failures."""
        return self._count(k) * (1 - self.probs).log() + self.probs.log()

    def pmf(self, k):
        """The probability of k failures."""
        return (1 - self.probs).pow(self._count(k)) * self.probs

    def log_prob(self, value):
        """The logarithm of the probability (another name of ``log_pmf``)."""
        return self.log_pmf(value)

    def cdf(self, k):
        """The probability of at most k failures."""
        return 1.0 - (1.0 - self.probs).pow(self._count(k) + 1.0)

    def entropy(self):
        """(-p log(p) - (1 - p) log(1 - p)) / p."""
        p = self.probs
        return -(p * p.log() + (1 - p) * (1 - p).log()) / p

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=()):
        """Draw ``shape`` times."""
        tiny = 1e-7 if self.probs.dtype.name == "float32" else 1e-15
        u = uniform(self._full_shape(shape), self.probs.dtype, tiny, 1.0)
        return cast((u.log() / (-self.probs).log1p()).floor(), numpy_dtype(self.probs))
