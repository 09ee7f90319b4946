"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.fluid.dygraph.losses import BCELoss as BCELoss
from paddle.fluid.dygraph.base import BackwardStrategy as BackwardStrategy
from paddle.fluid.dygraph.nn import BatchNorm as BatchNorm
from paddle.fluid.dygraph.nn import BilinearTensorProduct as BilinearTensorProduct
from paddle.fluid.dygraph.nn import Conv2D as Conv2D
from paddle.fluid.dygraph.nn import Conv2DTranspose as Conv2DTranspose
from paddle.fluid.dygraph.nn import Conv3D as Conv3D
from paddle.fluid.dygraph.nn import Conv3DTranspose as Conv3DTranspose
from paddle.fluid.dygraph.learning_rate_scheduler import CosineDecay as CosineDecay
from paddle.fluid.dygraph.nn import Dropout as Dropout
from paddle.fluid.dygraph.nn import Embedding as Embedding
from paddle.fluid.dygraph.learning_rate_scheduler import ExponentialDecay as ExponentialDecay
from paddle.fluid.dygraph.nn import FC as FC
from paddle.fluid.dygraph.nn import GRUUnit as GRUUnit
from paddle.fluid.dygraph.nn import GroupNorm as GroupNorm
from paddle.fluid.dygraph.nn import InstanceNorm as InstanceNorm
from paddle.fluid.dygraph.learning_rate_scheduler import InverseTimeDecay as InverseTimeDecay
from paddle.fluid.dygraph.losses import L1Loss as L1Loss
from paddle.fluid.dygraph.learning_rate_scheduler import LambdaDecay as LambdaDecay
from paddle.fluid.dygraph.layers import Layer as Layer
from paddle.fluid.dygraph.nn import LayerNorm as LayerNorm
from paddle.fluid.dygraph.learning_rate_scheduler import LearningRateDecay as LearningRateDecay
from paddle.fluid.dygraph.nn import Linear as Linear
from paddle.fluid.dygraph.learning_rate_scheduler import LinearLrWarmup as LinearLrWarmup
from paddle.fluid.dygraph.losses import MSELoss as MSELoss
from paddle.fluid.dygraph.learning_rate_scheduler import MultiStepDecay as MultiStepDecay
from paddle.fluid.dygraph.special import NCE as NCE
from paddle.fluid.dygraph.losses import NLLLoss as NLLLoss
from paddle.fluid.dygraph.learning_rate_scheduler import NaturalExpDecay as NaturalExpDecay
from paddle.fluid.dygraph.learning_rate_scheduler import NoamDecay as NoamDecay
from paddle.fluid.dygraph.nn import PRelu as PRelu
from paddle.fluid.dygraph.learning_rate_scheduler import PiecewiseDecay as PiecewiseDecay
from paddle.fluid.dygraph.learning_rate_scheduler import PolynomialDecay as PolynomialDecay
from paddle.fluid.dygraph.nn import Pool2D as Pool2D
from paddle.fluid.dygraph.py_layer import PyLayer as PyLayer
from paddle.fluid.dygraph.learning_rate_scheduler import ReduceLROnPlateau as ReduceLROnPlateau
from paddle.fluid.dygraph.nn import SpectralNorm as SpectralNorm
from paddle.fluid.dygraph.learning_rate_scheduler import StepDecay as StepDecay
from paddle.fluid.dygraph.special import TreeConv as TreeConv
from . import base as base
from . import checkpoint as checkpoint
from paddle.fluid.state import disable_dygraph as disable_dygraph
from paddle.fluid.state import enable_dygraph as enable_dygraph
from paddle.fluid.dygraph.base import enabled as enabled
from paddle.fluid.dygraph.base import grad as grad
from paddle.fluid.state import guard as guard
from . import layers as layers
from . import learning_rate_scheduler as learning_rate_scheduler
from paddle.fluid.dygraph.checkpoint import load_dygraph as load_dygraph
from paddle.fluid.dygraph.checkpoint import load_persistables as load_persistables
from . import nn as nn
from paddle.fluid.dygraph.base import _NoGrad as no_grad
from paddle.fluid.dygraph.checkpoint import save_dygraph as save_dygraph
from paddle.fluid.dygraph.checkpoint import save_persistables as save_persistables
from paddle.fluid.dygraph.base import switch_to_static_graph as switch_to_static_graph
from paddle.fluid.dygraph.base import to_variable as to_variable

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


