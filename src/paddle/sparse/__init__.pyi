"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.sparse.unary import abs as abs
from paddle.sparse.binary import add as add
from paddle.sparse.binary import addmm as addmm
from paddle.sparse.unary import asin as asin
from paddle.sparse.unary import asinh as asinh
from paddle.sparse.unary import atan as atan
from paddle.sparse.unary import atanh as atanh
from . import binary as binary
from paddle.sparse.unary import cast as cast
from paddle.sparse.unary import coalesce as coalesce
from paddle.sparse.unary import deg2rad as deg2rad
from paddle.sparse.binary import divide as divide
from paddle.sparse.unary import expm1 as expm1
from paddle.sparse.unary import is_same_shape as is_same_shape
from paddle.sparse.unary import isnan as isnan
from paddle.sparse.unary import log1p as log1p
from paddle.sparse.binary import mask_as as mask_as
from paddle.sparse.binary import masked_matmul as masked_matmul
from paddle.sparse.binary import matmul as matmul
from paddle.sparse.binary import multiply as multiply
from paddle.sparse.binary import mv as mv
from paddle.sparse.unary import neg as neg
from . import nn as nn
from paddle.sparse.unary import pca_lowrank as pca_lowrank
from paddle.sparse.unary import pow as pow
from paddle.sparse.unary import rad2deg as rad2deg
from paddle.sparse.unary import reshape as reshape
from paddle.sparse.unary import sin as sin
from paddle.sparse.unary import sinh as sinh
from paddle.sparse.unary import slice as slice
from paddle.sparse.tensors import sparse_coo_tensor as sparse_coo_tensor
from paddle.sparse.tensors import sparse_csr_tensor as sparse_csr_tensor
from paddle.sparse.unary import sqrt as sqrt
from paddle.sparse.unary import square as square
from paddle.sparse.binary import subtract as subtract
from paddle.sparse.unary import sum as sum
from paddle.sparse.unary import tan as tan
from paddle.sparse.unary import tanh as tanh
from . import tensors as tensors
from paddle.sparse.unary import transpose as transpose
from . import unary as unary

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


