"""Joining tensors, taking them apart, repeating them."""

from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import WrongKindError, describe, own_errors
from ..core.generation import generation
from ..core.op import Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor
from ..ops.arguments import one_axis
from ..ops.manipulation import joining, reshape
from ..utils import naming
from . import slicing
from .convert import as_tensor, int_arg
from .manipulation import atleast_1d, atleast_2d, atleast_3d
from .shapes import ints, split_ints

__all__ = ["concat", "stack", "hstack", "vstack", "dstack", "row_stack", "column_stack", "split", "tensor_split",
           "vsplit",
           "hsplit", "dsplit", "chunk", "unbind", "unstack", "tile", "expand", "expand_as", "broadcast_to",
           "broadcast_tensors",
           "broadcast_shape", "repeat_interleave"]
METHODS = ["concat", "stack", "split", "tensor_split", "vsplit", "hsplit", "dsplit", "chunk", "unbind", "unstack",
           "tile",
           "expand", "expand_as", "broadcast_to", "broadcast_tensors", "broadcast_shape", "repeat_interleave"]


def tensor_list(x, function, argument="x"):
    """A list of Tensors from a list or tuple of tensors."""
    if isinstance(x, (Tensor, Symbolic)) or not isinstance(x, (list, tuple)):
        raise TypeError(f"{function}(): {argument} must be a list or tuple of Tensors, got {describe(x)}")
    return [as_tensor(item, function, f"{argument}[{i}]") for i, item in enumerate(x)]


@generation("paddle.concat", alpha="paddle.fluid.layers.concat", only_modern={"x"})
def concat(x, axis=0, name=None):
    """Join tensors along an axis; all other sizes must agree.

    Args:
        x (list or tuple of Tensor): of the same data type; or an array of a program.
        axis (int or Tensor): which axis.
    Returns:
        Tensor whose size along the axis is the sum of theirs.
    Raises:
        ValueError: other sizes differ, or the axis is out of range.

    >>> paddle.concat([paddle.zeros([1, 2]), paddle.ones([1, 2])]).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    if isinstance(x, Symbolic) and rooms.is_array(x):
        return naming.named(rooms.joined_array(x, int_arg(axis, "concat", "axis"))[0], name)
    tensors = tensor_list(x, "concat")
    if isinstance(axis, Symbolic):
        return naming.named(joining.concat(tensors, axis, 0), name)
    return naming.named(joining.concat(tensors, None, int_arg(axis, "concat", "axis")), name)


def stack(x, axis=0, name=None):
    """Join tensors of the same shape along a new axis.

    Args:
        x (list or tuple of Tensor): of the same shape; or an array of a program.
        axis (int): where the new axis goes.
    Returns:
        Tensor with one axis more.
    Raises:
        ValueError: the shapes differ.

    >>> paddle.stack([paddle.zeros([2]), paddle.ones([2])], 1).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    axis = int_arg(axis, "stack", "axis")
    if isinstance(x, Symbolic) and rooms.is_array(x):
        return naming.named(rooms.joined_array(x, axis, use_stack=True)[0], name)
    return naming.named(joining.stack(tensor_list(x, "stack"), axis), name)


def _all(function, x, raise_rank):
    return [raise_rank(t) for t in tensor_list(x, function)]


@own_errors
def hstack(x, name=None):
    """Join tensors side by side: along axis 1, or axis 0 for vectors.

    >>> paddle.hstack([paddle.zeros([2]), paddle.ones([1])]).tolist()
    [0.0, 0.0, 1.0]
    """
    tensors = _all("hstack", x, atleast_1d)
    return naming.named(joining.concat(tensors, None, 0 if tensors and len(tensors[0].shape) == 1 else 1), name)


@own_errors
def vstack(x, name=None):
    """Join tensors on top of each other; vectors count as rows.

    >>> paddle.vstack([paddle.zeros([2]), paddle.ones([2])]).shape
    [2, 2]
    """
    return naming.named(joining.concat(_all("vstack", x, atleast_2d), None, 0), name)


@own_errors
def row_stack(x, name=None):
    """Join tensors on top of each other; vectors count as rows (another name of vstack).

    >>> paddle.row_stack([paddle.zeros([2]), paddle.ones([2])]).shape
    [2, 2]
    """
    return naming.named(joining.concat(_all("row_stack", x, atleast_2d), None, 0), name)


@own_errors
def dstack(x, name=None):
    """Join tensors along the third axis.

    >>> paddle.dstack([paddle.zeros([2]), paddle.ones([2])]).shape
    [1, 2, 2]
    """
    return naming.named(joining.concat(_all("dstack", x, atleast_3d), None, 2), name)


@own_errors
def column_stack(x, name=None):
    """Join tensors side by side; vectors count as columns.

    >>> paddle.column_stack([paddle.zeros([2]), paddle.ones([2])]).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    out = joining.concat(_all("column_stack", x, lambda t: t if len(t.shape) > 1 else reshape.reshape(t, None, None, [-1, 1])),
                         None, 1)
    return naming.named(out, name)


@generation("paddle.split", alpha="paddle.fluid.layers.split", only_modern={"axis", "x"})
def split(x, num_or_sections, axis=0, name=None):
    """Take a tensor apart along an axis.

    Args:
        x (Tensor): of any shape.
        num_or_sections (int, list or tuple): number of equal parts, or list of their sizes (one may be -1; items may be
            Tensors).
        axis (int or Tensor): which axis.
    Returns:
        list of Tensors.
    Raises:
        ValueError: the parts do not make up the axis.

    >>> [p.tolist() for p in paddle.split(paddle.arange(5), [1, -1])]
    [[0], [1, 2, 3, 4]]
    """
    x = as_tensor(x, "split")
    axis_tensor = axis if isinstance(axis, Symbolic) else None
    if axis_tensor is not None and axis_tensor.dtype.dtype.kind not in "iu":
        raise TypeError(f"split(): axis must be of an integer type, got {axis_tensor.dtype.name}")
    axis = 0 if axis_tensor is not None else one_axis(int_arg(axis, "split", "axis"), len(x.shape), "split")
    if isinstance(num_or_sections, (list, tuple)):
        _, items, sections = split_ints(num_or_sections, "split", "num_or_sections")
        return naming.named(joining.split(x, axis_tensor, items, sections, 0, axis), name)
    num = int_arg(num_or_sections, "split", "num_or_sections")
    if num < 1:
        raise ValueError(f"split(): num_or_sections must be at least 1, got {num}")
    return naming.named(joining.split(x, axis_tensor, None, [], num, axis), name)


@own_errors
def chunk(x, chunks, axis=0, name=None):
    """Take a tensor apart into equal parts along an axis.

    Args:
        x: Tensor.
        chunks: how many parts.
        axis: int or one-element Tensor.

    >>> [p.tolist() for p in paddle.chunk(paddle.arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    return naming.named(split(as_tensor(x, "chunk"), int_arg(chunks, "chunk", "chunks"), axis), name)


@own_errors
def tensor_split(x, num_or_indices, axis=0, name=None):
    """Take a tensor apart into (nearly) equal parts, or before the given positions of an axis.

    >>> [p.tolist() for p in paddle.tensor_split(paddle.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    >>> [p.tolist() for p in paddle.tensor_split(paddle.arange(5), [1, 3])]
    [[0], [1, 2], [3, 4]]
    """
    return naming.named(_at_positions(x, num_or_indices, axis, "tensor_split"), name)


def _at_positions(x, num_or_indices, axis, function):
    x = as_tensor(x, function)
    if not len(x.shape):
        raise ValueError(f"{function}(): x must have at least one axis")
    a = one_axis(int_arg(axis, function, "axis"), len(x.shape), function)
    size = x.shape[a]
    if isinstance(num_or_indices, (list, tuple)):
        cuts = ints(num_or_indices, function, "num_or_indices")
        if size < 0 and any(i < 0 for i in cuts):
            raise ValueError(f"{function}(): negative positions need a known size, got x {list(x.shape)}")
        cuts = cuts if size < 0 else [min(max(i + size if i < 0 else i, 0), size) for i in cuts]
        size = 2147483647 if size < 0 else size
    else:
        if size < 0:
            raise ValueError(f"{function}(): the size of axis {a} must be known, got x {list(x.shape)}")
        n = int_arg(num_or_indices, function, "num_or_indices")
        if n < 1:
            raise ValueError(f"{function}(): num_or_indices must be at least 1, got {n}")
        if n > max(size, 1 << 16):  # nearly all of them empty: a slip rather than a wish
            raise ValueError(f"{function}(): num_or_indices {n} parts of an axis of size {size} are too many")
        cuts = [k * (size // n) + min(k, size % n) for k in range(1, n)]
    sizes = [stop - start for start, stop in zip([0, *cuts], [*cuts, size])]
    if isinstance(x, Tensor) and min(sizes) > 0:
        return split(x, sizes, a)
    return [slicing.slice(x, [a], [start], [max(start, stop)]) for start, stop in zip([0, *cuts], [*cuts, size])]


@own_errors
def vsplit(x, num_or_sections, name=None):
    """Take a tensor apart along its first axis: equal parts, or parts of the given sizes.

    Args:
        x: Tensor with at least two axes.
        num_or_sections: number of equal parts, or list of their sizes.

    >>> [p.shape for p in paddle.vsplit(paddle.zeros([4, 2]), 2)]
    [[2, 2], [2, 2]]
    """
    x = as_tensor(x, "vsplit")
    if len(x.shape) < 2:
        raise ValueError(f"vsplit(): x must have at least two axes, got shape {list(x.shape)}")
    if context.rules.split_indices and isinstance(num_or_sections, (list, tuple)):
        return tensor_split(x, num_or_sections, 0)
    return naming.named(split(x, num_or_sections, 0), name)


@own_errors
def hsplit(x, num_or_indices, name=None):
    """Take a tensor apart along axis 1 (axis 0 for vectors), like tensor_split.

    >>> [p.tolist() for p in paddle.hsplit(paddle.arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    x = as_tensor(x, "hsplit")
    return naming.named(_at_positions(x, num_or_indices, 0 if len(x.shape) == 1 else 1, "hsplit"), name)


@own_errors
def dsplit(x, num_or_indices, name=None):
    """Take a tensor apart along its third axis, like tensor_split.

    >>> [p.shape for p in paddle.dsplit(paddle.zeros([1, 2, 4]), 2)]
    [[1, 2, 2], [1, 2, 2]]
    """
    x = as_tensor(x, "dsplit")
    if len(x.shape) < 3:
        raise ValueError(f"dsplit(): x must have at least three axes, got shape {list(x.shape)}")
    return naming.named(_at_positions(x, num_or_indices, 2, "dsplit"), name)


def unbind(input, axis=0):
    """Take a tensor apart into its slices along an axis, which disappears.

    Args:
        input: Tensor.
        axis: the axis; negative ones count from the last.

    >>> [p.tolist() for p in paddle.unbind(paddle.arange(4).reshape([2, 2]))]
    [[0, 1], [2, 3]]
    """
    return joining.unbind(as_tensor(input, "unbind", "input"), int_arg(axis, "unbind", "axis"))


def unstack(x, axis=0, num=None):
    """Take a tensor apart into its slices along an axis, which disappears; ``num`` says how many are expected.

    Args:
        x: Tensor.
        axis: the axis; negative ones count from the last.
        num: the size of the axis.

    >>> [p.tolist() for p in paddle.unstack(paddle.arange(4).reshape([2, 2]), 1)]
    [[0, 2], [1, 3]]
    """
    x, axis = as_tensor(x, "unstack"), int_arg(axis, "unstack", "axis")
    if num is None:  # files must say how many
        num = max(x.shape[one_axis(axis, len(x.shape), "unstack")], 0) if len(x.shape) else 0
    return joining.unstack(x, axis, int_arg(num, "unstack", "num"))


@own_errors
def tile(x, repeat_times, name=None):
    """Repeat a tensor as a whole, the given number of times along each axis.

    Args:
        x: Tensor.
        repeat_times: list or tuple of ints, or an integer Tensor; new first axes if it is longer than the shape of x.

    >>> paddle.tile(paddle.arange(2), [2, 2]).tolist()
    [[0, 1, 0, 1], [0, 1, 0, 1]]
    """
    return naming.named(joining.tile(as_tensor(x, "tile"), *split_ints(repeat_times, "tile", "repeat_times")), name)


@generation("paddle.expand", alpha="paddle.fluid.layers.expand", only_modern={"shape"})
def expand(x, shape, name=None):
    """Repeat a tensor along its axes of size 1, and along new first axes, to a shape; -1 keeps a size.

    Args:
        x: Tensor.
        shape: the sizes: list or tuple of ints (items may be Tensors), or an integer Tensor.

    >>> paddle.expand(paddle.arange(2), [3, -1]).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    return naming.named(joining.expand(as_tensor(x, "expand"), *split_ints(shape, "expand", "shape")), name)


@own_errors
@documented_like(expand)
def broadcast_to(x, shape, name=None):
    """Repeat a tensor to a shape, as broadcasting does; -1 keeps a size.

    >>> paddle.broadcast_to(paddle.arange(2), [2, 2]).tolist()
    [[0, 1], [0, 1]]
    """
    return naming.named(joining.expand(as_tensor(x, "broadcast_to"), *split_ints(shape, "broadcast_to", "shape")), name)


@generation("paddle.expand_as", alpha="paddle.fluid.layers.expand_as", only_modern={"y"})
def expand_as(x, y, name=None):
    """Repeat a tensor to the shape of another one.

    Args:
        x: Tensor.
        y: the Tensor whose shape is taken.

    >>> paddle.expand_as(paddle.arange(2), paddle.zeros([2, 2])).tolist()
    [[0, 1], [0, 1]]
    """
    y = as_tensor(y, "expand_as", "y")
    return naming.named(joining.expand_as(as_tensor(x, "expand_as"), y, list(y.shape)), name)


def broadcast_tensors(input, name=None):
    """Repeat all tensors to their common shape.

    Args:
        input: list of Tensors.

    >>> [t.shape for t in paddle.broadcast_tensors([paddle.zeros([3, 1]), paddle.zeros([2])])]
    [[3, 2], [3, 2]]
    """
    tensors = tensor_list(input, "broadcast_tensors", "input")
    kinds = {t.dtype.name for t in tensors}
    if len(kinds) > 1 and any(isinstance(t, Symbolic) for t in tensors):
        raise WrongKindError(f"broadcast_tensors(): input must be of one element type in a program, got {', '.join(sorted(kinds))}")
    return naming.named(joining.broadcast_tensors(tensors), name)


def broadcast_shape(x_shape, y_shape):
    """The common shape of two shapes, as a list.

    Args:
        x_shape, y_shape: two shapes as lists of ints; -1 stands for a size that is not known.

    >>> paddle.broadcast_shape([2, 1, 3], [4, 1])
    [2, 4, 3]
    """
    x_shape, y_shape = ints(x_shape, "broadcast_shape", "x_shape"), ints(y_shape, "broadcast_shape", "y_shape")
    rank = max(len(x_shape), len(y_shape))
    pairs = zip([1] * (rank - len(x_shape)) + list(x_shape), [1] * (rank - len(y_shape)) + list(y_shape))
    common = []
    for x, y in pairs:
        if x != y and min(x, y) > 1:
            raise ValueError(f"broadcast_shape(): shapes {list(x_shape)} and {list(y_shape)} do not broadcast together")
        common.append(x if y == 1 else y if x == 1 else max(x, y) if -1 in (x, y) else min(x, y))
    return common


def repeat_interleave(x, repeats, axis=None, name=None):
    """Repeat each element (or slice along an axis) one after the other.

    Args:
        x: Tensor.
        repeats: how often: an int, or a 1-d integer Tensor with one count per slice.
        axis: the axis; None flattens x first.

    >>> paddle.repeat_interleave(paddle.arange(3), 2).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    x = as_tensor(x, "repeat_interleave")
    if axis is None:
        x, axis = reshape.reshape(x, None, None, [-1]), 0
    axis = int_arg(axis, "repeat_interleave", "axis")
    if isinstance(repeats, (Tensor, Symbolic)) and len(repeats.shape):
        return naming.named(joining.repeat_interleave(x, repeats, 1, axis), name)
    return naming.named(joining.repeat_interleave(x, None, int_arg(repeats, "repeat_interleave", "repeats"), axis), name)
