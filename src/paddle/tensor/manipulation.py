"""Rearranging tensors: shape, axes, order, element type."""

import functools

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import describe, own_errors
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops import diag as G
from ..ops import manip as P
from ..ops import region as R
from ..ops.families import one_axis
from ..ops.strided import as_strided as strided
from ..ops.strided import tensor_unfold
from .convert import as_tensor, axis_arg, int_arg, is_tensor_like, real_arg
from .shapes import dims, ints, split_ints

__all__ = ["reshape", "reshape_", "flatten", "flatten_", "squeeze", "squeeze_", "unsqueeze", "unsqueeze_", "transpose",
           "transpose_", "t", "t_", "moveaxis", "swapaxes", "flip", "reverse", "roll", "rot90", "cast", "cast_", "view",
           "view_as", "as_strided", "unfold", "unflatten", "as_complex", "as_real", "diagonal", "crop", "slice",
           "strided_slice",
           "shard_index", "tolist", "atleast_1d", "atleast_2d", "atleast_3d"]
METHODS = [*[name for name in __all__ if name not in ("crop",)], "astype", "fill_diagonal_", "fill_diagonal_tensor",
           "fill_diagonal_tensor_", "fill_", "zero_"]


def _in_place(function):
    """The in-place twin of a function that may change the tensor's shape or type."""
    name = function.__name__ + "_"

    @functools.wraps(function)
    def twin(x, *args, **kwargs):
        if not is_tensor_like(x):
            raise TypeError(f"{name}(): x must be a Tensor, got {describe(x)}")
        return x.become(function(x.snapshot(), *args, **kwargs), name, reshapes=True)
    twin.__doc__ = f"In-place form of ``{function.__name__}``: the tensor itself takes the result, shape included.\n"
    return own_errors(twin, name)


def reshape(x, shape, name=None):
    """Give x another shape; its elements keep their order.

    Args:
        x: Tensor.
        shape: the sizes; 0 keeps the size of x at that place, one -1 takes what is left. Items may be Tensors.

    >>> import paddle
    >>> paddle.reshape(paddle.arange(6), [2, -1]).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    if shape.__class__ is list and isinstance(x, Tensor):
        for n in shape:
            if n.__class__ is not int:
                break
        else:
            return P.reshape(x, None, None, shape)
    return P.reshape(as_tensor(x, "reshape"), *split_ints(shape, "reshape", "shape"))


reshape_ = _in_place(reshape)


def flatten(x, start_axis=0, stop_axis=-1, name=None):
    """Merge the axes from start_axis to stop_axis (both included) into one.

    >>> import paddle
    >>> paddle.flatten(paddle.zeros([2, 3, 4]), 1).shape
    [2, 12]
    """
    x = as_tensor(x, "flatten")
    return P.flatten(x, int_arg(start_axis, "flatten", "start_axis"), int_arg(stop_axis, "flatten", "stop_axis"))


flatten_ = _in_place(flatten)


def squeeze(x, axis=None, name=None):
    """Drop axes of size 1: all of them, or those listed (listed axes of another size stay).

    >>> import paddle
    >>> paddle.squeeze(paddle.zeros([1, 3, 1]), 0).shape
    [3, 1]
    """
    axes = axis_arg(axis, "squeeze")
    return P.squeeze(as_tensor(x, "squeeze"), [] if axes is None else [axes] if isinstance(axes, int) else list(axes))


squeeze_ = _in_place(squeeze)


def unsqueeze(x, axis, name=None):
    """Insert axes of size 1, one after the other.

    Args:
        x: Tensor.
        axis: int, list of ints, or Tensor; positions in the grown shape.

    >>> import paddle
    >>> paddle.unsqueeze(paddle.zeros([3]), [0, 2]).shape
    [1, 3, 1]
    """
    if isinstance(axis, Symbolic):
        return P.unsqueeze(as_tensor(x, "unsqueeze"), axis, None, ())
    return P.unsqueeze(as_tensor(x, "unsqueeze"), *split_ints(axis, "unsqueeze", "axis"))


unsqueeze_ = _in_place(unsqueeze)


def transpose(x, perm, name=None):
    """Put the axes of x into another order: axis k of the result is axis perm[k] of x.

    >>> import paddle
    >>> paddle.transpose(paddle.zeros([2, 3, 4]), [2, 0, 1]).shape
    [4, 2, 3]
    """
    return P.transpose(as_tensor(x, "transpose"), ints(perm, "transpose", "perm"))


transpose_ = _in_place(transpose)


def t(input, name=None):
    """Transpose a matrix; vectors and 0-d tensors stay as they are.

    >>> import paddle
    >>> paddle.t(paddle.zeros([2, 3])).shape
    [3, 2]
    """
    input = as_tensor(input, "t", "input")
    if len(input.shape) > 2:
        raise ValueError(f"t(): input must have at most two axes, got shape {list(input.shape)}; use transpose")
    return P.transpose(input, [1, 0]) if len(input.shape) == 2 else input


t_ = _in_place(t)


def moveaxis(x, source, destination, name=None):
    """Move axes to other places; the others keep their order.

    >>> import paddle
    >>> paddle.moveaxis(paddle.zeros([2, 3, 4]), 0, 2).shape
    [3, 4, 2]
    """
    x = as_tensor(x, "moveaxis")
    ndim = len(x.shape)
    source = [one_axis(a, ndim, "moveaxis", "source") for a in ints(source, "moveaxis", "source")]
    destination = [one_axis(a, ndim, "moveaxis", "destination") for a in ints(destination, "moveaxis", "destination")]
    if len(source) != len(destination) or len(set(source)) != len(source) or len(set(destination)) != len(destination):
        raise ValueError(f"moveaxis(): source {source} and destination {destination} must name as many different axes")
    order = [a for a in range(ndim) if a not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return P.transpose(x, order)


@own_errors
def swapaxes(x, axis1, axis2, name=None):
    """Exchange two axes.

    >>> import paddle
    >>> paddle.swapaxes(paddle.zeros([2, 3, 4]), 0, -1).shape
    [4, 3, 2]
    """
    x = as_tensor(x, "swapaxes")
    order = list(range(len(x.shape)))
    a, b = [one_axis(int_arg(v, "swapaxes", n), len(order), "swapaxes", n) for v,
            n in ((axis1, "axis1"), (axis2, "axis2"))]
    order[a], order[b] = order[b], order[a]
    return P.transpose(x, order)


def _reversed_axes(x):
    """The tensor with its axes in reverse order."""
    return P.transpose(x, list(range(len(x.shape)))[::-1])


Tensor.T = property(_reversed_axes)


def flip(x, axis, name=None):
    """Turn the order of the elements round along the given axes.

    >>> import paddle
    >>> paddle.flip(paddle.arange(3), 0).tolist()
    [2, 1, 0]
    """
    return P.flip(as_tensor(x, "flip"), ints(axis, "flip", "axis"))


@own_errors
def reverse(x, axis, name=None):
    """Turn the order of the elements round along the given axes (another name of flip).

    >>> import paddle
    >>> paddle.reverse(paddle.arange(3), 0).tolist()
    [2, 1, 0]
    """
    return P.flip(as_tensor(x, "reverse"), ints(axis, "reverse", "axis"))


def roll(x, shifts, axis=None, name=None):
    """Shift the elements round along axes; what leaves at one end comes back at the other.

    Args:
        x: Tensor.
        shifts: int, or one int per axis.
        axis: the axes; None shifts the tensor as one long row.

    >>> import paddle
    >>> paddle.roll(paddle.arange(4), 1).tolist()
    [3, 0, 1, 2]
    """
    axes = [] if axis is None else ints(axis, "roll", "axis")
    if isinstance(shifts, Symbolic):
        return P.roll(as_tensor(x, "roll"), shifts, (), axes)
    return P.roll(as_tensor(x, "roll"), None, ints(shifts, "roll", "shifts"), axes)


def rot90(x, k=1, axes=(0, 1), name=None):
    """Turn x by k quarter turns in the plane of two axes, from the first towards the second.

    >>> import paddle
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
        return P.flip(x, [a, b])
    return P.transpose(P.flip(x, [b]), order) if k == 1 else P.flip(P.transpose(x, order), [b])


def cast(x, dtype):
    """Convert to another element type: to integers toward zero, to bool as != 0.

    >>> import paddle
    >>> paddle.cast(paddle.to_tensor([1.7, -1.7]), 'int32').tolist()
    [1, -1]
    """
    x = as_tensor(x, "cast")
    return P.cast(x, dtypes.convert(dtype, "cast"), x.dtype)


cast_ = _in_place(cast)


@own_errors
def astype(x, dtype):
    """Convert to another element type (the method form of ``cast``).

    >>> import paddle
    >>> paddle.ones([1]).astype('int64').dtype
    paddle.int64
    """
    return cast(x, dtype)


@own_errors
def view(x, shape_or_dtype, name=None):
    """Read the same memory as another shape, or as another element type.

    >>> import paddle
    >>> paddle.zeros([2, 3]).view([3, 2]).shape
    [3, 2]
    """
    x = as_tensor(x, "view")
    if isinstance(shape_or_dtype, (list, tuple)):
        return reshape(x, shape_or_dtype)
    return P.view_dtype(x, dtypes.convert(shape_or_dtype, "view").name)


@own_errors
def view_as(x, other, name=None):
    """Give x the shape of another tensor with as many elements.

    >>> import paddle
    >>> paddle.zeros([6]).view_as(paddle.ones([2, 3])).shape
    [2, 3]
    """
    return reshape(as_tensor(x, "view_as"), list(as_tensor(other, "view_as", "other").shape))


def as_strided(x, shape, stride, offset=0, name=None):
    """Take the elements at offset + sum(index * stride) of x seen as one long row.

    >>> import paddle
    >>> paddle.as_strided(paddle.arange(6), [2, 2], [1, 2]).tolist()
    [[0, 2], [1, 3]]
    """
    return strided(as_tensor(x, "as_strided"), ints(shape, "as_strided", "shape"), ints(stride, "as_strided", "stride"),
                        int_arg(offset, "as_strided", "offset"))


@own_errors
def unfold(x, axis, size, step, name=None):
    """Take all windows of a size along an axis, a step apart; the window becomes the last axis.

    >>> import paddle
    >>> paddle.unfold(paddle.arange(5), 0, 2, 2).tolist()
    [[0, 1], [2, 3]]
    """
    return tensor_unfold(as_tensor(x, "unfold"), int_arg(axis, "unfold", "axis"), int_arg(size, "unfold", "size"),
                         int_arg(step, "unfold", "step"))


@own_errors
def unflatten(x, axis, shape, name=None):
    """Split one axis into several of the given sizes (one may be -1).

    >>> import paddle
    >>> paddle.unflatten(paddle.zeros([2, 6]), 1, [3, -1]).shape
    [2, 3, 2]
    """
    x = as_tensor(x, "unflatten")
    a = one_axis(int_arg(axis, "unflatten", "axis"), len(x.shape), "unflatten")
    sizes = ints(shape, "unflatten", "shape")
    if not isinstance(x, Symbolic):
        sizes = P.full_shape((x.shape[a],), sizes)
    shape = dims(x)
    return P.reshape(x, *split_ints([*shape[:a], *sizes, *shape[a + 1:]], "unflatten", "shape"))


def as_complex(x, name=None):
    """Make complex numbers of a last axis of size 2 (real part, imaginary part).

    >>> import paddle
    >>> paddle.as_complex(paddle.to_tensor([[1., 2.]])).tolist()
    [(1+2j)]
    """
    return P.as_complex(as_tensor(x, "as_complex"))


def as_real(x, name=None):
    """Split complex numbers into a new last axis of size 2 (real part, imaginary part).

    >>> import paddle
    >>> paddle.as_real(paddle.to_tensor([1+2j])).tolist()
    [[1.0, 2.0]]
    """
    return P.as_real(as_tensor(x, "as_real"))


def diagonal(x, offset=0, axis1=0, axis2=1, name=None):
    """Read the diagonals of the matrices formed by two axes; they become the last axis.

    >>> import paddle
    >>> paddle.diagonal(paddle.arange(4).reshape([2, 2])).tolist()
    [0, 3]
    """
    return G.diagonal(as_tensor(x, "diagonal"), int_arg(offset, "diagonal", "offset"),
                      int_arg(axis1, "diagonal", "axis1"),
                      int_arg(axis2, "diagonal", "axis2"))


def fill_diagonal_tensor(x, y, offset=0, dim1=0, dim2=1, name=None):
    """Copy x with the diagonals of the matrices formed by two axes replaced by y.

    >>> import paddle
    >>> paddle.zeros([2, 2]).fill_diagonal_tensor(paddle.ones([2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = as_tensor(x, "fill_diagonal_tensor")
    return G.fill_diagonal_tensor(x, as_tensor(y, "fill_diagonal_tensor", "y"),
                                  int_arg(offset, "fill_diagonal_tensor", "offset"),
                                  int_arg(dim1, "fill_diagonal_tensor", "dim1"),
                                  int_arg(dim2, "fill_diagonal_tensor", "dim2"))


fill_diagonal_tensor_ = _in_place(fill_diagonal_tensor)


@own_errors
def fill_diagonal_(x, value, offset=0, wrap=False, name=None):
    """Write one value onto the diagonal of x; ``wrap`` starts it again below in tall matrices.

    >>> import paddle
    >>> paddle.zeros([2, 2]).fill_diagonal_(3).tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """
    offset, value = int_arg(offset, "fill_diagonal_", "offset"), real_arg(value, "fill_diagonal_", "value")
    return x.become(G.fill_diagonal(x, value, offset, bool(wrap) or len(x.shape) > 2), "fill_diagonal_")


@own_errors
def fill_(x, value):
    """Write one value to every element.

    >>> import paddle
    >>> paddle.zeros([2]).fill_(4).tolist()
    [4.0, 4.0]
    """
    from .creation import full_like
    return x.become(full_like(x, value), "fill_")


def zero_(x):
    """Write zero to every element.

    >>> import paddle
    >>> paddle.ones([2]).zero_().tolist()
    [0.0, 0.0]
    """
    from .creation import zeros_like
    return x.become(zeros_like(x), "zero_")


def crop(x, shape=None, offsets=None, name=None):
    """Cut a block out of x.

    Args:
        x: Tensor.
        shape: sizes of the block; -1 takes all that is left; None takes the shape of x.
        offsets: where the block starts; None means at 0.

    >>> import paddle
    >>> paddle.crop(paddle.arange(6).reshape([2, 3]), [1, 2], [1, 1]).tolist()
    [[4, 5]]
    """
    x = as_tensor(x, "crop")
    if shape is None:
        shape = list(x.shape)
    s_tensor, s_list, s = split_ints(shape, "crop", "shape")
    o_tensor, o_list, o = split_ints([0] * len(x.shape) if offsets is None else offsets, "crop", "offsets")
    if o_tensor is None and len(o) != len(x.shape):
        raise ValueError(f"crop(): offsets must have a number for each axis of x {list(x.shape)}, got {list(o)}")
    return R.crop(x, s_tensor, s_list, o_tensor, o_list, s, o)


def _axes(axes, x, function):
    """The listed axes counted from the first, as files have them."""
    return [one_axis(a, len(x.shape), function, "axes") for a in ints(axes, function, "axes")]


def slice(input, axes, starts, ends):
    """Cut out start:end along each listed axis; negative bounds count from the end.

    >>> import paddle
    >>> paddle.slice(paddle.arange(6), [0], [1], [-2]).tolist()
    [1, 2, 3]
    """
    input = as_tensor(input, "slice", "input")
    s_tensor, s_list, s = split_ints(starts, "slice", "starts")
    e_tensor, e_list, e = split_ints(ends, "slice", "ends")
    axes = _axes(axes, input, "slice")
    symbolic = s_tensor is not None or s_list or e_tensor is not None or e_list
    return R.slice(input, s_tensor, e_tensor, s_list, e_list, axes, s, e, [], [-1 if symbolic else 1] * len(axes))


def strided_slice(x, axes, starts, ends, strides, name=None):
    """Cut out start:end:stride along each listed axis; strides may be negative.

    >>> import paddle
    >>> paddle.strided_slice(paddle.arange(6), [0], [4], [0], [-2]).tolist()
    [4, 2]
    """
    x = as_tensor(x, "strided_slice")
    s_tensor, s_list, s = split_ints(starts, "strided_slice", "starts")
    e_tensor, e_list, e = split_ints(ends, "strided_slice", "ends")
    d_tensor, d_list, d = split_ints(strides, "strided_slice", "strides")
    axes = _axes(axes, x, "strided_slice")
    return R.strided_slice(x, s_tensor, s_list, e_tensor, e_list, d_tensor, d_list, axes, s, e, d, [], [1] * len(axes))


@own_errors
def shard_index(input, index_num, nshards, shard_id, ignore_value=-1):
    """Translate global ids into ids of one shard; ids of other shards become ignore_value.

    >>> import paddle
    >>> paddle.shard_index(paddle.to_tensor([[16], [1]]), 20, 2, 0).tolist()
    [[-1], [1]]
    """
    args = [int_arg(v, "shard_index", n) for v, n in ((index_num, "index_num"), (nshards, "nshards"), (shard_id,
                                                                                                       "shard_id"),
                                                      (ignore_value, "ignore_value"))]
    return P.shard_index(as_tensor(input, "shard_index", "input"), *args)


def tolist(x):
    """The values as nested Python lists (a number for a 0-d tensor).

    >>> import paddle
    >>> paddle.tolist(paddle.arange(3))
    [0, 1, 2]
    """
    if not isinstance(x, (Tensor, np.ndarray)):
        raise TypeError(f"tolist(): x must be a Tensor, got {describe(x)}")
    return np.asarray(x).tolist()


def _at_least(inputs, function, raise_rank):
    if not inputs:
        raise ValueError(f"{function}(): needs at least one tensor")
    out = [raise_rank(as_tensor(x, function)) for x in inputs]
    return out[0] if len(out) == 1 else out


def atleast_1d(*inputs, name=None):
    """Give 0-d tensors one axis; others stay as they are. Several inputs give a list.

    >>> import paddle
    >>> paddle.atleast_1d(paddle.to_tensor(2.)).shape
    [1]
    """
    return _at_least(inputs, "atleast_1d", lambda x: x if len(x.shape) else reshape(x, [1]))


def atleast_2d(*inputs, name=None):
    """Give tensors with fewer than two axes leading axes of size 1. Several inputs give a list.

    >>> import paddle
    >>> paddle.atleast_2d(paddle.zeros([3])).shape
    [1, 3]
    """
    return _at_least(inputs, "atleast_2d", lambda x: x if len(x.shape) > 1 else P.unsqueeze(x, None, None,
                                                                                            [0] * (2 - len(x.shape))))


def atleast_3d(*inputs, name=None):
    """Give tensors with fewer than three axes more: [n] becomes [1, n, 1], [m, n] becomes [m, n, 1].

    >>> import paddle
    >>> paddle.atleast_3d(paddle.zeros([3])).shape
    [1, 3, 1]
    """
    new = {0: [0, 0, 0], 1: [0, 2], 2: [2]}
    return _at_least(inputs, "atleast_3d",
                     lambda x: P.unsqueeze(x, None, None, new[len(x.shape)]) if len(x.shape) < 3 else x)


