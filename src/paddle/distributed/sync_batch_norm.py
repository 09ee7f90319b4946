"""Batch norm over the batches of all ranks: two small sums over ranks, everything else on the tape as usual."""

import numpy as np

from ..ops.nn.norm import move_running
from .group import get_group
from .ops import all_reduce_sum


def sync_batch_norm(x, running_mean, running_var, weight, bias, momentum, epsilon, data_format="NCHW"):
    """Normalise by the mean and variance of all ranks' values; the running statistics are updated in place.

    Batches may differ in size between ranks. The variance is taken about the common mean, not as a difference of squares.
    Gradients flow through both statistics, to the values of every rank.
    """
    last = len(x.shape) - 1
    channel = last if data_format[-1] == "C" and len(data_format) > 2 and last > 1 else 1
    axes = [k for k in range(last + 1) if k != channel]
    shape = [1] * (last + 1)
    shape[channel] = x.shape[channel]
    count = np.array([float(np.prod([x.shape[k] for k in axes]))])
    get_group(0).comm.allreduce(count, 0).wait()
    share = 1.0 / float(count[0])
    mean = all_reduce_sum(x.sum(axis=axes)) * share
    centred = x - mean.reshape(shape)
    var = all_reduce_sum((centred * centred).sum(axis=axes)) * share
    out = centred * ((var + float(epsilon)) ** -0.5).reshape(shape)
    if weight is not None:
        out = out * weight.reshape(shape)
    if bias is not None:
        out = out + bias.reshape(shape)
    move_running(running_mean, mean, float(momentum))
    move_running(running_var, var, float(momentum))
    return out
