"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.nn.layer.pooling import AdaptiveAvgPool1D as AdaptiveAvgPool1D
from paddle.nn.layer.pooling import AdaptiveAvgPool2D as AdaptiveAvgPool2D
from paddle.nn.layer.pooling import AdaptiveAvgPool3D as AdaptiveAvgPool3D
from paddle.nn.layer.pooling import AdaptiveMaxPool1D as AdaptiveMaxPool1D
from paddle.nn.layer.pooling import AdaptiveMaxPool2D as AdaptiveMaxPool2D
from paddle.nn.layer.pooling import AdaptiveMaxPool3D as AdaptiveMaxPool3D
from paddle.nn.layer.common import AlphaDropout as AlphaDropout
from paddle.nn.layer.pooling import AvgPool1D as AvgPool1D
from paddle.nn.layer.pooling import AvgPool2D as AvgPool2D
from paddle.nn.layer.pooling import AvgPool3D as AvgPool3D
from paddle.nn.layer.loss import BCELoss as BCELoss
from paddle.nn.layer.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from paddle.nn.layer.norm import BatchNorm as BatchNorm
from paddle.nn.layer.norm import BatchNorm1D as BatchNorm1D
from paddle.nn.layer.norm import BatchNorm2D as BatchNorm2D
from paddle.nn.layer.norm import BatchNorm3D as BatchNorm3D
from paddle.nn.layer.rnn import BiRNN as BiRNN
from paddle.nn.layer.activation import CELU as CELU
from paddle.nn.clip import ClipGradByGlobalNorm as ClipGradByGlobalNorm
from paddle.nn.clip import ClipGradByNorm as ClipGradByNorm
from paddle.nn.clip import ClipGradByValue as ClipGradByValue
from paddle.nn.layer.conv import Conv1D as Conv1D
from paddle.nn.layer.conv import Conv1DTranspose as Conv1DTranspose
from paddle.nn.layer.conv import Conv2D as Conv2D
from paddle.nn.layer.conv import Conv2DTranspose as Conv2DTranspose
from paddle.nn.layer.conv import Conv3D as Conv3D
from paddle.nn.layer.conv import Conv3DTranspose as Conv3DTranspose
from paddle.nn.layer.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from paddle.nn.layer.common import CosineSimilarity as CosineSimilarity
from paddle.nn.layer.loss import CrossEntropyLoss as CrossEntropyLoss
from paddle.nn.layer.common import Dropout as Dropout
from paddle.nn.layer.common import Dropout2D as Dropout2D
from paddle.nn.layer.common import Dropout3D as Dropout3D
from paddle.nn.layer.activation import ELU as ELU
from paddle.nn.layer.common import Embedding as Embedding
from paddle.nn.layer.common import Flatten as Flatten
from paddle.nn.layer.activation import GELU as GELU
from paddle.nn.layer.activation import GLU as GLU
from paddle.nn.layer.rnn import GRU as GRU
from paddle.nn.layer.rnn import GRUCell as GRUCell
from paddle.nn.layer.loss import GaussianNLLLoss as GaussianNLLLoss
from paddle.nn.layer.norm import GroupNorm as GroupNorm
from paddle.nn.layer.activation import Hardshrink as Hardshrink
from paddle.nn.layer.activation import Hardsigmoid as Hardsigmoid
from paddle.nn.layer.activation import Hardswish as Hardswish
from paddle.nn.layer.activation import Hardtanh as Hardtanh
from paddle.nn.layer.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from paddle.nn.layer.common import Identity as Identity
from paddle.nn.layer.norm import InstanceNorm1D as InstanceNorm1D
from paddle.nn.layer.norm import InstanceNorm2D as InstanceNorm2D
from paddle.nn.layer.norm import InstanceNorm3D as InstanceNorm3D
from paddle.nn.layer.loss import KLDivLoss as KLDivLoss
from paddle.nn.layer.loss import L1Loss as L1Loss
from paddle.nn.layer.rnn import LSTM as LSTM
from paddle.nn.layer.rnn import LSTMCell as LSTMCell
from paddle.nn.layer.layers import Layer as Layer
from paddle.nn.layer.container import LayerDict as LayerDict
from paddle.nn.layer.container import LayerList as LayerList
from paddle.nn.layer.norm import LayerNorm as LayerNorm
from paddle.nn.layer.activation import LeakyReLU as LeakyReLU
from paddle.nn.layer.common import Linear as Linear
from paddle.nn.layer.norm import LocalResponseNorm as LocalResponseNorm
from paddle.nn.layer.activation import LogSigmoid as LogSigmoid
from paddle.nn.layer.activation import LogSoftmax as LogSoftmax
from paddle.nn.layer.loss import MSELoss as MSELoss
from paddle.nn.layer.loss import MarginRankingLoss as MarginRankingLoss
from paddle.nn.layer.pooling import MaxPool1D as MaxPool1D
from paddle.nn.layer.pooling import MaxPool2D as MaxPool2D
from paddle.nn.layer.pooling import MaxPool3D as MaxPool3D
from paddle.nn.layer.activation import Maxout as Maxout
from paddle.nn.layer.activation import Mish as Mish
from paddle.nn.layer.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from paddle.nn.layer.loss import MultiMarginLoss as MultiMarginLoss
from paddle.nn.layer.loss import NLLLoss as NLLLoss
from paddle.nn.layer.activation import PReLU as PReLU
from paddle.nn.layer.common import PairwiseDistance as PairwiseDistance
from paddle.nn.layer.container import ParameterList as ParameterList
from paddle.nn.layer.loss import PoissonNLLLoss as PoissonNLLLoss
from paddle.nn.layer.rnn import RNN as RNN
from paddle.nn.layer.rnn import RNNCellBase as RNNCellBase
from paddle.nn.layer.activation import RReLU as RReLU
from paddle.nn.layer.activation import ReLU as ReLU
from paddle.nn.layer.activation import ReLU6 as ReLU6
from paddle.nn.layer.activation import SELU as SELU
from paddle.nn.layer.container import Sequential as Sequential
from paddle.nn.layer.activation import Sigmoid as Sigmoid
from paddle.nn.layer.activation import Silu as Silu
from paddle.nn.layer.rnn import SimpleRNN as SimpleRNN
from paddle.nn.layer.rnn import SimpleRNNCell as SimpleRNNCell
from paddle.nn.layer.loss import SmoothL1Loss as SmoothL1Loss
from paddle.nn.layer.loss import SoftMarginLoss as SoftMarginLoss
from paddle.nn.layer.activation import Softmax as Softmax
from paddle.nn.layer.activation import Softmax2D as Softmax2D
from paddle.nn.layer.activation import Softplus as Softplus
from paddle.nn.layer.activation import Softshrink as Softshrink
from paddle.nn.layer.activation import Softsign as Softsign
from paddle.nn.layer.norm import SpectralNorm as SpectralNorm
from paddle.nn.layer.activation import Swish as Swish
from paddle.nn.layer.norm import SyncBatchNorm as SyncBatchNorm
from paddle.nn.layer.activation import Tanh as Tanh
from paddle.nn.layer.activation import Tanhshrink as Tanhshrink
from paddle.nn.layer.activation import ThresholdedReLU as ThresholdedReLU
from paddle.nn.layer.loss import TripletMarginLoss as TripletMarginLoss
from paddle.nn.layer.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


