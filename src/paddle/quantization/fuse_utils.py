"""Batch norms folded into the layers before them, so that calibration sees what will run."""

import copy

from ..core.errors import ArgumentError, describe
from ..nn import BatchNorm1D, BatchNorm2D, Conv2D, Identity, Linear
from ..tensor.creation import ones_like, zeros_like

__all__ = ["fuse_conv_bn", "fuse_layers"]

_CHANNELS = {(Conv2D, BatchNorm2D): 0, (Linear, BatchNorm1D): 1}  # pairs, and the axis of the weight's results


def fuse_conv_bn(model):
    """Fold every BatchNorm2D into the Conv2D that comes before it in the model's order, by the statistics of inference.

    Those whose numbers of channels differ stay; the model is changed in place; its layers keep their modes.
    """
    pairs, conv = [], None
    for name, layer in model.named_sublayers():
        if isinstance(layer, Conv2D):
            conv = name, layer
        elif isinstance(layer, BatchNorm2D) and conv is not None and conv[1]._out_channels == layer._mean.shape[0]:
            pairs.append([conv[0], name])
            conv = None
    modes = {name: layer.training for name, layer in model.named_sublayers(include_self=True)}
    model.eval()
    fuse_layers(model, pairs, inplace=True)
    for name, layer in model.named_sublayers(include_self=True):
        layer.training = modes[name]
    return model


def fuse_layers(model, layers_to_fuse, inplace=False):
    """The model (a copy unless ``inplace``) with pairs of layers folded into the first; the second becomes an Identity.

    Args:
        layers_to_fuse: pairs of names, as ``named_sublayers`` has them: a Conv2D and a BatchNorm2D, or a Linear and a
            BatchNorm1D, both in ``eval()`` mode.
    """
    model = model if inplace else copy.deepcopy(model)
    for names in layers_to_fuse:
        if not isinstance(names, (list, tuple)) or len(names) != 2:
            raise ArgumentError(f"fuse_layers(): layers_to_fuse must be pairs of names, got {describe(names)}")
        (parent, own, layer), (other, others, norm) = (_found(model, name) for name in names)
        axis = _CHANNELS.get((type(layer), type(norm)))
        if axis is None:
            raise ArgumentError(f"fuse_layers(): {names} are {type(layer).__name__} and {type(norm).__name__}; expected Conv2D and "
                                "BatchNorm2D, or Linear and BatchNorm1D")
        if layer.training or norm.training:
            raise ArgumentError(f"fuse_layers(): {names} must be in eval() mode: statistics of training change with each batch")
        if layer._forward_post_hooks or norm._forward_pre_hooks:
            raise ArgumentError(f"fuse_layers(): hooks between {names[0]} and {names[1]} would have nothing to see")
        parent._sub_layers[own], other._sub_layers[others] = _fused(layer, norm, axis), Identity()
        other._sub_layers[others].training = layer.training
    return model


def _found(model, name):
    """(parent, own name, layer) of a name with dots."""
    parent, _, own = name.rpartition(".")
    layers = {"": model, **dict(model.named_sublayers())}
    if name not in layers or not name:
        raise ArgumentError(f"fuse_layers(): the model has no layer {name!r}")
    return layers[parent], own, layers[name]


def _fused(layer, norm, axis):
    """One layer that computes what two do, with the hooks of both ends."""
    fused = copy.deepcopy(layer)
    scale = norm.weight if norm.weight is not None else ones_like(norm._mean)
    shift = norm.bias if norm.bias is not None else zeros_like(norm._mean)
    factor = scale.detach() * (norm._variance + norm._epsilon).rsqrt()
    before = fused.bias.detach() if fused.bias is not None else zeros_like(norm._mean)
    fused.weight.set_value(fused.weight.detach() * factor.reshape([-1 if k == axis else 1 for k in range(fused.weight.ndim)]))
    if fused.bias is None:
        fused.bias = fused.create_parameter(norm._mean.shape, dtype=fused.weight.dtype, is_bias=True)
    fused.bias.set_value((before - norm._mean) * factor + shift.detach())
    fused._forward_post_hooks = norm._forward_post_hooks
    return fused
