"""Order and search: extremes, sorting, ranks, unique values, positions."""

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import ElementTypeError, WrongKindError, describe, own_errors
from ..core.generation import generation
from ..core.op import Symbolic
from ..ops.manipulation import joining, search
from ..ops.random import sampling
from ..utils import naming
from .convert import as_tensor, int_arg, numpy_dtype

__all__ = ["argmax", "argmin", "argsort", "sort", "topk", "kthvalue", "mode", "nonzero", "searchsorted", "bucketize",
           "unique",
           "unique_consecutive"]
METHODS = ["argmax", "argmin", "argsort", "sort", "topk", "kthvalue", "mode", "nonzero", "bucketize", "unique",
           "unique_consecutive", "top_p_sampling"]


def _position_type(dtype, function):
    name = dtypes.convert(dtype, function).name
    if name not in ("int32", "int64"):
        raise WrongKindError(f"{function}(): dtype must be int32 or int64, got {name}")
    return name


def _extreme(op, x, axis, keepdim, dtype, function):
    x = as_tensor(x, function)
    if numpy_dtype(x).kind in "bc":
        raise ElementTypeError(f"{function}(): x must be of real numbers, got {x.dtype.name}")
    if axis is None:
        return op(x, 0, bool(keepdim), True, _position_type(dtype, function))
    return op(x, int_arg(axis, function, "axis", late=True), bool(keepdim), False, _position_type(dtype, function))


@generation("paddle.argmax", alpha="paddle.imperative.functions.argmax", only_modern={"keepdim", "x"})
def argmax(x, axis=None, keepdim=False, dtype="int64", name=None):
    """Find the position of the (first) largest element along an axis, or in the flattened tensor for None.

    Args:
        x (Tensor): of any shape.
        axis (int or None): None flattens x first.
        keepdim (bool): keep the axis, with size 1.
        dtype (str or dtype): int32 or int64, the type of the positions.
    Returns:
        Tensor of positions, without the axis (or with size 1 there).
    Raises:
        ValueError: the axis is out of range, or x is empty.
        TypeError: x is not a Tensor, or ``dtype`` is not int32 or int64.

    >>> paddle.argmax(paddle.to_tensor([[1., 5.], [7., 2.]]), axis=1).tolist()
    [1, 0]
    """
    return naming.named(_extreme(search.argmax, x, axis, keepdim, dtype, "argmax"), name)


@generation("paddle.argmin", alpha="paddle.fluid.layers.argmin", only_modern={"dtype", "keepdim"})
@documented_like(argmax)
def argmin(x, axis=None, keepdim=False, dtype="int64", name=None):
    """Find the position of the (first) smallest element along an axis, or in the flattened tensor for None.

    >>> paddle.argmin(paddle.to_tensor([3., 1., 2.])).item()
    1
    """
    return naming.named(_extreme(search.argmin, x, axis, keepdim, dtype, "argmin"), name)


@generation("paddle.argsort", alpha="paddle.fluid.layers.argsort", only_modern={"x"})
@own_errors
def argsort(x, axis=-1, descending=False, name=None):
    """Find the positions that sort x along an axis; equal elements keep their order.

    Args:
        x (Tensor): of any shape.
        axis (int): the axis; negative ones count from the last.
        descending (bool): from large to small.
    Returns:
        Tensor of the shape of x, int64.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.argsort(paddle.to_tensor([3., 1., 2.])).tolist()
    [1, 2, 0]
    """
    return naming.named(search.argsort(as_tensor(x, "argsort"), int_arg(axis, "argsort", "axis"), bool(descending))[1], name)


@generation("paddle.sort", alpha="paddle.imperative.functions.sort", only_modern={"x"})
@own_errors
@documented_like(argsort)
def sort(x, axis=-1, descending=False, name=None):
    """Sort x along an axis.

    Returns:
        Tensor of the shape of x.

    >>> paddle.sort(paddle.to_tensor([3., 1., 2.]), descending=True).tolist()
    [3.0, 2.0, 1.0]
    """
    return naming.named(search.argsort(as_tensor(x, "sort"), int_arg(axis, "sort", "axis"), bool(descending))[0], name)


@generation("paddle.topk", alpha="paddle.fluid.layers.topk", only_modern={"axis", "largest", "sorted", "x"})
def topk(x, k, axis=None, largest=True, sorted=True, name=None):
    """Find the k largest (or smallest) elements along an axis and their positions; lower positions first among equals.

    Args:
        x (Tensor): of any shape.
        k (int or Tensor): how many.
        axis (int or None): the last one for None.
        largest (bool): False asks for the smallest.
        sorted (bool): the results are in order in any case.
    Returns:
        Tensors (values, positions as int64), with size k along the axis.
    Raises:
        ValueError: k is larger than the axis.

    >>> values, positions = paddle.topk(paddle.to_tensor([3., 1., 2.]), 2)
    >>> values.tolist(), positions.tolist()
    ([3.0, 2.0], [0, 2])
    """
    x = as_tensor(x, "topk")
    axis = -1 if axis is None else int_arg(axis, "topk", "axis")
    if isinstance(k, Symbolic):
        return naming.named(search.topk(x, k, 1, axis, bool(largest), bool(sorted)), name)
    return naming.named(search.topk(x, None, int_arg(k, "topk", "k"), axis, bool(largest), bool(sorted)), name)


def kthvalue(x, k, axis=None, keepdim=False, name=None):
    """Find the k-th smallest element (k counts from 1) along an axis and its position.

    Args:
        x: Tensor.
        k: from 1 for the smallest to the size of the axis.
        axis: int, the last one for None.
        keepdim: keep the axis, with size 1.

    >>> value, position = paddle.kthvalue(paddle.to_tensor([3., 1., 2.]), 2)
    >>> value.item(), position.item()
    (2.0, 2)
    """
    return naming.named(search.kthvalue(as_tensor(x, "kthvalue"), int_arg(k, "kthvalue", "k"),
                                        -1 if axis is None else int_arg(axis, "kthvalue", "axis"), bool(keepdim)), name)


@own_errors
def mode(x, axis=-1, keepdim=False, name=None):
    """Find the most frequent element along an axis (the smallest of equally frequent ones) and its last position.

    Args:
        x: Tensor.
        axis: the axis; negative ones count from the last.
        keepdim: keep the axis, with size 1.

    >>> value, position = paddle.mode(paddle.to_tensor([2., 1., 2.]))
    >>> value.item(), position.item()
    (2.0, 2)
    """
    return naming.named(search.mode(as_tensor(x, "mode"), int_arg(axis, "mode", "axis"), bool(keepdim)), name)


def nonzero(x, as_tuple=False):
    """Find the coordinates of the elements that are not zero: one per row, or one tensor [n, 1] per axis.

    Args:
        x: Tensor.
        as_tuple: give one column [N, 1] per axis instead of rows [N, ndim].

    >>> paddle.nonzero(paddle.to_tensor([0., 5., 6.])).tolist()
    [[1], [2]]
    """
    found = search.nonzero(as_tensor(x, "nonzero"))
    if not as_tuple:
        return found
    columns = tuple(joining.split(found, None, None, [], found.shape[1], 1)) if found.shape[1] else ()
    return tuple(column.squeeze(1) for column in columns) if context.rules.flat_positions else columns


def searchsorted(sorted_sequence, values, out_int32=False, right=False, name=None):
    """Find where values would go in a sorted sequence so that it stays sorted.

    Args:
        sorted_sequence: Tensor sorted along its last axis; 1-d, or with the first axes of ``values``.
        values: Tensor or number.
        out_int32: give int32 instead of int64.
        right: insert after equal elements instead of before them.

    >>> paddle.searchsorted(paddle.to_tensor([1, 3, 5]), paddle.to_tensor([3, 6])).tolist()
    [1, 3]
    """
    sorted_sequence = as_tensor(sorted_sequence, "searchsorted", "sorted_sequence")
    out = search.searchsorted(sorted_sequence, as_tensor(values, "searchsorted", "values"), bool(out_int32), bool(right))
    return naming.named(out, name)


def bucketize(x, sorted_sequence, out_int32=False, right=False, name=None):
    """Find the bucket of each element of x between the borders of a sorted 1-d sequence.

    Args:
        x: Tensor of any shape.
        sorted_sequence: 1-d Tensor of rising boundaries.
        out_int32: give int32 instead of int64.
        right: an element equal to a boundary is placed after it.

    >>> paddle.bucketize(paddle.to_tensor([2, 7]), paddle.to_tensor([1, 3, 5])).tolist()
    [1, 3]
    """
    sorted_sequence = as_tensor(sorted_sequence, "bucketize", "sorted_sequence")
    if len(sorted_sequence.shape) != 1:
        raise ValueError(f"bucketize(): sorted_sequence must be 1-d, got {describe(sorted_sequence)}")
    return naming.named(search.searchsorted(sorted_sequence, as_tensor(x, "bucketize"), bool(out_int32), bool(right)), name)


def _chosen(results, wanted):
    """The first result alone, or with those of the others that are wanted."""
    kept = [r for r, w in zip(results, (True, *wanted)) if w]
    return kept[0] if len(kept) == 1 else tuple(kept)


@generation("paddle.unique", alpha="paddle.fluid.layers.unique",
            only_modern={"axis", "return_counts", "return_index", "return_inverse"})
def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None, dtype="int64", name=None):
    """Find the different elements of x in rising order, or its different slices along an axis.

    Args:
        x: Tensor; flattened if ``axis`` is None.
        return_index: also give the first position of each.
        return_inverse: also give where each element of x went.
        return_counts: also give how often each occurs.
        dtype: int32 or int64, for the positions.

    >>> values, counts = paddle.unique(paddle.to_tensor([2, 3, 2]), return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([2, 3], [2, 1])
    """
    wanted = (bool(return_index), bool(return_inverse), bool(return_counts))
    axis = None if axis is None or (isinstance(axis, (list, tuple)) and not axis) else int_arg(axis, "unique", "axis")
    out = _chosen(search.unique(as_tensor(x, "unique"), *wanted, axis, _position_type(dtype, "unique")), wanted)
    return naming.named(out, name)


def unique_consecutive(x, return_inverse=False, return_counts=False, axis=None, dtype="int64", name=None):
    """Reduce runs of equal elements (or slices along an axis) to one.

    Args:
        x: Tensor.
        return_inverse: give also the number of the run that each element belongs to.
        return_counts: give also the lengths of the runs.
        axis: compare slices along it; None flattens x first.
        dtype: int32 or int64, the type of inverse and counts.

    >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]
    """
    wanted = (bool(return_inverse), bool(return_counts))
    axis = None if axis is None or (isinstance(axis, (list, tuple)) and not axis) else int_arg(axis,
                                                                                               "unique_consecutive",
                                                                                               "axis")
    found = search.unique_consecutive(as_tensor(x, "unique_consecutive"), *wanted, axis,
                                      _position_type(dtype, "unique_consecutive"))
    return naming.named(_chosen(found, wanted), name)


def top_p_sampling(x, ps, threshold=None, seed=None, name=None):
    """Draw one position per row among the most probable ones whose probabilities first reach ps.

    Args:
        x: probabilities, [rows, classes].
        ps: the fraction of probability to draw from, one number per row.
        threshold: probabilities below it (one number per row) are left out.
        seed: a separate random stream if not None or 0, else the global one.

    >>> p, ids = paddle.to_tensor([[0.2, 0.8]]).top_p_sampling(paddle.to_tensor([0.5]))
    >>> ids.tolist()
    [[1]]
    """
    limit = None if threshold is None else as_tensor(threshold, "top_p_sampling", "threshold")
    return naming.named(sampling.top_p_sampling(as_tensor(x, "top_p_sampling"), as_tensor(ps, "top_p_sampling", "ps"), limit,
                                                0 if seed is None else int_arg(seed, "top_p_sampling", "seed")), name)


__getattr__ = _lookup(__name__)
