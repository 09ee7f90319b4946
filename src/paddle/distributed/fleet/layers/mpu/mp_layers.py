"""Layers whose weights are cut over the ranks of the model axis."""

from .....autograd import PyLayer
from .....core.addresses import lookup as _lookup
from .....nn import Layer
from .....nn import functional as F
from .....tensor.functions import matmul
from ....collective import all_reduce
from .mp_ops import (
    _c_concat,
    _c_identity,
    _c_lookup_table,
    _c_softmax_with_cross_entropy,
    _c_split,
    _mp_allreduce,
    group_of,
)
from .random import get_rng_state_tracker


class _Cut(Layer):
    """Base of layers that hold one of ``world_size`` parts of a weight."""

    def __init__(self, mp_group):
        super().__init__()
        self.model_parallel_group = group_of(mp_group, type(self).__name__)
        self.rank, self.world_size = self.model_parallel_group.rank, self.model_parallel_group.nranks
        self.is_mp = self.world_size > 1

    def _share(self, size, what):
        """This rank's part of a size."""
        if size % self.world_size:
            raise ValueError(f"{type(self).__name__}(): {what}={size} does not divide by {self.world_size} model-parallel ranks")
        return size // self.world_size

    def _part(self, shape, attr, axis, is_bias=False):
        """A parameter of which each rank has its own part, drawn from the rank's own stream where there is one."""
        tracker = get_rng_state_tracker()
        if self.is_mp and not is_bias and tracker.get_states_tracker():
            with tracker.rng_state():
                part = self.create_parameter(shape, attr, is_bias=is_bias)
        else:
            part = self.create_parameter(shape, attr, is_bias=is_bias)
        if part is not None:
            part.is_distributed, part.split_axis = self.is_mp, axis
        return part


class VocabParallelEmbedding(_Cut):
    """An embedding of which each rank has the rows of some words.

    >>> from paddle.distributed.fleet.meta_parallel import VocabParallelEmbedding
    >>> VocabParallelEmbedding(8, 4)(paddle.to_tensor([1, 7])).shape
    [2, 4]
    """

    def __init__(self, num_embeddings, embedding_dim, weight_attr=None, mp_group=None, name=None):
        super().__init__(mp_group)
        self.origin_num_embeddings, self.embedding_dim, self._name = num_embeddings, embedding_dim, name
        rows = self._share(num_embeddings, "num_embeddings")
        self.vocab_start_index = self.rank * rows
        self.weight = self._part([rows, embedding_dim], weight_attr, 0)

    def forward(self, x):
        rows = _c_lookup_table(self.weight, x, self.vocab_start_index, self.origin_num_embeddings, self._name)
        return _mp_allreduce(rows, group=self.model_parallel_group)


class ColumnParallelLinear(_Cut):
    """A linear layer of which each rank computes some of the outputs.

    Args:
        has_bias: None means no bias, as in Paddle.
        gather_output: put the outputs of all ranks together; otherwise each rank goes on with its own.
        fuse_matmul_bias: product and bias in one kernel, which is what happens here in any case.
        mp_group: the ranks, those of the model axis by default.
    """

    def __init__(self, in_features, out_features, weight_attr=None, has_bias=None, gather_output=True, fuse_matmul_bias=False,
                 mp_group=None, name=None):
        super().__init__(mp_group)
        self._name, self.gather_output, self.fuse_matmul_bias = name, gather_output, bool(fuse_matmul_bias)
        self.in_features, self.out_features = in_features, out_features
        self.output_size_per_partition = self._share(out_features, "out_features")
        self.weight = self._part([in_features, self.output_size_per_partition], weight_attr, 1)
        self.bias = self._part([self.output_size_per_partition], None, 0, is_bias=True) if has_bias else None

    def forward(self, x):
        return self._computed(self._entering(x), self.weight)

    def _entering(self, x):
        """What this rank computes with."""
        return _c_identity(x, self.model_parallel_group)

    def _computed(self, x, weight):
        out = F.linear(x, weight, self.bias, self._name)
        return _c_concat(out, self.model_parallel_group) if self.gather_output else out


class RowParallelLinear(_Cut):
    """A linear layer of which each rank sees some of the inputs; the ranks' results are added up.

    Args:
        has_bias: add a bias, which is whole on every rank, after the sum.
        input_is_parallel: the input is this rank's part already (of a ColumnParallelLinear that did not gather).
        fuse_matmul_bias: accepted; the bias follows the sum over ranks, so only a single rank can fuse it.
        mp_group: the ranks, those of the model axis by default.
    """

    def __init__(self, in_features, out_features, weight_attr=None, has_bias=True, input_is_parallel=False,
                 fuse_matmul_bias=False, mp_group=None, name=None):
        super().__init__(mp_group)
        self._name, self.input_is_parallel, self.fuse_matmul_bias = name, input_is_parallel, bool(fuse_matmul_bias)
        self.in_features, self.out_features = in_features, out_features
        self.input_size_per_partition = self._share(in_features, "in_features")
        self.weight = self._part([self.input_size_per_partition, out_features], weight_attr, 0)
        self.bias = self.create_parameter([out_features], is_bias=True) if has_bias else None

    def forward(self, x):
        return self._computed(self._entering(x), self.weight)

    def _entering(self, x):
        """What this rank computes with."""
        return x if self.input_is_parallel else _c_split(x, self.model_parallel_group)

    def _computed(self, x, weight):
        if not self.is_mp:
            return F.linear(x, weight, self.bias, self._name)
        out = _mp_allreduce(F.linear(x, weight, None, self._name), group=self.model_parallel_group)
        return out if self.bias is None else out + self.bias


class ParallelCrossEntropy(Layer):
    """Cross entropy of logits whose last axis is cut over the ranks, one loss per row: shape [..., 1]."""

    def __init__(self, mp_group=None, name=None, ignore_index=-100):
        super().__init__()
        self.name, self.ignore_index = name, ignore_index
        self.model_parallel_group = group_of(mp_group, "ParallelCrossEntropy")
        self.rank, self.world_size = self.model_parallel_group.rank, self.model_parallel_group.nranks

    def forward(self, input, label):
        return _c_softmax_with_cross_entropy(input, label, self.model_parallel_group, ignore_index=self.ignore_index)


class InnerOverlapLinear(PyLayer):
    """A product with a weight cut by columns; in the backward pass the sum of the input's gradient over the ranks is under way
    while the weight's is computed."""

    @staticmethod
    def forward(ctx, x, weight, bias, fuse_matmul_bias, mp_async_allreduce, mp_skip_c_identity, mp_fused_linear_param_grad_add,
                model_parallel_group):
        if mp_fused_linear_param_grad_add:
            raise NotImplementedError("InnerOverlapLinear: mp_fused_linear_param_grad_add is a kernel of GPUs")
        ctx.save_for_backward(x, weight)
        ctx.group, ctx.has_bias = model_parallel_group, bias is not None
        return F.linear(x, weight, bias)

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensor()
        dx = matmul(dy, weight.astype(dy.dtype), transpose_y=True)
        task = all_reduce(dx, group=ctx.group, sync_op=False)
        rows = dy.reshape([-1, dy.shape[-1]])
        slopes = [matmul(x.reshape([-1, x.shape[-1]]), rows, transpose_x=True)]
        if ctx.has_bias:
            slopes.append(rows.sum(0))
        if task is not None:
            task.wait()
        return dx, *slopes


class MPScale(PyLayer):
    """A tensor divided by the number of ranks that will add it up; its gradient passes unchanged."""

    @staticmethod
    def forward(ctx, x, mp_degree):
        return x / mp_degree

    @staticmethod
    def backward(ctx, dout):
        return dout


__getattr__ = _lookup(__name__)
