"""What all initializers share: the call that fills a parameter, fans, gains, and the global defaults."""

import math

from ...core import dtype as dtypes
from ...core import random
from ...core.errors import describe
from ...core.op import OPS, Symbolic
from ...core.rooms import rooms
from ...core.tensor import Tensor


class Initializer:
    """Base of initializers: a subclass defines ``make(shape, dtype)``, which composes ops and returns the values."""

    seed = 0  # of a random one: 0 for the global generator; initializers of older generations take another

    def __call__(self, param, block=None):
        """Fill a parameter (in a static program: append the filling to its startup block) and return it."""
        if not isinstance(param, Tensor):
            if not isinstance(param, Symbolic):
                raise TypeError(f"{type(self).__name__}(): param must be a Tensor, got {describe(param)}")
            return rooms.initialize(self, param, block)
        with random.of_startup():
            value = self.make(list(param.shape), dtypes.of(param._data))
        param.replace(value._data.astype(param._data.dtype).reshape(param._data.shape))
        return param

    def make(self, shape, dtype):
        """Values of this shape and dtype, as a Tensor (or, while a program is built, a Variable)."""
        raise NotImplementedError(f"{type(self).__name__} must define make(shape, dtype)")


def in_float32(make, dtype):
    """``make(dtype)``; where the type has 16 bits, float32 values cast to it, as Paddle's startup programs have them."""
    single = dtypes.ALL["float32"]
    return OPS["cast"](make(single), dtype, single) if dtype.name in ("float16", "bfloat16") else make(dtype)


def fans(shape):
    """(fan_in, fan_out) of a weight: [in, out] for matrices, [out, in, *kernel] for filters."""
    if len(shape) < 2:
        n = shape[0] if shape else 1
        return n, n
    if len(shape) == 2:
        return shape[0], shape[1]
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


_GAINS = {"sigmoid": 1.0, "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv1d_transpose": 1.0,
          "conv2d_transpose": 1.0, "conv3d_transpose": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity, param=None):
    """The recommended scale of weights in front of a nonlinearity.

    >>> round(paddle.nn.initializer.calculate_gain('tanh'), 4)
    1.6667
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"calculate_gain(): nonlinearity must be one of {sorted([*_GAINS, 'leaky_relu'])}, "
                         f"got {nonlinearity!r}")
    return _GAINS[nonlinearity]
