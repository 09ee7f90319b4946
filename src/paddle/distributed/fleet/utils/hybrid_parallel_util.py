"""Parameters, inputs and gradients kept equal along the axes of a hybrid job."""

import numpy as np

from ....core.addresses import lookup as _lookup
from ....core.tensor import Tensor, wrap
from ...buckets import broadcast_tensors
from ...group import world
from ...layout import check_same_layout, named_tensors
from ...objects import broadcast_object_list
from ...reducer import sum_gradients


def obtain_optimizer_parameters_list(optimizer):
    """The parameters of an optimizer, those of all its groups in one list."""
    given = optimizer._parameter_list
    if given and isinstance(given[0], dict):
        return [p for group in given for p in group["params"]]
    return list(given)


def _whole(model):
    """Parameters and buffers of which each rank has its own copy, with their names."""
    return [(name, t) for name, t in named_tensors(model) if not getattr(t, "is_distributed", False)]


def _equal(named, group):
    if group.nranks > 1 and named:
        check_same_layout(named, group.comm, "fleet.distributed_model")
        broadcast_tensors([t for _, t in named], group.comm)


def broadcast_mp_parameters(model, hcg):
    """Give all ranks of the model axis the first one's parameters, but for those that are cut along it."""
    _equal(_whole(model), hcg.get_model_parallel_group())


def broadcast_dp_parameters(model, hcg):
    """Give all ranks of the data axis the first one's parameters."""
    _equal(named_tensors(model), hcg.get_data_parallel_group())


def broadcast_sharding_parameters(model, hcg):
    """Give all ranks of the sharding axis the first one's parameters."""
    _equal(named_tensors(model), hcg.get_sharding_parallel_group())


def broadcast_sep_parameters(model, hcg):
    """Give all ranks of the sep axis the first one's parameters."""
    _equal(named_tensors(model), hcg.get_sep_parallel_group())


def broadcast_input_data(hcg, *inputs, **kwargs):
    """The inputs of the model axis's first rank, on all its ranks: (list of inputs, dict of keyword inputs)."""
    group = hcg.get_model_parallel_group()
    if group.nranks == 1:
        return list(inputs), kwargs
    packed = [_pack(list(inputs)), _pack(kwargs)]
    broadcast_object_list(packed, group.ranks[0], group)
    return _unpack(packed[0]), _unpack(packed[1])


def _pack(value):
    """Tensors as ("tensor", array, stop_gradient), containers as lists and dicts of such."""
    if isinstance(value, Tensor):
        return ("tensor", np.ascontiguousarray(value._data), value.stop_gradient)
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [_pack(v) for v in value])
    return ("dict", {k: _pack(v) for k, v in value.items()}) if isinstance(value, dict) else ("plain", value)


def _unpack(packed):
    kind, value = packed[:2]
    if kind == "tensor":
        tensor = wrap(value)
        tensor.stop_gradient = packed[2]
        return tensor
    if kind in ("list", "tuple"):
        values = [_unpack(v) for v in value]
        return values if kind == "list" else tuple(values)
    return {k: _unpack(v) for k, v in value.items()} if kind == "dict" else value


def fused_allreduce_gradients_with_group(parameter_list, group, bucket_size=128 * 1024 * 1024, scale=None):
    """Replace gradients by their sums over a group, times ``scale``: None means one by the number of ranks.

    Args:
        bucket_size: bytes that travel together.
    """
    params = [p for p in parameter_list if not p.stop_gradient]
    if params and group.nranks > 1:
        sum_gradients(params, group.comm, bucket_size, 1.0 / group.nranks if scale is None else scale)


def fused_allreduce_gradients(parameter_list, hcg):
    """Replace gradients by their means over the data axis; over the sep axis, where sequences are cut, they are added up."""
    if hcg is None:
        fused_allreduce_gradients_with_group(parameter_list, world())
        return
    group = hcg.get_dp_sep_parallel_group() if hcg.get_sep_parallel_world_size() > 1 else hcg.get_data_parallel_group()
    fused_allreduce_gradients_with_group(parameter_list, group, scale=1.0 / hcg.get_data_parallel_world_size())


def unwrap_optimizer(optimizer, optimizer_instances=()):
    """The optimizer inside wrappers of some classes."""
    while isinstance(optimizer, optimizer_instances):
        optimizer = optimizer._inner_opt
    return optimizer


__getattr__ = _lookup(__name__)
