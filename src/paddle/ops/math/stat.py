"""Reductions beyond sum and max: products, logic, log-sum-exp, medians, counts."""

import math

import numpy as np

from ...core.errors import ElementTypeError, OutOfRangeError
from ...core.op import op
from ...core.steps import Formula, dense, interpreter, is_dense
from ..arguments import axis_tuple, need_real, quiet
from ..families.reshape import product
from ..library import by_library
from ..manipulation.gather_scatter import along_axis_sum
from ..manipulation.reshape import flip, inverse, transpose
from ..short import through_float32
from .arithmetic import holomorphic, multiply, subtract
from .cumulative import cumprod, shift_one
from .logic import logical_not
from .reduction import _from_desc, _to_desc, count, g_one, is_whole, spread
from .unary import exp, isnan


@op("reduce_all(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc)
@quiet
def all(x, axis=None, keepdim=False):
    """Is every element over the given axes true?"""
    return np.all(x, axis=axis_tuple(axis, x.ndim, "all"), keepdims=keepdim)


@op("reduce_any(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc)
@quiet
def any(x, axis=None, keepdim=False):
    """Is any element over the given axes true?"""
    return np.any(x, axis=axis_tuple(axis, x.ndim, "any"), keepdims=keepdim)


@op("reduce_prod(X) -> Out", family="reduce", layer_name="reduce_prod",
    to_desc=_to_desc, from_desc=_from_desc, rows="axes", amp="black")
@quiet
def prod(x, axis=None, keepdim=False):
    """Product over the given axes."""
    return np.prod(x, axis=axis_tuple(axis, x.ndim, "prod"), keepdims=keepdim, dtype=x.dtype)


def as_rows(x, axes):
    """x with the given axes merged into a last one, and a function that undoes it."""
    shape = [int(n) for n in x.shape]
    perm = [a for a in range(len(shape)) if a not in axes] + list(axes)
    moved = [shape[a] for a in perm]
    kept = moved[:len(shape) - len(axes)]
    rows = transpose(x, perm).reshape([*kept, int(np.prod(moved[len(kept):], dtype=np.int64))])
    return rows, lambda t: transpose(t.reshape(moved), inverse(perm))


def _row_count(x, axis):
    """How many rows of elements beside each other an array has whose products over ``axis`` are taken; 0 if there are none."""
    axes = axis_tuple(axis, x.ndim, "prod")
    rest = x.ndim - len(axes)
    return math.prod(x.shape[:rest]) if x.dtype == np.float32 and x.size and axes == tuple(range(rest, x.ndim)) else 0


@prod.kernel(when=lambda x, axis, keepdim: _row_count(x, axis) > 0)
def _(k, x, axis, keepdim):
    axes = axis_tuple(axis, x.ndim, "prod")
    out = k.product(dense(x).reshape(_row_count(x, axis), -1))
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)] if keepdim else list(x.shape[:x.ndim - len(axes)])
    return out if out is NotImplemented else out.reshape(shape)


by_library(prod, when=is_whole)


@holomorphic
def _prod_grad(g, x, axis, keepdim):
    """g times the product of all other elements, which exists where elements are 0 too."""
    shape = tuple(x.shape)
    k = interpreter(g)
    if k is not None and x.ndim and _row_count(x, axis):
        rows = _row_count(x, axis)
        out = k.product_grad(dense(x).reshape(rows, -1), dense(g).reshape(rows))
        if out is not NotImplemented:
            return out.reshape(shape)
    g = spread(g, shape, axis, keepdim, "prod")
    if not shape:
        return g
    rows, back = as_rows(x, axis_tuple(axis, len(shape), "prod"))
    a = len(rows.shape) - 1
    before = shift_one(cumprod(rows, a), a, False, 1.0)
    after = flip(shift_one(cumprod(flip(rows, [a]), a), a, False, 1.0), [a])
    return multiply(g, back(multiply(before, after)))


prod.grad(x=_prod_grad)


def _listed(attrs):
    axis = attrs.pop("axis")
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return {"axis": axes or [0], "reduce_all": not axes, **attrs}


def _unlisted(attrs):
    axes = attrs.get("axis")
    everything = attrs.get("reduce_all") or not axes
    return {"axis": None if everything else axes[0] if len(axes) == 1 else tuple(axes), "keepdim": bool(attrs.get("keepdim"))}


@op("logsumexp(X) -> Out", family="reduce", to_desc=_listed, from_desc=_unlisted, amp="black")
@quiet
def logsumexp(x, axis=None, keepdim=False):
    """log of the sum of exp over the given axes, without overflow."""
    axes = axis_tuple(axis, x.ndim, "logsumexp")
    if count(x.shape, axis, "logsumexp") == 0:
        return np.full(np.sum(x, axes, keepdims=keepdim).shape, -np.inf, x.dtype)
    top = np.max(x, axes, keepdims=True)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    with np.errstate(divide="ignore", over="ignore"):
        out = np.log(np.sum(np.exp(x - top), axes, keepdims=True)) + top
    return out if keepdim else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])


_POWERS = Formula(lambda emit, x, top: emit("exp", emit("sub", x, top)))
_SHARES = Formula(lambda emit, x, out, g: emit("mul", g, emit("exp", emit("sub", x, out))))


@logsumexp.kernel(when=lambda x, axis, keepdim: is_dense(x) and x.ndim and x.size, noted=False)
def _(k, x, axis, keepdim):
    axes = axis_tuple(axis, x.ndim, "logsumexp")
    top = k.reduce("max", x, axes)
    if top is NotImplemented:
        return top
    kept = [1 if i in axes else n for i, n in enumerate(x.shape)]
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    powers = _POWERS.run(k, x, top.reshape(kept))
    total = powers if powers is NotImplemented else k.reduce("sum", powers, axes)
    if total is NotImplemented:
        return total
    with np.errstate(divide="ignore"):
        out = np.log(total) + top
    return out.reshape(kept) if keepdim else out


@holomorphic
def _logsumexp_grad(g, out, x, axis, keepdim):
    shape = list(x.shape)
    axes = axis_tuple(axis, len(shape), "logsumexp")
    kept = [1 if i in axes else n for i, n in enumerate(shape)]
    g, out, k = g.reshape(kept), out.reshape(kept), interpreter(g)
    found = NotImplemented if k is None or not shape else _SHARES.run(k, dense(x), out, g)
    return multiply(exp(subtract(x, out)), g) if found is NotImplemented else found


logsumexp.grad(x=_logsumexp_grad)


def _middle(x):
    """Positions, along the last axis, of the two middle elements among those that are numbers; NaNs sort last."""
    order = np.argsort(x, -1, kind="stable")
    n = x.shape[-1] - np.isnan(x).sum(-1) if x.dtype.kind == "f" else np.full(x.shape[:-1], x.shape[-1])
    low, high = np.maximum((n - 1) // 2, 0), np.minimum(n // 2, np.maximum(x.shape[-1] - 1, 0))
    high = np.where(n == 0, 0, high)
    return np.take_along_axis(order, np.stack([low, high], -1), -1)


def _median_desc(attrs):
    axis = attrs.pop("axis")
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return {"axis": axes, **attrs}


def _rows_of(x, axis):
    axes = axis_tuple(axis, x.ndim, "nanmedian")
    if len(set(axes)) == x.ndim:
        return x.reshape(-1), axes
    return as_rows(x, axes)[0], axes


@op("nanmedian(X) -> Out, MedianIndex?", family="reduce", to_desc=_median_desc,
    from_desc=lambda a: {"axis": tuple(a["axis"]) or None, "keepdim": a["keepdim"]})
@quiet
def nanmedian(x, axis=None, keepdim=True):
    """The median over the given axes of the elements that are numbers: the mean of the two middle ones."""
    rows, axes = _rows_of(x, axis)
    if rows.shape[-1] == 0:
        raise ValueError(f"nanmedian(): no elements along axis {axis} of shape {list(x.shape)}")
    pair = np.take_along_axis(rows, _middle(rows), -1)
    out = np.where(pair[..., 0] == pair[..., 1], pair[..., 0], pair.sum(-1, dtype=x.dtype) / x.dtype.type(2))
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)] if keepdim else [n for i, n in enumerate(x.shape)
                                                                                   if i not in axes]
    return out.astype(x.dtype).reshape(shape)


@op("median_positions(X) -> Positions", family="own")
@quiet
def median_positions(x):
    """Where the two middle elements of each row are."""
    return _middle(x).astype(np.int64)


def _nanmedian_grad(g, out, x, axis):
    numbers = logical_not(isnan(out))  # rows of NaN alone get no gradient
    g = multiply(g, multiply(numbers, g_one(g)))
    if not len(x.shape):
        return g
    rows, back = as_rows(x, axis_tuple(axis, len(x.shape), "nanmedian"))
    last = len(rows.shape) - 1
    half = g.reshape([*rows.shape[:-1], 1]) * 0.5
    pair = spread(half, (*rows.shape[:-1], 2), last, True, "nanmedian")
    return back(along_axis_sum(pair, median_positions(rows), tuple(rows.shape), last))


nanmedian.grad(x=_nanmedian_grad)


_MOST_BINS = 2 ** 31


@op("bincount(X, Weights?) -> Out", family="dynamic",
    shapes=lambda x, weights: (weights or x).like((-1,), np.int64 if weights is None else None))
@quiet
def bincount(x, weights=None, minlength=0):
    """How often each of 0, 1, 2 ... occurs in x, or the sum of the weights found there."""
    if x.dtype.kind not in "iu":
        raise ElementTypeError(f"bincount(): x must hold integers, got {x.dtype.name}")
    if x.ndim != 1:
        raise ValueError(f"bincount(): x must have one axis, got shape {list(x.shape)}")
    if minlength < 0:
        raise ValueError(f"bincount(): minlength must not be negative, got {minlength}")
    if x.size and x.min() < 0:
        raise ValueError(f"bincount(): x must not hold negative numbers, got {int(x.min())}")
    if minlength > _MOST_BINS or (x.size and x.max() >= _MOST_BINS):
        raise ValueError(f"bincount(): more than {_MOST_BINS} bins are not supported, x reaches {int(x.max())}")
    if weights is not None and weights.shape != x.shape:
        raise ValueError(f"bincount(): weights {list(weights.shape)} must have the shape of x {list(x.shape)}")
    out = np.bincount(x, weights, minlength)
    if weights is None:
        return out.astype(np.int64)
    return out.astype(weights.dtype if weights.dtype == np.float32 else np.float64)


@bincount.kernel(when=lambda x, weights, minlength: weights is None and x.ndim == 1 and x.dtype.char in "lq" and 0 <= minlength,
                 noted=False)
def _(k, x, weights, minlength):
    return k.bincount(dense(x), minlength)


@op("histogram(X) -> Out", family="own", to_desc=lambda a: {k: int(v) for k, v in a.items()}, shapes="_ -> bins:int64")
@quiet
def histogram(x, bins=100, min=0, max=0):
    """How many elements fall into each of ``bins`` equal parts of [min, max] (of x's own range if both are equal)."""
    need_real(x, "histogram")
    if bins < 1:
        raise ValueError(f"histogram(): bins must be at least 1, got {bins}")
    if max < min:
        raise ValueError(f"histogram(): max must not be below min, got min {min} and max {max}")
    kind = x.dtype.type if x.dtype.kind == "f" else np.int64  # bounds of bins are those of x's own arithmetic
    low, high = kind(min), kind(max)
    if low == high and x.size:
        low, high = kind(x.min()), kind(x.max())
    if low == high:
        low, high = low - kind(1), high + kind(1)
    if not np.isfinite([low, high]).all():
        raise ValueError(f"histogram(): the range must be finite, got [{low}, {high}]")
    values = (x[(x >= low) & (x <= high)].astype(kind) - low) * kind(bins)
    places = (values / (high - low) if x.dtype.kind == "f" else values // (high - low)).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins).astype(np.int64)


@op("multiplex(X*, Ids) -> Out", family="same",
    shapes=lambda inputs, index: inputs[0].like((product(index.shape), *inputs[0].shape[1:])))
@quiet
def multiplex(inputs, index):
    """Row i of the result is row i of the input that index[i] names."""
    first = inputs[0]
    for x in inputs:
        if x.shape != first.shape or x.dtype != first.dtype:
            raise ValueError(f"multiplex(): inputs must have one shape and dtype, got {list(first.shape)} and {list(x.shape)}")
    if len(inputs) < 2 or first.ndim < 2:
        raise ValueError("multiplex(): needs at least two inputs of at least two axes")
    ids = index.reshape(-1)
    if ids.dtype.kind not in "iu" or len(ids) > len(first):
        raise ValueError(f"multiplex(): index must hold at most {len(first)} integers, got {list(index.shape)}")
    if ids.size and (ids.min() < 0 or ids.max() >= len(inputs)):
        raise OutOfRangeError(f"multiplex(): index must be in [0, {len(inputs)}), got {int(ids.min())} ... {int(ids.max())}")
    return np.stack([inputs[k][row] for row, k in enumerate(ids.tolist())]) if len(ids) else first[:0].copy()


@op("multiplex_rows(G, Ids) -> GX", family="same", shapes=lambda g, rows: g.like((rows, *g.shape[1:])))
@quiet
def multiplex_rows(g, index, rows=1, number=0):
    """g's rows that input ``number`` gave, zeros elsewhere, with the number of rows that input has."""
    out = np.zeros((rows, *g.shape[1:]), g.dtype)
    mine = np.flatnonzero(index.reshape(-1) == number)
    out[mine] = g[mine]
    return out


@op("multiplex_pick(GX, Ids) -> G", family="same", shapes=lambda g, index: g.like((product(index.shape), *g.shape[1:])))
@quiet
def multiplex_pick(g, index, rows=1, number=0):
    """The rows of an input that the result took, zeros elsewhere (the other way of multiplex_rows)."""
    mine = np.flatnonzero(index.reshape(-1) == number)
    out = np.zeros((index.size, *g.shape[1:]), g.dtype)
    out[mine] = g[mine]
    return out


multiplex_rows.grad(g=lambda g, index, rows, number: multiplex_pick(g, index, rows, number))
multiplex_pick.grad(g=lambda g, index, rows, number: multiplex_rows(g, index, rows, number))
multiplex.grad(inputs=lambda g, inputs_shape, index: [multiplex_rows(g, index, shape[0], k)
                                                      for k, shape in enumerate(inputs_shape)])


through_float32(prod, logsumexp)


by_library(multiplex, all, any)
