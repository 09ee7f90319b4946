"""Activation functions."""

from ...core import dtype as dtypes
from ...ops import activation as A
from ...ops import softmax as S
from ...tensor.convert import as_tensor, axis_arg, cast, to_float

__all__ = ["relu", "relu_", "softmax", "softmax_", "log_softmax"]


def relu(x, name=None):
    """max(x, 0), element by element.

    >>> import paddle
    >>> paddle.nn.functional.relu(paddle.to_tensor([-1., 2.])).tolist()
    [0.0, 2.0]
    """
    return A.relu(as_tensor(x, "relu"))


def relu_(x, name=None):
    """In-place form of ``relu``: the tensor itself takes the result.

    >>> import paddle
    >>> paddle.nn.functional.relu_(paddle.to_tensor([-1., 2.])).tolist()
    [0.0, 2.0]
    """
    return x.become(relu(x), "relu_")


def softmax(x, axis=-1, dtype=None, name=None):
    """exp(x) / sum of exp(x) along an axis.

    >>> import paddle
    >>> paddle.nn.functional.softmax(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """
    x = to_float(as_tensor(x, "softmax"))
    if dtype is not None:
        x = cast(x, dtypes.to_numpy(dtype, "softmax"))
    return S.softmax(x, axis_arg(axis, "softmax"))


def softmax_(x, axis=-1, dtype=None, name=None):
    """In-place form of ``softmax``: the tensor itself takes the result.

    >>> import paddle
    >>> paddle.nn.functional.softmax_(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """
    return x.become(softmax(x, axis, dtype), "softmax_")


def log_softmax(x, axis=-1, dtype=None, name=None):
    """x - log of the sum of exp(x) along an axis.

    >>> import paddle
    >>> round(float(paddle.nn.functional.log_softmax(paddle.to_tensor([0., 0.]))[0]), 4)
    -0.6931
    """
    x = to_float(as_tensor(x, "log_softmax"))
    if dtype is not None:
        x = cast(x, dtypes.to_numpy(dtype, "log_softmax"))
    return S.log_softmax(x, axis_arg(axis, "log_softmax"))
