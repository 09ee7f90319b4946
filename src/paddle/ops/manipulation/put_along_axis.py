"""put_along_axis: values meeting at positions given by ids along an axis."""

import numpy as np

from ...core.op import op
from ...core.steps import dense
from ..arguments import one_axis, same_dtype
from ..library import by_library
from ..math.arithmetic import divide, multiply
from ..math.logic import equal
from ..short import through_float32
from .gather_scatter import along_index, flat_index, take_along_axis
from .masking import masked

_MEET = {"add": np.add, "multiply": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}


def _start(x, index, reduce, include_self):
    """The array that values are written into: x, its touched elements reset where they take no part."""
    out = np.array(x, order="C")
    if not include_self and reduce != "assign":
        if reduce == "multiply":
            out[index] = 1
        elif reduce in ("amax", "amin"):
            info = np.iinfo(x.dtype) if x.dtype.kind in "iu" else None
            low, high = (info.min, info.max) if info else (-np.inf, np.inf)
            out[index] = low if reduce == "amax" else high
        else:
            out[index] = 0
    return out


@op("put_along_axis(Input, Index, Value) -> Result", family="same", axis="Axis", reduce="Reduce",
    include_self="Include_self")
def put_along_axis(x, index, value, axis=0, reduce="assign", include_self=True):
    """x with values written, added, multiplied, averaged or maximised into the positions given by ids along an axis."""
    same_dtype(x, value, "put_along_axis")
    a = one_axis(axis, x.ndim, "put_along_axis")
    where = along_index(x.shape, index, a, "put_along_axis")
    if value.shape != index.shape:
        raise ValueError(f"values {list(value.shape)} must have the shape of indices {list(index.shape)}")
    out = _start(x, where, reduce, include_self)
    if reduce == "assign":
        out[where] = value
        return out
    if reduce not in _MEET:
        raise ValueError(f"reduce must be assign, add, multiply, mean, amax or amin, got {reduce!r}")
    _MEET[reduce].at(out.reshape(-1), flat_index(where, x.shape), value.reshape(-1))
    if reduce == "mean":
        n = _counts(x.shape, index, a, include_self)
        out = (out / n if x.dtype.kind == "f" else out // n).astype(x.dtype)
    return out


@put_along_axis.kernel(when=lambda x, index, value, axis, reduce, include_self: x.ndim and x.dtype == value.dtype
                       and (include_self or reduce == "assign"))
def _(k, x, index, value, axis, reduce, include_self):
    return k.put_along(dense(x), dense(index), dense(value), one_axis(axis, x.ndim, "put_along_axis"), reduce)


by_library(put_along_axis)  # the rest: whole numbers, means, and values that x takes no part in


def _counts(shape, index, axis, include_self):
    """How many numbers each element of a mean was made of."""
    n = np.zeros(shape, np.int64)
    np.add.at(n.reshape(-1), flat_index(along_index(shape, index, axis, "put_along_axis"), shape), 1)
    return n + 1 if include_self else np.maximum(n, 1)


@op("along_counts(X, Index) -> Out", family="index")
def along_counts(x, index, axis=0, include_self=True):
    """For an array like x: how many numbers met in each element of a mean."""
    return _counts(x.shape, index, one_axis(axis, x.ndim, "put_along_axis"), include_self).astype(x.dtype)


@op("along_clear(G, Index) -> GX", family="same")
def along_clear(g, index, axis=0):
    """g with zeros where the ids along an axis point."""
    out = np.array(g, order="C")
    out[along_index(g.shape, index, one_axis(axis, g.ndim, "put_along_axis"), "put_along_axis")] = 0
    return out


@along_clear.kernel(when=lambda g, index, axis: g.ndim, noted=False)
def _(k, g, index, axis):
    return k.put_along(dense(g), dense(index), np.zeros(index.shape, g.dtype), one_axis(axis, g.ndim, "put_along_axis"), "assign")


along_clear.grad(g=lambda g, index, axis: along_clear(g, index, axis))


@put_along_axis.vjp
def _(needs, g, out, x, index, value, axis, reduce, include_self):
    """Gradients of arr and values; at an extreme reached several times each of them gets the whole gradient."""
    # what arr gets where nothing was written
    keep = along_clear(g, index, axis) if needs[0] and (reduce == "assign" or not include_self) else None
    if reduce == "assign":
        return keep, None, take_along_axis(g, index, axis) if needs[2] else None
    if reduce == "add":
        return g if include_self else keep, None, take_along_axis(g, index, axis) if needs[2] else None
    if reduce == "mean":
        share = divide(g, along_counts(g, index, axis, include_self))
        return share if include_self else keep, None, take_along_axis(share, index, axis) if needs[2] else None
    if reduce == "multiply":
        both = multiply(g, out)
        gx = divide(both, x) if include_self else keep
        return gx, None, divide(take_along_axis(both, index, axis), value) if needs[2] else None
    gx = masked(g, equal(x, out), True) if include_self else keep
    if needs[2]:
        return gx, None, masked(take_along_axis(g, index, axis), equal(value, take_along_axis(out, index, axis)), True)
    return gx, None, None


through_float32(put_along_axis)
