"""Names that Paddle 3 took over from PyTorch, with PyTorch's arguments: permute, narrow, scatter_add ...

``ALIASES`` are second names of functions that exist; the collector (``tensor/__init__.py``) gives them out, as functions and
as methods.
"""

import numpy as np

from ..core import place as places
from ..core.context import changed, context
from ..core.dtype import get_default_dtype
from ..core.errors import ElementTypeError, describe, own_errors
from ..core.random import Generator
from ..core.tensor import Tensor, wrap
from ..ops.math import reduction as reductions
from ..utils import naming
from .convert import as_tensor as _as_tensor
from .convert import int_arg, numpy_dtype, to_float
from .creation import arange, full, to_tensor
from .gather_scatter import put_along_axis
from .joining import broadcast_shape, split, tile
from .logic import _into as into
from .manipulation import as_complex, as_real, cast, flatten, swapaxes, transpose
from .math import divide
from .random import randint
from .search import nonzero, sort
from .slicing import slice as part

ALIASES = {"cat": "concat", "concatenate": "concat", "div": "divide", "div_": "divide_", "eq": "equal", "ne": "not_equal",
           "gt": "greater_than", "ge": "greater_equal", "lt": "less_than", "le": "less_equal", "less": "less_than",
           "less_": "less_than_", "greater": "greater_than", "sub": "subtract", "sub_": "subtract_", "ger": "outer",
           "take_along_dim": "take_along_axis"}
METHOD_ALIASES = {**{name: there for name, there in ALIASES.items() if name not in ("cat", "concatenate", "ger")},
                  "clamp": "clip", "clamp_": "clip_", "mul": "multiply", "mul_": "multiply_", "block_diag": "block_diag"}
__all__ = ["permute", "narrow", "ravel", "msort", "swapdims", "argwhere", "true_divide", "scatter_add", "scatter_reduce",
           "view_as_complex", "view_as_real", "matrix_transpose", "broadcast_shapes", "range", "asarray", "from_numpy",
           "as_tensor", "reduce_as"]
METHODS = ["permute", "narrow", "ravel", "msort", "swapdims", "argwhere", "true_divide", "scatter_add", "scatter_reduce",
           "view_as_complex", "view_as_real", "matrix_transpose", "broadcast_shapes", "reduce_as", "repeat", "split_with_sizes",
           "random_", "new_empty", "new_full", "new_ones", "new_zeros", "type_as"]
INPLACE = ["scatter_add"]


def _sizes(values, function, argument):
    """A list of ints, given as one list or as separate arguments."""
    values = values[0] if len(values) == 1 and not isinstance(values[0], (int, np.integer)) else values
    return [int_arg(v, function, argument) for v in values]


@own_errors
def permute(input, *dims):
    """The axes in another order, given as a list or as separate ints.

    >>> paddle.permute(paddle.ones([2, 3]), 1, 0).shape
    [3, 2]
    """
    return transpose(input, _sizes(dims, "permute", "dims"))


def narrow(input, dim, start, length):
    """The part of x from ``start`` on, ``length`` long, along one axis.

    >>> paddle.narrow(paddle.to_tensor([1, 2, 3, 4]), 0, 1, 2).tolist()
    [2, 3]
    """
    x = _as_tensor(input, "narrow", "input")
    dim, start, length = (int_arg(v, "narrow", n) for v, n in ((dim, "dim"), (start, "start"), (length, "length")))
    if not -len(x.shape) <= dim < len(x.shape):
        raise ValueError(f"narrow(): dim must be in [{-len(x.shape)}, {len(x.shape) - 1}], got {dim}")
    size = x.shape[dim]
    start = start + size if start < 0 else start
    if length < 0 or size >= 0 and not 0 <= start <= size - length:
        raise ValueError(f"narrow(): start {start} and length {length} do not fit an axis of size {size}")
    return part(x, [dim], [start], [start + length])


@own_errors
def ravel(input):
    """All elements in one row.

    >>> paddle.ravel(paddle.ones([2, 3])).shape
    [6]
    """
    return flatten(input)


@own_errors
def msort(input, out=None):
    """Sorted along the first axis.

    >>> paddle.msort(paddle.to_tensor([[3., 1.], [2., 5.]])).tolist()
    [[2.0, 1.0], [3.0, 5.0]]
    """
    return into(out, sort(input, 0), "msort")


@own_errors
def swapdims(x, axis0, axis1=None, name=None):
    """Two axes exchanged, or all axes in another order given as a list.

    >>> paddle.swapdims(paddle.ones([2, 3]), 0, 1).shape
    [3, 2]
    """
    return transpose(x, axis0, name) if axis1 is None else swapaxes(x, axis0, axis1, name)


@own_errors
def argwhere(input):
    """Where the elements are that are not 0: [their number, axes].

    >>> paddle.argwhere(paddle.to_tensor([0., 5., 6.])).tolist()
    [[1], [2]]
    """
    return nonzero(input)


@own_errors
def true_divide(input, other, out=None):
    """x / y of each element; integers become floats.

    >>> paddle.true_divide(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2])).tolist()
    [0.5, 1.0]
    """
    return into(out, divide(to_float(_as_tensor(input, "true_divide", "input")), other), "true_divide")


@own_errors
def scatter_add(input, dim, index, src):
    """Copy input and add src at the positions whose coordinate along the axis is given by the index.

    >>> paddle.scatter_add(paddle.zeros([3]), 0, paddle.to_tensor([0, 0, 2]), paddle.to_tensor([1., 2., 3.])).tolist()
    [3.0, 0.0, 3.0]
    """
    return put_along_axis(input, index, src, dim, "add", True, False)


_REDUCTIONS = {"sum": "add", "prod": "mul", "mean": "mean", "amax": "amax", "amin": "amin"}


@own_errors
def scatter_reduce(input, dim, index, src, reduce, include_self=True):
    """Copy input and combine src into the positions whose coordinate along the axis is given by the index.

    Args:
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: do the values of input take part?

    >>> index, src = paddle.to_tensor([0, 0, 2]), paddle.to_tensor([1., 2., 3.])
    >>> paddle.scatter_reduce(paddle.zeros([3]), 0, index, src, 'mean').tolist()
    [1.0, 0.0, 1.5]
    """
    if reduce not in _REDUCTIONS:
        raise ValueError(f"scatter_reduce(): reduce must be one of {', '.join(_REDUCTIONS)}; got {reduce!r}")
    return put_along_axis(input, index, src, dim, _REDUCTIONS[reduce], include_self, False)


@own_errors
def view_as_complex(input):
    """Pairs along the last axis as complex numbers.

    >>> paddle.view_as_complex(paddle.to_tensor([[1., 2.]])).tolist()
    [(1+2j)]
    """
    return as_complex(input)


@own_errors
def view_as_real(input):
    """Complex numbers as pairs along a new last axis.

    >>> paddle.view_as_real(paddle.to_tensor([1 + 2j])).tolist()
    [[1.0, 2.0]]
    """
    return as_real(input)


def matrix_transpose(x, name=None):
    """The last two axes exchanged.

    >>> paddle.matrix_transpose(paddle.ones([5, 2, 3])).shape
    [5, 3, 2]
    """
    x = _as_tensor(x, "matrix_transpose")
    if len(x.shape) < 2:
        raise ValueError(f"matrix_transpose(): x must have at least two axes, got shape {list(x.shape)}")
    return swapaxes(x, -1, -2, name)


@own_errors
def broadcast_shapes(*shapes):
    """The common shape of any number of shapes.

    >>> paddle.broadcast_shapes([2, 1], [3], [1, 1])
    [2, 3]
    """
    common = []
    for shape in shapes:
        common = broadcast_shape(common, list(shape))
    return common


@own_errors
def range(start=0, end=None, step=1, dtype=None, out=None, device=None, requires_grad=False, name=None):
    """Numbers from start to end in steps, the end among them, of the default float type unless a dtype is given.

    >>> paddle.range(1, 5, 2).tolist()
    [1.0, 3.0, 5.0]
    """
    if device is not None:
        places.convert(device, "range")
    start, end = (0, start) if end is None else (start, end)
    count = int(np.floor((float(end) - float(start)) / float(step))) + 1 if step else 0
    if count < 1:
        raise ValueError(f"range(): from {start} to {end} in steps of {step} there is nothing")
    value = arange(0, count, 1, "float64") * float(step) + float(start)
    value = into(out, cast(value, dtype or get_default_dtype()), "range")
    value.stop_gradient = not requires_grad
    return value if name is None else naming.named(value, name)


@own_errors
def as_tensor(data, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A Tensor with a copy of the data, with PyTorch's arguments.

    Args:
        data: number, nested list, array or Tensor.
        dtype: data type of the result.
        device: 'cpu'.
        requires_grad: will gradients be wanted?
        pin_memory: an error if True: there is no GPU to pin memory for.

    >>> paddle.as_tensor([1, 2], dtype='float32').tolist()
    [1.0, 2.0]
    """
    refuse_pinned(pin_memory, "as_tensor")
    return to_tensor(data, dtype, device, not requires_grad)


def refuse_pinned(pin_memory, function):
    """Raise for ``pin_memory=True``: memory is pinned for the copy to a GPU."""
    if pin_memory:
        raise RuntimeError(f"{function}(): pin_memory=True needs a GPU, this is a CPU build")


@own_errors
def asarray(obj, dtype=None, device=None, copy=None, requires_grad=False):
    """A Tensor of the data; one that shares it where ``copy`` is False or None and the data is a Tensor or array that fits.

    >>> paddle.asarray(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if device is not None:
        places.convert(device, "asarray")
    fits = isinstance(obj, Tensor) and (dtype is None or obj.dtype == dtype)
    if fits and not copy:
        obj.stop_gradient = not requires_grad
        return obj
    if copy is False and not isinstance(obj, np.ndarray):
        raise ValueError(f"asarray(): copy=False, but {describe(obj)} can't be used without a copy")
    if isinstance(obj, np.ndarray) and dtype is None and not copy and not requires_grad:
        return from_numpy(obj)
    return to_tensor(obj, dtype, None, not requires_grad)


def from_numpy(ndarray):
    """A Tensor that shares an array's memory.

    >>> array = np.zeros(2); x = paddle.from_numpy(array); array[0] = 5
    >>> x.tolist()
    [5.0, 0.0]
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy(): ndarray must be a NumPy array, got {describe(ndarray)}")
    if not ndarray.flags.c_contiguous or not ndarray.flags.writeable:
        return to_tensor(ndarray)
    return wrap(ndarray)


def reduce_as(x, target, name=None):
    """x summed over the axes in which target's shape is smaller, so that it gets that shape.

    >>> paddle.reduce_as(paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [2.0, 2.0, 2.0]
    """
    x, shape = _as_tensor(x, "reduce_as"), list(_as_tensor(target, "reduce_as", "target").shape)
    extra = len(x.shape) - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, x.shape[extra:])):
        raise ValueError(f"reduce_as(): shape {list(x.shape)} does not come from {shape} by broadcasting")
    axes = [k for k, m in enumerate(x.shape) if k < extra or shape[k - extra] != m]
    if axes:
        x = reductions.sum(x, tuple(axes), True)
    return naming.named(x.reshape(shape) if extra else x, name)


# ---- methods only ----------------------------------------------------------------------------------------------------
def repeat(input, *repeats):
    """The tensor repeated along each axis, as ``tile``.

    >>> paddle.ones([2, 2]).repeat(2, 3).shape
    [4, 6]
    """
    return tile(input, _sizes(repeats, "repeat", "repeats"))


def split_with_sizes(self, split_sizes, dim=0):
    """Parts of the given sizes along an axis.

    >>> [part.shape for part in paddle.ones([3, 2]).split_with_sizes([1, 2])]
    [[1, 2], [2, 2]]
    """
    return split(self, list(split_sizes), dim)


def random_(x, from_=0, to=None, generator=None):
    """Fill the tensor with whole numbers from [from_, to); by default all that its type can hold exactly. They come from a
    ``generator`` of its own if one is given.

    >>> bool((paddle.zeros([4]).random_(0, 10) < 10).all())
    True
    """
    if generator is not None and not isinstance(generator, Generator):
        raise ElementTypeError(f"random_(): generator must be a paddle.Generator or None, got {describe(generator)}")
    kind = numpy_dtype(x)
    if to is None and from_ != 0:
        from_, to = 0, from_
    if to is None:
        to = 2 ** (np.finfo(kind).nmant + 1) + 1 if kind.kind == "f" else int(np.iinfo(kind).max)
    if not from_ < to:
        raise ValueError(f"random_(): from_ must be below to, got {from_} and {to}")
    with changed(generator=generator or context.generator):
        x.set_value(randint(from_, to, list(x.shape), "int64").astype(x.dtype))
    return x


def _new(fill):
    def new(self, *size, dtype=None, device=None, requires_grad=False, pin_memory=False):
        if device is not None:
            places.convert(device, new.__name__)
        refuse_pinned(pin_memory, new.__name__)
        value, size = (fill, size) if fill is not None else (size[-1], size[:-1])
        out = full(_sizes(size, new.__name__, "size"), value, self.dtype if dtype is None else dtype)
        out.stop_gradient = not requires_grad
        return out
    return new


def _named(function, name, call, shown):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""A tensor of the element type of this one, of another size.

    >>> {call}
    {shown}
    """
    return function


new_ones = _named(_new(1), "new_ones", "paddle.zeros([1]).new_ones(2).tolist()", "[1.0, 1.0]")
new_zeros = _named(_new(0), "new_zeros", "paddle.zeros([1]).new_zeros([2]).tolist()", "[0.0, 0.0]")
new_empty = _named(_new(0), "new_empty", "paddle.zeros([1]).new_empty(2, 3).shape", "[2, 3]")


def new_full(self, size, fill_value, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of the data type of this one, of another size, full of one value.

    >>> paddle.zeros([1]).new_full([2], 3).tolist()
    [3.0, 3.0]
    """
    return _new(fill_value)(self, size, dtype=dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


def type_as(self, other):
    """The tensor in the data type of another one.

    >>> paddle.ones([1]).type_as(paddle.to_tensor([1])).dtype
    paddle.int64
    """
    return cast(self, _as_tensor(other, "type_as", "other").dtype)
