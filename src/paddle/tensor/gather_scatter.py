"""Elements picked or placed by integer tensors and masks: gather, scatter, take_along_axis, where, masked_select ..."""

import math

import numpy as np

from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import ElementTypeError, StoredShapeError, WrongKindError, check_choice, describe, own_errors
from ..core.generation import generation
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..ops.arguments import broadcast_shape, one_axis
from ..ops.manipulation import construct, gather_scatter, index_first, joining, masking, reshape, slicing
from ..ops.manipulation.put_along_axis import put_along_axis as put_along
from ..ops.manipulation.search import nonzero
from ..ops.math import arithmetic
from ..utils import naming
from . import search
from .attribute import numel
from .convert import as_tensor, cast, int_arg, is_tensor_like, numpy_dtype, promote
from .creation import as_array, zeros, zeros_like
from .shapes import dims, ints, split_ints

__all__ = ["gather", "gather_nd", "index_select", "index_sample", "take", "take_along_axis", "put_along_axis",
           "scatter",
           "scatter_nd", "scatter_nd_add", "index_add", "index_put", "index_fill", "masked_select", "masked_fill",
           "masked_scatter", "where", "where_", "select_scatter", "slice_scatter", "diagonal_scatter"]
METHODS = [*[name for name in __all__ if name != "where"], "where"]
INPLACE = ["put_along_axis", "scatter", "index_add", "index_put", "index_fill", "masked_fill", "masked_scatter"]


def _index(index, function, argument="index"):
    """An index argument as an integer tensor."""
    if not is_tensor_like(index) and not isinstance(index, (np.ndarray, np.integer, list, tuple, int)):
        raise TypeError(f"{function}(): {argument} must be an integer Tensor, got {describe(index)}")
    index = as_tensor(index, function, argument)
    if numpy_dtype(index).kind not in "iu":
        raise TypeError(f"{function}(): {argument} must be an integer Tensor, got {describe(index)}")
    return index


def _pair(x, other, function, argument):
    """x and a second operand in the data type of x."""
    x = as_tensor(x, function)
    if isinstance(other, (bool, int, float, complex, np.generic)):
        return x, wrap(as_array(other, numpy_dtype(x), function))
    other = as_tensor(other, function, argument)
    kinds = numpy_dtype(x), numpy_dtype(other)
    if kinds[0] != kinds[1] and not any(hook.unites(*kinds) for hook in context.hooks):
        raise ElementTypeError(f"{function}(): x and {argument} must have one dtype, got {x.dtype.name} and {other.dtype.name}")
    return x, other


@generation("paddle.gather", alpha="paddle.fluid.layers.gather", only_modern={"axis", "x"})
def gather(x, index, axis=None, name=None):
    """Pick slices of x along an axis at the given ids.

    Args:
        x (Tensor): of any shape.
        index (Tensor): 0-d or 1-d, integers; ids outside the axis (negative ones too) raise IndexError.
        axis (int, Tensor or None): which axis, 0 for None.
    Returns:
        Tensor with as many slices along the axis as there are ids.
    Raises:
        IndexError: an id is outside the axis.

    >>> paddle.gather(paddle.to_tensor([10, 20, 30]), paddle.to_tensor([2, 0])).tolist()
    [30, 10]
    """
    if type(index) is int and hasattr(axis, "stop_gradient"):  # Paddle 3's (x, dim, index), which is PyTorch's gather
        return take_along_axis(x, axis, index)
    x, index = as_tensor(x, "gather"), _index(index, "gather")
    if isinstance(axis, Symbolic):
        return naming.named(gather_scatter.gather(x, index, axis, 0), name)
    # files have no negative axis
    axis = 0 if axis is None else one_axis(int_arg(axis, "gather", "axis"), len(x.shape), "gather")
    return naming.named(gather_scatter.gather(x, index, None, axis), name)


def gather_nd(x, index, name=None):
    """Pick the elements or slices of x addressed by the rows (last axis) of index.

    Args:
        x (Tensor): [d0, d1, ...].
        index (Tensor): int32 or int64 [..., k]: each row holds an address in the first k axes of x.
    Returns:
        [..., and the axes of x after the first k].
    Raises:
        ValueError: k exceeds the rank of x.
        IndexError: an address is not within x.

    >>> paddle.gather_nd(paddle.arange(6).reshape([2, 3]), paddle.to_tensor([[0, 1], [1, 2]])).tolist()
    [1, 5]
    """
    return naming.named(gather_scatter.gather_nd(as_tensor(x, "gather_nd"), _index(index, "gather_nd")), name)


def index_select(x, index, axis=0, name=None):
    """Pick slices of x along an axis at the ids of a 1-d index.

    Args:
        x (Tensor): of any type.
        index (Tensor): int32 or int64 [n].
        axis (int, 0): which axis of x the ids are of.
    Returns:
        as x, of size n along ``axis``; the gradients of an index that occurs twice add up.
    Raises:
        IndexError: an id is below zero or not below the size of the axis.

    >>> paddle.index_select(paddle.arange(6).reshape([2, 3]), paddle.to_tensor([2, 0]), 1).tolist()
    [[2, 0], [5, 3]]
    """
    if type(index) is int and hasattr(axis, "stop_gradient"):  # Paddle 3's (x, dim, index)
        index, axis = axis, index
    return naming.named(gather_scatter.index_select(as_tensor(x, "index_select"), _index(index, "index_select"),
                                                    int_arg(axis, "index_select", "axis")), name)


def index_sample(x, index):
    """Pick from every row of a matrix the elements at the ids in the same row of index.

    Args:
        x: [N, M].
        index: integer Tensor [N, K]; ids outside [0, M) raise IndexError.

    >>> paddle.index_sample(paddle.arange(6).reshape([2, 3]), paddle.to_tensor([[0], [2]])).tolist()
    [[0], [5]]
    """
    return gather_scatter.index_sample(as_tensor(x, "index_sample"), _index(index, "index_sample"))


def _flat_places(index, x, mode):
    """Positions in x seen as one row, from 0 on; programs are written with operators that files know, and gather raises."""
    if not isinstance(x, Symbolic) and not isinstance(index, Symbolic):
        return index_first.flat_positions(index, x, mode)
    size = cast(numel(x), numpy_dtype(index))
    if mode == "wrap":
        return index % size
    if mode == "clip":
        return arithmetic.maximum(arithmetic.minimum(index, size - 1), size * 0)
    return where(index < 0, index + size, index)


def take(x, index, mode="raise", name=None):
    """Pick elements of x, taken as one long row, at the given positions; the result has the shape of index.

    Args:
        x: Tensor.
        index: integer Tensor; negative positions count from the end.
        mode: "raise" an IndexError for positions outside, "wrap" them round, or "clip" them into the range.

    >>> paddle.take(paddle.arange(6).reshape([2, 3]), paddle.to_tensor([[5, -6]])).tolist()
    [[5, 0]]
    """
    x, index = as_tensor(x, "take"), _index(index, "take")
    check_choice(mode, ("raise", "wrap", "clip"), "take", "mode")
    flat = reshape.reshape(x, None, None, [-1])
    picked = gather_scatter.gather(flat, reshape.reshape(_flat_places(index, x, mode), None, None, [-1]))
    return naming.named(reshape.reshape(picked, *split_ints(dims(index), "take", "index")), name)


def _fitted_ids(arr, indices, axis, broadcast, function):
    """The index broadcast to arr in all axes but one, as take_along_axis and put_along_axis do."""
    if len(arr.shape) != len(indices.shape):
        raise ValueError(f"{function}(): indices {list(indices.shape)} and arr {list(arr.shape)} must have as many axes")
    if not broadcast:
        return indices
    wanted = [n if k == axis else m for k, (m, n) in enumerate(zip(arr.shape, indices.shape))]
    for m, n in zip(wanted, indices.shape):
        if n not in (1, m) and -1 not in (m, n):
            raise ValueError(f"{function}(): indices {list(indices.shape)} do not broadcast to arr {list(arr.shape)}")
    if list(indices.shape) == wanted and -1 not in wanted:
        return indices
    sizes = [n if k == axis else m for k, (m, n) in enumerate(zip(dims(arr), dims(indices)))]
    return joining.expand(indices, *split_ints(sizes, function, "indices"))


def take_along_axis(arr, indices, axis, broadcast=True):
    """Pick, for every position of the index, the element of arr whose coordinate on the axis is the id.

    Args:
        arr (Tensor): of any shape.
        indices (Tensor): integers, with as many axes as arr; ids outside the axis raise IndexError.
        axis (int): which axis.
        broadcast (bool): repeat the index along its axes of size 1 to the shape of arr first.
    Returns:
        Tensor of the shape of the index (after broadcasting).
    Raises:
        IndexError: an index is outside the axis.
        ValueError: the axis is out of range, or the numbers of axes differ.
        TypeError: ``arr`` is not a Tensor, or ``indices`` has no integers.

    >>> paddle.take_along_axis(paddle.arange(6).reshape([2, 3]), paddle.to_tensor([[2], [0]]), 1).tolist()
    [[2], [3]]
    """
    arr, indices = as_tensor(arr, "take_along_axis", "arr"), _index(indices, "take_along_axis", "indices")
    a = one_axis(int_arg(axis, "take_along_axis", "axis"), len(arr.shape), "take_along_axis")
    return gather_scatter.take_along_axis(arr, _fitted_ids(arr, indices, a, broadcast, "take_along_axis"), a)


_REDUCE = {"assign": "assign", "add": "add", "mul": "multiply", "multiply": "multiply", "mean": "mean", "amax": "amax",
           "amin": "amin"}


@own_errors
@documented_like(take_along_axis)
def put_along_axis(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    """Copy arr and write values to the positions whose coordinate on the axis is given by ids.

    Args:
        values (Tensor or number): Tensor or number, broadcast to the shape of the index.
        reduce (str): "assign", "add", "multiply" ("mul"), "mean", "amax" or "amin": how values meet at one position.
        include_self (bool): does the old value of arr take part in the reduction?
    Returns:
        Tensor of the shape of arr.

    >>> paddle.put_along_axis(paddle.zeros([2, 3]), paddle.to_tensor([[2], [0]]), 5., 1).tolist()
    [[0.0, 0.0, 5.0], [5.0, 0.0, 0.0]]
    """
    check_choice(reduce, _REDUCE, "put_along_axis", "reduce")
    indices = _index(indices, "put_along_axis", "indices")
    arr, values = _pair(arr, values, "put_along_axis", "values")
    a = one_axis(int_arg(axis, "put_along_axis", "axis"), len(arr.shape), "put_along_axis")
    indices = _fitted_ids(arr, indices, a, broadcast, "put_along_axis")
    if list(values.shape) != list(indices.shape):
        if broadcast or not len(values.shape):
            values = joining.expand(values, *split_ints(dims(indices), "put_along_axis", "indices"))
        elif len(values.shape) == len(indices.shape):  # values may be larger: the part under the index counts
            axes = list(range(len(indices.shape)))
            values = slicing.slice(values, None, None, None, None, axes, [0] * len(axes), list(indices.shape), [],
                                   [1] * len(axes))
    return put_along(arr, indices, values, a, _REDUCE[reduce], bool(include_self))


def scatter(x, index, updates, overwrite=True, name=None):
    """Copy x with rows replaced by updates (the last one wins), or, without overwrite, zeroed and then added to.

    Args:
        x: [N, ...].
        index: 1-d integer Tensor [K]; ids outside [0, N) raise IndexError.
        updates: [K, ...].
        overwrite: replace rows; False zeroes the named rows and adds up.

    >>> paddle.scatter(paddle.zeros([3]), paddle.to_tensor([2, 0]), paddle.to_tensor([1., 2.])).tolist()
    [2.0, 0.0, 1.0]
    """
    index = _index(index, "scatter")
    x, updates = _pair(x, updates, "scatter", "updates")
    return naming.named(gather_scatter.scatter(x, index, updates, bool(overwrite)), name)


def scatter_nd_add(x, index, updates, name=None):
    """Copy x with updates added at the elements or slices addressed by the rows of index.

    >>> paddle.scatter_nd_add(paddle.zeros([3]), paddle.to_tensor([[1], [1]]), paddle.ones([2])).tolist()
    [0.0, 2.0, 0.0]
    """
    index = _index(index, "scatter_nd_add")
    x, updates = _pair(x, updates, "scatter_nd_add", "updates")
    return naming.named(gather_scatter.scatter_nd_add(x, index, updates), name)


@own_errors
def scatter_nd(index, updates, shape, name=None):
    """Make a tensor of zeros with updates added at what the rows of index address.

    Args:
        index: integer Tensor [..., K] whose rows address the first K axes.
        updates: what to add: [..., *shape[K:]].
        shape: shape of the result.

    >>> paddle.scatter_nd(paddle.to_tensor([[1], [1]]), paddle.ones([2]), [3]).tolist()
    [0.0, 2.0, 0.0]
    """
    updates = as_tensor(updates, "scatter_nd", "updates")
    return naming.named(gather_scatter.scatter_nd_add(zeros(shape, updates.dtype), _index(index, "scatter_nd"), updates), name)


def index_add(x, index, axis, value, name=None):
    """Copy x with the slices of value added at the given ids along an axis.

    Args:
        x: Tensor.
        index: 1-d integer Tensor; ids outside the axis raise IndexError.
        axis: the axis.
        value: Tensor of the shape of x with as many slices along the axis as there are ids.

    >>> paddle.index_add(paddle.zeros([3]), paddle.to_tensor([0, 0]), 0, paddle.ones([2])).tolist()
    [2.0, 0.0, 0.0]
    """
    if type(index) is int and hasattr(axis, "stop_gradient"):  # Paddle 3's (x, dim, index, source)
        index, axis = axis, index
    index = _index(index, "index_add")
    x, value = _pair(x, value, "index_add", "value")
    return naming.named(gather_scatter.index_add(x, index, value, int_arg(axis, "index_add", "axis")), name)


def index_put(x, indices, value, accumulate=False, name=None):
    """Copy x with value written to (or added at) x[indices[0], indices[1], ...].

    Args:
        x: Tensor.
        indices: tuple of integer Tensors that broadcast (or one bool Tensor); negative ids count from the end.
        value: Tensor that broadcasts to the shape of x[indices].
        accumulate: add instead of replacing; repeated ids add up.

    >>> paddle.index_put(paddle.zeros([3]), (paddle.to_tensor([0, 2]),), paddle.ones([2])).tolist()
    [1.0, 0.0, 1.0]
    """
    if not isinstance(indices, (list, tuple)) or not indices:
        raise TypeError(f"index_put(): indices must be a tuple of Tensors, got {describe(indices)}")
    x, value = _pair(x, value, "index_put", "value")
    ids = []
    for k, index in enumerate(indices):
        index = as_tensor(index, "index_put", f"indices[{k}]")
        ids += joining.unbind(nonzero(index), 1) if numpy_dtype(index).kind == "b" else [_index(index, "index_put",
                                                                                                f"indices[{k}]")]
    return naming.named(index_first.index_put(x, ids, value, bool(accumulate)), name)


@own_errors
@documented_like(index_add)
def index_fill(x, index, axis, value, name=None):
    """Copy x with one value written to the slices at the given ids along an axis.

    Args:
        value: number or one-element Tensor.

    >>> paddle.index_fill(paddle.zeros([2, 2]), paddle.to_tensor([0]), 1, 5.).tolist()
    [[5.0, 0.0], [5.0, 0.0]]
    """
    index = _index(index, "index_fill")
    x, value = _pair(x, value, "index_fill", "value")
    if math.prod(value.shape) != 1 or len(index.shape) != 1:
        raise ValueError(f"index_fill(): needs a 1-d index and one value, got {describe(index)} and {describe(value)}")
    a = one_axis(int_arg(axis, "index_fill", "axis"), len(x.shape), "index_fill")
    if isinstance(index, Tensor) and isinstance(x, Tensor):
        index_first.checked_index((x.shape[a],), [index._data], "index_fill")
    order = list(range(len(x.shape)))
    order[0], order[a] = order[a], order[0]
    filled = index_first.index_put(reshape.transpose(x, order), [index], reshape.reshape(value, None, None, []), False)
    return naming.named(reshape.transpose(filled, order), name)


def _mask(mask, function):
    if not is_tensor_like(mask) and not isinstance(mask, (np.ndarray, list)):
        raise TypeError(f"{function}(): mask must be a bool Tensor, got {describe(mask)}")
    mask = as_tensor(mask, function, "mask")
    if numpy_dtype(mask).kind != "b":
        raise TypeError(f"{function}(): mask must be a bool Tensor, got {describe(mask)}")
    return mask


def _common_shape(x, mask, function):
    """x and mask repeated to their common shape."""
    if len(x.shape) == len(mask.shape) and all(m == n or -1 in (m, n) for m, n in zip(x.shape, mask.shape)):
        return x, mask
    shape = list(broadcast_shape(tuple(x.shape), tuple(mask.shape), function))
    return tuple(t if list(t.shape) == shape else joining.expand(t, None, None, shape) for t in (x, mask))


def masked_select(x, mask, name=None):
    """Pick the elements of x where the mask is true, as a vector.

    Args:
        x (Tensor): of any type.
        mask (Tensor): bool, of a shape that broadcasts with x's.
    Returns:
        a vector, in the order of the elements; how long it is depends on the values of the mask.

    >>> x = paddle.arange(4); paddle.masked_select(x, x > 1).tolist()
    [2, 3]
    """
    out = masking.masked_select(*_common_shape(as_tensor(x, "masked_select"), _mask(mask, "masked_select"), "masked_select"))
    return naming.named(out, name)


@own_errors
def masked_fill(x, mask, value, name=None):
    """Copy x with one value written where the mask is true.

    Args:
        x (Tensor): of any type.
        mask (Tensor): bool, of a shape that broadcasts with x's.
        value (number or Tensor of one element): what is written; it receives a gradient, if it is a Tensor.

    >>> paddle.masked_fill(paddle.ones([2]), paddle.to_tensor([True, False]), 9.).tolist()
    [9.0, 1.0]
    """
    mask = _mask(mask, "masked_fill")
    x, value = _pair(x, value, "masked_fill", "value")
    if math.prod(value.shape) != 1:
        raise ValueError(f"masked_fill(): value must be one number, got {describe(value)}")
    return naming.named(_where(mask, reshape.reshape(value, None, None, []), x), name)


def masked_scatter(x, mask, value, name=None):
    """Copy x with the elements of value, in order, written where the mask is true.

    >>> paddle.masked_scatter(paddle.zeros([3]), paddle.to_tensor([True, False, True]), paddle.to_tensor([5., 6.])).tolist()
    [5.0, 0.0, 6.0]
    """
    mask = _mask(mask, "masked_scatter")
    x, value = _pair(x, value, "masked_scatter", "value")
    return naming.named(masking.masked_scatter(*_common_shape(x, mask, "masked_scatter"), value), name)


def where(condition, x=None, y=None, name=None):
    """Choose from x where the condition is true, else from y; without x and y, find the true positions.

    Args:
        condition (Tensor): of bools. As in 2.x, in dynamic code also of numbers if the shapes are not all equal: they are cast to
            the type of the result, and true where not zero then.
        x, y (Tensor, number or None): what to choose from; all three broadcast. None for both asks for the positions.
    Returns:
        Tensor of the shape that all three broadcast to; without x and y a tuple of index Tensors, one for each axis.
    Raises:
        ValueError: only one of x and y is given, or the shapes do not broadcast together.
        TypeError: ``condition`` is not a Tensor, array, list or number, or with x and y not of bools (a ValueError too).

    >>> c = paddle.to_tensor([True, False])
    >>> paddle.where(c, paddle.to_tensor([1, 2]), 0).tolist()
    [1, 0]
    """
    if x is None and y is None:
        found = condition if isinstance(condition, Symbolic) else as_tensor(condition, "where", "condition")  # of any type here
        return naming.named(search.nonzero(found, as_tuple=True), name)
    if x is None or y is None:
        raise ValueError("where(): give both x and y, or neither")
    condition = as_tensor(condition, "where", "condition")
    modern = context.rules.typed_constants
    if not modern:  # 2.6 has float64 here, not the default type
        x, y = (wrap(np.asarray(v, np.float64)) if v.__class__ is float else v for v in (x, y))
    given, (x, y) = condition, promote(x, y, "where")
    if numpy_dtype(given).kind != "b":
        if modern or not isinstance(given, Tensor) or list(given.shape) == list(x.shape) == list(y.shape):
            raise WrongKindError(f"where(): condition must be of type bool, got {describe(given)}")
        condition = cast(cast(given, numpy_dtype(x)), np.dtype(bool))
    return naming.named(_where(condition, x, y), name)


def _where(condition, x, y):
    """The op on broadcast operands; files must have all three in one shape, so a program repeats them by adding zeros."""
    if any(isinstance(t, Symbolic) for t in (condition, x, y)) and not (
            list(condition.shape) == list(x.shape) == list(y.shape)):
        zeros = zeros_like(x) + zeros_like(y) + zeros_like(condition, x.dtype)
        condition = cast(cast(condition, numpy_dtype(x)) + zeros, np.dtype(bool))
        x, y = x + zeros, y + zeros
    return masking.where(condition, x, y)


def where_(condition, x=None, y=None, name=None):
    """In-place form of ``where``: the result is written into x.

    >>> x = paddle.ones([2]); _ = paddle.where_(paddle.to_tensor([True, False]), x, paddle.zeros([2])); x.tolist()
    [1.0, 0.0]
    """
    if not isinstance(x, Tensor):
        raise WrongKindError(f"where_(): x must be a Tensor, got {describe(x)}")
    return naming.named(x.become(where(condition, x.snapshot(), y), "where_"), name)


def select_scatter(x, values, axis, index, name=None):
    """Copy x with the slice at one position of an axis replaced.

    Args:
        x: Tensor.
        values: Tensor of the shape of x without the axis.
        axis: the axis.
        index: which slice.

    >>> paddle.select_scatter(paddle.zeros([2, 2]), paddle.ones([2]), 0, 1).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    x, values = _pair(x, values, "select_scatter", "values")
    a = one_axis(int_arg(axis, "select_scatter", "axis"), len(x.shape), "select_scatter")
    index = int_arg(index, "select_scatter", "index")
    wanted = [n for k, n in enumerate(x.shape) if k != a]
    if list(values.shape) != wanted:
        raise StoredShapeError(f"select_scatter(): values {list(values.shape)} must have shape {wanted}")
    if not isinstance(x, Symbolic):
        slicing.one_index(index, x.shape[a], a, "select_scatter")
    out = slicing.set_value(x, values, None, None, None, [a], [index], [index + 1 or 2147483647], [1], [a], (), (), (),
                            x.dtype.name)
    return naming.named(out, name)


@own_errors
def slice_scatter(x, value, axes, starts, ends, strides, name=None):
    """Copy x with the part start:end:stride of the listed axes replaced by a value, which broadcasts.

    >>> paddle.slice_scatter(paddle.zeros([4]), paddle.ones([2]), [0], [0], [4], [2]).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    x, value = _pair(x, value, "slice_scatter", "value")
    bounds = [ints(v, "slice_scatter", n) for v, n in ((axes, "axes"), (starts, "starts"), (ends, "ends"), (strides,
                                                                                                            "strides"))]
    return naming.named(slicing.set_value(x, value, None, None, None, *bounds, (), (), (), (), x.dtype.name), name)


@own_errors
def diagonal_scatter(x, y, offset=0, axis1=0, axis2=1, name=None):
    """Copy x with the diagonals of the matrices formed by two axes replaced by y.

    Args:
        x: Tensor with at least two axes.
        y: Tensor of the shape of the diagonal.
        offset: which diagonal: above (positive) or below (negative) the main one.
        axis1, axis2: the two axes of the matrices.

    >>> paddle.diagonal_scatter(paddle.zeros([2, 2]), paddle.ones([2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x, y = _pair(x, y, "diagonal_scatter", "y")
    return naming.named(construct.fill_diagonal_tensor(x, y, int_arg(offset, "diagonal_scatter", "offset"),
                                                       int_arg(axis1, "diagonal_scatter", "axis1"),
                                                       int_arg(axis2, "diagonal_scatter", "axis2")), name)
