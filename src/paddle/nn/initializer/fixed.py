"""Initializers without randomness, and the orthogonal one."""

import numbers

import numpy as np

from ...core.errors import describe
from ...core.op import OPS
from ...core.tensor import Tensor
from ...ops.linalg.decomposition import diagonal_of, qr
from ...ops.math.unary import sign
from .base import Initializer, in_float32


class Constant(Initializer):
    """Every element the same number.

    Args:
        value (float, 0): the number.
    Raises:
        TypeError: ``value`` is not a number, or the parameter is not a Tensor.

    >>> layer = paddle.nn.Linear(2, 2, bias_attr=paddle.nn.initializer.Constant(1.0))
    """

    def __init__(self, value=0.0):
        if not isinstance(value, numbers.Real):
            raise TypeError(f"Constant(): value must be a number, got {describe(value)}")
        self.value = value if isinstance(value, (int, float)) else value.item()

    def make(self, shape, dtype):
        return OPS["fill_constant"](shape=shape, value=self.value, dtype=dtype)


class Assign(Initializer):
    """Given values: an array, list, number or Tensor of the parameter's shape.

    Args:
        value (ndarray, list, number or Tensor): converted to the parameter's data type.
    Raises:
        ValueError: its shape is not the parameter's.

    >>> paddle.nn.Linear(1, 2, bias_attr=paddle.nn.initializer.Assign([1., 2.])).bias.tolist()
    [1.0, 2.0]
    """

    def __init__(self, value, name=None):
        if not isinstance(value, (np.ndarray, list, tuple, Tensor, int, float)):
            raise TypeError(f"Assign(): value must be an array, list or Tensor, got {describe(value)}")
        self.value = value._data if isinstance(value, Tensor) else np.asarray(value)

    def make(self, shape, dtype):
        if self.value.size != int(np.prod(shape)):
            raise ValueError(f"Assign(): the value has shape {list(self.value.shape)}, the parameter {list(shape)}")
        return in_float32(lambda kind: OPS["assign_value"](shape=shape, dtype=kind,
                                                           values=self.value.astype(kind.dtype).reshape(-1)), dtype)


class Bilinear(Initializer):
    """Weights of a transposed convolution that enlarges images by bilinear interpolation.

    >>> init = paddle.nn.initializer.Bilinear()
    """

    def make(self, shape, dtype):
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ValueError(f"Bilinear(): the weight must be [C, O, k, k], got {list(shape)}")
        k = shape[3]
        half = -(-k // 2)
        centre = (2 * half - 1 - half % 2) / (2.0 * half)
        line = 1 - np.abs(np.arange(k) / half - centre)
        return Assign(np.broadcast_to(np.outer(line, line), shape)).make(shape, dtype)


class Dirac(Initializer):
    """A filter that hands its input on: 1 at the centre of matching channels, else 0.

    >>> init = paddle.nn.initializer.Dirac()
    """

    def __init__(self, groups=1, name=None):
        if not isinstance(groups, int) or groups < 1:
            raise ValueError(f"Dirac(): groups must be a positive int, got {describe(groups)}")
        self.groups = groups

    def make(self, shape, dtype):
        if len(shape) not in (3, 4, 5) or shape[0] % self.groups:
            raise ValueError(f"Dirac(): the weight must be a filter of 3 to 5 dimensions whose first size {self.groups} "
                             f"groups divide, got {list(shape)}")
        value, per_group = np.zeros(shape), shape[0] // self.groups
        centre = tuple(k // 2 for k in shape[2:])
        for g in range(self.groups):
            for i in range(min(per_group, shape[1])):
                value[(g * per_group + i, i, *centre)] = 1
        return Assign(value).make(shape, dtype)


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix times gain, from the QR decomposition of a normal one.

    >>> w = paddle.nn.Linear(3, 3, weight_attr=paddle.nn.initializer.Orthogonal()).weight
    >>> bool(paddle.allclose(w @ w.t(), paddle.eye(3), atol=1e-5))
    True
    """

    def __init__(self, gain=1.0, name=None):
        self.gain = gain

    def make(self, shape, dtype):
        if len(shape) < 2:
            raise ValueError(f"Orthogonal(): the parameter must have at least 2 dimensions, got {list(shape)}")
        rows, columns = shape[0], int(np.prod(shape[1:]))
        drawn = OPS["gaussian_random"](shape=[max(rows, columns), min(rows, columns)], mean=0.0, std=1.0, dtype=dtype)
        q, r = qr(drawn, "reduced")
        value = q * sign(diagonal_of(r))  # makes the decomposition unique, and the draw even over all rotations
        if rows < columns:
            value = value.t()
        return (value * self.gain).reshape(shape)
