"""Dirichlet's and the beta distribution."""

from ..core.autograd import no_grad
from ..ops.math import special
from ..ops.random.gamma import dirichlet
from ..tensor.creation import zeros
from ..tensor.joining import stack
from .distribution import ExponentialFamily, parameter, parameters

__all__ = ["Beta", "Dirichlet"]


def _log_beta(concentration):
    return special.lgamma(concentration).sum(-1) - special.lgamma(concentration.sum(-1))


class Dirichlet(ExponentialFamily):
    """Dirichlet's distribution of probabilities that add up to 1.

    Args:
        concentration: positive Tensor [..., K]; the last axis is that of the probabilities.

    >>> paddle.distribution.Dirichlet(paddle.to_tensor([1., 3.])).mean.tolist()
    [0.25, 0.75]
    """

    def __init__(self, concentration):
        self.concentration = parameter("Dirichlet", "concentration", concentration)
        if not len(self.concentration.shape):
            raise ValueError("Dirichlet(): concentration must have at least one axis, got a 0-d tensor")
        super().__init__(self.concentration.shape[:-1], self.concentration.shape[-1:])

    @property
    def mean(self):
        """concentration over its sum."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self):
        """The variance of each probability."""
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total * total * (total + 1))

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            return dirichlet(self.concentration + zeros(self._full_shape(shape), self.concentration.dtype))

    def log_prob(self, value):
        """The logarithm of the density."""
        value = self._value(value, self.concentration)
        return (value.log() * (self.concentration - 1.0)).sum(-1) - _log_beta(self.concentration)

    def prob(self, value):
        """The density."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The differential entropy."""
        a = self.concentration
        total, k = a.sum(-1), a.shape[-1]
        return _log_beta(a) - (k - total) * special.digamma(total) - ((a - 1.0) * special.digamma(a)).sum(-1)

    @property
    def _natural_parameters(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return _log_beta(x)


class Beta(ExponentialFamily):
    """The beta distribution on (0, 1).

    Args:
        alpha, beta: numbers or Tensors that broadcast together. Both are positive.

    >>> d = paddle.distribution.Beta(paddle.to_tensor(1.0), paddle.to_tensor(3.0))
    >>> float(d.mean)
    0.25
    """

    def __init__(self, alpha, beta):
        self.alpha, self.beta = parameters("Beta", alpha=alpha, beta=beta)
        self._dirichlet = Dirichlet(stack([self.alpha, self.beta], -1))
        super().__init__(self.alpha.shape)

    @property
    def mean(self):
        """alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self):
        """alpha beta / ((alpha + beta)^2 (alpha + beta + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * total * (total + 1))

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        return self._dirichlet.sample(shape)[..., 0]

    def log_prob(self, value):
        """The logarithm of the density."""
        value = self._value(value, self.alpha)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def prob(self, value):
        """The density."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The differential entropy."""
        return self._dirichlet.entropy()

    @property
    def _natural_parameters(self):
        return self.alpha, self.beta

    def _log_normalizer(self, x, y):
        return special.lgamma(x) + special.lgamma(y) - special.lgamma(x + y)
