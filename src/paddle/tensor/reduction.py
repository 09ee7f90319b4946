"""Reductions: sum, mean, max, min ..."""

from ..core import dtype as dtypes
from ..ops import reduce as R
from .convert import as_tensor, axis_arg, cast, numpy_dtype

__all__ = ["sum", "mean", "max", "min", "amax", "amin"]
METHODS = __all__


def sum(x, axis=None, dtype=None, keepdim=False, name=None):
    """Sum over the given axes (all for None), optionally in another dtype; bool and int32 add up in int64.

    >>> import paddle
    >>> paddle.sum(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [4.0, 6.0]
    """
    x = as_tensor(x, "sum")
    if dtype is not None:
        x = cast(x, dtypes.to_numpy(dtype, "sum"))
    elif numpy_dtype(x).name in ("bool", "int32"):
        x = cast(x, dtypes.to_numpy("int64"))
    return R.sum(x, axis_arg(axis, "sum"), bool(keepdim))


def mean(x, axis=None, keepdim=False, name=None):
    """Mean over the given axes (all for None).

    >>> import paddle
    >>> paddle.mean(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [2.0, 3.0]
    """
    return R.mean(as_tensor(x, "mean"), axis_arg(axis, "mean"), bool(keepdim))


def max(x, axis=None, keepdim=False, name=None):
    """The largest element over the given axes; every tied element receives the gradient.

    >>> import paddle
    >>> paddle.max(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [3.0, 4.0]
    """
    return R.max(as_tensor(x, "max"), axis_arg(axis, "max"), bool(keepdim))


def min(x, axis=None, keepdim=False, name=None):
    """The smallest element over the given axes; every tied element receives the gradient.

    >>> import paddle
    >>> paddle.min(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return R.min(as_tensor(x, "min"), axis_arg(axis, "min"), bool(keepdim))


def amax(x, axis=None, keepdim=False, name=None):
    """The largest element over the given axes; tied elements share the gradient.

    >>> import paddle
    >>> paddle.amax(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [3.0, 4.0]
    """
    return R.amax(as_tensor(x, "amax"), axis_arg(axis, "amax"), bool(keepdim))


def amin(x, axis=None, keepdim=False, name=None):
    """The smallest element over the given axes; tied elements share the gradient.

    >>> import paddle
    >>> paddle.amin(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return R.amin(as_tensor(x, "amin"), axis_arg(axis, "amin"), bool(keepdim))
