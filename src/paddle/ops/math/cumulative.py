"""Running sums, products and extremes along an axis."""

import numpy as np

from ...core import dtype as dtypes
from ...core.errors import WrongKindError
from ...core.op import op
from ...core.steps import dense
from ..arguments import one_axis, quiet
from ..families.reshape import product
from ..families.sharding import along
from ..library import by_library
from ..manipulation.gather_scatter import along_axis_sum
from ..manipulation.reading_order import shifted
from ..manipulation.reshape import flip, reshape
from ..short import through_float32
from .arithmetic import holomorphic, minimum, multiply, numpy_type, subtract
from .unary import exp


def _line(x, axis, flatten, function):
    """The array and the axis to run along; ``flatten`` makes one long row of it."""
    if flatten:
        x, axis = x.reshape(-1), 0
    return x, one_axis(axis, x.ndim, function)


def _size(x, axis):
    return x.shape[axis] if x.ndim else 1


def _running(x, flatten):
    return x.like((product(x.shape),)) if flatten else x


@op("cumsum(X) -> Out", family="own", sharding=along, version=1, amp="black", shapes=_running)
@quiet
def cumsum(x, axis=-1, flatten=False, exclusive=False, reverse=False):
    """Running sums along an axis, from the other end for ``reverse``, each without its own element for ``exclusive``."""
    x, a = _line(x, axis, flatten, "cumsum")
    if x.ndim == 0:
        return x * 0 if exclusive else x.copy()
    y = np.flip(x, a) if reverse else x
    out = np.cumsum(y, a, dtype=np.float64 if x.dtype == np.float32 else x.dtype).astype(x.dtype, copy=False)
    if exclusive:
        out = _shifted(out, a, False, 0)
    return np.ascontiguousarray(np.flip(out, a)) if reverse else out


@cumsum.kernel(when=lambda x, axis, flatten, exclusive, reverse: x.dtype.char in "fd" and x.ndim)
def _(k, x, axis, flatten, exclusive, reverse):
    x = dense(x)
    x, a = (x.reshape(-1), 0) if flatten else (x, one_axis(axis, x.ndim, "cumsum"))
    return k.cumsum(x, a, exclusive, reverse)


by_library(cumsum, when=lambda x, *_: x.dtype.char in "ilq")


def _cumsum_grad(g, x_shape, axis, flatten, exclusive, reverse):
    return cumsum(g, 0 if flatten else axis, False, exclusive, not reverse).reshape(list(x_shape))


cumsum.grad(x=_cumsum_grad)


def _shifted(x, a, back, fill):
    out = np.full(x.shape, fill, x.dtype)
    low, high = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    low[a], high[a] = slice(None, -1), slice(1, None)
    out[tuple(low if back else high)] = x[tuple(high if back else low)]
    return out


@op("shift_one(X) -> Out", family="same")
@quiet
def shift_one(x, axis=0, back=False, fill=0.0):
    """x moved on (or back) by one position along an axis; the free place takes ``fill``."""
    return _shifted(x, one_axis(axis, x.ndim, "shift_one"), back, fill)


@shift_one.kernel(when=lambda x, axis, back, fill: x.ndim and x.size, noted=False)
def _(k, x, axis, back, fill):
    a = one_axis(axis, x.ndim, "shift_one")
    tables = tuple([shifted(n, back) if i == a else None for i, n in enumerate(x.shape)])
    return k.remap(dense(x), tables, np.asarray(fill, x.dtype))


shift_one.grad(x=lambda g, axis, back: shift_one(g, axis, not back))


@op("linear_scan(A, B) -> Out", family="same")
@quiet
def linear_scan(a, b, axis=0, reverse=False):
    """t[i] = a[i] + b[i] * t[i-1] along an axis; for ``reverse`` t[i] = a[i] + b[i+1] * t[i+1]."""
    out = np.moveaxis(a, axis, 0).copy()
    factors = np.moveaxis(b, axis, 0)
    n = len(out)
    for i in range(n - 2, -1, -1) if reverse else range(1, n):
        out[i] += factors[i + 1] * out[i + 1] if reverse else factors[i] * out[i - 1]
    return np.ascontiguousarray(np.moveaxis(out, 0, axis))


@linear_scan.kernel(when=lambda a, b, axis, reverse: a.dtype.char in "fd" and a.ndim)
def _(k, a, b, axis, reverse):
    return k.linear_scan(dense(a), dense(b), axis, bool(reverse))


@linear_scan.vjp
def _(needs, g, out, b, axis, reverse):
    back = linear_scan(g, b, axis, not reverse)
    earlier = multiply(shift_one(back, axis), out) if reverse else multiply(back, shift_one(out, axis))
    return back, earlier


@op("cumprod(X) -> Out", family="same", sharding=along, amp="black")
@quiet
def cumprod(x, dim=0):
    """Running products along an axis, in double as sums are: errors would add up."""
    a = one_axis(dim, x.ndim, "cumprod", "dim")
    if not x.ndim:
        return x.copy()
    return np.cumprod(x, a, dtype=np.float64 if x.dtype == np.float32 else x.dtype).astype(x.dtype, copy=False)


@cumprod.kernel(when=lambda x, dim: x.dtype.char in "fd" and x.ndim)
def _(k, x, dim):
    return k.cumprod(dense(x), one_axis(dim, x.ndim, "cumprod", "dim"))


by_library(cumprod, when=lambda x, dim: x.dtype.char in "ilq")


@holomorphic
def _cumprod_grad(g, out, x, dim):
    """Correct with zeros too: the products of what comes before, times what the later results ask for."""
    if not len(x.shape):
        return g
    a = dim % len(x.shape)
    return multiply(shift_one(out, a, False, 1.0), linear_scan(g, x, a, True))


cumprod.grad(x=_cumprod_grad)


@op("logcumsumexp(X) -> Out", family="own", sharding=along, shapes=_running)
@quiet
def logcumsumexp(x, axis=-1, flatten=False, exclusive=False, reverse=False):
    """log of the running sums of exp(x), without overflow; ``exclusive`` leaves each one's own element out (the logarithm of
    an empty sum is the lowest finite number, as in Paddle)."""
    x, a = _line(x, axis, flatten, "logcumsumexp")
    if x.ndim == 0:
        return np.full_like(x, np.finfo(x.dtype).min) if exclusive else x.copy()
    y = np.flip(x, a) if reverse else x
    out = np.logaddexp.accumulate(y, a)
    if exclusive:
        out = _shifted(out, a, False, np.finfo(x.dtype).min)
    return np.ascontiguousarray(np.flip(out, a)) if reverse else out


def _logcumsumexp_grad(g, out, x, axis, flatten, exclusive, reverse):
    shape = list(x.shape)
    if not shape:
        return (g * 0 if exclusive else g).reshape(shape)
    if flatten:
        x, axis = reshape(x, None, None, [-1]), 0
    a = axis % len(x.shape)
    if exclusive:  # the inclusive results, moved on by one
        g, out = shift_one(g, a, not reverse), logcumsumexp(x, a, False, False, reverse)
    if reverse:
        g, out, x = (flip(t, [a]) for t in (g, out, x))
    # running results never fall, so every factor is at most 1; the first one is not used
    ratio = exp(minimum(subtract(shift_one(out, a), out), np.zeros((), numpy_type(g))))
    back = multiply(exp(subtract(x, out)), linear_scan(g, ratio, a, True))
    return (flip(back, [a]) if reverse else back).reshape(shape)


logcumsumexp.grad(x=_logcumsumexp_grad)


def _running(name, better, doc):
    def kernel(x, axis=-1, dtype="int64"):
        a = one_axis(axis, x.ndim, name)
        kind = dtypes.to_numpy(dtype, name)
        if kind.name not in ("int32", "int64"):
            raise WrongKindError(f"{name}(): dtype must be int32 or int64, got {kind.name}")
        if x.ndim == 0:
            return x.copy(), np.zeros((), kind)
        values, places = np.array(x), np.zeros(x.shape, kind)
        v, p = np.moveaxis(values, a, 0), np.moveaxis(places, a, 0)
        for i in range(1, len(v)):
            keep = ~(better(v[i], v[i - 1]) | (v[i] == v[i - 1]) | np.isnan(v[i]))  # the last of equals; NaN stays
            keep |= np.isnan(v[i - 1]) & ~np.isnan(v[i])
            p[i] = np.where(keep, p[i - 1], i)
            v[i] = np.where(keep, v[i - 1], v[i])
        return values, places
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__
    declared = op(f"{name}(x) -> out, indices", family="own", shapes="*x -> *x, *x:dtype",
                  to_desc=lambda a: {**a, "dtype": dtypes.convert(a["dtype"]).code})(quiet(kernel))

    largest = better is np.greater

    @declared.kernel(when=lambda x, axis, dtype: x.dtype.char in "fd" and x.ndim)
    def _(k, x, axis, dtype):
        kind = dtypes.to_numpy(dtype, name).name
        return k.running_best(dense(x), largest, one_axis(axis, x.ndim, name), kind == "int64") if kind in (
            "int32", "int64") else NotImplemented

    def rule(g, out, x_shape, axis):
        return along_axis_sum(g[0], out[1], tuple(x_shape), axis) if len(x_shape) else g[0]
    return declared.grad(x=rule)


cummax = _running("cummax", np.greater, "The largest element so far along an axis, and where it is.")
cummin = _running("cummin", np.less, "The smallest element so far along an axis, and where it is.")

through_float32(cumsum, linear_scan, cumprod, logcumsumexp)
