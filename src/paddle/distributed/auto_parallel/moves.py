"""What travels between the ranks along one dimension of a mesh, as ops that gradients pass through.

The gradient of a tensor is placed as the tensor is: cut where it is cut, whole where it is whole; that of a Partial tensor is
whole, since every term counts as much as the sum. So each of these ops has another one of them as its gradient. ``ring_id`` is the
number of the group.
"""

import numpy as np

from ...core.op import op
from ..comm import ReduceOp
from ..group import get_group


def part_sizes(whole, ranks):
    """Sizes of the parts of an axis: all equal but for the last ones, which may be smaller or empty."""
    width = -(-whole // ranks)
    return [max(min(width, whole - k * width), 0) for k in range(ranks)]


def _own(x, group, axis):
    """This rank's part of an array along an axis."""
    sizes = part_sizes(x.shape[axis], group.nranks)
    start = sum(sizes[:group.rank])
    return np.ascontiguousarray(x[(slice(None),) * axis + (slice(start, start + sizes[group.rank]),)])


def _padded(x, axis, width):
    if x.shape[axis] == width:
        return np.ascontiguousarray(x)
    out = np.zeros((*x.shape[:axis], width, *x.shape[axis + 1:]), x.dtype)
    out[(slice(None),) * axis + (slice(0, x.shape[axis]),)] = x
    return out


@op("dist_pass(X) -> Out", family="same", pure=False)
def passing(x):
    """The tensor itself: a leaf's place on the tape."""
    return x


passing.grad(x=lambda g: g)


@op("dist_absent(X*) -> Out*", family="own", pure=False)
def absent(x, specs=()):
    """Zeros of these (shape, dtype), which gradients pass through as zeros: a call on a rank outside of the mesh."""
    return [np.zeros(shape, dtype) for shape, dtype in specs]


absent.grad(x=lambda g, x_shape, x_dtype: absent(g, tuple((tuple(s), d) for s, d in zip(x_shape, x_dtype))))


def nothing(ndim, dtype):
    """(shape, dtype) of a tensor of so many axes without elements."""
    return (0,) * ndim, dtype


@op("dist_sum(X) -> Out", family="same", pure=False)
def all_sum(x, ring_id=0, kind=ReduceOp.SUM):
    """The reduction of all ranks' terms, on every rank."""
    total = np.array(x, order="C")
    get_group(ring_id).comm.allreduce(total, kind).wait()
    return total


@op("dist_sum_back(X) -> Out", family="same", pure=False)
def sum_back(x, ring_id=0):
    """The tensor itself, which is whole on every rank; what comes back for it are terms, and their sum is its gradient."""
    return x


def _sum_rule(g, ring_id, kind):
    if kind == ReduceOp.SUM:
        return g
    if kind == ReduceOp.AVG:
        return g * (1.0 / get_group(ring_id).nranks)
    raise NotImplementedError("reshard(): gradients flow through sums and means of Partial tensors, not through other reductions")


all_sum.grad(x=_sum_rule)
sum_back.grad(x=lambda g, ring_id: all_sum(g, ring_id))


@op("dist_gather(X) -> Out", family="own", pure=False)
def gather_parts(x, ring_id=0, axis=0, whole=0):
    """All ranks' parts of an axis, one after the other."""
    group = get_group(ring_id)
    sizes = part_sizes(whole, group.nranks)
    part = _padded(x, axis, sizes[0])
    rows = np.empty((group.nranks, *part.shape), part.dtype)
    group.comm.allgather(rows, part).wait()
    cut = [row[(slice(None),) * axis + (slice(0, n),)] for row, n in zip(rows, sizes)]
    return np.concatenate(cut, axis)


@op("dist_part(X) -> Out", family="own", pure=False)
def own_part(x, ring_id=0, axis=0):
    """This rank's part of an axis."""
    return _own(x, get_group(ring_id), axis)


gather_parts.grad(x=lambda g, ring_id, axis: own_part(g, ring_id, axis))
own_part.grad(x=lambda g, x_shape, ring_id, axis: gather_parts(g, ring_id, axis, x_shape[axis]))


@op("dist_reduce_scatter(X) -> Out", family="own", pure=False)
def summed_part(x, ring_id=0, axis=0):
    """This rank's part, along an axis, of the sum of all ranks' terms."""
    group, whole = get_group(ring_id), x.shape[axis]
    sizes = part_sizes(whole, group.nranks)
    rows = np.stack(np.split(_padded(x, axis, sizes[0] * group.nranks), group.nranks, axis))
    part = np.empty(rows.shape[1:], x.dtype)
    group.comm.reduce_scatter(part, rows, ReduceOp.SUM).wait()
    return np.ascontiguousarray(part[(slice(None),) * axis + (slice(0, sizes[group.rank]),)])


summed_part.grad(x=lambda g, x_shape, ring_id, axis: gather_parts(g, ring_id, axis, x_shape[axis]))


@op("dist_exchange(X) -> Out", family="own", pure=False)
def exchange(x, ring_id=0, old=0, new=0, whole=0):
    """A tensor cut along axis ``old`` (of this whole size) cut along axis ``new``."""
    group = get_group(ring_id)
    width, height = part_sizes(x.shape[new], group.nranks), part_sizes(whole, group.nranks)
    rows = np.stack(np.split(_padded(_padded(x, old, height[0]), new, width[0] * group.nranks), group.nranks, new))
    out = np.empty_like(rows)
    counts = [rows[0].size] * group.nranks
    group.comm.alltoall(out, rows, counts, counts).wait()
    cut = [part[(slice(None),) * old + (slice(0, n),)] for part, n in zip(out, height)]
    joined = np.concatenate(cut, old)
    return np.ascontiguousarray(joined[(slice(None),) * new + (slice(0, width[group.rank]),)])


exchange.grad(x=lambda g, x_shape, ring_id, old, new: exchange(g, ring_id, new, old, x_shape[new]))


@op("dist_first_term(X) -> Out", family="same", pure=False)
def first_term(x, ring_id=0):
    """A whole tensor as a sum: the first rank has it all, the others have zeros."""
    return x if get_group(ring_id).rank == 0 else np.zeros_like(x)


first_term.grad(x=lambda g: g)
