"""Layers and control flow of static programs."""

from ...core.addresses import lookup as _lookup
from ..debug import Assert, py_func  # noqa: F401
from ..program.parameters import create_parameter  # noqa: F401
from .common import (  # noqa: F401
    batch_norm,
    bilinear_tensor_product,
    continuous_value_model,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    deform_conv2d,
    embedding,
    fc,
    group_norm,
    instance_norm,
    layer_norm,
    prelu,
    row_conv,
    sparse_embedding,
    spectral_norm,
)
from .control_flow import case, cond, switch_case, while_loop  # noqa: F401
from .pylayer import static_pylayer  # noqa: F401
from .sampled import data_norm, nce  # noqa: F401
from .sequence import *  # noqa: F403

__getattr__ = _lookup(__name__)
