"""Reductions over axes."""

import builtins
import math

import numpy as np

from ...core.op import op
from ...core.steps import repeated
from ...kernels import thresholds
from ..arguments import axis_tuple
from ..families.sharding import averaging, summing
from ..library import by_library
from ..short import through_float32
from .arithmetic import broadcast_to_shape, multiply, numpy_type
from .logic import equal


def _to_desc(attrs):
    axis = attrs.pop("axis")
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return {"dim": axes or [0], "keep_dim": attrs.pop("keepdim"), "reduce_all": not axes,
            "in_dtype": -1, "out_dtype": -1, **attrs}


def _from_desc(attrs):
    dims = attrs.get("dim", [0])
    axis = None if attrs.get("reduce_all") or not dims else dims[0] if len(dims) == 1 else tuple(dims)
    return {"axis": axis, "keepdim": bool(attrs.get("keep_dim"))}


def spread(g, shape, axis, keepdim, function):
    """A reduction's gradient (or result) repeated over the axes that were reduced."""
    if axis is None and isinstance(g, (np.ndarray, np.generic)) and math.prod(shape) < thresholds.SPREAD_ELEMENTS:  # one number
        out = np.empty(shape, g.dtype)
        out[...] = g
        return out
    if not keepdim and axis is not None:
        reduced = axis_tuple(axis, len(shape), function)
        g = g.reshape([1 if i in reduced else n for i, n in enumerate(shape)])
    return broadcast_to_shape(g, shape)


_LONGER = {"e": np.float32, "E": np.float32, "f": np.float64}  # by type character: what sums are accumulated in


@op("reduce_sum(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc, total=True, rows="axes", amp="black",
    sharding=summing)
def sum(x, axis=None, keepdim=False):
    """Sum over the given axes (all of them for None), in the type of x; floats add up in the next longer type."""
    wide = _LONGER.get(x.dtype.char, x.dtype)
    axes = None if axis is None else axis_tuple(axis, x.ndim, "sum")
    return x.sum(axis=axes, keepdims=keepdim, dtype=wide).astype(x.dtype, copy=False)


def _sum_rule(g, x_shape, axis, keepdim):
    """The gradient repeated; over all axes, and large, it is one number for elementwise rules to take as such."""
    if axis is None and g.__class__ is np.ndarray and g.dtype.char in "fd" and math.prod(x_shape) >= thresholds.SPREAD_ELEMENTS:
        return repeated(g.reshape([1] * len(x_shape)), x_shape)
    return spread(g, x_shape, axis, keepdim, "sum")


sum.grad(x=_sum_rule)


def _native(name):
    def kernel(k, x, axis, keepdim):
        if not x.size:
            return NotImplemented
        axes = axis if axis is None else axis_tuple(axis, x.ndim, name)
        out = k.reduce(name, x, axes)
        if keepdim and out is not NotImplemented:
            return out.reshape([1 if axes is None or i in axes else n for i, n in enumerate(x.shape)])
        return out
    return kernel


sum.kernel()(_native("sum"))


def count(shape, axis, function):
    """How many elements each result of a reduction stands for."""
    return math.prod(shape if axis is None else [shape[a] for a in axis_tuple(axis, len(shape), function)])


@op("reduce_mean(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc, total=True, rows="axes", amp="black",
    sharding=averaging)
def mean(x, axis=None, keepdim=False):
    """Mean over the given axes; integers truncate. The mean of nothing is NaN."""
    n = count(x.shape, axis, "mean")
    if x.dtype.kind in "iub":
        axes = axis_tuple(axis, x.ndim, "mean")
        if n == 0:
            raise ValueError("mean(): the mean of no integers is undefined")
        if x.dtype == bool:
            return x.any(axes, keepdims=keepdim)
        return np.trunc(x.sum(axis=axes, keepdims=keepdim) / n).astype(x.dtype)
    wide = _LONGER.get(x.dtype.char, x.dtype)
    axes = None if axis is None else axis_tuple(axis, x.ndim, "mean")
    total = x.sum(axis=axes, keepdims=keepdim, dtype=wide)
    return np.asarray(total / total.dtype.type(n) if n else np.full_like(total, np.nan)).astype(x.dtype, copy=False)


def _mean_rule(g, x_shape, axis, keepdim):
    # a number of the gradient's own type: a plain float would widen 0-d arrays of NumPy 1
    share = numpy_type(g).type(1.0 / builtins.max(count(x_shape, axis, "mean"), 1))
    return _sum_rule(np.asarray(g * share) if isinstance(g, (np.ndarray, np.generic)) else g * share, x_shape, axis, keepdim)


mean.grad(x=_mean_rule)
mean.kernel()(_native("mean"))


def _extreme(name, op_type, function, doc, shared):
    """max/min: every tied element gets the whole gradient; amax/amin: tied elements share it equally."""
    def kernel(x, axis=None, keepdim=False):
        axes = axis_tuple(axis, x.ndim, name)
        if count(x.shape, axis, name) == 0 and x.size == 0:
            raise ValueError(f"{name}(): no elements along axis {axis} of shape {list(x.shape)}")
        return function(x, axis=axes, keepdims=keepdim)
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__

    def rule(g, out, x, axis, keepdim):
        shape = tuple(x.shape)
        hit = multiply(equal(x, spread(out, shape, axis, keepdim, name)), g_one(g))
        if shared:
            hit = hit / spread(sum(hit, axis, keepdim), shape, axis, keepdim, name)
        return multiply(spread(g, shape, axis, keepdim, name), hit)

    return op(f"{op_type}(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc, total=True,
              rows="axes")(kernel).grad(x=rule)


def g_one(g):
    """The number 1 in the type of a gradient."""
    return np.ones((), numpy_type(g))


max = _extreme("max", "reduce_max", np.max, "The largest element over the given axes.", shared=False)
min = _extreme("min", "reduce_min", np.min, "The smallest element over the given axes.", shared=False)
amax = _extreme("amax", "reduce_amax", np.max, "The largest element; ties share the gradient.", shared=True)
amin = _extreme("amin", "reduce_amin", np.min, "The smallest element; ties share the gradient.", shared=True)

through_float32(sum, mean)


def is_whole(x, *_):
    """Is this int32 or int64?"""
    return x.dtype.char in "ilq"


by_library(sum, when=is_whole)
by_library(mean, when=lambda x, *_: x.dtype == np.int64)
by_library(max, min, amax, amin, when=lambda x, *_: x.dtype.char in "fd?ilq")
