"""fluid.layers: functions that came with 1.8, in the signatures it had for them."""

from ...core import dtype as dtypes
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.random import sampling
from ...static.program.parameters import device_guard
from ...tensor import functions as tensor
from ...tensor.convert import int_arg
from ...tensor.shapes import split_ints
from ..state import fluid_call
from .common import at_least_1d
from .tensor import _into, _sizes

__all__ = ["allclose", "clamp", "log1p", "meshgrid", "randn", "index_select", "roll", "t", "addmm", "bmm", "cross", "dist", "flip",
           "full_like", "index_sample", "logsumexp", "nonzero", "addcmul", "elementwise_equal", "diag_embed",
           "full", "randint", "randperm", "arange", "trace", "tril", "kron", "gather_nd", "scatter_nd_add"]


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


def _check_dtype(dtype, function, kinds):
    """The name of an element type; TypeError unless it is one of these."""
    name = dtypes.convert(dtype, function).name
    if name not in kinds:
        raise TypeError(f"{function}(): dtype must be one of {', '.join(kinds)}, got {name}")
    return name


def _made(make, function, out, dtype, device, stop_gradient):
    """What make() gives, made under the name of a device and written to ``out`` if there is one."""
    if device not in (None, "cpu", "gpu"):
        raise ValueError(f"{function}(): device must be None, 'cpu' or 'gpu', got {device!r}")
    if not isinstance(stop_gradient, bool):
        raise TypeError(f"{function}(): stop_gradient must be a bool, got {describe(stop_gradient)}")
    if out is not None:
        if not isinstance(out, (Tensor, Symbolic)):
            raise TypeError(f"{function}(): out must be a Variable, got {describe(out)}")
        if dtypes.convert(out.dtype).name != dtype:
            raise TypeError(f"{function}(): out must have elements of type {dtype}, got {dtypes.convert(out.dtype).name}")
    with device_guard(device):
        made = _into(make(), out)
    made.stop_gradient = stop_gradient
    return made


@fluid_call
def full(shape, fill_value, out=None, dtype=None, device=None, stop_gradient=True, name=None):
    """A tensor full of one value (1.x; successor: paddle.full)."""
    if not isinstance(shape, (list, tuple, Tensor, Symbolic)):
        raise TypeError(f"full(): shape must be a list, a tuple or a Variable, got {describe(shape)}")
    kind = _check_dtype(dtype or "float32", "full", ("bool", "float16", "float32", "float64", "int32", "int64"))
    return _made(lambda: tensor.full(_sizes(shape), fill_value, kind), "full", out, kind, device, stop_gradient)


@fluid_call
def randint(low, high=None, shape=None, out=None, dtype=None, device=None, stop_gradient=False, seed=0, name=None):
    """Integers of [low, high), or of [0, low) without high (1.x; successor: paddle.randint)."""
    low, high = (0, int_arg(low, "randint", "low")) if high is None else (
        int_arg(low, "randint", "low"), int_arg(high, "randint", "high"))
    if low >= high:
        raise ValueError(f"randint(): low must be less than high, got {low} and {high}")
    kind = _check_dtype(dtype or "int64", "randint", ("int32", "int64"))
    given, items, sizes = split_ints([1] if shape is None else _sizes(shape), "randint", "shape")
    seed = int_arg(seed, "randint", "seed")
    return _made(lambda: sampling.randint(given, items, low, high, sizes, kind, seed), "randint", out, kind, device, stop_gradient)


@fluid_call
def randperm(n, out=None, dtype="int64", device=None, stop_gradient=True, seed=0):
    """The numbers 0 ... n-1 in random order (1.x; successor: paddle.randperm)."""
    n, seed = int_arg(n, "randperm", "n"), int_arg(seed, "randperm", "seed")
    if n < 1:
        raise ValueError(f"randperm(): n must be greater than 0, got {n}")
    kind = _check_dtype(dtype, "randperm", ("int32", "int64"))
    return _made(lambda: sampling.randperm(n, kind, seed), "randperm", out, kind, device, stop_gradient)


@fluid_call
def arange(start, end, step=1, dtype=None, name=None):
    """Numbers from start up to end, float32 unless told otherwise (1.x; successor: paddle.arange)."""
    return tensor.arange(start, end, step, "float32" if dtype is None else dtype)


@fluid_call
def trace(input, offset=0, dim1=0, dim2=1, out=None, name=None):
    """The sum of a diagonal (1.x; successor: paddle.trace)."""
    return _into(at_least_1d(tensor.trace(input, offset, dim1, dim2)), out)


@fluid_call
def tril(input, diagonal=0, name=None):
    """The lower triangle (1.x; successor: paddle.tril)."""
    return tensor.tril(input, diagonal)


@fluid_call
def kron(x, y, out=None, name=None):
    """The Kronecker product (1.x; successor: paddle.kron)."""
    return _into(tensor.kron(x, y), out)


@fluid_call
def gather_nd(input, index, name=None):
    """Slices of the input by the rows of ``index`` (1.x; successor: paddle.gather_nd)."""
    return tensor.gather_nd(input, index)


@fluid_call
def scatter_nd_add(ref, index, updates, name=None):
    """``ref`` with the updates added at the rows of ``index`` (1.x; successor: paddle.scatter_nd_add)."""
    return tensor.scatter_nd_add(ref, index, updates)
