"""fluid.layers: distributions in the form of 1.x: parameters of one kind, results that keep the last axis."""

import math

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...tensor import functions as tensor
from ..state import fluid_call
from .common import at_least_1d, need_variables
from .tensor import gaussian_random, uniform_random

__all__ = ["Uniform", "Normal", "Categorical", "MultivariateNormalDiag"]

_VARIABLES = (Tensor, Symbolic)


def _check_kind(value, name, function, kinds):
    """TypeError unless an argument is of one of these types."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        named = ", ".join("Variable" if kind in _VARIABLES else kind.__name__ for kind in kinds if kind is not Symbolic)
        raise TypeError(f"{function}(): {name} must be one of {named}, got {describe(value)}")


def _parameters(function, number, **given):
    """The parameters as Variables of type float32: all given as Variables, or none."""
    for name, value in given.items():
        _check_kind(value, name, function, (*((float,) if number else ()), np.ndarray, list, *_VARIABLES))
    symbols = [isinstance(value, _VARIABLES) for value in given.values()]
    if any(symbols) and not all(symbols):
        raise ValueError(f"{function}(): {' and '.join(given)} must all be Variables when one of them is")
    if all(symbols):
        return list(given.values())
    return [np.atleast_1d(np.asarray(value, "float32")) for value in given.values()]


def _variables(values):
    return [value if isinstance(value, _VARIABLES) else tensor.assign(np.ascontiguousarray(value)) for value in values]


class Distribution:
    """What distributions of 1.x have in common (1.x; successor: paddle.distribution.Distribution)."""

    def sample(self):
        """Draw from the distribution."""
        raise NotImplementedError(f"{type(self).__name__} has no sample()")

    def entropy(self):
        """The entropy."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy()")

    def kl_divergence(self, other):
        """The divergence of another distribution from this one."""
        raise NotImplementedError(f"{type(self).__name__} has no kl_divergence()")

    def log_prob(self, value):
        """The logarithm of the density at a value."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob()")

    def _need_same(self, other):
        if not isinstance(other, type(self)):
            raise TypeError(f"kl_divergence(): other must be a {type(self).__name__}, got {describe(other)}")


class _LocationScale(Distribution):
    """A distribution of independent numbers with two parameters that broadcast against each other."""

    def _take(self, **given):
        """Set both parameters as attributes, broadcast when they are not Variables."""
        self._single = all(isinstance(value, float) for value in given.values())
        values = _parameters(type(self).__name__, True, **given)
        if not isinstance(values[0], _VARIABLES):
            values = np.broadcast_arrays(*values)
        for name, value in zip(given, _variables(values)):
            setattr(self, name, value)

    def _drawn(self, shape, seed, like, draw):
        """Numbers of draw in the shape asked for, with that of the parameters behind it."""
        _check_kind(shape, "shape", "sample", (list,))
        _check_kind(seed, "seed", "sample", (int,))
        if self._single:
            return draw(shape)
        sizes = [size if size >= 0 else tensor.shape(like)[axis] for axis, size in enumerate(like.shape)]
        return draw([*shape, *sizes])


class Uniform(_LocationScale):
    """Numbers spread evenly over [low, high) (1.x; successor: paddle.distribution.Uniform)."""

    @fluid_call
    def __init__(self, low, high):
        self._take(low=low, high=high)

    @fluid_call
    def sample(self, shape, seed=0):
        """Draw: of the shape that is given, followed by that of the parameters unless both are numbers."""
        width = self.high - self.low
        return self._drawn(shape, seed, width, lambda sizes: uniform_random(sizes, "float32", 0.0, 1.0, seed)) * width + self.low

    @fluid_call
    def log_prob(self, value):
        """The logarithm of the density: -inf outside of low and high."""
        need_variables("log_prob", value=value)
        inside = tensor.logical_and(tensor.less_than(self.low, value), tensor.less_than(value, self.high))
        return tensor.log(tensor.cast(inside, value.dtype)) - tensor.log(self.high - self.low)

    @fluid_call
    def entropy(self):
        """The logarithm of the width."""
        return tensor.log(self.high - self.low)


class Normal(_LocationScale):
    """Normal numbers by mean and standard deviation (1.x; successor: paddle.distribution.Normal)."""

    @fluid_call
    def __init__(self, loc, scale):
        self._take(loc=loc, scale=scale)

    @fluid_call
    def sample(self, shape, seed=0):
        """Draw: of the shape that is given, followed by that of the parameters unless both are numbers."""
        drawn = self._drawn(shape, seed, self.loc + self.scale, lambda sizes: gaussian_random(sizes, 0.0, 1.0, seed))
        return drawn * self.scale + self.loc

    @fluid_call
    def log_prob(self, value):
        """The logarithm of the density."""
        need_variables("log_prob", value=value)
        distance = (value - self.loc) / self.scale
        return distance * distance * -0.5 - tensor.log(self.scale) - 0.5 * math.log(2 * math.pi)

    @fluid_call
    def entropy(self):
        """The entropy, in the shape that both parameters have together."""
        return tensor.log(self.scale + tensor.zeros_like(self.loc)) + (0.5 + 0.5 * math.log(2 * math.pi))

    @fluid_call
    def kl_divergence(self, other):
        """The divergence of another Normal from this one."""
        self._need_same(other)
        ratio, distance = self.scale / other.scale, (self.loc - other.loc) / other.scale
        return (ratio * ratio + distance * distance - 1.0) * 0.5 - tensor.log(ratio)


class Categorical(Distribution):
    """One of several categories, by unnormalized logarithms of probabilities (1.x; successor: paddle.distribution.Categorical,
    which normalizes differently)."""

    @fluid_call
    def __init__(self, logits):
        self.logits, = _variables(_parameters("Categorical", False, logits=logits))

    def _log_probabilities(self):
        return self.logits - tensor.logsumexp(self.logits, -1, True)

    @fluid_call
    def entropy(self):
        """The entropy; the last axis stays, of size 1."""
        own = self._log_probabilities()
        return -tensor.sum(tensor.exp(own) * own, -1, keepdim=True)

    @fluid_call
    def kl_divergence(self, other):
        """The divergence of another Categorical from this one; the last axis stays, of size 1."""
        self._need_same(other)
        own = self._log_probabilities()
        return tensor.sum(tensor.exp(own) * (own - other._log_probabilities()), -1, keepdim=True)


class MultivariateNormalDiag(Distribution):
    """Normal vectors by mean [k] and diagonal covariance matrix [k, k] (1.x; successor:
    paddle.distribution.MultivariateNormal)."""

    @fluid_call
    def __init__(self, loc, scale):
        self.loc, self.scale = _variables(_parameters("MultivariateNormalDiag", False, loc=loc, scale=scale))
        if len(self.scale.shape) != 2 or self.scale.shape[0] != self.scale.shape[1]:
            raise ValueError(f"MultivariateNormalDiag(): scale must be a square matrix, got shape {list(self.scale.shape)}")

    def _variances(self):
        return tensor.diagonal(self.scale)

    def _log_determinant(self):
        return tensor.sum(tensor.log(self._variances()))

    @fluid_call
    def entropy(self):
        """The entropy, of shape [1]."""
        return at_least_1d((self._log_determinant() + self.scale.shape[0] * (1.0 + math.log(2 * math.pi))) * 0.5)

    @fluid_call
    def kl_divergence(self, other):
        """The divergence of another MultivariateNormalDiag from this one, of shape [1]."""
        self._need_same(other)
        distance = other.loc - self.loc
        terms = tensor.sum((self._variances() + distance * distance) / other._variances())
        return at_least_1d((terms - self.scale.shape[0] + other._log_determinant() - self._log_determinant()) * 0.5)


__getattr__ = _lookup(__name__)
