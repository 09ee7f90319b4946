"""Layers and optimizers whose arguments 2.0 alpha named otherwise.

``paddle.nn.Linear(13, 5, act='relu')`` builds the layer of that generation when a keyword says so, or in imperative mode.
Keywords that only 2.x has always choose 2.x.
"""

import contextlib
import inspect

from . import era

_CONV = ({"num_channels", "num_filters", "filter_size", "param_attr", "use_cudnn", "act", "dtype"},
         {"in_channels", "out_channels", "kernel_size", "weight_attr", "padding_mode", "data_format"})
_LAYERS = {  # class: (keywords that only 2.0 alpha has, keywords that only 2.x has)
    **dict.fromkeys(("Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose"), _CONV),
    "Linear": ({"input_dim", "output_dim", "param_attr", "act", "dtype"},
               {"in_features", "out_features", "weight_attr", "name"}),
    "Embedding": ({"size", "is_sparse", "is_distributed", "param_attr", "dtype"},
                  {"num_embeddings", "embedding_dim", "sparse", "weight_attr", "name"}),
    "Dropout": ({"seed", "dropout_implementation", "is_test"}, {"axis", "mode", "name"}),
    "LayerNorm": ({"scale", "shift", "param_attr", "act", "dtype"}, {"weight_attr", "name"}),
    "GroupNorm": ({"channels", "groups", "param_attr", "act", "data_layout", "dtype"},
                  {"num_groups", "num_channels", "weight_attr", "data_format", "name"}),
}
_OPTIMIZER = ({"parameter_list", "regularization"}, {"parameters", "weight_decay", "multi_precision", "use_multi_tensor"})
_OPTIMIZERS = ("SGD", "Momentum", "Adam", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb")
_installed = []


def install():
    """Let the classes of 2.x hand construction over where the arguments are 2.0 alpha's; done once."""
    if _installed:
        return
    from .. import nn, optimizer
    from ..fluid import optimizer as old_optimizer
    from ..fluid.dygraph import nn as old_nn
    for name, keywords in _LAYERS.items():
        older = getattr(old_nn, name)
        _hand_over(getattr(nn, name), type(name, (older,), {"_running_mode": contextlib.nullcontext,
                                                                "__doc__": older.__doc__}), *keywords)
    for name in _OPTIMIZERS:
        _hand_over(getattr(optimizer, name), getattr(old_optimizer, name), *_OPTIMIZER)


def _hand_over(modern, older, alpha, ours):
    """From now on ``modern(...)`` makes an ``older`` when its keywords, or the mode, mean 2.0 alpha."""
    def __new__(cls, *args, **kwargs):
        given = kwargs.keys()
        if cls is modern and (args or kwargs) and (alpha & given or era.active() and not ours & given):
            # of a subclass Python calls __init__ itself
            return object.__new__(older) if issubclass(older, modern) else older(*args, **kwargs)
        return object.__new__(cls)
    __new__.__signature__ = inspect.signature(modern.__init__)  # what help() shows stays as it was
    _installed.append(modern)
    modern.__new__ = __new__
