"""Random initializers."""

import math

from ...core.docstrings import documented_like
from ...core.errors import check_choice
from ...core.op import OPS
from .base import Initializer, calculate_gain, fans, in_float32


def _uniform(shape, dtype, low, high, seed, **diagonal):
    return in_float32(lambda kind: OPS["uniform_random"](shape=shape, min=float(low), max=float(high), dtype=kind, seed=seed,
                                                         **diagonal), dtype)


def _normal(shape, dtype, mean, std, seed):
    return OPS["gaussian_random"](shape=shape, mean=float(mean), std=float(std), dtype=dtype, seed=seed)


class Uniform(Initializer):
    """Uniform in [low, high).

    Args:
        low, high (float, -1 and 1): the bounds.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.Uniform(-0.5, 0.5))
    """

    def __init__(self, low=-1.0, high=1.0, name=None):
        if low > high:
            raise ValueError(f"Uniform(): low {low} is above high {high}")
        self.low, self.high, self.diagonal = low, high, {}

    def make(self, shape, dtype):
        return _uniform(shape, dtype, self.low, self.high, self.seed, **self.diagonal)


class Normal(Initializer):
    """Normal with a mean and standard deviation.

    Args:
        mean, std (float, 0 and 1): mean and standard deviation.
    Raises:
        TypeError: the parameter is not a Tensor.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.Normal(std=0.02))
    """

    def __init__(self, mean=0.0, std=1.0, name=None):
        self.mean, self.std = mean, std

    def make(self, shape, dtype):
        return _normal(shape, dtype, self.mean, self.std, self.seed)


class TruncatedNormal(Initializer):
    """Normal, drawn again while outside [a, b] standard deviations around the mean.

    Args:
        mean, std (float, 0 and 1): of the normal distribution before it is cut.
        a, b (float, -2 and 2): the bounds.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.TruncatedNormal(std=0.02))
    """

    def __init__(self, mean=0.0, std=1.0, a=-2.0, b=2.0, name=None):
        if a >= b:
            raise ValueError(f"TruncatedNormal(): a {a} must be below b {b}")
        self.mean, self.std, self.a, self.b = mean, std, a, b

    def make(self, shape, dtype):
        return in_float32(lambda kind: OPS["truncated_gaussian_random"](
            shape=shape, mean=float(self.mean), std=float(self.std), a=float(self.a), b=float(self.b), dtype=kind, seed=self.seed),
            dtype)


class XavierUniform(Initializer):
    """Uniform with limit gain * sqrt(6 / (fan_in + fan_out)): Glorot's rule.

    Args:
        fan_in, fan_out (int, None): inputs and outputs of one element; those of the parameter's shape if None.
        gain (float, 1): a factor, for instance ``calculate_gain('tanh')``.
    Raises:
        TypeError: the parameter is not a Tensor.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.XavierUniform())
    """

    def __init__(self, fan_in=None, fan_out=None, gain=1.0, name=None):
        self.fan_in, self.fan_out, self.gain = fan_in, fan_out, gain

    def _sum(self, shape):
        fan_in, fan_out = fans(shape)
        return max((fan_in if self.fan_in is None else self.fan_in) + (fan_out if self.fan_out is None else self.fan_out), 1)

    def make(self, shape, dtype):
        limit = self.gain * math.sqrt(6.0 / self._sum(shape))
        return _uniform(shape, dtype, -limit, limit, self.seed)


@documented_like(XavierUniform)
class XavierNormal(XavierUniform):
    """Normal with deviation gain * sqrt(2 / (fan_in + fan_out)): Glorot's rule.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.XavierNormal())
    """

    def make(self, shape, dtype):
        return _normal(shape, dtype, 0.0, self.gain * math.sqrt(2.0 / self._sum(shape)), self.seed)


class KaimingUniform(Initializer):
    """Uniform with limit gain * sqrt(3 / fan_in): He's rule.

    Args:
        fan_in (int, None): inputs of one element; that of the parameter's shape if None.
        negative_slope (float, 0): slope below zero, if ``nonlinearity`` is 'leaky_relu'.
        nonlinearity (str, 'relu'): the activation that follows; it decides the gain (sqrt(2) for 'relu').
        mode (str, 'fan_in'): or 'fan_out', to keep the deviation of gradients instead.
    Raises:
        TypeError: the parameter is not a Tensor.
        ValueError: ``nonlinearity`` is unknown.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.KaimingUniform())
    """

    def __init__(self, fan_in=None, negative_slope=0.0, nonlinearity="relu", mode="fan_in"):
        check_choice(mode, ("fan_in", "fan_out"), type(self).__name__, "mode")
        self.fan_in, self.gain, self.mode = fan_in, calculate_gain(nonlinearity, negative_slope), mode

    def _std(self, shape):
        fan_in = fans(shape)[self.mode == "fan_out"] if self.fan_in is None else self.fan_in
        return self.gain / math.sqrt(max(fan_in, 1))

    def make(self, shape, dtype):
        limit = math.sqrt(3.0) * self._std(shape)
        return _uniform(shape, dtype, -limit, limit, self.seed)


@documented_like(KaimingUniform)
class KaimingNormal(KaimingUniform):
    """Normal with deviation gain / sqrt(fan_in): He's rule.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.KaimingNormal())
    """

    def make(self, shape, dtype):
        return _normal(shape, dtype, 0.0, self._std(shape), self.seed)


class XavierInitializer(Initializer):
    """Glorot's rule, uniform or normal (successors: XavierUniform, XavierNormal)."""

    def __init__(self, uniform=True, fan_in=None, fan_out=None, seed=0, gain=1.0):
        self._rule = (XavierUniform if uniform else XavierNormal)(fan_in, fan_out, gain)
        self.seed = self._rule.seed = seed

    def make(self, shape, dtype):
        return self._rule.make(shape, dtype)


class MSRAInitializer(Initializer):
    """He's rule, uniform or normal (successors: KaimingUniform, KaimingNormal)."""

    def __init__(self, uniform=True, fan_in=None, seed=0, negative_slope=0.0, nonlinearity="relu"):
        self._rule = (KaimingUniform if uniform else KaimingNormal)(fan_in, negative_slope, nonlinearity)
        self.seed = self._rule.seed = seed

    def make(self, shape, dtype):
        return self._rule.make(shape, dtype)
