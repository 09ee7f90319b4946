"""paddle.declarative: static networks as 2.0 alpha named them (successor: paddle.static.nn)."""

from .core.errors import suggest as _suggest
from .fluid import layers as _layers
from .fluid.input import embedding

_SAME = ("fc", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "batch_norm", "layer_norm", "group_norm",
         "instance_norm", "data_norm", "spectral_norm", "prelu", "row_conv", "nce", "hsigmoid", "bilinear_tensor_product",
         "crf_decoding", "deformable_conv", "multi_box_head", "py_func")
__all__ = ["embedding", *_SAME]


def __getattr__(name):
    if name in _SAME:
        return getattr(_layers, name)
    raise AttributeError(f"module 'paddle.declarative' has no attribute {name!r}{_suggest(name, __all__)}")
