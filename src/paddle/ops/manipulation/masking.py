"""Choosing by booleans: where, masked_select, masked_scatter."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ...core.walk import sum_to
from ..arguments import same_dtype


@op("where(Condition, X, Y) -> Out", family="broadcast")
def where(condition, x, y):
    """x where the condition is true, else y."""
    same_dtype(x, y, "where")
    if condition.dtype != bool:
        raise ElementTypeError(f"condition must be a bool tensor, got {condition.dtype.name}")
    return np.where(condition, x, y)


@where.kernel(when=lambda condition, x, y: condition.dtype == bool and x.dtype == y.dtype)
def _(k, condition, x, y):
    return k.choose(condition, x, y)


@op("masked(G, Mask) -> GX", family="broadcast")
def masked(g, mask, keep=True):
    """g where the mask is ``keep``, else zero."""
    return np.where(mask == keep, g, g.dtype.type(0))


@masked.kernel(when=lambda g, mask, keep: mask.dtype == bool)
def _(k, g, mask, keep):
    zero = np.zeros((), g.dtype)
    return k.choose(mask, g, zero) if keep else k.choose(mask, zero, g)


masked.grad(g=lambda g, mask, keep: masked(g, mask, keep))
where.grad(x=lambda g, condition: masked(g, condition, True), y=lambda g, condition: masked(g, condition, False))


@op("masked_select(X, Mask) -> Y", family="dynamic", shapes="_ -> ?")
def masked_select(x, mask):
    """The elements of x where the mask is true, as a vector; x and mask broadcast to one shape."""
    if mask.dtype != bool:
        raise ElementTypeError(f"mask must be a bool tensor, got {mask.dtype.name}")
    if mask.shape != x.shape:
        x, mask = _together(x, mask)
    return x[mask]


@masked_select.kernel(when=lambda x, mask: mask.dtype == bool and mask.shape == x.shape, noted=False)
def _(k, x, mask):
    return k.select_true(dense(x), dense(mask))


def _together(x, mask):
    try:
        return np.broadcast_arrays(x, mask)
    except ValueError:
        raise ValueError(f"mask {list(mask.shape)} and x {list(x.shape)} must broadcast to one shape") from None


@op("masked_place(G, Mask) -> GX", family="dynamic")
def masked_place(g, mask, shape=None):
    """Zeros with the elements of g, in order, where the mask is true; summed to a shape that broadcasts with the mask's."""
    whole = mask.shape if shape is None else np.broadcast_shapes(mask.shape, tuple(shape))
    out = np.zeros(whole, g.dtype)
    out[np.broadcast_to(mask, whole)] = g
    return out if shape is None else sum_to(out, tuple(shape))


@masked_place.kernel(when=lambda g, mask, shape: shape is None and mask.dtype == bool and mask.ndim > 0, noted=False)
def _(k, g, mask, shape):
    return k.place_true(dense(g), dense(mask))


masked_select.grad(x=lambda g, mask, x_shape: masked_place(g, mask, None if tuple(mask.shape) == tuple(x_shape) else list(x_shape)))
masked_place.grad(g=lambda g, mask: masked_select(g, mask))


@op("masked_scatter(X, Mask, Value) -> Out", family="same")
def masked_scatter(x, mask, value):
    """x with the elements of value, in order, where the mask of the same shape is true."""
    same_dtype(x, value, "masked_scatter")
    if mask.dtype != bool or mask.shape != x.shape:
        raise ValueError(f"mask must be a bool tensor of the shape of x {list(x.shape)}, got {mask.dtype.name} "
                         f"{list(mask.shape)}")
    n = int(np.count_nonzero(mask))
    if n > value.size:
        raise ValueError(f"the mask is true {n} times but value has {value.size} elements")
    out = np.array(x, order="C")
    out[mask] = value.reshape(-1)[:n]
    return out


@masked_scatter.kernel(when=lambda x, mask, value: mask.dtype == bool and mask.shape == x.shape and x.dtype == value.dtype,
                       noted=False)
def _(k, x, mask, value):
    placed = k.place_true(dense(value).reshape(-1)[:int(np.count_nonzero(mask))], dense(mask))
    return placed if placed is NotImplemented else k.choose(dense(mask), placed, dense(x))


@op("masked_first(G, Mask) -> GX", family="dynamic")
def masked_first(g, mask, shape=()):
    """Zeros of the given shape whose first elements are those of g where the mask is true."""
    out = np.zeros(shape, g.dtype)
    chosen = g[mask]
    out.reshape(-1)[:chosen.size] = chosen
    return out


@op("masked_fill_first(G, Mask) -> GX", family="dynamic")
def masked_fill_first(g, mask):
    """Zeros with the first elements of g, in order, where the mask is true."""
    out = np.zeros(mask.shape, g.dtype)
    out[mask] = g.reshape(-1)[:int(np.count_nonzero(mask))]
    return out


masked_scatter.grad(x=lambda g, mask: masked(g, mask, False),
                    value=lambda g, mask, value_shape: masked_first(g, mask, tuple(value_shape)))
masked_first.grad(g=lambda g, mask: masked_fill_first(g, mask))
masked_fill_first.grad(g=lambda g, mask, g_shape: masked_first(g, mask, tuple(g_shape)))
