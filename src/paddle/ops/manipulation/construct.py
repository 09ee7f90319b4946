"""Diagonals, triangles, and complex numbers from their parts."""

import numpy as np

from ...core import sizes
from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import one_axis, same_dtype
from ..families.elementwise import broadcast_dims
from ..library import by_library
from ..lines import by_lines
from ..math.arithmetic import sum_to
from .reshape import as_real
from .slicing import slice as pick


def _two_axes(axis1, axis2, ndim, function, names=("axis1", "axis2")):
    if ndim < 2:
        raise ValueError(f"{function}(): needs at least two axes, got a {ndim}-d tensor")
    a, b = one_axis(axis1, ndim, function, names[0]), one_axis(axis2, ndim, function, names[1])
    if a == b:
        raise ValueError(f"{function}(): {names[0]} and {names[1]} name the same axis: {axis1} and {axis2}")
    return a, b


def _on_diagonal(x, offset, axis1, axis2):
    a, b = _two_axes(axis1, axis2, len(x.shape), "diagonal")
    m, n = x.shape[a], x.shape[b]
    return x.like([*[s for k, s in enumerate(x.shape) if k not in (a, b)], sizes.diagonal_length(m, n, offset)])


@op("diagonal(Input) -> Out", family="own", view="2.6", shapes=_on_diagonal)
def diagonal(x, offset=0, axis1=0, axis2=1):
    """The diagonals of the matrices formed by two axes of x, as the last axis."""
    a, b = _two_axes(axis1, axis2, x.ndim, "diagonal")
    view = np.diagonal(x, offset, a, b)
    view.flags.writeable = x.flags.writeable  # NumPy keeps people from writing; tensors are shared knowingly
    return view


@op("diagonal_place(G) -> GX", family="own")
def diagonal_place(g, shape=(), offset=0, axis1=0, axis2=1):
    """Zeros of the given shape with g on the diagonals of the matrices formed by two axes."""
    a, b = _two_axes(axis1, axis2, len(shape), "diagonal")
    out = np.zeros(shape, g.dtype)
    view = np.diagonal(out, offset, a, b)
    view.flags.writeable = True
    view[...] = g
    return out


diagonal.grad(x=lambda g, x_shape, offset, axis1, axis2: diagonal_place(g, tuple(x_shape), offset, axis1, axis2))
diagonal_place.grad(g=lambda g, offset, axis1, axis2: diagonal(g, offset, axis1, axis2))


@op("diag_v2(X) -> Out", family="own", to_desc=lambda a: {**a, "padding_value": float(a["padding_value"])},
    shapes=lambda x, offset: x.like(sizes.on_diagonal(list(x.shape), offset)))
def diag_v2(x, offset=0, padding_value=0.0):
    """The matrix with x on a diagonal and padding_value elsewhere (1-d x), or the diagonal of a matrix (2-d x)."""
    if x.ndim == 2:
        return np.array(np.diagonal(x, offset))
    if x.ndim > 2:
        raise ValueError(f"diag(): x must be 1-d or 2-d, got shape {list(x.shape)}")
    out = np.diag(x.reshape(-1), offset)
    if padding_value:
        off = ~np.diag(np.ones(x.size, bool), offset)
        out[off] = x.dtype.type(padding_value)
    return out


def _diag_grad(g, x_shape, offset):
    if len(x_shape) == 2:
        return diagonal_place(g, tuple(x_shape), offset, 0, 1)
    return diagonal(g, offset, 0, 1).reshape(list(x_shape))


diag_v2.grad(x=_diag_grad)


def _embedded(x, offset, dim1, dim2):
    shape = list(x.shape[:-1])
    for axis in sorted(_two_axes(dim1, dim2, len(x.shape) + 1, "diag_embed")):
        shape.insert(axis, -1 if x.shape[-1] < 0 else x.shape[-1] + abs(offset))
    return x.like(shape)


@op("diag_embed(Input) -> Out", family="own", shapes=_embedded)
def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last axis of x on a diagonal, zeros elsewhere; dim1 and dim2 are their axes in the result."""
    if x.ndim == 0:
        raise ValueError("input must have at least one axis")
    a, b = _two_axes(dim1, dim2, x.ndim + 1, "diag_embed", ("dim1", "dim2"))
    n = x.shape[-1] + abs(offset)
    shape = list(x.shape[:-1])
    for axis in sorted((a, b)):
        shape.insert(axis, n)
    return diagonal_place.fn(x, tuple(shape), offset, a, b)


diag_embed.grad(x=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))


@op("tril_triu(X) -> Out", family="same")
def tril_triu(x, diagonal=0, lower=False):
    """The lower or upper triangles of matrices (the last two axes), the other elements zero."""
    if x.ndim < 2:
        raise ValueError(f"{'tril' if lower else 'triu'}(): x must have at least two axes, got shape {list(x.shape)}")
    return (np.tril if lower else np.triu)(x, diagonal)


@tril_triu.kernel(when=lambda x, diagonal, lower: x.ndim > 1)
def _(k, x, diagonal, lower):
    return k.triangle(dense(x), diagonal, bool(lower))


tril_triu.grad(x=lambda g, diagonal, lower: tril_triu(g, diagonal, lower))


@op("fill_diagonal_tensor(X, Y) -> Out", family="same")
def fill_diagonal_tensor(x, y, offset=0, dim1=0, dim2=1):
    """x with the diagonals of the matrices formed by two axes replaced by y."""
    same_dtype(x, y, "fill_diagonal_tensor")
    a, b = _two_axes(dim1, dim2, x.ndim, "fill_diagonal_tensor", ("dim1", "dim2"))
    out = np.array(x, order="C")
    view = np.diagonal(out, offset, a, b)
    if y.shape != view.shape:
        raise ValueError(f"y {list(y.shape)} must have the shape of the diagonal {list(view.shape)}")
    view.flags.writeable = True
    view[...] = y
    return out


@op("diagonal_clear(G) -> GX", family="same")
def diagonal_clear(g, offset=0, dim1=0, dim2=1):
    """g with zeros on the diagonals of the matrices formed by two axes."""
    out = np.array(g, order="C")
    view = np.diagonal(out, offset, dim1, dim2)
    view.flags.writeable = True
    view[...] = 0
    return out


diagonal_clear.grad(g=lambda g, offset, dim1, dim2: diagonal_clear(g, offset, dim1, dim2))
fill_diagonal_tensor.grad(
    x=lambda g, offset, dim1, dim2: diagonal_clear(g, offset, dim1, dim2),
    y=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))


def _diagonal_mask(shape, offset, wrap):
    """True where fill_diagonal writes: the main diagonal, shifted along the last axis as far as it stays inside."""
    if len(shape) > 2 and len(set(shape)) != 1:
        raise ValueError(f"fill_diagonal_(): with more than two axes all sizes must be equal, got shape {list(shape)}")
    mask, columns = np.zeros(shape, bool), shape[-1]
    rows = np.arange(shape[0] if wrap and len(shape) == 2 else min(shape))
    place = rows % (columns + 1) + offset  # in a tall matrix the diagonal starts again after an empty row
    inside = (rows % (columns + 1) < columns) & (place >= 0) & (place < columns)
    mask[(*(rows[inside],) * (len(shape) - 1), place[inside])] = True
    return mask


@op("fill_diagonal(X) -> Out", family="same")
def fill_diagonal(x, value=0.0, offset=0, wrap=False):
    """x with one value on its diagonal."""
    if x.ndim < 2:
        raise ValueError(f"fill_diagonal_(): x must have at least two axes, got shape {list(x.shape)}")
    return np.where(_diagonal_mask(x.shape, offset, wrap), x.dtype.type(value), x)


fill_diagonal.grad(x=lambda g, offset, wrap: fill_diagonal(g, 0.0, offset, wrap))


@op("complex(X, Y) -> Out", family="own",
    shapes=lambda x, y: x.like(broadcast_dims(x.shape, y.shape, "complex"), np.result_type(x.dtype, np.complex64)))
def complex(x, y):
    """Complex numbers with real parts x and imaginary parts y."""
    same_dtype(x, y, "complex")
    if x.dtype not in (np.float32, np.float64):
        raise ElementTypeError(f"real and imag must be float32 or float64, got {x.dtype.name}")
    shape = np.broadcast_shapes(x.shape, y.shape)
    out = np.empty(shape, np.complex64 if x.dtype == np.float32 else np.complex128)
    out.real, out.imag = x, y
    return out


def _part(g, k):
    parts = as_real(g)
    last = len(parts.shape) - 1
    return pick(parts, None, None, None, None, [last], [k], [k + 1], [last])


complex.grad(x=lambda g, x_shape: sum_to(_part(g, 0), tuple(x_shape)), y=lambda g,
             y_shape: sum_to(_part(g, 1), tuple(y_shape)))


by_library(diag_v2)
by_lines(complex)
