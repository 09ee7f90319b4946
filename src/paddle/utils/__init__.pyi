"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.utils.plot import Ploter as Ploter
from . import archive as archive
from . import cpp_extension as cpp_extension
from paddle.utils.compat import deprecated as deprecated
from . import dlpack as dlpack
from . import download as download
from . import naming as naming
from . import plot as plot
from paddle.utils.compat import require_version as require_version
from paddle.utils.install_check import run_check as run_check
from paddle.utils.compat import try_import as try_import
from . import unique_name as unique_name

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


