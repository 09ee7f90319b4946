"""Reductions: sum, mean, max, min ..."""

from ..core import dtype as dtypes
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import own_errors
from ..core.generation import generation
from ..ops.arguments import axis_tuple
from ..ops.math import reduction, stat
from ..utils import naming
from .convert import as_tensor, axis_arg, cast, numpy_dtype, to_float
from .creation import zeros_like
from .gather_scatter import where
from .logic import logical_not
from .unary import isnan

__all__ = ["sum", "mean", "max", "min", "amax", "amin", "prod", "all", "any", "logsumexp", "count_nonzero", "nansum",
           "nanmean"]
METHODS = __all__


@generation("paddle.sum", alpha="paddle.imperative.functions.sum", only_modern={"axis", "keepdim", "x"})
def sum(x, axis=None, dtype=None, keepdim=False, name=None):
    """Sum over the given axes (all for None), optionally in another dtype; bool and int32 add up in int64.

    Args:
        x (Tensor): of any shape.
        axis (int, list, tuple or None): None for all axes.
        keepdim (bool): keep the reduced axes, with size 1.
        dtype (str, dtype or None): data type to add up in; None keeps that of x, but adds bools and int32 up in int64.
    Returns:
        Tensor without the axes that were reduced, or with size 1 there.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> paddle.sum(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [4.0, 6.0]
    """
    x = as_tensor(x, "sum")
    if dtype is not None:
        x = cast(x, dtypes.to_numpy(dtype, "sum"))
    elif numpy_dtype(x).name in ("bool", "int32"):
        x = cast(x, dtypes.to_numpy("int64"))
    return naming.named(reduction.sum(x, axis_arg(axis, "sum", late=True), bool(keepdim)), name)


@generation("paddle.mean", alpha="paddle.fluid.layers.mean", only_modern={"axis", "keepdim"})
@documented_like(sum)
def mean(x, axis=None, keepdim=False, name=None):
    """Mean over the given axes (all for None).

    Returns:
        Tensor without the axes that were reduced, or with size 1 there.

    >>> paddle.mean(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [2.0, 3.0]
    """
    return naming.named(reduction.mean(as_tensor(x, "mean"), axis_arg(axis, "mean", late=True), bool(keepdim)), name)


@generation("paddle.max", alpha="paddle.imperative.functions.max", only_modern={"axis", "keepdim", "x"})
@documented_like(sum)
def max(x, axis=None, keepdim=False, name=None):
    """The largest element over the given axes; every tied element receives the gradient.

    Raises:
        ValueError: the axis is out of range, or x is empty.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> paddle.max(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [3.0, 4.0]
    """
    op = reduction.amax if context.rules.even_ties else reduction.max
    out = op(as_tensor(x, "max"), axis_arg(axis, "max", late=True), bool(keepdim))
    return naming.named(out, name)


@generation("paddle.min", alpha="paddle.imperative.functions.min", only_modern={"axis", "keepdim", "x"})
@documented_like(sum)
def min(x, axis=None, keepdim=False, name=None):
    """The smallest element over the given axes; every tied element receives the gradient.

    Raises:
        ValueError: the axis is out of range, or x is empty.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> paddle.min(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [1.0, 2.0]
    """
    op = reduction.amin if context.rules.even_ties else reduction.min
    out = op(as_tensor(x, "min"), axis_arg(axis, "min", late=True), bool(keepdim))
    return naming.named(out, name)


@documented_like(sum)
def amax(x, axis=None, keepdim=False, name=None):
    """The largest element over the given axes; tied elements share the gradient.

    >>> paddle.amax(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [3.0, 4.0]
    """
    return naming.named(reduction.amax(as_tensor(x, "amax"), axis_arg(axis, "amax", late=True), bool(keepdim)), name)


@documented_like(sum)
def amin(x, axis=None, keepdim=False, name=None):
    """The smallest element over the given axes; tied elements share the gradient.

    >>> paddle.amin(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return naming.named(reduction.amin(as_tensor(x, "amin"), axis_arg(axis, "amin", late=True), bool(keepdim)), name)


@documented_like(sum)
def prod(x, axis=None, keepdim=False, dtype=None, name=None):
    """Product over the given axes (all for None), optionally in another dtype; bool multiplies in int64.

    Args:
        dtype (str, dtype or None): data type to multiply in; None keeps that of x.

    >>> paddle.prod(paddle.to_tensor([[1., 2.], [3., 4.]]), axis=0).tolist()
    [3.0, 8.0]
    """
    x = as_tensor(x, "prod")
    if dtype is not None:
        x = cast(x, dtypes.to_numpy(dtype, "prod"))
    elif numpy_dtype(x).name == "bool":
        x = cast(x, dtypes.to_numpy("int64"))
    return naming.named(stat.prod(x, axis_arg(axis, "prod", late=True), bool(keepdim)), name)


@documented_like(sum)
def all(x, axis=None, keepdim=False, name=None):
    """Is every element over the given axes true?

    >>> paddle.all(paddle.to_tensor([[True, False], [True, True]]), axis=0).tolist()
    [True, False]
    """
    return naming.named(stat.all(_truth(x, "all"), axis_arg(axis, "all", late=True), bool(keepdim)), name)


@documented_like(sum)
def any(x, axis=None, keepdim=False, name=None):
    """Is any element over the given axes true?

    >>> paddle.any(paddle.to_tensor([[True, False], [False, False]]), axis=0).tolist()
    [True, False]
    """
    return naming.named(stat.any(_truth(x, "any"), axis_arg(axis, "any", late=True), bool(keepdim)), name)


def _truth(x, function):
    return cast(as_tensor(x, function), dtypes.to_numpy("bool"))


@documented_like(sum)
def logsumexp(x, axis=None, keepdim=False, name=None):
    """log of the sum of exp(x) over the given axes, computed without overflow.

    >>> round(float(paddle.logsumexp(paddle.to_tensor([1000., 1000.]))), 3)
    1000.693
    """
    x = to_float(as_tensor(x, "logsumexp"))
    return naming.named(stat.logsumexp(x, axis_arg(axis, "logsumexp", late=True), bool(keepdim)), name)


@own_errors
@documented_like(sum)
def count_nonzero(x, axis=None, keepdim=False, name=None):
    """How many elements over the given axes are not 0 (int64).

    >>> int(paddle.count_nonzero(paddle.to_tensor([0., 1., 2.])))
    2
    """
    x, axis = _truth(x, "count_nonzero"), axis_arg(axis, "count_nonzero")
    axis_tuple(axis, len(x.shape), "count_nonzero")
    return naming.named(reduction.sum(cast(x, dtypes.to_numpy("int64")), axis, bool(keepdim)), name)


def _without_nan(x):
    return where(isnan(x), zeros_like(x), x)


@own_errors
@documented_like(sum)
def nansum(x, axis=None, dtype=None, keepdim=False, name=None):
    """Sum over the given axes of the elements that are numbers (NaN counts as 0).

    >>> float(paddle.nansum(paddle.to_tensor([1., float('nan'), 2.])))
    3.0
    """
    return naming.named(sum(_without_nan(as_tensor(x, "nansum")), axis, dtype, keepdim), name)


@own_errors
@documented_like(sum)
def nanmean(x, axis=None, keepdim=False, name=None):
    """Mean over the given axes of the elements that are numbers; NaN where there is none.

    >>> float(paddle.nanmean(paddle.to_tensor([1., float('nan'), 2.])))
    1.5
    """
    x = as_tensor(x, "nanmean")
    counted = sum(cast(logical_not(isnan(x)), numpy_dtype(x)), axis, None, keepdim)
    return naming.named(sum(_without_nan(x), axis, None, keepdim) / counted, name)
