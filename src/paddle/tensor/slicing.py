"""Parts of tensors: blocks, strided windows, diagonals."""

from ..core.errors import own_errors
from ..ops.arguments import one_axis
from ..ops.manipulation import construct, slicing
from ..ops.manipulation.strided import as_strided as strided
from ..ops.manipulation.strided import tensor_unfold
from ..utils import naming
from .convert import as_tensor, int_arg, numpy_dtype, real_arg
from .manipulation import in_place
from .shapes import ints, split_ints

__all__ = ["as_strided", "unfold", "diagonal", "crop", "slice", "strided_slice"]
METHODS = ["as_strided", "unfold", "diagonal", "slice", "strided_slice", "fill_diagonal_", "fill_diagonal_tensor",
           "fill_diagonal_tensor_"]


def as_strided(x, shape, stride, offset=0, name=None):
    """Take the elements at offset + sum(index * stride) of x seen as one long row.

    Args:
        x: Tensor.
        shape: shape of the result.
        stride: steps between neighbours along each axis, in elements.
        offset: where the first element is, in bytes.

    >>> paddle.as_strided(paddle.arange(6), [2, 2], [1, 2]).tolist()
    [[0, 2], [1, 3]]
    """
    x, offset = as_tensor(x, "as_strided"), int_arg(offset, "as_strided", "offset")
    size = numpy_dtype(x).itemsize
    if offset % size:
        raise ValueError(f"as_strided(): offset must be a multiple of the element size, {size} bytes, got {offset}")
    return naming.named(strided(x, ints(shape, "as_strided", "shape"), ints(stride, "as_strided", "stride"), offset // size), name)


@own_errors
def unfold(x, axis, size, step, name=None):
    """Take all windows of a size along an axis, a step apart; the window becomes the last axis.

    Args:
        x: Tensor.
        axis: the axis.
        size: length of a window.
        step: distance of the windows' beginnings.

    >>> paddle.unfold(paddle.arange(5), 0, 2, 2).tolist()
    [[0, 1], [2, 3]]
    """
    return naming.named(tensor_unfold(as_tensor(x, "unfold"), int_arg(axis, "unfold", "axis"), int_arg(size, "unfold", "size"),
                                      int_arg(step, "unfold", "step")), name)


def diagonal(x, offset=0, axis1=0, axis2=1, name=None):
    """Read the diagonals of the matrices formed by two axes; they become the last axis.

    Args:
        x: Tensor with at least two axes.
        offset: which diagonal: above (positive) or below (negative) the main one.
        axis1, axis2: the two axes of the matrices.

    >>> paddle.diagonal(paddle.arange(4).reshape([2, 2])).tolist()
    [0, 3]
    """
    return naming.named(construct.diagonal(as_tensor(x, "diagonal"), int_arg(offset, "diagonal", "offset"),
                                           int_arg(axis1, "diagonal", "axis1"),
                                           int_arg(axis2, "diagonal", "axis2")), name)


def fill_diagonal_tensor(x, y, offset=0, dim1=0, dim2=1, name=None):
    """Copy x with the diagonals of the matrices formed by two axes replaced by y.

    Args:
        x: Tensor with at least two axes.
        y: Tensor of the shape of the diagonals.
        offset: which diagonal: above (positive) or below (negative) the main one.
        dim1, dim2: the two axes of the matrices.

    >>> paddle.zeros([2, 2]).fill_diagonal_tensor(paddle.ones([2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = as_tensor(x, "fill_diagonal_tensor")
    return naming.named(construct.fill_diagonal_tensor(x, as_tensor(y, "fill_diagonal_tensor", "y"),
                                                       int_arg(offset, "fill_diagonal_tensor", "offset"),
                                                       int_arg(dim1, "fill_diagonal_tensor", "dim1"),
                                                       int_arg(dim2, "fill_diagonal_tensor", "dim2")), name)


fill_diagonal_tensor_ = in_place(fill_diagonal_tensor)


@own_errors
def fill_diagonal_(x, value, offset=0, wrap=False, name=None):
    """Write one value onto the diagonal of x; ``wrap`` starts it again below in tall matrices.

    Args:
        x: Tensor with at least two axes.
        value: number.
        offset: which diagonal of a matrix: above (positive) or below (negative) the main one.
        wrap: start again below the square part of a tall matrix.

    >>> paddle.zeros([2, 2]).fill_diagonal_(3).tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """
    offset, value = int_arg(offset, "fill_diagonal_", "offset"), real_arg(value, "fill_diagonal_", "value")
    return naming.named(x.become(construct.fill_diagonal(x, value, offset, bool(wrap) or len(x.shape) > 2), "fill_diagonal_"), name)


def crop(x, shape=None, offsets=None, name=None):
    """Cut a block out of x.

    Args:
        x: Tensor.
        shape: sizes of the block; -1 takes all that is left; None takes the shape of x.
        offsets: where the block starts; None means at 0.

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
    return naming.named(slicing.crop(x, s_tensor, s_list, o_tensor, o_list, s, o), name)


def _axes(axes, x, function):
    """The listed axes counted from the first, as files have them."""
    return [one_axis(a, len(x.shape), function, "axes") for a in ints(axes, function, "axes")]


def slice(input, axes, starts, ends):
    """Cut out start:end along each listed axis; negative bounds count from the end.

    Args:
        input (Tensor): of any shape.
        axes (list or tuple): the axes.
        starts (list, tuple or Tensor): where to begin on each, a list of ints (items may be Tensors) or an integer Tensor.
        ends (list, tuple or Tensor): where to stop on each (not included).
    Returns:
        Tensor with ends - starts elements along those axes.
    Raises:
        ValueError: the axis is out of range, or the lists differ in length.
        TypeError: ``input`` is not a Tensor, or a list holds something other than ints.

    >>> paddle.slice(paddle.arange(6), [0], [1], [-2]).tolist()
    [1, 2, 3]
    """
    input = as_tensor(input, "slice", "input")
    s_tensor, s_list, s = split_ints(starts, "slice", "starts")
    e_tensor, e_list, e = split_ints(ends, "slice", "ends")
    axes = _axes(axes, input, "slice")
    symbolic = s_tensor is not None or s_list or e_tensor is not None or e_list
    return slicing.slice(input, s_tensor, e_tensor, s_list, e_list, axes, s, e, [], [-1 if symbolic else 1] * len(axes))


def strided_slice(x, axes, starts, ends, strides, name=None):
    """Cut out start:end:stride along each listed axis; strides may be negative.

    Args:
        x: Tensor.
        axes: list of axes.
        starts: where to begin on each.
        ends: where to stop on each (not included).
        strides: steps on each.

    >>> paddle.strided_slice(paddle.arange(6), [0], [4], [0], [-2]).tolist()
    [4, 2]
    """
    x = as_tensor(x, "strided_slice")
    s_tensor, s_list, s = split_ints(starts, "strided_slice", "starts")
    e_tensor, e_list, e = split_ints(ends, "strided_slice", "ends")
    d_tensor, d_list, d = split_ints(strides, "strided_slice", "strides")
    axes = _axes(axes, x, "strided_slice")
    out = slicing.strided_slice(x, s_tensor, s_list, e_tensor, e_list, d_tensor, d_list, axes, s, e, d, [], [1] * len(axes))
    return naming.named(out, name)
