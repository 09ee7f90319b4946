"""Distributions that Paddle 3 added: of waiting times (Gamma, Exponential, Chi2, StudentT) and of counts (Poisson, Binomial)."""

import math

from ..core.autograd import no_grad
from ..tensor.creation import arange
from ..tensor.decompositions import standard_gamma
from ..tensor.gather_scatter import where
from ..tensor.random import binomial, poisson, randn, uniform
from .distribution import Distribution, parameter, parameters

__all__ = ["Gamma", "Exponential", "Chi2", "StudentT", "Poisson", "Binomial", "ContinuousBernoulli"]


class _Drawn(Distribution):
    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            return self.rsample(shape)

    def prob(self, value):
        """The density or probability of value."""
        return self.log_prob(value).exp()


class Gamma(_Drawn):
    """The gamma distribution: density proportional to x^(concentration - 1) exp(-rate x).

    >>> d = paddle.distribution.Gamma(paddle.to_tensor([2.0]), paddle.to_tensor([3.0]))
    >>> round(float(d.entropy()), 4)
    0.4786
    """

    def __init__(self, concentration, rate):
        self.concentration, self.rate = parameters("Gamma", concentration=concentration, rate=rate)
        super().__init__(self.concentration.shape)

    @property
    def mean(self):
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def variance(self):
        """concentration / rate^2."""
        return self.concentration / (self.rate * self.rate)

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to the rate."""
        return standard_gamma(self.concentration.detach().expand(self._full_shape(shape))) / self.rate

    def log_prob(self, value):
        """The logarithm of the density."""
        x, a, b = self._value(value, self.rate), self.concentration, self.rate
        return a * b.log() + (a - 1) * x.log() - b * x - a.lgamma()

    def entropy(self):
        """a - log(b) + lgamma(a) + (1 - a) digamma(a)."""
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()


class Exponential(_Drawn):
    """The exponential distribution: density rate exp(-rate x).

    >>> float(paddle.distribution.Exponential(paddle.to_tensor([2.0])).mean)
    0.5
    """

    def __init__(self, rate):
        self.rate = parameter("Exponential", "rate", rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self):
        """1 / rate^2."""
        return self.mean * self.mean

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to the rate."""
        draws = uniform(self._full_shape(shape), self.rate.dtype, 0.0, 1.0)
        return -(-draws).log1p() / self.rate

    def log_prob(self, value):
        """The logarithm of the density."""
        return self.rate.log() - self.rate * self._value(value, self.rate)

    def entropy(self):
        """1 - log(rate)."""
        return 1.0 - self.rate.log()

    def cdf(self, value):
        """The probability of numbers up to value."""
        return -(-self.rate * self._value(value, self.rate)).expm1()

    def icdf(self, value):
        """The number up to which the probability is value."""
        return -(-self._value(value, self.rate)).log1p() / self.rate


class Chi2(Gamma):
    """The chi-squared distribution: Gamma(df / 2, 1 / 2).

    >>> float(paddle.distribution.Chi2(paddle.to_tensor([3.0])).mean)
    3.0
    """

    def __init__(self, df):
        self.df = parameter("Chi2", "df", df)
        super().__init__(self.df * 0.5, self.df * 0 + 0.5)


class StudentT(_Drawn):
    """Student's distribution with ``df`` degrees of freedom, moved by loc and scaled.

    >>> d = paddle.distribution.StudentT(paddle.to_tensor([5.0]), paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))
    >>> round(float(d.variance), 4)
    6.6667
    """

    def __init__(self, df, loc, scale, name=None):
        self.df, self.loc, self.scale = parameters("StudentT", df=df, loc=loc, scale=scale)
        self.name = name or "StudentT"
        super().__init__(self.df.shape)

    @property
    def mean(self):
        """loc where df > 1, else NaN."""
        return where(self.df > 1, self.loc, self.loc * 0 + math.nan)

    @property
    def variance(self):
        """scale^2 df / (df - 2) where df > 2, infinite down to 1, NaN below."""
        spread = self.scale * self.scale * self.df / (self.df - 2)
        return where(self.df > 2, spread, where(self.df > 1, spread * 0 + math.inf, spread * 0 + math.nan))

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to loc and scale."""
        full = self._full_shape(shape)
        chi = 2.0 * standard_gamma((self.df * 0.5).detach().expand(full))
        return self.loc + self.scale * randn(full, self.loc.dtype) * (self.df / chi).sqrt()

    def log_prob(self, value):
        """The logarithm of the density."""
        z = (self._value(value, self.loc) - self.loc) / self.scale
        half = (self.df + 1) * 0.5
        front = half.lgamma() - (self.df * 0.5).lgamma() - 0.5 * (self.df * math.pi).log() - self.scale.log()
        return front - half * (z * z / self.df).log1p()

    def entropy(self):
        """The entropy."""
        half = (self.df + 1) * 0.5
        beta = (self.df * 0.5).lgamma() + math.lgamma(0.5) - half.lgamma()
        return self.scale.log() + half * (half.digamma() - (self.df * 0.5).digamma()) + 0.5 * self.df.log() + beta


class Poisson(_Drawn):
    """How many rare events happen: P(k) = rate^k exp(-rate) / k!.

    >>> round(float(paddle.distribution.Poisson(paddle.to_tensor([3.0])).entropy()), 4)
    1.9315
    """

    def __init__(self, rate):
        self.rate = parameter("Poisson", "rate", rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        """rate."""
        return self.rate

    @property
    def variance(self):
        """rate."""
        return self.rate

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            return poisson(self.rate.expand(self._full_shape(shape)))

    def log_prob(self, value):
        """The logarithm of the probability."""
        k = self._value(value, self.rate)
        return k * self.rate.log() - self.rate - (k + 1).lgamma()

    def entropy(self):
        """The sum over all counts that have a probability."""
        top = float(self.rate.max())
        counts = arange(0, int(top + 30 * math.sqrt(top) + 40), dtype=self.rate.dtype)
        logs = self.log_prob(counts.reshape([-1] + [1] * len(self.rate.shape)))
        return -(logs.exp() * logs).sum(0)


class Binomial(_Drawn):
    """How many of ``total_count`` tries succeed, each with probability ``probs``.

    >>> round(float(paddle.distribution.Binomial(10, paddle.to_tensor([0.3])).entropy()), 4)
    1.7791
    """

    def __init__(self, total_count, probs):
        self.probs = parameter("Binomial", "probs", probs)
        count = total_count.astype(self.probs.dtype) if hasattr(total_count, "astype") else self.probs * 0 + float(total_count)
        if float(count.min()) < 1 or not bool(((self.probs >= 0) & (self.probs <= 1)).all()):
            raise ValueError("Binomial(): total_count must be at least 1 and probs in [0, 1]")
        self.total_count, self.probs = parameters("Binomial", total_count=count, probs=self.probs)
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        """n p."""
        return self.total_count * self.probs

    @property
    def variance(self):
        """n p (1 - p)."""
        return self.mean * (1 - self.probs)

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            full = self._full_shape(shape)
            draws = binomial(self.total_count.astype("int32").expand(full), self.probs.expand(full))
            return draws.astype(self.probs.dtype)

    def log_prob(self, value):
        """The logarithm of the probability."""
        k, n = self._value(value, self.probs), self.total_count
        tiny = 1.1920929e-07 if self.probs.dtype.name == "float32" else 2.220446049250313e-16
        p = self.probs.clip(tiny, 1 - tiny)
        ways = (n + 1).lgamma() - (k + 1).lgamma() - (n - k + 1).lgamma()
        return ways + k * p.log() + (n - k) * (1 - p).log()

    def entropy(self):
        """The sum over all counts."""
        most = int(float(self.total_count.max()))
        counts = arange(0, most + 1, dtype=self.probs.dtype).reshape([-1] + [1] * len(self.probs.shape))
        possible = counts <= self.total_count
        logs = self.log_prob(where(possible, counts + self.total_count * 0, self.total_count + counts * 0))
        return -(where(possible, logs.exp() * logs, logs * 0)).sum(0)


class ContinuousBernoulli(_Drawn):
    """On [0, 1], density proportional to probs^x (1 - probs)^(1 - x).

    Args:
        probs: in (0, 1).
        lims: between these the formulae are replaced by their limits at 0.5.

    >>> round(float(paddle.distribution.ContinuousBernoulli(paddle.to_tensor([0.2])).mean), 4)
    0.388
    """

    def __init__(self, probs, lims=(0.499, 0.501)):
        self.probs, self.lims = parameter("ContinuousBernoulli", "probs", probs), lims
        tiny = 1.1920929e-07 if self.probs.dtype.name == "float32" else 2.220446049250313e-16
        self.probs = self.probs.clip(tiny, 1 - tiny)
        super().__init__(self.probs.shape)

    def _parts(self):
        """(is it near one half?, probs with those replaced so that nothing is divided by 0)."""
        near = (self.probs > self.lims[0]) & (self.probs < self.lims[1])
        return near, where(near, self.probs * 0 + self.lims[0], self.probs)

    def _log_constant(self):
        near, p = self._parts()
        exact = (2 * (1 - 2 * p).atanh() / (1 - 2 * p)).log()
        away = self.probs - 0.5
        return where(near, math.log(2) + (4 / 3 + 104 / 45 * away * away) * away * away, exact)

    @property
    def mean(self):
        """The mean."""
        near, p = self._parts()
        away = self.probs - 0.5
        return where(near, 0.5 + (1 / 3 + 16 / 45 * away * away) * away, p / (2 * p - 1) + 1 / (2 * (1 - 2 * p).atanh()))

    @property
    def variance(self):
        """The variance."""
        near, p = self._parts()
        away = (self.probs - 0.5) * (self.probs - 0.5)
        exact = p * (p - 1) / ((1 - 2 * p) * (1 - 2 * p)) + 1 / ((2 * (1 - 2 * p).atanh()) * (2 * (1 - 2 * p).atanh()))
        return where(near, 1 / 12 - (1 / 15 - 128 / 945 * away) * away, exact)

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to probs."""
        return self.icdf(uniform(self._full_shape(shape), self.probs.dtype, 0.0, 1.0))

    def log_prob(self, value):
        """The logarithm of the density."""
        x = self._value(value, self.probs)
        return x * self.probs.log() + (1 - x) * (-self.probs).log1p() + self._log_constant()

    def entropy(self):
        """The entropy."""
        logits = self.probs.log() - (-self.probs).log1p()
        return -(self.mean * logits + (-self.probs).log1p() + self._log_constant())

    def cdf(self, value):
        """The probability of numbers up to value."""
        x, (near, p) = self._value(value, self.probs), self._parts()
        exact = (p ** x * (1 - p) ** (1 - x) + p - 1) / (2 * p - 1)
        return where(near, x + self.probs * 0, exact).clip(0.0, 1.0)

    def icdf(self, value):
        """The number up to which the probability is value."""
        u, (near, p) = self._value(value, self.probs), self._parts()
        exact = ((u * (2 * p - 1) - p).log1p() - (-p).log1p()) / (p.log() - (-p).log1p())
        return where(near, u + self.probs * 0, exact)
