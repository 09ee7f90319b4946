"""What Paddle 3 added to functions that 2.6 has: each takes the arguments of its namesake and the new keywords.

They are called for the new keywords only (``core/spellings.json`` says which); any other call goes straight to the namesake.
"""

from ..core.errors import check_choice, describe
from ..ops.arguments import axis_tuple
from ..utils import naming
from . import linalg, math, matrices, random, reduction, search, stat, torchlike, unary
from .convert import as_tensor, int_arg, numpy_dtype
from .gather_scatter import index_add as add_at
from .gather_scatter import take_along_axis
from .joining import repeat_interleave as repeated
from .joining import tensor_split


def _named(out, name):
    return naming.named(out, name)


def _times(y, alpha, function):
    """y * alpha, of the type of y: the factor of a sum of integers is an integer."""
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, complex)):
        raise TypeError(f"{function}(): alpha must be a number, got {describe(alpha)}")
    if not hasattr(y, "stop_gradient"):
        return y * alpha
    if numpy_dtype(y).kind in "iub" and not isinstance(alpha, int):
        raise TypeError(f"{function}(): alpha must be an int for tensors of integers, got {alpha!r}")
    return y * alpha


def add(x, y, name=None, *, alpha=1):
    """x + alpha * y."""
    return math.add(x, _times(y, alpha, "add"), name)


def add_(x, y, name=None, *, alpha=1):
    """x + alpha * y, in place."""
    return x.add_(_times(y, alpha, "add_"))


def subtract(x, y, name=None, *, alpha=1):
    """x - alpha * y."""
    return math.subtract(x, _times(y, alpha, "subtract"), name)


def subtract_(x, y, name=None, *, alpha=1):
    """x - alpha * y, in place."""
    return x.subtract_(_times(y, alpha, "subtract_"))


def divide(x, y, name=None, *, rounding_mode=None):
    """x / y; rounded towards zero for 'trunc', downwards for 'floor'."""
    if rounding_mode is None:
        return math.divide(x, y, name)
    check_choice(rounding_mode, ("trunc", "floor"), "divide", "rounding_mode")
    if rounding_mode == "floor":
        return math.floor_divide(x, y, name)
    return _named(unary.trunc(math.divide(x, y)), name)


def divide_(x, y, name=None, *, rounding_mode=None):
    """x / y, in place."""
    return x.become(divide(x.snapshot(), y, rounding_mode=rounding_mode), "divide_")


def argsort(x, axis=-1, descending=False, stable=False, name=None):
    """As argsort; equal elements keep their order whatever ``stable`` says."""
    return search.argsort(x, axis, descending, name)


def sort(x, axis=-1, descending=False, stable=False, name=None):
    """As sort; equal elements keep their order whatever ``stable`` says."""
    return search.sort(x, axis, descending, name)


def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None, dtype="int64", sorted=True, name=None):
    """As unique; elements come in rising order whatever ``sorted`` says, as in Paddle."""
    return search.unique(x, return_index, return_inverse, return_counts, axis, dtype, name)


def bernoulli(x, p=None, name=None):
    """1 with the probability p (or that of each element of x for None), else 0, in the shape of x."""
    if p is None:
        return random.bernoulli(x, name)
    x = as_tensor(x, "bernoulli")
    if isinstance(p, bool) or not isinstance(p, (int, float)) or not 0 <= p <= 1:
        raise ValueError(f"bernoulli(): p must be a number in [0, 1], got {describe(p)}")
    return random.bernoulli(x * 0 + p, name)


def histogram(input, bins=100, min=0, max=0, weight=None, density=False, name=None):
    """The histogram with a weight for each element, or divided so that its area is 1."""
    x = as_tensor(input, "histogram", "input").flatten()
    if weight is None and not density:
        return stat.histogram(x, bins, min, max, name)
    bins = int_arg(bins, "histogram", "bins")
    low, high = (float(x.min()), float(x.max())) if min == max == 0 and x.size else (float(min), float(max))
    if low == high:
        low, high = low - 1.0, high + 1.0
    inside = search.nonzero(math.multiply((x >= low).astype("float32"), (x <= high).astype("float32"))).flatten()
    kept = x.gather(inside).astype("float64")
    places = unary.floor((kept - low) * (bins / (high - low))).astype("int64").clip(0, bins - 1)
    if weight is not None:
        weight = as_tensor(weight, "histogram", "weight")
        if list(weight.shape) != list(as_tensor(input, "histogram", "input").shape):
            raise ValueError(f"histogram(): weight must have the shape of input, {list(input.shape)}, got {list(weight.shape)}")
        weight = weight.flatten().gather(inside)
    counts = stat.bincount(places, weight, bins).astype("float32")
    if density:
        counts = counts / (counts.sum() * ((high - low) / bins))
    return _named(counts, name)


def index_add(x, index, axis, value, alpha=1, name=None):
    """x with alpha * value added at the ids of an axis."""
    return add_at(x, index, axis, _times(value, alpha, "index_add"), name)


def index_add_(x, index, axis, value, alpha=1, name=None):
    """x with alpha * value added at the ids of an axis, in place."""
    return x.become(index_add(x.snapshot(), index, axis, value, alpha), "index_add_")


def mean(x, axis=None, keepdim=False, name=None, *, dtype=None):
    """The mean, of x in another type."""
    x = as_tensor(x, "mean")
    return reduction.mean(x if dtype is None else x.astype(dtype), axis, keepdim, name)


def _middle(average, lower, function, x, axis, keepdim, mode, name):
    check_choice(mode, ("avg", "min"), function, "mode")
    if mode == "avg":
        return average(x, axis, keepdim, name)
    if axis is None:
        x = as_tensor(x, function)
        value = lower(x.flatten(), 0)[0]
        return _named(value.reshape([1] * len(x.shape)) if keepdim else value, name)
    if isinstance(axis, (list, tuple)):
        x = as_tensor(x, function)
        axes = axis_tuple(tuple(axis), len(x.shape), function)
        kept = [k for k in range(len(x.shape)) if k not in axes]
        value = lower(x.transpose([*kept, *axes]).reshape([*(x.shape[k] for k in kept), -1]), -1)[0]
        return _named(value.unsqueeze(sorted(axes)) if keepdim else value, name)
    return lower(x, axis, keepdim)


def median(x, axis=None, keepdim=False, mode="avg", name=None):
    """The middle element, or the mean of two; for mode 'min' the lower of the two, along an axis with its position."""
    return _middle(stat.median, torchlike.median, "median", x, axis, keepdim, mode, name)


def nanmedian(x, axis=None, keepdim=False, mode="avg", name=None):
    """As median, of the elements that are numbers."""
    return _middle(stat.nanmedian, torchlike.nanmedian, "nanmedian", x, axis, keepdim, mode, name)


def quantile(x, q, axis=None, keepdim=False, interpolation="linear", name=None):
    """The quantile; between two elements what ``interpolation`` says."""
    return _named(stat.interpolated(x, q, axis, keepdim, False, "quantile", interpolation), name)


def nanquantile(x, q, axis=None, keepdim=False, interpolation="linear", name=None):
    """The quantile of the elements that are numbers; between two of them what ``interpolation`` says."""
    return _named(stat.interpolated(x, q, axis, keepdim, True, "nanquantile", interpolation), name)


def repeat_interleave(x, repeats, axis=None, name=None, *, output_size=None):
    """As repeat_interleave; the result must have ``output_size`` slices."""
    out = repeated(x, repeats, axis, name)
    size = out.shape[0 if axis is None else axis]
    if output_size is not None and size not in (output_size, -1):
        raise ValueError(f"repeat_interleave(): output_size is {output_size}, but there are {size} slices")
    return out


def round(x, decimals=0, name=None):
    """x to so many decimals; before the point for negative numbers."""
    decimals = int_arg(decimals, "round", "decimals")
    if not decimals:
        return unary.round(x, name)
    x, scale = as_tensor(x, "round"), 10.0 ** abs(decimals)
    return _named(unary.round(x * scale) / scale if decimals > 0 else unary.round(x / scale) * scale, name)


def round_(x, decimals=0, name=None):
    """x to so many decimals, in place."""
    return x.become(round(x.snapshot(), decimals), "round_")


def searchsorted(sorted_sequence, values, out_int32=False, right=False, name=None, *, side=None, sorter=None):
    """As searchsorted; ``side`` says right in words, ``sorter`` is the order in which the sequence is sorted."""
    if side is not None:
        check_choice(side, ("left", "right"), "searchsorted", "side")
        if right and side == "left":
            raise ValueError("searchsorted(): side='left' and right=True exclude each other")
        right = side == "right"
    if sorter is not None:
        sorted_sequence = take_along_axis(as_tensor(sorted_sequence, "searchsorted", "sorted_sequence"), sorter, -1)
    return search.searchsorted(sorted_sequence, values, out_int32, right, name)


def var(x, axis=None, unbiased=None, keepdim=False, name=None, *, correction=1):
    """The variance, divided by the number of elements less ``correction``."""
    x = as_tensor(x, "var")
    correction = (1 if unbiased else 0) if unbiased is not None else correction
    out = stat.var(x, axis, False, keepdim)
    count = x.size // max(out.size, 1)
    return _named(out * (count / max(count - correction, 0)) if count > correction else out * float("nan"), name)


def matrix_rank(x, tol=None, hermitian=False, atol=None, rtol=None, name=None):
    """How many singular values are above the greater of atol and rtol times the largest."""
    if tol is not None:
        raise ValueError("matrix_rank(): tol excludes atol and rtol")
    x = as_tensor(x, "matrix_rank")
    values = linalg.eigvalsh(x).abs() if hermitian else linalg.svd(x)[1]
    largest = values.max(-1, keepdim=True)
    least = largest * (0.0 if rtol is None else rtol)
    if atol is not None:
        least = math.maximum(least, least * 0 + atol)
    elif rtol is None:
        return linalg.matrix_rank(x, None, hermitian, name)
    return _named((values > least).astype("int64").sum(-1), name)


def norm(x, p=None, axis=None, keepdim=False, dtype=None, name=None):
    """The norm, of x in another type."""
    x = as_tensor(x, "norm")
    return matrices.norm(x if dtype is None else x.astype(dtype), "fro" if p is None else p, axis, keepdim, name)


def solve(x, y, left=True, name=None):
    """out with x @ out = y, or with out @ x = y where ``left`` is False."""
    if left:
        return linalg.solve(x, y, name)
    x, y = as_tensor(x, "solve"), as_tensor(y, "solve", "y")
    if len(y.shape) < 2:
        raise ValueError(f"solve(): left=False needs matrices y, got shape {list(y.shape)}")
    return _named(_turned(linalg.solve(_turned(x), _turned(y))), name)


def _turned(x):
    axes = list(range(len(x.shape)))
    return x.transpose([*axes[:-2], axes[-1], axes[-2]])


def swapaxes(x, perm, name=None):
    """x with its axes in another order."""
    return as_tensor(x, "swapaxes").transpose(perm)


def vsplit(x, num_or_indices, name=None):
    """x taken apart along its first axis: into so many parts, or before the given indices."""
    x = as_tensor(x, "vsplit")
    if len(x.shape) < 2:
        raise ValueError(f"vsplit(): x must have at least two axes, got shape {list(x.shape)}")
    return _named(tensor_split(x, num_or_indices, 0), name)
