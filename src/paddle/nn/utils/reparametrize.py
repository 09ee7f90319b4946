"""Weights computed from other parameters before every call: weight norm and spectral norm."""

import numpy as np

from ...core.errors import describe
from ...core.tensor import Tensor
from ...ops.math import arithmetic, reduction, unary
from ...tensor import random
from ...tensor.convert import cast, numpy_dtype
from ..layer.common import Linear
from ..layer.conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from ..layer.layers import Layer
from ..layer.norm import by_largest_singular_value

__all__ = ["weight_norm", "remove_weight_norm", "spectral_norm"]


def _weight(layer, name, function):
    if not isinstance(layer, Layer):
        raise TypeError(f"{function}(): layer must be a Layer, got {type(layer).__name__}")
    weight = layer._parameters.get(name)
    if weight is None:
        raise ValueError(f"{function}(): {type(layer).__name__} has no parameter {name!r}")
    if not isinstance(weight, Tensor):
        raise NotImplementedError(f"{function}(): it needs the values of {name}, which a static program does not have while it is "
                                  "built; use paddle.static.WeightNormParamAttr or paddle.static.nn.spectral_norm there")
    return weight


def _norm_except(v, dim):
    """The 2-norm of every slice of v along ``dim`` (of all of v for dim -1), shaped to broadcast."""
    axes = tuple(range(len(v.shape))) if dim == -1 else tuple(a for a in range(len(v.shape)) if a != dim)
    return unary.sqrt(reduction.sum(arithmetic.multiply(v, v), axes, True)) if axes else unary.abs(v)


class _WeightNorm:
    """The hook that makes the weight: g * v / |v|."""

    def __init__(self, name, dim):
        self.name, self.dim = name, dim

    def compute(self, layer):
        g, v = getattr(layer, self.name + "_g"), getattr(layer, self.name + "_v")
        if self.dim == -1:
            return arithmetic.multiply(v, arithmetic.divide(g, _norm_except(v, -1).reshape([1])))
        shape = [1] * len(v.shape)
        shape[self.dim] = v.shape[self.dim]
        return arithmetic.multiply(v, arithmetic.divide(g.reshape(shape), _norm_except(v, self.dim)))

    def __call__(self, layer, inputs):
        object.__setattr__(layer, self.name, self.compute(layer))


def weight_norm(layer, name="weight", dim=0):
    """Replace a weight by its direction ``<name>_v`` and its length ``<name>_g``, one for each slice along ``dim``.

    With dim=None or -1 there is one length for the whole weight. Returns the layer.

    Args:
        layer (Layer): changed in place.
        name (str, 'weight'): which parameter.
        dim (int or None, 0): axis along which every slice has a length of its own; None or -1 for one length.
    Returns:
        Layer: the one that was given.
    Raises:
        ValueError: the layer has no such parameter, or it has been replaced already.

    >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 3), dim=1)
    >>> layer.weight_g.shape
    [3]
    """
    weight = _weight(layer, name, "weight_norm")
    if name + "_g" in layer._parameters:
        raise RuntimeError(f"weight_norm(): {name} has a weight norm already")
    rank = len(weight.shape)
    if dim is not None and not isinstance(dim, (int, np.integer)):
        raise TypeError(f"weight_norm(): dim must be an int or None, got {describe(dim)}")
    if dim is not None and not -rank <= dim < rank:
        raise ValueError(f"weight_norm(): dim must be in [{-rank}, {rank}), got {dim}")
    dim = -1 if dim in (None, -1) else dim % rank
    hook = _WeightNorm(name, dim)
    length = _norm_except(weight.detach(), dim).reshape([-1])
    del layer._parameters[name]
    v = layer.create_parameter(list(weight.shape), dtype=weight.dtype)
    v.set_value(weight.detach())
    g = layer.create_parameter(list(length.shape), dtype=weight.dtype)
    g.set_value(length)
    layer.add_parameter(name + "_v", v)
    layer.add_parameter(name + "_g", g)
    hook(layer, ())
    hook.handle = layer.register_forward_pre_hook(hook)
    return layer


def remove_weight_norm(layer, name="weight"):
    """Put the plain weight back in place of its direction and length; returns the layer.

    Args:
        layer (Layer): one that ``weight_norm`` has changed.
        name (str, 'weight'): which parameter.

    >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 3))
    >>> sorted(paddle.nn.utils.remove_weight_norm(layer).state_dict())
    ['bias', 'weight']
    """
    if not isinstance(layer, Layer):
        raise TypeError(f"remove_weight_norm(): layer must be a Layer, got {describe(layer)}")
    for hook in list(layer._forward_pre_hooks.values()):
        if isinstance(hook, _WeightNorm) and hook.name == name:
            value = hook.compute(layer).detach()
            hook.handle.remove()
            delattr(layer, name + "_g")
            delattr(layer, name + "_v")
            layer.__dict__.pop(name, None)
            weight = layer.create_parameter(list(value.shape), dtype=value.dtype)
            weight.set_value(value)
            layer.add_parameter(name, weight)
            return layer
    raise ValueError(f"remove_weight_norm(): {name!r} of {type(layer).__name__} has no weight norm")


class _SpectralNorm:
    """The hook that makes the weight: the original one divided by its largest singular value, estimated."""

    def __init__(self, name, dim, iterations, eps):
        self.name, self.dim, self.iterations, self.eps = name, dim, iterations, eps

    def __call__(self, layer, inputs):
        u, v = layer._buffers[self.name + "_u"], layer._buffers[self.name + "_v"]
        value, new_u, new_v = by_largest_singular_value(getattr(layer, self.name + "_orig"), u, v, self.dim,
                                                        self.iterations if layer.training else 0, self.eps, True)
        u.replace(new_u._data)
        v.replace(new_v._data)
        object.__setattr__(layer, self.name, value)


def _unit(layer, size, like, eps):
    """A random vector of length 1. As in Paddle it begins as a parameter, whose initial values are drawn and written over."""
    vector = cast(random.normal_(layer.create_parameter([size]).detach()), numpy_dtype(like))
    return vector / arithmetic.clip(unary.sqrt(reduction.sum(vector * vector)), min=eps)


def spectral_norm(layer, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value before every call; the parameter becomes ``<name>_orig``.

    ``dim`` is the axis of the results: 1 for linear and transposed convolution layers, else 0. Returns the layer.

    Args:
        layer (Layer): changed in place.
        name (str): which parameter.
        n_power_iterations (int): steps of the power method at each call.
        eps (float): the least that is divided by.
        dim (int or None): axis of the results; found from the kind of layer for None.
    Returns:
        Layer: the one that was given.
    Raises:
        ValueError: the layer has no such parameter, or ``n_power_iterations`` is not positive.
        TypeError: ``layer`` is not a Layer.

    >>> sorted(paddle.nn.utils.spectral_norm(paddle.nn.Linear(2, 3)).state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    weight = _weight(layer, name, "spectral_norm")
    if n_power_iterations <= 0:
        raise ValueError(f"spectral_norm(): n_power_iterations must be positive, got {n_power_iterations}")
    if dim is None:
        dim = 1 if isinstance(layer, (Linear, Conv1DTranspose, Conv2DTranspose, Conv3DTranspose)) else 0
    rows = weight.shape[dim]
    u, v = (_unit(layer, n, weight, eps) for n in (rows, int(weight.size) // rows))
    del layer._parameters[name]
    layer.add_parameter(name + "_orig", weight)
    layer.register_buffer(name + "_u", u)
    layer.register_buffer(name + "_v", v)
    hook = _SpectralNorm(name, dim, n_power_iterations, eps)
    object.__setattr__(layer, name, weight * 1.0)  # until the first call
    layer.register_forward_pre_hook(hook)
    return layer
