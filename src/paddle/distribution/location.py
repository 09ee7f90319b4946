"""Laplace's, Gumbel's and Cauchy's distributions: a place and a scale."""

import math
import numbers

from ..core.autograd import no_grad
from ..core.errors import describe
from ..tensor.convert import is_tensor_like
from ..tensor.random import uniform
from .distribution import Distribution, parameters

__all__ = ["Laplace", "Gumbel", "Cauchy"]
EULER = 0.57721566490153286060


class _Located(Distribution):
    """What they share: parameters, and draws made from uniform numbers by the inverse of the cdf."""

    def __init__(self, loc, scale, name=None):
        self.loc, self.scale = parameters(type(self).__name__, loc=loc, scale=scale)
        self.name = name or type(self).__name__
        super().__init__(self.loc.shape)

    def _standard(self, value):
        return (self._value(value, self.loc) - self.loc) / self.scale

    def sample(self, shape=(), name=None):
        """Draw ``shape`` times."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=(), name=None):
        """Draw ``shape`` times; gradients flow to loc and scale."""
        tiny = 1e-7 if self.loc.dtype.name == "float32" else 1e-15
        draws = uniform(self._full_shape(shape), self.loc.dtype, tiny, 1.0 - tiny)
        return self.loc + self.scale * self._standard_icdf(draws)


class Laplace(_Located):
    """Laplace's distribution: density exp(-|x - loc| / scale) / (2 scale).

    >>> d = paddle.distribution.Laplace(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
    >>> round(float(d.entropy()), 4)
    1.6931
    """

    @property
    def mean(self):
        """loc."""
        return self.loc

    @property
    def stddev(self):
        """The standard deviation, sqrt(2) scale."""
        return self.scale * math.sqrt(2)

    @property
    def variance(self):
        """2 scale^2."""
        return self.stddev * self.stddev

    def log_prob(self, value):
        """The logarithm of the density."""
        return -(2 * self.scale).log() - self._standard(value).abs()

    def entropy(self):
        """1 + log(2 scale)."""
        return 1 + (2 * self.scale).log()

    def cdf(self, value):
        """The probability of numbers up to value."""
        z = self._standard(value)
        return 0.5 - 0.5 * z.sign() * (-z.abs()).expm1()

    def _standard_icdf(self, value):
        away = value - 0.5
        return -(away.sign() * (-2 * away.abs()).log1p())

    def icdf(self, value):
        """The number up to which the probability is value."""
        return self.loc + self.scale * self._standard_icdf(self._value(value, self.loc))


class Gumbel(_Located):
    """Gumbel's distribution of extremes.

    Args:
        loc, scale: mode and width: numbers or Tensors that broadcast together.

    >>> d = paddle.distribution.Gumbel(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
    >>> round(float(d.mean), 4)
    0.5772
    """

    @property
    def mean(self):
        """loc + Euler's constant times scale."""
        return self.loc + self.scale * EULER

    @property
    def variance(self):
        """pi^2 scale^2 / 6."""
        return self.scale * self.scale * (math.pi ** 2 / 6)

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def log_prob(self, value):
        """The logarithm of the density."""
        z = self._standard(value)
        return -(z + (-z).exp()) - self.scale.log()

    def cdf(self, value):
        """The probability of numbers up to value."""
        return (-(-self._standard(value)).exp()).exp()

    def entropy(self):
        """log(scale) + 1 + Euler's constant."""
        return self.scale.log() + 1 + EULER

    def _standard_icdf(self, value):
        return -((-value.log()).log())


class Cauchy(_Located):
    """Cauchy's distribution, which has neither mean nor variance.

    Args:
        loc, scale: median and half the distance of the quartiles: numbers or Tensors that broadcast together.

    >>> d = paddle.distribution.Cauchy(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
    >>> float(d.cdf(paddle.to_tensor(0.0)))
    0.5
    """

    def __init__(self, loc, scale, name=None):
        for value, what in ((loc, "loc"), (scale, "scale")):
            if not is_tensor_like(value) and not isinstance(value, numbers.Real):
                raise TypeError(f"Cauchy(): {what} must be a number or a Tensor, got {describe(value)}")
        super().__init__(loc, scale, name)

    def _undefined(self, what):
        return ValueError(f"Cauchy.{what}: Cauchy's distribution has no {what}")

    @property
    def mean(self):
        """Undefined."""
        raise self._undefined("mean")

    @property
    def variance(self):
        """Undefined."""
        raise self._undefined("variance")

    @property
    def stddev(self):
        """Undefined."""
        raise self._undefined("stddev")

    def log_prob(self, value):
        """The logarithm of the density."""
        z = self._standard(value)
        return -(z * z).log1p() - (self.scale * math.pi).log()

    def cdf(self, value):
        """The probability of numbers up to value."""
        return self._standard(value).atan() / math.pi + 0.5

    def entropy(self):
        """log(4 pi scale)."""
        return (4 * math.pi * self.scale).log()

    def _standard_icdf(self, value):
        return ((value - 0.5) * math.pi).tan()
