"""Reductions over axes."""

import numpy as np

from ..core.op import op
from .families import axis_tuple
from .math import broadcast_to_shape


def _to_desc(attrs):
    axis = attrs.pop("axis")
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return {"dim": axes or [0], "keep_dim": attrs.pop("keepdim"), "reduce_all": not axes,
            "in_dtype": -1, "out_dtype": -1, **attrs}


def _from_desc(attrs):
    axis = None if attrs.get("reduce_all") or not attrs.get("dim") else tuple(attrs["dim"])
    return {"axis": axis, "keepdim": bool(attrs.get("keep_dim"))}


def spread(g, shape, axis, keepdim, function):
    """A reduction's gradient (or result) repeated over the axes that were reduced."""
    if not keepdim:
        reduced = axis_tuple(axis, len(shape), function)
        g = g.reshape([1 if i in reduced else n for i, n in enumerate(shape)])
    return broadcast_to_shape(g, shape)


@op("reduce_sum(X) -> Out", family="reduce", to_desc=_to_desc, from_desc=_from_desc)
def sum(x, axis=None, keepdim=False):
    """Sum over the given axes (all of them for None)."""
    return x.sum(axis=axis_tuple(axis, x.ndim, "sum"), keepdims=keepdim)


sum.grad(x=lambda g, x_shape, axis, keepdim: spread(g, x_shape, axis, keepdim, "sum"))
