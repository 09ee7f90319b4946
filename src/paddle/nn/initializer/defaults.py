"""Which initializer a new parameter gets: its own, the global one, its layer's."""

from ...core.errors import check_type, describe
from .base import Initializer
from .fixed import Constant
from .random import XavierUniform

_global = {"weight": None, "bias": None}


def set_global_initializer(weight_init, bias_init=None):
    """Use these initializers for every parameter that is not given its own; None returns to the layers' defaults.

    Args:
        weight_init (Initializer or None): for parameters that are no biases.
        bias_init (Initializer or None): for biases.

    >>> paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(1.0))
    >>> paddle.nn.Linear(1, 1).weight.tolist()
    [[1.0]]
    >>> paddle.nn.initializer.set_global_initializer(None)
    """
    for value, argument in ((weight_init, "weight_init"), (bias_init, "bias_init")):
        if value is not None:
            check_type(value, Initializer, "set_global_initializer", argument)
    _global["weight"], _global["bias"] = weight_init, bias_init


def choose(own, layer_default, is_bias):
    """The initializer of a new parameter: its own, the global one, the layer's, or Xavier / zeros."""
    if own is not None:
        if not callable(own):
            raise TypeError(f"ParamAttr: initializer must be an Initializer, got {describe(own)}")
        return own
    chosen = _global["bias" if is_bias else "weight"] or layer_default
    if chosen is not None:
        if not callable(chosen):
            raise TypeError(f"create_parameter(): initializer must be an Initializer, got {describe(chosen)}")
        return chosen
    return Constant(0.0) if is_bias else XavierUniform()
