"""Norms and distances."""

import numpy as np

from ...core.op import op
from ...core.steps import dense, interpreter
from ..arguments import axis_tuple, broadcast_shape, one_axis, quiet
from ..families.reduce import reduced
from ..math.arithmetic import broadcast_to_shape, conjugate, is_complex, multiply, pow, subtract, sum_to
from ..math.logic import equal, not_equal
from ..math.reduction import _from_desc, _to_desc, g_one, spread
from ..math.reduction import sum as reduce_sum
from ..math.unary import abs, unit
from ..short import through_float32


def norm_array(x, p, axis, keepdim):
    """(sum |x|^p)^(1/p) over the axes; the largest, smallest or count of non-zero |x| for p = inf, -inf, 0."""
    size = np.abs(x)
    if p == np.inf or p == -np.inf:
        if not size.size:
            raise ValueError(f"p_norm(): no elements in shape {list(x.shape)}")
        return (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdim)
    if p == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdim).astype(size.dtype)
    if p == 1:
        return np.sum(size, axis=axis, keepdims=keepdim)
    if p == 2:
        return np.sqrt(np.sum(size * size, axis=axis, keepdims=keepdim))
    with np.errstate(divide="ignore", over="ignore"):
        return np.power(np.sum(np.power(size, size.dtype.type(p)), axis=axis, keepdims=keepdim), size.dtype.type(1 / p))


@op("safe_ratio(X, Y) -> Out", family="broadcast")
@quiet
def safe_ratio(x, y):
    """x / y, and 0 where y is 0."""
    zero = y == 0
    return np.where(zero, x.dtype.type(0), x / np.where(zero, y.dtype.type(1), y))


safe_ratio.grad(x=lambda g, y: safe_ratio(g, conjugate(y)),
                y=lambda g, x, y: -(safe_ratio(g, conjugate(y)) * conjugate(safe_ratio(x, y))))


def norm_slope(x, out, p):
    """d norm / dx for a norm ``out`` already spread to x's shape; 0 where the norm is 0."""
    if p == 0:
        return x * 0
    if p in (np.inf, -np.inf):
        return unit(x) * multiply(equal(abs(x), out), g_one(out))
    if p == 1:
        return unit(x)
    if p == 2:
        return safe_ratio(x, out)
    size = abs(x)
    if p < 1:  # |x|^(p-1) is infinite at 0
        size = size + multiply(equal(size, size * 0), g_one(out))
    nonzero = multiply(not_equal(out, out * 0), g_one(out))
    return unit(x) * pow(size, p - 1) * (pow(out + (1 - nonzero), 1 - p) * nonzero)


def _p_axes(axis, ndim, asvector):
    return tuple(range(ndim)) if asvector else one_axis(axis, ndim, "p_norm") if ndim else ()


@op("p_norm(X) -> Out", family="reduce", version=1, amp="black")
@quiet
def p_norm(x, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    """The p-norm along an axis, or of all elements for ``asvector``."""
    return norm_array(x, porder, _p_axes(axis, x.ndim, asvector), keepdim)


def _kept(value, shape, axis, keepdim):
    """A norm, or its gradient, with size 1 on the axes that it was taken over."""
    axes = axis_tuple(axis, len(shape), "norm")
    return value if keepdim else value.reshape([1 if i in axes else n for i, n in enumerate(shape)])


def _euclidean(k, x, axes, keepdim):
    """The native kernel of norms of order 2."""
    total = k.reduce("sum_squares", dense(x), axes) if x.dtype.char in "fd" and x.size and x.ndim else NotImplemented
    out = total if total is NotImplemented else k.unary("sqrt", total)
    if out is NotImplemented or not keepdim:
        return out
    return out.reshape([1 if axes is None or i in axes else n for i, n in enumerate(x.shape)])


@p_norm.kernel(when=lambda x, porder, *rest: porder == 2)
def _(k, x, porder, axis, epsilon, keepdim, asvector):
    return _euclidean(k, x, None if asvector else axis_tuple(axis, x.ndim, "p_norm"), keepdim)


def _p_norm_grad(g, out, x, porder, axis, keepdim, asvector):
    shape = tuple(x.shape)
    axis = None if asvector else axis
    if porder == 2 and shape and not is_complex(x):
        return multiply(x, _kept(safe_ratio(g, out), shape, axis, keepdim))
    wide = spread(out, shape, axis, keepdim, "p_norm")
    return spread(g, shape, axis, keepdim, "p_norm") * norm_slope(x, wide, porder)


p_norm.grad(x=_p_norm_grad)


@op("frobenius_norm(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc, amp="black")
@quiet
def frobenius_norm(x, axis=None, keepdim=False):
    """The square root of the sum of squares over the given axes."""
    return norm_array(x, 2, axis_tuple(axis, x.ndim, "frobenius_norm"), keepdim)


@frobenius_norm.kernel()
def _(k, x, axis, keepdim):
    return _euclidean(k, x, None if axis is None else axis_tuple(axis, x.ndim, "frobenius_norm"), keepdim)


def _frobenius_grad(g, out, x, axis, keepdim):
    shape = tuple(x.shape)
    if shape and not is_complex(x):
        return multiply(x, _kept(safe_ratio(g, out), shape, axis, keepdim))
    return spread(g, shape, axis, keepdim, "norm") * safe_ratio(x, widened(out, x, axis, keepdim))


frobenius_norm.grad(x=_frobenius_grad)


def widened(out, x, axis, keepdim):
    """A norm spread to x's shape, complex if x is (so that the two can be divided)."""
    wide = spread(out, tuple(x.shape), axis, keepdim, "norm")
    return wide + x * 0 if is_complex(x) else wide


@op("dist(X, Y) -> Out", family="own", amp="black", shapes="_ -> ")
@quiet
def dist(x, y, p=2.0):
    """The p-norm of x - y."""
    broadcast_shape(x.shape, y.shape, "dist")
    d = x - y
    return np.asarray(norm_array(d, p, tuple(range(d.ndim)), False))


@dist.vjp
def _(needs, g, out, x, y, p):
    d = subtract(x, y)
    shape = tuple(d.shape)
    slope = broadcast_to_shape(g, shape) * norm_slope(d, broadcast_to_shape(out, shape), p)
    return sum_to(slope, tuple(x.shape)), -sum_to(slope, tuple(y.shape))


def _check_renorm(x, p, axis, max_norm):
    if not x.ndim:
        raise ValueError("renorm(): x must have at least one axis, got a 0-d tensor")
    if not p > 0 or not max_norm >= 0:
        raise ValueError(f"renorm(): p must be positive and max_norm not negative, got {p} and {max_norm}")
    return one_axis(axis, x.ndim, "renorm")


@op("renorm(X) -> Out", family="same", amp="black", flops=2)
@quiet
def renorm(x, p=2.0, axis=0, max_norm=1.0):
    """x with each slice along an axis scaled down to the p-norm ``max_norm`` if it is larger."""
    a = _check_renorm(x, p, axis, max_norm)
    return x * _renorm_factor(norm_array(x, p, tuple(i for i in range(x.ndim) if i != a), True), max_norm)


def _renorm_factor(size, max_norm):
    return np.where(size > max_norm, max_norm / (size + size.dtype.type(1e-7)), 1).astype(size.dtype)


@op("renorm_scale(Norm) -> Out", family="same", flops=2)
@quiet
def renorm_scale(size, max_norm=1.0):
    """What renorm multiplies a slice of this norm with."""
    return _renorm_factor(size, max_norm)


@op("renorm_over(Norm) -> Out", family="same", flops=2)
@quiet
def renorm_over(size, max_norm=1.0):
    """1 where a norm is above max_norm, else 0."""
    return (size > max_norm).astype(size.dtype)


renorm_scale.grad(size=lambda g, size, max_norm: -(g * renorm_over(size, max_norm) * max_norm
                                                   / ((size + 1e-7) * (size + 1e-7))))


@op("norm_over(X) -> Out", family="reduce", shapes=lambda x, axis: reduced(x, axis, True, "norm"))
@quiet
def norm_over(x, p=2.0, axis=None):
    """The p-norm over several axes, kept with size 1."""
    return norm_array(x, p, tuple(axis), True)


norm_over.grad(x=lambda g, out, x, p, axis: broadcast_to_shape(g, tuple(x.shape)) * norm_slope(
    x, broadcast_to_shape(out, tuple(x.shape)), p))


def _renorm_grad(g, x, p, axis, max_norm):
    axes = [i for i in range(len(x.shape)) if i != axis % len(x.shape)]
    size = norm_over(x, p, axes)
    factor = renorm_scale(size, max_norm)
    inner = sum_to(multiply(g, x), tuple(size.shape))
    slope = -(inner * renorm_over(size, max_norm) * max_norm / ((size + 1e-7) * (size + 1e-7)))
    wide = broadcast_to_shape(size, tuple(x.shape))
    return g * factor + broadcast_to_shape(slope, tuple(x.shape)) * norm_slope(x, wide, p)


renorm.grad(x=_renorm_grad)


# ---- distances of all rows from all rows ----------------------------------------------------------------------------------
def _differences(x, y):
    """x [..., p, m] and y [..., r, m] as [..., p, r, m]: every row of x less every row of y."""
    a, b = list(x.shape), list(y.shape)
    return subtract(x.reshape([*a[:-1], 1, a[-1]]), y.reshape([*b[:-2], 1, *b[-2:]]))


@op("cdist(X, Y) -> Out", family="own", amp="black")
@quiet
def cdist(x, y, p=2.0):
    """The p-norms of the differences of all rows of x from all rows of y. Programs have the ops it is made of."""
    return norm_array(_differences(x, y), p, -1, False)


@cdist.kernel(when=lambda x, y, p: p in (1.0, 2.0) and x.dtype == y.dtype)
def _(k, x, y, p):
    return k.distances(dense(x), dense(y), p == 1.0)


@cdist.vjp
def _(needs, g, out, x, y, p):
    k = interpreter(g) if p in (1.0, 2.0) else None
    if k is not None:
        found = k.distances_backward(dense(g), dense(out), dense(x), dense(y), p == 1.0)
        if found is not NotImplemented:
            return found
    d = _differences(x, y)
    slopes = spread(g, tuple(d.shape), -1, False, "cdist") * norm_slope(d, spread(out, tuple(d.shape), -1, False, "cdist"), p)
    return (sum_to(reduce_sum(slopes, -2), tuple(x.shape)) if needs[0] else None,
            sum_to(-reduce_sum(slopes, -3), tuple(y.shape)) if needs[1] else None)


through_float32(cdist, p_norm, frobenius_norm, dist, renorm, renorm_scale, renorm_over, norm_over)
