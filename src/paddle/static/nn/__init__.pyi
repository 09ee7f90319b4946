"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.static.debug import Assert as Assert
from paddle.static.nn.common import batch_norm as batch_norm
from paddle.static.nn.common import bilinear_tensor_product as bilinear_tensor_product
from paddle.static.nn.control_flow import case as case
from . import common as common
from paddle.static.nn.control_flow import cond as cond
from paddle.static.nn.common import continuous_value_model as continuous_value_model
from . import control_flow as control_flow
from paddle.static.nn.common import conv2d as conv2d
from paddle.static.nn.common import conv2d_transpose as conv2d_transpose
from paddle.static.nn.common import conv3d as conv3d
from paddle.static.nn.common import conv3d_transpose as conv3d_transpose
from paddle.static.variables import create_parameter as create_parameter
from paddle.static.nn.common import data_norm as data_norm
from paddle.static.nn.common import deform_conv2d as deform_conv2d
from paddle.static.nn.common import embedding as embedding
from paddle.static.nn.common import fc as fc
from paddle.static.nn.common import group_norm as group_norm
from paddle.static.nn.common import instance_norm as instance_norm
from paddle.static.nn.common import layer_norm as layer_norm
from paddle.static.nn.common import nce as nce
from . import parameters as parameters
from paddle.static.nn.common import prelu as prelu
from paddle.static.debug import py_func as py_func
from . import pylayer as pylayer
from paddle.static.nn.common import row_conv as row_conv
from paddle.static.nn.common import sequence_concat as sequence_concat
from paddle.static.nn.common import sequence_conv as sequence_conv
from paddle.static.nn.common import sequence_enumerate as sequence_enumerate
from paddle.static.nn.common import sequence_expand as sequence_expand
from paddle.static.nn.common import sequence_expand_as as sequence_expand_as
from paddle.static.nn.common import sequence_first_step as sequence_first_step
from paddle.static.nn.common import sequence_last_step as sequence_last_step
from paddle.static.nn.common import sequence_pad as sequence_pad
from paddle.static.nn.common import sequence_pool as sequence_pool
from paddle.static.nn.common import sequence_reshape as sequence_reshape
from paddle.static.nn.common import sequence_reverse as sequence_reverse
from paddle.static.nn.common import sequence_scatter as sequence_scatter
from paddle.static.nn.common import sequence_slice as sequence_slice
from paddle.static.nn.common import sequence_softmax as sequence_softmax
from paddle.static.nn.common import sequence_unpad as sequence_unpad
from paddle.static.nn.common import sparse_embedding as sparse_embedding
from paddle.static.nn.common import spectral_norm as spectral_norm
from paddle.static.nn.pylayer import static_pylayer as static_pylayer
from paddle.static.nn.control_flow import switch_case as switch_case
from paddle.static.nn.control_flow import while_loop as while_loop

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


