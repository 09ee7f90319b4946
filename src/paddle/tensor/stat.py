"""Statistics: variance, medians, quantiles, histograms."""

import math

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import WrongKindError, check_choice, describe, own_errors
from ..core.generation import generation
from ..core.op import BY_NAME, Symbolic
from ..core.tensor import Tensor
from ..ops.arguments import axis_tuple
from ..ops.manipulation import joining, reshape
from ..ops.manipulation.gather_scatter import take_along_axis
from ..ops.manipulation.search import argsort
from ..ops.math import reduction, stat
from ..utils import naming
from .attribute import numel, shape
from .convert import as_tensor, axis_arg, cast, int_arg, numpy_dtype, real_arg, to_float
from .creation import full_like
from .cumulative import part
from .gather_scatter import index_select, where
from .math import maximum
from .unary import floor, isnan

__all__ = ["std", "var", "median", "nanmedian", "quantile", "nanquantile", "bincount", "histogram", "multiplex"]
METHODS = __all__


@generation("paddle.var", alpha="paddle.imperative.functions.var", only_modern={"x"})
def var(x, axis=None, unbiased=True, keepdim=False, name=None):
    """Variance over the given axes (all for None); ``unbiased`` divides by n - 1 instead of n.

    Args:
        x (Tensor): of any shape.
        axis (int, list, tuple or None): None for all axes.
        keepdim (bool): keep the reduced axes, with size 1.
        unbiased (bool): divide by n - 1 instead of n.

    >>> float(paddle.var(paddle.to_tensor([1., 2., 3.])))
    1.0
    """
    x = to_float(as_tensor(x, "var"))
    axis = axis_arg(axis, "var", late=True)
    axes = axis_tuple(axis, len(x.shape), "var")
    away = x - reduction.mean(x, axis, True)
    total = reduction.sum(away * away, axis, bool(keepdim))
    if isinstance(x, Symbolic):  # how many there are is known when the program runs: what is fed may have other sizes than declared
        n = cast(numel(x), numpy_dtype(x)) / cast(numel(total), numpy_dtype(x))
        return naming.named(total / (maximum(n - 1.0, 1.0) if unbiased else n), name)
    n = 1
    for a in axes:
        n *= x.shape[a]
    return naming.named(total / float(max(n - 1, 1) if unbiased else n) if n else total / 0.0, name)


@generation("paddle.std", alpha="paddle.imperative.functions.std", only_modern={"x"})
@own_errors
@documented_like(var)
def std(x, axis=None, unbiased=True, keepdim=False, name=None):
    """Standard deviation over the given axes (all for None); ``unbiased`` divides by n - 1 instead of n.

    Returns:
        Tensor without the axes that were reduced, or with size 1 there.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> float(paddle.std(paddle.to_tensor([1., 2., 3.])))
    1.0
    """
    return naming.named(var(as_tensor(x, "std"), axis, unbiased, keepdim).sqrt(), name)


def _rows(x, axes):
    """x with the axes merged into a last one."""
    rest = [a for a in range(len(x.shape)) if a not in axes]
    moved = reshape.transpose(x, rest + list(axes)) if x.shape else x
    return moved if len(axes) == 1 else reshape.reshape(moved, None, None, [0] * len(rest) + [-1])  # 0: as it is


def _reduced(out, x, axes, keepdim):
    """Results, one per row, in the shape of x without the axes."""
    if isinstance(x, Symbolic) and len(axes) < len(x.shape):  # whatever sizes are fed
        out = reshape.squeeze(out, axes=[len(out.shape) - 1])
        return reshape.unsqueeze(out, axes=sorted(axes)) if keepdim else out
    return reshape.reshape(out, None, None, [1 if a in axes else n for a, n in enumerate(x.shape) if keepdim or a not in axes])


def _count(rows, x, axes, function):
    """How many elements a reduction over the axes takes together, at least one; in programs a tensor [1]."""
    if isinstance(rows, Symbolic):
        return shape(rows)[len(rows.shape) - 1:]
    if rows.shape[-1] == 0:
        raise ValueError(f"{function}(): no elements along axes {list(axes)} of shape {list(x.shape)}")
    return rows.shape[-1]


def _at(rows, place):
    """The elements at one place of each row."""
    last = len(rows.shape) - 1
    return index_select(rows, place, last) if isinstance(place, Symbolic) else part(rows, last, place, place + 1)


def _shared(medians, rows):
    """The same medians, one per row; the elements of the row that equal one share its gradient evenly."""
    ties = BY_NAME["equal"](rows, medians)
    among = reduction.amax(where(ties, rows, full_like(rows, -math.inf)), -1, True)
    return where(stat.any(ties, -1, True), among, medians)


@documented_like(var)
def median(x, axis=None, keepdim=False, name=None):
    """The middle element along an axis (over all for None), or the mean of the two middle ones; NaN if there is a NaN.

    >>> float(paddle.median(paddle.to_tensor([3., 1., 2., 10.])))
    2.5
    """
    x = as_tensor(x, "median")
    if axis is not None:
        axis = int_arg(axis, "median", "axis")
    axes = axis_tuple(axis, len(x.shape), "median")
    if numpy_dtype(x).name != "float64":
        x = cast(x, dtypes.to_numpy("float32"))
    rows = _rows(x, axes)
    n = _count(rows, x, axes, "median")
    ordered = argsort(rows, -1)[0]
    low, high, top = _at(ordered, (n - 1) // 2), _at(ordered, n // 2), _at(ordered, n - 1)
    middle = (low + high) / 2.0 if isinstance(n, Symbolic) or n % 2 == 0 else low
    out = where(isnan(top), top, middle)
    if context.rules.even_ties:
        out = _shared(out, rows)
    return naming.named(_reduced(out, x, axes, keepdim), name)


@documented_like(var)
def nanmedian(x, axis=None, keepdim=False, name=None):
    """The median over the given axes of the elements that are numbers, in the type of x: integers truncate.

    >>> float(paddle.nanmedian(paddle.to_tensor([3., float('nan'), 1.])))
    2.0
    """
    x = as_tensor(x, "nanmedian")
    if context.rules.even_ties and numpy_dtype(x).kind == "f":
        axes = axis_tuple(axis_arg(axis, "nanmedian"), len(x.shape), "nanmedian")
        rows = _rows(x, axes)
        out = _reduced(_shared(stat.nanmedian(rows, -1, True), rows), x, axes, keepdim)
    else:
        out = cast(stat.nanmedian(to_float(x), axis_arg(axis, "nanmedian"), bool(keepdim)), numpy_dtype(x))
    return naming.named(out, name)


def _levels(q, function):
    if isinstance(q, Tensor):
        q = q.tolist()
    levels = list(q) if isinstance(q, (list, tuple)) else [q]
    if not levels:
        raise ValueError(f"{function}(): q must not be empty")
    for level in levels:
        if not 0 <= real_arg(level, function, "q") <= 1:
            raise ValueError(f"{function}(): q must be in [0, 1], got {describe(level)}")
    return [float(level) for level in levels], isinstance(q, (list, tuple))


def _weight(place, below, interpolation):
    """How much of the upper neighbour counts."""
    part = place - below
    if interpolation == "linear":
        return part
    if interpolation == "midpoint":
        return cast(part > 0.0, dtypes.to_numpy("float64")) * 0.5
    if interpolation == "nearest":  # halves to the even place
        odd = below - floor(below * 0.5) * 2.0
        return where(part == 0.5, odd, cast(part > 0.5, dtypes.to_numpy("float64")))
    return part * 0.0 if interpolation == "lower" else cast(part > 0.0, dtypes.to_numpy("float64"))


def interpolated(x, q, axis, keepdim, ignore_nan, function, interpolation="linear"):
    """The quantiles of x, of its numbers only if ``ignore_nan``."""
    check_choice(interpolation, ("linear", "lower", "higher", "midpoint", "nearest"), function, "interpolation")
    x = as_tensor(x, function)
    kind = numpy_dtype(x) if context.rules.own_quantiles and numpy_dtype(x).kind == "f" else dtypes.to_numpy("float64")
    axis = axis_arg(axis, function)
    axes = axis_tuple(axis, len(x.shape), function)
    levels, several = _levels(q, function)
    x = cast(x, dtypes.to_numpy("float64"))
    rows = _rows(x, axes)
    count = _count(rows, x, axes, function)
    n = cast(count, dtypes.to_numpy("float64")) if isinstance(count, Symbolic) else float(count)
    last = len(rows.shape) - 1
    ordered = argsort(rows, -1)[0]
    numbers = cast(isnan(rows), dtypes.to_numpy("float64")).sum(-1, keepdim=True)
    results = []
    for level in levels:
        place = (n - numbers - 1.0 if ignore_nan else numbers * 0.0 + (n - 1.0)) * level
        place = place.clip(0.0)
        below = floor(place)
        above = (below + 1.0).clip(max=n - 1.0)
        weight = _weight(place, below, interpolation)
        ids = [cast(p, dtypes.to_numpy("int64")) for p in (below, above)]
        low, high = (take_along_axis(ordered, i, last) for i in ids)
        out = low + where(weight == 0.0, weight * 0.0, (high - low) * weight) if ignore_nan else low + (high - low) * weight
        if not ignore_nan:
            top = _at(ordered, count - 1)
            out = where(isnan(top), top, out)
        results.append(_reduced(out, x, axes, keepdim))
    return cast(joining.stack(results, 0) if several and len(results) > 1 else results[0], kind)


def quantile(x, q, axis=None, keepdim=False):
    """The value below which a fraction q of the elements lies, with linear interpolation; float64. NaN if there is a NaN.

    Args:
        x: Tensor.
        keepdim: keep the reduced axes, with size 1.
        q: a number in [0, 1], or several (the result then has them as its first axis, if they are more than one).
        axis: int, list of ints, or None for all elements.

    >>> float(paddle.quantile(paddle.to_tensor([1., 2., 3., 4.]), 0.5))
    2.5
    """
    return interpolated(x, q, axis, keepdim, False, "quantile")


@documented_like(var)
def nanquantile(x, q, axis=None, keepdim=False):
    """As ``quantile``, of the elements that are numbers.

    Args:
        q: number or list of numbers in [0, 1]; a list of more than one adds a first axis of its length.

    >>> float(paddle.nanquantile(paddle.to_tensor([1., float('nan'), 3.]), 0.5))
    2.0
    """
    return interpolated(x, q, axis, keepdim, True, "nanquantile")


def bincount(x, weights=None, minlength=0, name=None):
    """How often each of 0, 1, 2 ... occurs in a vector of integers, or the sums of the weights found there.

    Args:
        x: 1-d Tensor of integers >= 0.
        weights: Tensor of the shape of x: what each element adds (1 for None).
        minlength: smallest length of the result.

    >>> paddle.bincount(paddle.to_tensor([1, 2, 1])).tolist()
    [0, 2, 1]
    """
    weights = None if weights is None else as_tensor(weights, "bincount", "weights")
    least = int_arg(minlength, "bincount", "minlength", late=True)
    return naming.named(stat.bincount(as_tensor(x, "bincount"), weights, least), name)


def histogram(input, bins=100, min=0, max=0, name=None):
    """How many elements fall into each of ``bins`` equal parts of [min, max]; of the input's own range if both are equal.

    Args:
        input (Tensor): of any shape.
        bins (int): number of parts.
        min, max (float or int): the range.
    Returns:
        Tensor [bins], int64.
    Raises:
        ValueError: ``bins`` is below 1, or ``max`` below ``min``.
        TypeError: input is not a Tensor, array, list or number, or a bound is not finite.

    >>> paddle.histogram(paddle.to_tensor([1., 2., 1.]), bins=4, min=0, max=3).tolist()
    [0, 2, 1, 0]
    """
    count, low, high = int_arg(bins, "histogram", "bins"), real_arg(min, "histogram", "min"), real_arg(max, "histogram", "max")
    if not math.isfinite(low) or not math.isfinite(high):
        raise WrongKindError(f"histogram(): min and max must be finite, got {min} and {max}")
    if count < 1 or high < low:  # also of a program in which nobody reads the result
        raise ValueError(f"histogram(): bins must be at least 1 and max not below min, got bins {bins}, min {min} and max {max}")
    return naming.named(stat.histogram(as_tensor(input, "histogram", "input"), count, low, high), name)


def multiplex(inputs, index, name=None):
    """Take row i from the input that ``index[i]`` names.

    Args:
        inputs: list of at least two Tensors of the same shape [M, ...].
        index: integer Tensor [M, 1] with the number of an input per row.

    >>> a, b = paddle.to_tensor([[1., 2.], [3., 4.]]), paddle.to_tensor([[5., 6.], [7., 8.]])
    >>> paddle.multiplex([a, b], paddle.to_tensor([[1], [0]], dtype='int32')).tolist()
    [[5.0, 6.0], [3.0, 4.0]]
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"multiplex(): inputs must be a list of Tensors, got {describe(inputs)}")
    index = as_tensor(index, "multiplex", "index")
    if numpy_dtype(index).kind not in "iu":
        raise WrongKindError(f"multiplex(): index must hold integers, got {describe(index)}")
    out = stat.multiplex([as_tensor(x, "multiplex", "inputs") for x in inputs], cast(index, dtypes.to_numpy("int32")))
    return naming.named(out, name)


__getattr__ = _lookup(__name__)
