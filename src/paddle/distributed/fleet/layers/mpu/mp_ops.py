"""What tensor parallelism sends between the ranks of a group, each with the transfer that its gradient needs.

Gradients of parameters that are whole on every rank come out whole on every rank: a tensor that enters the cut part of a
network goes through ``_c_identity`` (its gradient is summed), a partial result leaves it through ``_mp_allreduce``.
"""

import numpy as np

from .....autograd import PyLayer
from .....core.addresses import lookup as _lookup
from .....core.errors import describe
from .....core.tensor import Tensor, wrap
from .....nn import Layer
from .....nn import functional as F
from ....collective import check_op
from ....comm import ReduceOp
from ....group import resolve
from ...topology import current


def group_of(group, function):
    """The group that an argument means: by default that of the model axis."""
    return current(f"{function}()").get_model_parallel_group() if group is None else resolve(group, function)


def reduced(tensor, group, op=ReduceOp.SUM):
    """The reduction of all ranks' tensors, as a new tensor."""
    total = np.array(tensor._data, order="C")
    group.comm.allreduce(total, op).wait()
    return wrap(total)


def gathered(tensor, group, axis=-1):
    """All ranks' tensors, one after the other along an axis."""
    part = np.ascontiguousarray(tensor._data)
    rows = np.empty((group.nranks, *part.shape), part.dtype)
    group.comm.allgather(rows, part).wait()
    if axis == 0:
        return wrap(rows.reshape(-1, *part.shape[1:]))
    return wrap(np.concatenate(list(rows), axis))


def own_part(tensor, group, axis=-1, function="_c_split"):
    """This rank's part of a tensor that is cut along an axis."""
    size = tensor._data.shape[axis]
    if size % group.nranks:
        raise ValueError(f"{function}(): axis {axis} of {list(tensor._data.shape)} does not divide by {group.nranks} ranks")
    width = size // group.nranks
    index = [slice(None)] * tensor._data.ndim
    index[axis] = slice(group.rank * width, (group.rank + 1) * width)
    return wrap(np.ascontiguousarray(tensor._data[tuple(index)]))


def summed_part(tensor, group, function="reduce_scatter"):
    """This rank's part, along the first axis, of the sum of all ranks' tensors."""
    whole = np.ascontiguousarray(tensor._data)
    if whole.shape[0] % group.nranks:
        raise ValueError(f"{function}(): {whole.shape[0]} rows do not divide by {group.nranks} ranks")
    part = np.empty((whole.shape[0] // group.nranks, *whole.shape[1:]), whole.dtype)
    group.comm.reduce_scatter(part, whole.reshape(group.nranks, *part.shape), ReduceOp.SUM).wait()
    return wrap(part)


class _Identity(PyLayer):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return wrap(x._data)

    @staticmethod
    def backward(ctx, g):
        return reduced(g, ctx.group)


class _Reduce(PyLayer):
    @staticmethod
    def forward(ctx, x, group, op):
        return reduced(x, group, op)

    @staticmethod
    def backward(ctx, g):
        return g


class _Split(PyLayer):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return own_part(x, group)

    @staticmethod
    def backward(ctx, g):
        return gathered(g, ctx.group)


class _Concat(PyLayer):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return gathered(x, group)

    @staticmethod
    def backward(ctx, g):
        return own_part(g, ctx.group)


def _c_identity(tensor, group=None, skip_c_identity_dynamic=False):
    """The tensor itself; its gradient is the sum of all ranks' gradients, unless ``skip_c_identity_dynamic``."""
    group = group_of(group, "_c_identity")
    return tensor if group.nranks == 1 or skip_c_identity_dynamic else _Identity.apply(tensor, group)


def _mp_allreduce(tensor, op=ReduceOp.SUM, group=None, use_calc_stream=True, use_model_parallel=True,
                  skip_c_identity_dynamic=False):
    """The reduction of all ranks' tensors; the gradient passes unchanged.

    ``use_model_parallel`` must be True. There are no streams on a CPU, and nothing to skip in the gradient: it is not reduced.
    """
    if not use_model_parallel:
        raise NotImplementedError("_mp_allreduce(): use_model_parallel=False is not supported; paddle.distributed.all_reduce is")
    group = group_of(group, "_mp_allreduce")
    check_op(op, "_mp_allreduce")
    return tensor if group.nranks == 1 else _Reduce.apply(tensor, group, op)


def _c_split(tensor, group=None):
    """This rank's part of the last axis; the gradient is put together from all ranks."""
    group = group_of(group, "_c_split")
    return tensor if group.nranks == 1 else _Split.apply(tensor, group)


def _c_concat(tensor, group=None):
    """All ranks' tensors side by side along the last axis; the gradient is this rank's part."""
    group = group_of(group, "_c_concat")
    return tensor if group.nranks == 1 else _Concat.apply(tensor, group)


def _c_lookup_table(table, index, start_index=0, vocab_size=-1, name=None):
    """Rows of a table that holds the words from ``start_index`` on; words of other ranks give rows of zeros.

    ``vocab_size`` is the number of words on all ranks together; where given, words outside it raise.
    """
    words = index._data
    if vocab_size >= 0 and words.size and not 0 <= words.min() <= words.max() < vocab_size:
        raise ValueError(f"_c_lookup_table(): index holds words outside [0, {vocab_size}): {words.min()} to {words.max()}")
    local = words - start_index
    here = (local >= 0) & (local < table._data.shape[0])
    rows = F.embedding(wrap(np.where(here, local, 0)), table, name=name)
    return rows if here.all() else rows * wrap(here[..., None].astype(table._data.dtype))


class _SoftmaxCrossEntropy(PyLayer):
    @staticmethod
    def forward(ctx, logits, words, group, ignore_index):
        values, words = logits._data, words.reshape(logits._data.shape[:-1])
        width = values.shape[-1]
        top = values.max(-1, keepdims=True)
        group.comm.allreduce(top, ReduceOp.MAX).wait()
        shifted = values - top
        softmax = np.exp(shifted)
        total = softmax.sum(-1, keepdims=True)
        group.comm.allreduce(total, ReduceOp.SUM).wait()
        softmax /= total
        local = words - group.rank * width
        here = (local >= 0) & (local < width) & (words != ignore_index)
        local = np.where(here, local, 0)[..., None]
        chosen = np.take_along_axis(shifted, local, -1) * here[..., None]
        group.comm.allreduce(chosen, ReduceOp.SUM).wait()
        counts = (words != ignore_index)[..., None]
        ctx.softmax, ctx.local, ctx.here, ctx.counts = softmax, local, here[..., None], counts
        return wrap((np.log(total) - chosen) * counts), wrap(softmax)

    @staticmethod
    def backward(ctx, g, g_softmax):
        grad = ctx.softmax.copy()
        np.put_along_axis(grad, ctx.local, np.take_along_axis(grad, ctx.local, -1) - ctx.here, -1)
        grad *= g._data * ctx.counts
        return wrap(grad)


def _c_softmax_with_cross_entropy(logits, label, group=None, return_softmax=False, ignore_index=-100):
    """Cross entropy [..., 1] of logits whose last axis is cut over the ranks; labels are words of all ranks together.

    A gradient flows through the loss, not through the softmax that ``return_softmax`` adds.
    """
    group = group_of(group, "_c_softmax_with_cross_entropy")
    for name, value in (("logits", logits), ("label", label)):
        if not isinstance(value, Tensor):
            raise TypeError(f"_c_softmax_with_cross_entropy(): {name} must be a Tensor, got {describe(value)}")
    rows, given = list(logits.shape[:-1]), list(label.shape)
    if given not in (rows, [*rows, 1]):
        raise ValueError(f"_c_softmax_with_cross_entropy(): label must be {rows} or {[*rows, 1]}, got {given}")
    words, everything = label._data, logits.shape[-1] * group.nranks
    wrong = words[(words != ignore_index) & ((words < 0) | (words >= everything))]
    if wrong.size:
        raise ValueError(f"_c_softmax_with_cross_entropy(): label {wrong[0]} is outside [0, {everything}) and not "
                         f"ignore_index={ignore_index}")
    loss, softmax = _SoftmaxCrossEntropy.apply(logits, words, group, ignore_index)
    return (loss, softmax.detach()) if return_softmax else loss


def _linear(x, weight, bias=None, name=None):
    """``F.linear``."""
    return F.linear(x, weight, bias, name)


class _Linear(Layer):
    """A linear layer whose parameters are as its attributes say: the whole of them on each rank."""

    def __init__(self, in_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.name = name

    def forward(self, input):
        return _linear(input, self.weight, self.bias, self.name)


__getattr__ = _lookup(__name__)
