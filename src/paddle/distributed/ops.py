"""Collectives that gradients pass through: parts of a network that see the batches of all ranks.

Ordinary collectives (``paddle.distributed.all_reduce`` and the like) work on finished tensors. These are ops on the tape.
"""

import numpy as np

from ..core.op import op
from .comm import ReduceOp
from .compression import KINDS, HalfSum
from .group import get_group


@op("c_allreduce_sum(X) -> Out", family="same", extra={"use_calc_stream": True})
def c_allreduce_sum(x, ring_id=0):
    """The sum of all ranks' tensors, on every rank of the group ``ring_id``."""
    total, comm = np.array(x, order="C"), get_group(ring_id).comm
    if comm.size > 1 and total.dtype.name in KINDS:
        HalfSum(comm, total.reshape(-1), total.dtype).wait()
    else:
        comm.allreduce(total, ReduceOp.SUM).wait()
    return total


# Every rank's loss depends on every rank's input: its gradient is the sum of the ranks' gradients.
c_allreduce_sum.grad(x=lambda g, ring_id: c_allreduce_sum(g, ring_id))


@op("c_broadcast(X) -> Out", family="same", extra={"use_calc_stream": True})
def c_broadcast(x, root=0, ring_id=0):
    """The tensor of rank ``root``, on every rank of the group ``ring_id``."""
    values = np.array(x, order="C")
    get_group(ring_id).comm.broadcast(values, root).wait()
    return values


def all_reduce_sum(tensor, group=None):
    """The sum of all ranks' tensors, differentiable; the tensor itself is unchanged.

    >>> from paddle.distributed.ops import all_reduce_sum
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> all_reduce_sum(x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """
    return c_allreduce_sum(tensor, 0 if group is None else group.id)
