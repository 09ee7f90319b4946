"""Sequence parallelism: between the cut linear layers, each rank of the model axis has a part of the sequence (axis 0)."""

import weakref

import numpy as np

from ....autograd import PyLayer
from ....core.addresses import lookup as _lookup
from ....core.context import process
from ....core.tensor import wrap
from ....nn import functional as F
from ..layers.mpu.mp_layers import _Cut
from ..layers.mpu.mp_ops import gathered, group_of, own_part, summed_part
from ..topology import current
from .hybrid_parallel_util import fused_allreduce_gradients_with_group


def _copy(tensor):
    return wrap(np.array(tensor._data, order="C"))


def scatter(input):
    """This rank's part of the sequence."""
    group = group_of(None, "scatter")
    return _copy(input) if group.nranks == 1 else own_part(input, group, 0, "scatter")


def all_gather(input):
    """The whole sequence from all ranks' parts."""
    group = group_of(None, "all_gather")
    return _copy(input) if group.nranks == 1 else gathered(input, group, 0)


def reduce_scatter(input):
    """This rank's part of the sum of all ranks' sequences."""
    group = group_of(None, "reduce_scatter")
    return _copy(input) if group.nranks == 1 else summed_part(input, group)


class _Exchange(PyLayer):
    """A collective whose gradient is another one: ``class ScatterOp(_Exchange, there=scatter, back=all_gather)``."""

    def __init_subclass__(cls, there, back):
        cls.forward, cls.backward = (staticmethod(lambda ctx, x, way=way: way(x)) for way in (there, back))


class ScatterOp(_Exchange, there=scatter, back=all_gather):
    """This rank's part of the sequence; the gradient is put together from all ranks."""


class GatherOp(_Exchange, there=all_gather, back=scatter):
    """The whole sequence, on which all ranks go on alike; the gradient is this rank's part."""


class AllGatherOp(_Exchange, there=all_gather, back=reduce_scatter):
    """The whole sequence, on which each rank goes on with its own weights; the gradient is added up over ranks and cut."""


class ReduceScatterOp(_Exchange, there=reduce_scatter, back=all_gather):
    """This rank's part of the sum of partial results; the gradient is put together from all ranks."""


class MPScale(PyLayer):
    """The tensor divided by ``mp_degree``, with the gradient unchanged: a term that every rank adds before a sum over ranks."""

    @staticmethod
    def forward(ctx, x, mp_degree):
        return x * (1.0 / mp_degree)

    @staticmethod
    def backward(ctx, dout):
        return dout


def mark_as_sequence_parallel_parameter(parameter):
    """Say that a parameter is whole on every rank but sees a part of the sequence: its gradients are to be added up."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter):
    """Was the parameter marked?"""
    return getattr(parameter, "sequence_parallel", False)


def register_sequence_parallel_allreduce_hooks(model, accumulation_steps, fuse_sequence_parallel_allreduce):
    """Add up the gradients of marked parameters over the model axis, at every ``accumulation_steps``-th backward pass.

    Args:
        fuse_sequence_parallel_allreduce: let them travel together instead of one by one.
    """
    if accumulation_steps <= 0:
        return
    group = current("register_sequence_parallel_allreduce_hooks()").get_model_parallel_group()
    params = [p for p in model.parameters() if is_sequence_parallel_parameter(p)]
    if group.nranks < 2 or not params:
        return
    size = 128 * 1024 * 1024 if fuse_sequence_parallel_allreduce else 1
    _watch(model, params, accumulation_steps, lambda: fused_allreduce_gradients_with_group(params, group, size, 1.0))


def _watch(model, params, passes, reduce):
    """Call ``reduce`` at the end of every ``passes``-th backward pass that reached one of the parameters."""
    marked, seen = {id(p) for p in params}, {"now": False, "passes": 0}

    def on_leaf(leaf):
        seen["now"] = seen["now"] or id(leaf) in marked

    def on_end():
        if not seen["now"]:
            return
        seen["now"], seen["passes"] = False, seen["passes"] + 1
        if seen["passes"] % passes == 0:
            reduce()

    process.leaf_watchers.append(on_leaf)
    process.end_watchers.append(on_end)
    weakref.finalize(model, process.leaf_watchers.remove, on_leaf)
    weakref.finalize(model, process.end_watchers.remove, on_end)


def is_fused_matmul_bias_supported():
    """Is there one kernel for product and bias? Yes, and linear layers use it in any case."""
    return True


class ColumnSequenceParallelLinear(_Cut):
    """A column-parallel linear layer whose input is this rank's part of the sequence [s, b, h]."""

    def __init__(self, in_features, out_features, weight_attr=None, has_bias=None, gather_output=True, fuse_matmul_bias=False,
                 mp_group=None, name=None):
        super().__init__(mp_group)
        if gather_output:
            raise ValueError("ColumnSequenceParallelLinear(): gather_output must be False; each rank goes on with its outputs")
        self._name, self.gather_output, self.fuse_matmul_bias = name, False, bool(fuse_matmul_bias)
        self.output_size_per_partition = self._share(out_features, "out_features")
        self.weight = self._part([in_features, self.output_size_per_partition], weight_attr, 1)
        self.bias = self._part([self.output_size_per_partition], None, 0, is_bias=True) if has_bias else None

    def forward(self, x):
        return F.linear(AllGatherOp.apply(x) if self.is_mp else x, self.weight, self.bias, self._name)


class RowSequenceParallelLinear(_Cut):
    """A row-parallel linear layer whose output is this rank's part of the sequence [s, b, h]."""

    def __init__(self, in_features, out_features, weight_attr=None, has_bias=True, input_is_parallel=False,
                 fuse_matmul_bias=False, mp_group=None, name=None):
        super().__init__(mp_group)
        if not input_is_parallel:
            raise ValueError("RowSequenceParallelLinear(): input_is_parallel must be True; the input is this rank's part")
        self._name, self.input_is_parallel, self.fuse_matmul_bias = name, True, bool(fuse_matmul_bias)
        self.input_size_per_partition = self._share(in_features, "in_features")
        self.weight = self._part([self.input_size_per_partition, out_features], weight_attr, 0)
        self.bias = self.create_parameter([out_features], is_bias=True) if has_bias else None
        if self.bias is not None and self.is_mp:
            mark_as_sequence_parallel_parameter(self.bias)

    def forward(self, x):
        if not self.is_mp:
            return F.linear(x, self.weight, self.bias, self._name)
        out = ReduceScatterOp.apply(F.linear(x, self.weight, None, self._name))
        return out if self.bias is None else out + self.bias


__getattr__ = _lookup(__name__)
