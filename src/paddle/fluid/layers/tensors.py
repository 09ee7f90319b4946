"""fluid.layers: functions that came with 1.8, in the signatures it had for them."""

from ... import tensor
from ..state import fluid_call
from .common import at_least_1d
from .tensor import _into

__all__ = ["allclose", "clamp", "log1p", "meshgrid", "randn", "index_select", "roll", "t", "addmm", "bmm", "cross", "dist", "flip",
           "full_like", "index_sample", "logsumexp", "nonzero", "addcmul", "elementwise_equal", "diag_embed"]


@fluid_call
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False, name=None):
    """Are all elements close (1.x; successor: paddle.allclose)?"""
    return at_least_1d(tensor.allclose(input, other, float(rtol), float(atol), equal_nan))


@fluid_call
def clamp(input, min=None, max=None, output=None, name=None):
    """input limited to [min, max] (1.x; successor: paddle.clip)."""
    if min is None and max is None:
        raise ValueError("clamp(): min or max must be given")
    return _into(tensor.clip(input, min, max), output)


@fluid_call
def log1p(x, out=None, name=None):
    """log(1 + x) (1.x; successor: paddle.log1p)."""
    return _into(tensor.log1p(x), out)


@fluid_call
def meshgrid(input, name=None):
    """Coordinates on a grid, one tensor for each axis (1.x; successor: paddle.meshgrid)."""
    return tensor.meshgrid(*input)


@fluid_call
def randn(shape, out=None, dtype=None, device=None, stop_gradient=True, name=None):
    """Standard normal numbers (1.x; successor: paddle.randn)."""
    if device not in (None, "cpu"):
        raise ValueError(f"randn(): device must be 'cpu': there is no other, got {device!r}")
    made = _into(tensor.randn(shape, dtype or "float32"), out)
    made.stop_gradient = stop_gradient
    return made


@fluid_call
def index_select(input, index, dim=0):
    """Rows, or other slices, by index (1.x; successor: paddle.index_select)."""
    return tensor.index_select(input, index, dim)


@fluid_call
def roll(input, shifts, dims=None):
    """Elements moved along axes, those that leave come in at the other end (1.x; successor: paddle.roll)."""
    return tensor.roll(input, shifts, dims)


@fluid_call
def t(input, name=None):
    """A matrix with rows and columns exchanged (1.x; successor: paddle.t)."""
    return tensor.t(input)


@fluid_call
def addmm(input, x, y, alpha=1.0, beta=1.0, name=None):
    """beta * input + alpha * x @ y (1.x; successor: paddle.addmm, which takes beta before alpha)."""
    return tensor.addmm(input, x, y, beta=beta, alpha=alpha)


@fluid_call
def bmm(x, y, name=None):
    """Products of matrices, one for each of a batch (1.x; successor: paddle.bmm)."""
    return tensor.bmm(x, y)


@fluid_call
def cross(input, other, dim=None):
    """Cross products along an axis of size 3 (1.x; successor: paddle.cross)."""
    return tensor.cross(input, other) if dim is None else tensor.cross(input, other, dim)


@fluid_call
def dist(x, y, p=2):
    """The p-norm of x - y (1.x; successor: paddle.dist)."""
    return at_least_1d(tensor.dist(x, y, p))


@fluid_call
def flip(input, dims, name=None):
    """Elements in reverse order along axes (1.x; successor: paddle.flip)."""
    return tensor.flip(input, dims)


@fluid_call
def full_like(input, fill_value, out=None, dtype=None, device=None, stop_gradient=True, name=None):
    """One value in the shape of another tensor (1.x; successor: paddle.full_like)."""
    if device not in (None, "cpu"):
        raise ValueError(f"full_like(): device must be 'cpu': there is no other, got {device!r}")
    made = _into(tensor.full_like(input, fill_value, dtype), out)
    made.stop_gradient = stop_gradient
    return made


@fluid_call
def index_sample(x, index):
    """In each row, the elements by index (1.x; successor: paddle.index_sample)."""
    return tensor.index_sample(x, index)


@fluid_call
def logsumexp(x, dim=None, keepdim=False, out=None, name=None):
    """log of the sum of exp(x) over axes (1.x; successor: paddle.logsumexp)."""
    return _into(at_least_1d(tensor.logsumexp(x, dim, keepdim)), out)


@fluid_call
def nonzero(input, as_tuple=False):
    """Where elements are not 0 (1.x; successor: paddle.nonzero)."""
    return tensor.nonzero(input, as_tuple)


@fluid_call
def addcmul(input, tensor1, tensor2, value=1.0, out=None, name=None):
    """input + value * tensor1 * tensor2 (1.x; successor: paddle.add and paddle.multiply)."""
    return _into(input + tensor1 * tensor2 * value, out)


@fluid_call
def elementwise_equal(x, y, name=None):
    """Element by element, are they equal (1.x; successor: paddle.equal)?"""
    return tensor.equal(x, y)


@fluid_call
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """The last axis as diagonals of matrices (1.x; successor: paddle.diag_embed)."""
    return tensor.diag_embed(input, offset, dim1, dim2)
