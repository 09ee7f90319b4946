"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from . import datasets as datasets
from paddle.vision.image import get_image_backend as get_image_backend
from paddle.vision.image import image_load as image_load
from . import models as models
from . import ops as ops
from paddle.vision.image import set_image_backend as set_image_backend
from . import transforms as transforms

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


