"""decorate: models stored in a short type, and optimizers that keep float32 copies of their weights."""

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import check_choice, check_type, describe
from ..nn import Layer
from ..nn.layer.norm import LayerNorm, _BatchNormBase, _InstanceNorm
from .auto_cast import usable

__all__ = ["decorate"]


def decorate(models, optimizers=None, level="O1", dtype="float16", master_weight=None, save_dtype=None, master_grad=False,
             excluded_layers=None):
    """Prepare models (and optimizers) for mixed precision; with level 'O2' parameters are stored in the short type.

    Batch, instance and layer norms stay in float32. Returns what was given, models and optimizers.

    Args:
        models, optimizers (Layer or Optimizer, list or None): one or a list of them; optimizers may be None.
        level (str): 'O1' (nothing is stored in the short type) or 'O2'.
        dtype (str): 'float16' or 'bfloat16' (see the module's text for which are used).
        master_weight (bool or None): False: optimizers keep no float32 copies of the weights.
        save_dtype (str or None): type of the floating tensors in what ``state_dict`` returns, and so of ``paddle.save`` of it.
            Models saved with ``paddle.jit.save`` have the types that they compute in.
        master_grad (bool): gradients of short parameters become float32, so that sums, clipping and decay don't lose digits.
        excluded_layers (list or None): layers, or classes of layers, that stay in float32.
    Returns:
        The models, or (models, optimizers) if optimizers were given.
    Raises:
        TypeError: ``models`` holds something other than Layers.
        ValueError: ``level`` or ``dtype`` is unknown.

    >>> model = paddle.amp.decorate(paddle.nn.Linear(2, 2), level="O1")
    >>> model.weight.dtype
    paddle.float32
    """
    check_choice(level, ("O1", "O2"), "decorate", "level")
    check_choice(dtype, ("float16", "bfloat16"), "decorate", "dtype")
    layers = _listed(models)
    for model in layers:
        check_type(model, Layer, "decorate", "models")
    if save_dtype is not None:
        check_choice(save_dtype, ("float16", "bfloat16", "float32", "float64"), "decorate", "save_dtype")
        for layer in (layer for model in layers for layer in model.sublayers(include_self=True)):
            layer.register_state_dict_hook(_Saved(save_dtype))
    if level == "O2" and usable(dtype, "decorate"):
        kept = _kept(excluded_layers)
        for model in layers:
            for parameter in _shorten(model, kept, dtypes.to_numpy(dtype)):
                if master_grad:
                    parameter.register_hook(_widen)
        for optimizer in _listed(optimizers):
            optimizer._multi_precision = master_weight is not False
    return models if optimizers is None else (models, optimizers)


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def _kept(excluded):
    """A function that says whether a layer stays in float32."""
    classes, single = [_BatchNormBase, _InstanceNorm, LayerNorm], set()
    for item in _listed(excluded):
        if isinstance(item, type) and issubclass(item, Layer):
            classes.append(item)
        elif isinstance(item, Layer):
            single.update(id(layer) for layer in item.sublayers(include_self=True))
        else:
            raise TypeError(f"decorate(): excluded_layers must be layers or classes of layers, got {describe(item)}")
    return lambda layer: isinstance(layer, tuple(classes)) or id(layer) in single


def _shorten(model, kept, kind):
    """Store float32 parameters and buffers in a short type; the trained ones among them, each once."""
    found = {}
    for layer in model.sublayers(include_self=True):
        if kept(layer):
            continue
        for tensor in [*layer._parameters.values(), *layer._buffers.values()]:
            if tensor is not None and tensor._data.dtype == np.float32:
                tensor.replace(tensor._data.astype(kind))
                if not tensor.stop_gradient:
                    found[id(tensor)] = tensor
    return list(found.values())


def _widen(gradient):
    return gradient.astype("float32")


class _Saved:
    """Hook of ``state_dict``: floating tensors in another type, under their old names."""

    def __init__(self, dtype):
        self.dtype = dtypes.convert(dtype)

    def __call__(self, state):
        for key, tensor in state.items():
            if tensor.dtype.is_floating and tensor.dtype is not self.dtype:
                state[key] = tensor.detach().astype(self.dtype)
                state[key].name = tensor.name
