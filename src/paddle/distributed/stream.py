"""``paddle.distributed.stream``: the collectives with the output first and a stream to choose.

A CPU has no streams. ``use_calc_stream=True`` means here what follows from it: the call is complete when it returns, so
it needs ``sync_op=True``.
"""

from . import collective
from .comm import ReduceOp


def _check(sync_op, use_calc_stream, function):
    if use_calc_stream and not sync_op:
        raise RuntimeError(f"stream.{function}(): use_calc_stream=True needs sync_op=True")


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.all_reduce``."""
    _check(sync_op, use_calc_stream, "all_reduce")
    return collective.all_reduce(tensor, op, group, sync_op)


def all_gather(tensor_or_tensor_list, tensor, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.all_gather``; the output may also be one tensor that holds all parts."""
    _check(sync_op, use_calc_stream, "all_gather")
    return collective.all_gather(tensor_or_tensor_list, tensor, group, sync_op)


def alltoall(out_tensor_or_tensor_list, in_tensor_or_tensor_list, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.alltoall`` with the output first; two tensors are cut along their first axis."""
    _check(sync_op, use_calc_stream, "alltoall")
    if isinstance(in_tensor_or_tensor_list, (list, tuple)):
        return collective.alltoall(in_tensor_or_tensor_list, out_tensor_or_tensor_list, group, sync_op)
    return collective.alltoall_single(in_tensor_or_tensor_list, out_tensor_or_tensor_list, None, None, group, sync_op)


all_to_all = alltoall


def alltoall_single(out_tensor, in_tensor, out_split_sizes=None, in_split_sizes=None, group=None, sync_op=True,
                    use_calc_stream=False):
    """As ``paddle.distributed.alltoall_single`` with the output first."""
    _check(sync_op, use_calc_stream, "alltoall_single")
    return collective.alltoall_single(in_tensor, out_tensor, in_split_sizes, out_split_sizes, group, sync_op)


def broadcast(tensor, src, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.broadcast``."""
    _check(sync_op, use_calc_stream, "broadcast")
    return collective.broadcast(tensor, src, group, sync_op)


def reduce(tensor, dst=0, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.reduce``."""
    _check(sync_op, use_calc_stream, "reduce")
    return collective.reduce(tensor, dst, op, group, sync_op)


def reduce_scatter(tensor, tensor_or_tensor_list, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.reduce_scatter``; the input may also be one tensor that is cut along its first axis."""
    _check(sync_op, use_calc_stream, "reduce_scatter")
    return collective.reduce_scatter(tensor, tensor_or_tensor_list, op, group, sync_op)


def scatter(tensor, tensor_or_tensor_list=None, src=0, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.scatter``; the input may also be one tensor that is cut along its first axis."""
    _check(sync_op, use_calc_stream, "scatter")
    return collective.scatter(tensor, tensor_or_tensor_list, src, group, sync_op)


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.gather``."""
    _check(sync_op, use_calc_stream, "gather")
    return collective.gather(tensor, gather_list, dst, group, sync_op)


def send(tensor, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.send``."""
    _check(sync_op, use_calc_stream, "send")
    return collective.send(tensor, dst, group, sync_op)


def recv(tensor, src=0, group=None, sync_op=True, use_calc_stream=False):
    """As ``paddle.distributed.recv``."""
    _check(sync_op, use_calc_stream, "recv")
    return collective.recv(tensor, src, group, sync_op)
