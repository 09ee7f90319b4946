"""Rearranging tensors: shape, axes, order, data type."""

import functools

import numpy as np

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import ArgumentError, WrongKindError, describe, own_errors
from ..core.generation import generation
from ..core.late import LateInts
from ..core.op import BY_NAME, Symbolic
from ..core.tensor import Tensor, wrap
from ..ops.arguments import one_axis
from ..ops.manipulation import reshape as reshape_ops
from ..utils import naming
from .convert import as_tensor, axis_arg, int_arg, is_tensor_like
from .creation import full_like, to_tensor, zeros_like
from .shapes import dims, ints, split_ints

__all__ = ["reshape", "reshape_", "flatten", "flatten_", "squeeze", "squeeze_", "unsqueeze", "unsqueeze_", "transpose",
           "transpose_", "t", "t_", "moveaxis", "swapaxes", "flip", "reverse", "roll", "rot90", "cast", "cast_", "view",
           "view_as", "unflatten", "as_complex", "as_real", "shard_index", "tolist", "atleast_1d", "atleast_2d", "atleast_3d"]
METHODS = [*__all__, "astype", "fill_", "zero_"]


def in_place(function):
    """The in-place twin of a function that may change the tensor's shape or type."""
    name = function.__name__ + "_"

    @functools.wraps(function)
    def twin(x, *args, **kwargs):
        if not is_tensor_like(x):
            raise TypeError(f"{name}(): x must be a Tensor, got {describe(x)}")
        return x.become(function(x.snapshot(), *args, **kwargs), name, reshapes=True)
    twin.__doc__ = f"In-place form of ``{function.__name__}``: the tensor itself takes the result, shape included.\n"
    return own_errors(twin, name)


@generation("paddle.reshape", alpha="paddle.fluid.layers.reshape")
def reshape(x, shape, name=None):
    """Give x another shape; its elements keep their order.

    Args:
        x (Tensor): of any shape.
        shape (list, tuple or Tensor): the sizes; 0 keeps the size of x at that position, one -1 is inferred. Items may be
            Tensors.
    Returns:
        Tensor of the given shape; it shares the memory of x where it can.
    Raises:
        ValueError: the sizes do not hold the elements of x, or there are two -1.

    >>> paddle.reshape(paddle.arange(6), [2, -1]).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    if shape.__class__ is list and isinstance(x, Tensor):
        for n in shape:
            if n.__class__ is not int:
                break
        else:
            if len(shape) == x._data.ndim and tuple(shape) == x._data.shape and context.rules.same_shape_keeps:
                return x
            return naming.named(reshape_ops.reshape(x, None, None, shape), name)
    return naming.named(reshape_ops.reshape(as_tensor(x, "reshape"), *split_ints(shape, "reshape", "shape")), name)


reshape_ = in_place(reshape)


@generation("paddle.flatten", alpha="paddle.fluid.layers.flatten", only_modern={"start_axis", "stop_axis"})
def flatten(x, start_axis=0, stop_axis=-1, name=None):
    """Merge the axes from start_axis to stop_axis (both included) into one.

    Args:
        x (Tensor): of any shape.
        start_axis (int): first axis to merge.
        stop_axis (int): last axis to merge.
    Returns:
        Tensor of the elements of x, with the axes merged.
    Raises:
        ValueError: the axis is out of range, or ``start_axis`` is after ``stop_axis``.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.flatten(paddle.zeros([2, 3, 4]), 1).shape
    [2, 12]
    """
    x = as_tensor(x, "flatten")
    out = reshape_ops.flatten(x, int_arg(start_axis, "flatten", "start_axis"), int_arg(stop_axis, "flatten", "stop_axis"))
    return naming.named(out, name)


flatten_ = in_place(flatten)


@generation("paddle.squeeze", alpha="paddle.fluid.layers.squeeze", only_modern={"axis", "x"})
def squeeze(x, axis=None, name=None):
    """Drop axes of size 1: all of them, or those listed (listed axes of another size stay).

    Args:
        x (Tensor): of any shape.
        axis (int, list, tuple or None): which; None for all.
    Returns:
        Tensor of the elements of x, without those axes.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> paddle.squeeze(paddle.zeros([1, 3, 1]), 0).shape
    [3, 1]
    """
    axes = axis_arg(axis, "squeeze", late=True)
    if not isinstance(axes, LateInts):
        axes = [] if axes is None else [axes] if isinstance(axes, int) else list(axes)
    out = reshape_ops.squeeze(as_tensor(x, "squeeze"), axes)
    return naming.named(out, name)


squeeze_ = in_place(squeeze)


@generation("paddle.unsqueeze", alpha="paddle.fluid.layers.unsqueeze", only_modern={"axis", "x"})
def unsqueeze(x, axis, name=None):
    """Insert axes of size 1, one after the other.

    Args:
        x (Tensor): of any shape.
        axis (int, list, tuple or Tensor): positions in the grown shape.
    Returns:
        Tensor of the elements of x, with the further axes.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> paddle.unsqueeze(paddle.zeros([3]), [0, 2]).shape
    [1, 3, 1]
    """
    if isinstance(axis, Symbolic):
        return naming.named(reshape_ops.unsqueeze(as_tensor(x, "unsqueeze"), axis, None, ()), name)
    return naming.named(reshape_ops.unsqueeze(as_tensor(x, "unsqueeze"), *split_ints(axis, "unsqueeze", "axis")), name)


unsqueeze_ = in_place(unsqueeze)


def transpose(x, perm, name=None):
    """Permute the axes of x: axis k of the result is axis perm[k] of x.

    Args:
        x (Tensor): of n axes.
        perm (list of int): every axis from 0 to n - 1 once; negative ones count from the end.
    Returns:
        Tensor of the reordered shape.
    Raises:
        ValueError: perm is not a permutation of the axes of x.

    >>> paddle.transpose(paddle.zeros([2, 3, 4]), [2, 0, 1]).shape
    [4, 2, 3]
    """
    return naming.named(reshape_ops.transpose(as_tensor(x, "transpose"), ints(perm, "transpose", "perm")), name)


transpose_ = in_place(transpose)


def t(input, name=None):
    """Transpose a matrix; vectors and 0-d tensors are unchanged.

    Args:
        input: [m, n], [n] or [].

    >>> paddle.t(paddle.zeros([2, 3])).shape
    [3, 2]
    """
    input = as_tensor(input, "t", "input")
    if len(input.shape) > 2:
        raise ValueError(f"t(): input must have at most two axes, got shape {list(input.shape)}; use transpose")
    return naming.named(reshape_ops.transpose(input, [1, 0]) if len(input.shape) == 2 else input, name)


t_ = in_place(t)


def moveaxis(x, source, destination, name=None):
    """Move axes to other positions; the others keep their order.

    Args:
        x: Tensor.
        source: int or list of ints: which axes.
        destination: where each of them goes.

    >>> paddle.moveaxis(paddle.zeros([2, 3, 4]), 0, 2).shape
    [3, 4, 2]
    """
    x = as_tensor(x, "moveaxis")
    ndim = len(x.shape)
    source = [one_axis(a, ndim, "moveaxis", "source") for a in ints(source, "moveaxis", "source")]
    destination = [one_axis(a, ndim, "moveaxis", "destination") for a in ints(destination, "moveaxis", "destination")]
    if len(source) != len(destination):
        raise ArgumentError(f"moveaxis(): source {source} and destination {destination} must name as many axes")
    if len(set(source)) != len(source) or len(set(destination)) != len(destination):
        raise ValueError(f"moveaxis(): source {source} and destination {destination} must not name an axis twice")
    order = [a for a in range(ndim) if a not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return naming.named(reshape_ops.transpose(x, order), name)


@own_errors
def swapaxes(x, axis1, axis2, name=None):
    """Swap two axes.

    >>> paddle.swapaxes(paddle.zeros([2, 3, 4]), 0, -1).shape
    [4, 3, 2]
    """
    x = as_tensor(x, "swapaxes")
    order = list(range(len(x.shape)))
    a, b = [one_axis(int_arg(v, "swapaxes", n), len(order), "swapaxes", n) for v,
            n in ((axis1, "axis1"), (axis2, "axis2"))]
    order[a], order[b] = order[b], order[a]
    return naming.named(reshape_ops.transpose(x, order), name)


def _reversed_axes(x):
    """The tensor with its axes in reverse order."""
    return reshape_ops.transpose(x, list(range(len(x.shape)))[::-1])


Tensor.T = property(_reversed_axes)


def flip(x, axis, name=None):
    """Reverse the order of the elements along the given axes.

    Args:
        x (Tensor): of any shape.
        axis (int, list or tuple): which axes.
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number, or an axis is not an int.

    >>> paddle.flip(paddle.arange(3), 0).tolist()
    [2, 1, 0]
    """
    return naming.named(reshape_ops.flip(as_tensor(x, "flip"), ints(axis, "flip", "axis")), name)


@own_errors
@documented_like(flip)
def reverse(x, axis, name=None):
    """Reverse the order of the elements along the given axes (another name of flip).

    >>> paddle.reverse(paddle.arange(3), 0).tolist()
    [2, 1, 0]
    """
    return naming.named(reshape_ops.flip(as_tensor(x, "reverse"), ints(axis, "reverse", "axis")), name)


def roll(x, shifts, axis=None, name=None):
    """Shift the elements along axes; elements shifted past the end reappear at the start.

    Args:
        x: Tensor.
        shifts: int, or one int per axis.
        axis: the axes; None shifts the flattened tensor.

    >>> paddle.roll(paddle.arange(4), 1).tolist()
    [3, 0, 1, 2]
    """
    axes = [] if axis is None else ints(axis, "roll", "axis")
    if isinstance(shifts, Symbolic):
        return naming.named(reshape_ops.roll(as_tensor(x, "roll"), shifts, (), axes), name)
    return naming.named(reshape_ops.roll(as_tensor(x, "roll"), None, ints(shifts, "roll", "shifts"), axes), name)


def rot90(x, k=1, axes=(0, 1), name=None):
    """Rotate x by k quarter turns in the plane of two axes, from the first towards the second.

    >>> paddle.rot90(paddle.arange(4).reshape([2, 2])).tolist()
    [[1, 3], [0, 2]]
    """
    x = as_tensor(x, "rot90")
    axes, k, ndim = ints(axes, "rot90", "axes"), int_arg(k, "rot90", "k") % 4, len(x.shape)
    if len(axes) != 2 or ndim < 2:
        raise ValueError(f"rot90(): axes must be two axes of x, got {axes} for shape {list(x.shape)}")
    a, b = [one_axis(v, ndim, "rot90", "axes") for v in axes]
    if a == b:
        raise ValueError(f"rot90(): axes must be different, got {axes}")
    order = list(range(ndim))
    order[a], order[b] = b, a
    if k == 0:
        return x
    if k == 2:
        return naming.named(reshape_ops.flip(x, [a, b]), name)
    out = reshape_ops.transpose(reshape_ops.flip(x, [b]), order) if k == 1 else reshape_ops.flip(reshape_ops.transpose(x, order),
                                                                                                 [b])
    return naming.named(out, name)


def cast(x, dtype):
    """Convert to another data type: to integers toward zero, to bool as != 0.

    Args:
        x (Tensor): of any shape.
        dtype (str or dtype): data type.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or ``dtype`` is not a known type.

    >>> paddle.cast(paddle.to_tensor([1.7, -1.7]), 'int32').tolist()
    [1, -1]
    """
    x = as_tensor(x, "cast")
    return reshape_ops.cast(x, dtypes.convert(dtype, "cast"), x.dtype)


cast_ = in_place(cast)


@own_errors
@documented_like(cast)
def astype(x, dtype):
    """Convert to another data type (the method form of ``cast``).

    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: ``dtype`` is not a known type.

    >>> paddle.ones([1]).astype('int64').dtype
    paddle.int64
    """
    x = as_tensor(x, "astype")
    if isinstance(x, Tensor) and context.rules.astype_keeps and dtypes.convert(dtype, "astype") == x.dtype:
        return x
    return cast(x, dtype)


@own_errors
def view(x, shape_or_dtype, name=None):
    """Read the same memory as another shape, or as another data type.

    Args:
        x: Tensor.
        shape_or_dtype: list of ints, or a data type.

    >>> paddle.zeros([2, 3]).view([3, 2]).shape
    [3, 2]
    """
    x = as_tensor(x, "view")
    if isinstance(shape_or_dtype, int):  # numbers of element types in files look alike
        raise WrongKindError(f"view(): shape_or_dtype must be a list of ints or an element type, got {shape_or_dtype}; a shape is "
                        "written view([2, 2])")
    if isinstance(shape_or_dtype, (list, tuple)):
        return naming.named(reshape(x, shape_or_dtype), name)
    return naming.named(reshape_ops.view_dtype(x, dtypes.convert(shape_or_dtype, "view").name), name)


@own_errors
def view_as(x, other, name=None):
    """Give x the shape of another tensor with as many elements.

    Args:
        x: Tensor.
        other: the Tensor whose shape is taken.

    >>> paddle.zeros([6]).view_as(paddle.ones([2, 3])).shape
    [2, 3]
    """
    return naming.named(reshape(as_tensor(x, "view_as"), list(as_tensor(other, "view_as", "other").shape)), name)


@own_errors
def unflatten(x, axis, shape, name=None):
    """Split one axis into several of the given sizes (one may be -1).

    Args:
        x: Tensor.
        axis: the axis.
        shape: the sizes it is split into.

    >>> paddle.unflatten(paddle.zeros([2, 6]), 1, [3, -1]).shape
    [2, 3, 2]
    """
    x = as_tensor(x, "unflatten")
    a = one_axis(int_arg(axis, "unflatten", "axis"), len(x.shape), "unflatten")
    if isinstance(shape, Symbolic) and shape.known is None:
        shape = [shape[k] for k in range(shape.shape[0])]
    late = isinstance(shape, (list, tuple)) and any(isinstance(n, Symbolic) for n in shape)
    sizes = list(shape) if late else ints(shape, "unflatten", "shape")
    if not isinstance(x, Symbolic):
        sizes = reshape_ops.full_shape((x.shape[a],), sizes)
    shape = dims(x)
    return naming.named(reshape_ops.reshape(x, *split_ints([*shape[:a], *sizes, *shape[a + 1:]], "unflatten", "shape")), name)


def as_complex(x, name=None):
    """Make complex numbers of a last axis of size 2 (real part, imaginary part).

    Args:
        x: floating Tensor [..., 2].

    >>> paddle.as_complex(paddle.to_tensor([[1., 2.]])).tolist()
    [(1+2j)]
    """
    return naming.named(reshape_ops.as_complex(as_tensor(x, "as_complex")), name)


def as_real(x, name=None):
    """Split complex numbers into a new last axis of size 2 (real part, imaginary part).

    Args:
        x: complex Tensor [...].

    >>> paddle.as_real(paddle.to_tensor([1+2j])).tolist()
    [[1.0, 2.0]]
    """
    return naming.named(reshape_ops.as_real(as_tensor(x, "as_real")), name)


@own_errors
def fill_(x, value):
    """Write one value to every element.

    Args:
        x: Tensor.
        value: number or one-element Tensor.

    >>> paddle.zeros([2]).fill_(4).tolist()
    [4.0, 4.0]
    """
    return x.become(written_over(x, full_like(x, value)), "fill_")


def written_over(x, values):
    """The values that x becomes; what x was computed from gets zeros for a gradient."""
    if not isinstance(x, Tensor) or x.stop_gradient or not isinstance(values, Tensor):
        return values
    return BY_NAME["where"](wrap(np.zeros(x._data.shape, bool)), x.snapshot(), values)


def zero_(x):
    """Write zero to every element.

    Args:
        x: Tensor.

    >>> paddle.ones([2]).zero_().tolist()
    [0.0, 0.0]
    """
    return x.become(written_over(x, zeros_like(x)), "zero_")


@own_errors
def shard_index(input, index_num, nshards, shard_id, ignore_value=-1):
    """Translate global ids into ids of one shard; ids of other shards become ignore_value.

    Args:
        input: integer Tensor.
        index_num: number of ids.
        nshards: number of shards.
        shard_id: the shard, in [0, nshards).
        ignore_value: what ids of other shards become.

    >>> paddle.shard_index(paddle.to_tensor([[16], [1]]), 20, 2, 0).tolist()
    [[-1], [1]]
    """
    args = [int_arg(v, "shard_index", n) for v, n in ((index_num, "index_num"), (nshards, "nshards"), (shard_id,
                                                                                                       "shard_id"),
                                                      (ignore_value, "ignore_value"))]
    return reshape_ops.shard_index(as_tensor(input, "shard_index", "input"), *args)


def tolist(x):
    """The values as nested Python lists (a number for a 0-d tensor).

    Args:
        x: Tensor.

    >>> paddle.tolist(paddle.arange(3))
    [0, 1, 2]
    """
    if not isinstance(x, (Tensor, np.ndarray)):
        raise TypeError(f"tolist(): x must be a Tensor, got {describe(x)}")
    return np.asarray(x).tolist()


def _at_least(inputs, function, raise_rank):
    if not inputs:
        raise ValueError(f"{function}(): needs at least one tensor")
    made = own_errors(to_tensor, function)  # Variables in programs
    out = [raise_rank(x if is_tensor_like(x) else made(x)) for x in inputs]
    return out[0] if len(out) == 1 else out


def atleast_1d(*inputs, name=None):
    """Give 0-d tensors one axis; others are unchanged. Several inputs give a list.

    >>> paddle.atleast_1d(paddle.to_tensor(2.)).shape
    [1]
    """
    return naming.named(_at_least(inputs, "atleast_1d", lambda x: x if len(x.shape) else reshape(x, [1])), name)


def atleast_2d(*inputs, name=None):
    """Give tensors with fewer than two axes leading axes of size 1. Several inputs give a list.

    >>> paddle.atleast_2d(paddle.zeros([3])).shape
    [1, 3]
    """
    out = _at_least(inputs, "atleast_2d", lambda x: x if len(x.shape) > 1 else reshape_ops.unsqueeze(x, None, None,
                                                                                                     [0] * (2 - len(x.shape))))
    return naming.named(out, name)


def atleast_3d(*inputs, name=None):
    """Give tensors with fewer than three axes more: [n] becomes [1, n, 1], [m, n] becomes [m, n, 1].

    Args:
        inputs: Tensors.

    >>> paddle.atleast_3d(paddle.zeros([3])).shape
    [1, 3, 1]
    """
    new = {0: [0, 0, 0], 1: [0, 2], 2: [2]}
    out = _at_least(inputs, "atleast_3d",
                    lambda x: reshape_ops.unsqueeze(x, None, None, new[len(x.shape)]) if len(x.shape) < 3 else x)
    return naming.named(out, name)


__getattr__ = _lookup(__name__)
