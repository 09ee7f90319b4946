"""Collectives over Tensors. Results are written into the tensors given, as in Paddle; nothing here is differentiable.

``group=None`` means all ranks; ``src`` and ``dst`` are ranks of the world. A process outside the group does nothing.
With ``sync_op=False`` a call returns at once and its task's ``wait()`` completes it.
"""

import functools
import inspect
import warnings

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.tensor import wrap
from .comm import ReduceOp
from .comm.base import REDUCE_NAMES
from .group import resolve
from .task import Task, check_list, check_tensor, fill, readable, stack, started, target

DONE = Task()  # of a collective that was complete when its function returned


def member_of(group, function):
    """The group that a ``group`` argument means; None, with a warning, in a process outside of it."""
    group = resolve(group, function)
    if group.rank >= 0:
        return group
    warnings.warn(f"{function}(): this process is not among the ranks {group.ranks} of the group", stacklevel=3)
    return None


def for_members(function):
    """Resolve the ``group`` argument; a process outside the group warns and gets no task."""
    name, place = function.__name__, list(inspect.signature(function).parameters).index("group")

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        group = member_of(args[place] if len(args) > place else kwargs.pop("group", None), name)
        if group is None:
            return None
        if len(args) > place:
            return function(*args[:place], group, *args[place + 1:], **kwargs)
        return function(*args, group=group, **kwargs)

    return wrapped


def check_op(op, function):
    """The reduction if it is a member of ReduceOp."""
    if op not in REDUCE_NAMES:
        raise ValueError(f"{function}(): op must be a member of ReduceOp, got {op!r}")
    return op


def _get_reduce_op(reduce_op, func_name):
    """What collective functions hand on for a reduction: itself, in a program the type of the operator (``c_allreduce_sum``)."""
    name = REDUCE_NAMES[check_op(reduce_op, func_name)].lower()
    return f"c_{func_name}_{name}" if context.static_mode else reduce_op


def group_rank(group, rank, function, argument):
    """Place of a world rank in the group."""
    place = group.get_group_rank(rank)
    if place < 0:
        raise ValueError(f"{function}(): {argument}={rank} is not among the ranks {group.ranks} of the group")
    return place


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True):
    """Replace the tensor on every rank by the reduction of all ranks' tensors.

    >>> x = paddle.to_tensor([1., 2.])
    >>> task = paddle.distributed.all_reduce(x)
    >>> x.tolist()
    [1.0, 2.0]
    """
    group = member_of(group, "all_reduce")
    if group is None:
        return None
    array = target(check_tensor(tensor, "all_reduce", "tensor"))
    check_op(op, "all_reduce")
    if sync_op:
        group.comm.allreduce_now(array, op)
        return DONE
    return started([group.comm.allreduce(array, op)], False, [tensor])


@for_members
def reduce(tensor, dst, op=ReduceOp.SUM, group=None, sync_op=True):
    """Replace the tensor on rank ``dst`` by the reduction of all ranks' tensors; the others keep theirs."""
    array = target(check_tensor(tensor, "reduce", "tensor"))
    root = group_rank(group, dst, "reduce", "dst")
    return started([group.comm.reduce(array, check_op(op, "reduce"), root)], sync_op, [tensor])


@for_members
def broadcast(tensor, src, group=None, sync_op=True):
    """Give every rank the tensor of rank ``src``."""
    array = target(check_tensor(tensor, "broadcast", "tensor"))
    return started([group.comm.broadcast(array, group_rank(group, src, "broadcast", "src"))], sync_op, [tensor])


def prepare_list(tensors, like, count, function, argument):
    """Make an empty list one of ``count`` tensors; check a filled one."""
    if not tensors:
        tensors.extend(wrap(np.empty_like(like._data, order="C", subok=False)) for _ in range(count))
    check_list(tensors, function, argument, count)
    if tensors[0]._data.shape != like._data.shape or tensors[0]._data.dtype != like._data.dtype:
        raise ValueError(f"{function}(): the tensors of {argument} are {list(tensors[0]._data.shape)} of "
                         f"{tensors[0]._data.dtype}, the data are {list(like._data.shape)} of {like._data.dtype}")


@for_members
def all_gather(tensor_list, tensor, group=None, sync_op=True):
    """Collect the tensors of all ranks in ``tensor_list``, on every rank; an empty list is filled.

    >>> parts = []
    >>> task = paddle.distributed.all_gather(parts, paddle.to_tensor([1, 2]))
    >>> [p.tolist() for p in parts]
    [[1, 2]]
    """
    array = readable(check_tensor(tensor, "all_gather", "tensor"))
    rows = np.empty((group.nranks, *array.shape), array.dtype)
    if isinstance(tensor_list, list):
        prepare_list(tensor_list, tensor, group.nranks, "all_gather", "tensor_list")
        outputs = list(tensor_list)
        return started([group.comm.allgather(rows, array)], sync_op, outputs, lambda: fill(outputs, rows))
    out = check_tensor(tensor_list, "all_gather", "tensor_or_tensor_list")
    if out._data.size != rows.size or out._data.dtype != array.dtype:
        raise ValueError(f"all_gather(): {group.nranks} tensors {list(array.shape)} of {array.dtype} do not fit into "
                         f"{list(out._data.shape)} of {out._data.dtype}")
    return started([group.comm.allgather(rows, array)], sync_op, [out], lambda: fill([out], [rows]))


@for_members
def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True):
    """Collect the tensors of all ranks in ``gather_list`` on rank ``dst``."""
    array, root = readable(check_tensor(tensor, "gather", "tensor")), group_rank(group, dst, "gather", "dst")
    if group.rank != root:
        return started([group.comm.gather(None, array, root)], sync_op)
    if not isinstance(gather_list, list):
        raise TypeError(f"gather(): gather_list must be a list on rank {dst}, got {type(gather_list).__name__}")
    prepare_list(gather_list, tensor, group.nranks, "gather", "gather_list")
    rows, outputs = np.empty((group.nranks, *array.shape), array.dtype), list(gather_list)
    return started([group.comm.gather(rows, array, root)], sync_op, outputs, lambda: fill(outputs, rows))


def rows_of(source, array, count, function, argument):
    """One row per rank from a list of tensors or from one tensor that is split along its first axis."""
    if isinstance(source, (list, tuple)):
        rows = stack(check_list(source, function, argument, count))
    else:
        rows = readable(check_tensor(source, function, argument))
    if rows.size != array.size * count or rows.dtype != array.dtype:
        raise ValueError(f"{function}(): {argument} {list(rows.shape)} of {rows.dtype} does not give {count} ranks "
                         f"{list(array.shape)} of {array.dtype} each")
    return rows.reshape(count, *array.shape)


@for_members
def scatter(tensor, tensor_list=None, src=0, group=None, sync_op=True):
    """Give rank r the r-th tensor of the list on rank ``src``."""
    root, rows = group_rank(group, src, "scatter", "src"), None
    array = target(check_tensor(tensor, "scatter", "tensor"))
    if group.rank == root:
        rows = rows_of(tensor_list, array, group.nranks, "scatter", "tensor_list")
    return started([group.comm.scatter(array, rows, root)], sync_op, [tensor])


@for_members
def reduce_scatter(tensor, tensor_list, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce the lists of all ranks element by element and give rank r the r-th result."""
    array = target(check_tensor(tensor, "reduce_scatter", "tensor"))
    rows = rows_of(tensor_list, array, group.nranks, "reduce_scatter", "tensor_list")
    return started([group.comm.reduce_scatter(array, rows, check_op(op, "reduce_scatter"))], sync_op, [tensor])


@for_members
def alltoall(in_tensor_list, out_tensor_list, group=None, sync_op=True):
    """Send the r-th input tensor to rank r; the r-th output tensor is what rank r sent here."""
    check_list(in_tensor_list, "alltoall", "in_tensor_list", group.nranks)
    if not isinstance(out_tensor_list, list):
        raise TypeError(f"alltoall(): out_tensor_list must be a list, got {type(out_tensor_list).__name__}")
    prepare_list(out_tensor_list, in_tensor_list[0], group.nranks, "alltoall", "out_tensor_list")
    array, results = stack(in_tensor_list), list(out_tensor_list)
    rows = np.empty_like(array)
    counts = [array[0].size] * group.nranks
    return started([group.comm.alltoall(rows, array, counts, counts)], sync_op, results, lambda: fill(results, rows))


def split_counts(array, sizes, count, side):
    """Elements of each rank's part of an array that is cut along its first axis."""
    rows = array.shape[0] if array.ndim else 0
    if not sizes:
        if rows % count:
            raise ValueError(f"alltoall_single(): the {rows} rows of {side}_tensor do not divide by {count} ranks; "
                             f"give {side}_split_sizes")
        sizes = [rows // count] * count
    if len(sizes) != count or sum(sizes) != rows or min(sizes) < 0:
        raise ValueError(f"alltoall_single(): {side}_split_sizes {list(sizes)} must be {count} numbers that add up to the "
                         f"{rows} rows of {side}_tensor")
    width = array.size // rows if rows else 0
    return [int(n) * width for n in sizes]


@for_members
def alltoall_single(in_tensor, out_tensor, in_split_sizes=None, out_split_sizes=None, group=None, sync_op=True):
    """Cut the input along its first axis, send part r to rank r, and put together what the ranks sent here."""
    array = readable(check_tensor(in_tensor, "alltoall_single", "in_tensor"))
    out = target(check_tensor(out_tensor, "alltoall_single", "out_tensor"))
    if array.dtype != out.dtype:
        raise ValueError(f"alltoall_single(): in_tensor is {array.dtype}, out_tensor {out.dtype}")
    sent = split_counts(array, in_split_sizes, group.nranks, "in")
    received = split_counts(out, out_split_sizes, group.nranks, "out")
    return started([group.comm.alltoall(out, array, received, sent)], sync_op, [out_tensor])


@for_members
def barrier(group=None):
    """Wait until every rank of the group has come here."""
    started([group.comm.barrier()], True)


def peer_rank(group, rank, function, argument):
    """Place in the group of the other side of a message."""
    place = group_rank(group, rank, function, argument)
    if place == group.rank and group.nranks > 1:
        raise ValueError(f"{function}(): {argument}={rank} is this rank itself")
    return place


@for_members
def send(tensor, dst=0, group=None, sync_op=True):
    """Send the tensor to rank ``dst``, which calls recv."""
    array = np.array(check_tensor(tensor, "send", "tensor")._data, order="C")
    return started([group.comm.send(array, peer_rank(group, dst, "send", "dst"))], sync_op, [tensor])


@for_members
def recv(tensor, src=0, group=None, sync_op=True):
    """Fill the tensor with what rank ``src`` sends."""
    array = target(check_tensor(tensor, "recv", "tensor"))
    return started([group.comm.recv(array, peer_rank(group, src, "recv", "src"))], sync_op, [tensor])


def isend(tensor, dst, group=None):
    """Start sending the tensor to rank ``dst``; the task says when it has gone."""
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor, src=None, group=None):
    """Start receiving a tensor from rank ``src``; it is filled after the task's wait()."""
    if src is None:
        raise ValueError("irecv(): src must be a rank; receiving from anybody is not supported")
    return recv(tensor, src, group, sync_op=False)


class P2POp:
    """One message of a batch: ``op`` is isend or irecv, ``peer`` the rank on the other side."""

    def __init__(self, op, tensor, peer, group=None):
        if op not in (isend, irecv):
            raise ValueError("P2POp(): op must be paddle.distributed.isend or paddle.distributed.irecv")
        self.op, self.peer, self.group = op, peer, resolve(group, "P2POp")
        self.tensor = check_tensor(tensor, "P2POp", "tensor")


def batch_isend_irecv(p2p_op_list):
    """Start a list of messages together; returns their tasks.

    Receives start first, so that two ranks may list their messages in any order.
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(p, P2POp) for p in p2p_op_list) or not p2p_op_list:
        raise TypeError("batch_isend_irecv(): p2p_op_list must be a list of P2POp, and not empty")
    tasks = {}
    for wanted in (irecv, isend):
        for n, p in enumerate(p2p_op_list):
            if p.op is wanted:
                tasks[n] = p.op(p.tensor, p.peer, p.group)
    return [task for _, task in sorted(tasks.items()) if isinstance(task, Task)]


__getattr__ = _lookup(__name__)
