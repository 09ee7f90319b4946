"""Normal, log-normal and uniform distributions."""

import math

from ..core.autograd import no_grad
from ..tensor.convert import cast, numpy_dtype
from ..tensor.random import gaussian, uniform
from .distribution import Distribution, batch_of, parameters
from .transform import ExpTransform
from .transformed import TransformedDistribution

__all__ = ["Normal", "LogNormal", "Uniform"]


class Normal(Distribution):
    """The normal distribution with mean ``loc`` and standard deviation ``scale``.

    Args:
        loc, scale (number, list, ndarray or Tensor): they are broadcast with each other; scale is positive.

    Samples by ``sample(shape)``, and with gradients by ``rsample(shape)``; also ``log_prob``, ``probs``, ``entropy``,
    ``kl_divergence``, ``mean`` and ``variance``.

    >>> d = paddle.distribution.Normal(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
    >>> round(float(d.entropy()), 4)
    1.4189
    """

    def __init__(self, loc, scale, name=None):
        self.loc, self.scale = parameters("Normal", loc=loc, scale=scale)
        self.name = name or "Normal"
        super().__init__(batch_of(self.loc, loc, scale))

    @property
    def mean(self):
        """The mean."""
        return self.loc

    @property
    def variance(self):
        """The variance."""
        return self.scale * self.scale

    def sample(self, shape=(), seed=0):
        """Draw ``shape`` times; with ``seed`` from a stream of its own."""
        with no_grad():
            return self.rsample(shape, seed)

    def rsample(self, shape=(), seed=0):
        """Draw ``shape`` times; gradients flow to loc and scale."""
        noise = gaussian(self._full_shape(shape), seed=seed, dtype=self.loc.dtype)
        return noise * self.scale + self.loc

    def entropy(self):
        """0.5 + 0.5 log(2 pi) + log(scale)."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    def log_prob(self, value):
        """The logarithm of the density."""
        value = self._value(value, self.loc)
        away = value - self.loc
        return -(away * away) / (2 * self.variance) - self.scale.log() - 0.5 * math.log(2 * math.pi)


class LogNormal(TransformedDistribution):
    """The distribution of exp(x) for normal x with mean ``loc`` and standard deviation ``scale``.

    >>> d = paddle.distribution.LogNormal(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
    >>> round(float(d.mean), 4)
    1.6487
    """

    def __init__(self, loc, scale):
        self._base = Normal(loc, scale)
        self.loc, self.scale = self._base.loc, self._base.scale
        super().__init__(self._base, [ExpTransform()])

    @property
    def mean(self):
        """exp(loc + scale^2 / 2)."""
        return (self.loc + self._base.variance / 2).exp()

    @property
    def variance(self):
        """(exp(scale^2) - 1) exp(2 loc + scale^2)."""
        v = self._base.variance
        return v.expm1() * (2 * self.loc + v).exp()

    def entropy(self):
        """The entropy of the normal distribution, plus loc."""
        return self._base.entropy() + self.loc


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    >>> d = paddle.distribution.Uniform(paddle.to_tensor(0.0), paddle.to_tensor(4.0))
    >>> float(d.probs(paddle.to_tensor(1.0)))
    0.25
    """

    def __init__(self, low, high, name=None):
        self.low, self.high = parameters("Uniform", low=low, high=high)
        self.name = name or "Uniform"
        super().__init__(batch_of(self.low, low, high))

    @property
    def mean(self):
        """The middle of the interval."""
        return (self.low + self.high) / 2

    @property
    def variance(self):
        """(high - low)^2 / 12."""
        width = self.high - self.low
        return width * width / 12

    def sample(self, shape=(), seed=0):
        """Draw ``shape`` times; with ``seed`` from a stream of its own."""
        with no_grad():
            return self.rsample(shape, seed)

    def rsample(self, shape=(), seed=0):
        """Draw ``shape`` times; gradients flow to low and high."""
        return uniform(self._full_shape(shape), self.low.dtype, 0.0, 1.0, seed) * (self.high - self.low) + self.low

    def _inside(self, value):
        return cast((self.low < value) & (value < self.high), numpy_dtype(self.low))

    def log_prob(self, value):
        """The logarithm of the density; -inf outside the interval."""
        value = self._value(value, self.low)
        return self._inside(value).log() - (self.high - self.low).log()

    def prob(self, value):
        """The density."""
        return self._inside(self._value(value, self.low)) / (self.high - self.low)

    def entropy(self):
        """log(high - low)."""
        return (self.high - self.low).log()
