"""paddle.functional: functions under the name of the module that PyTorch has them in."""

from .tensor.functions import meshgrid  # noqa: I001
from .tensor.einsum import einsum
from .tensor.joining import split
from .tensor.manipulation import atleast_1d, atleast_2d, atleast_3d
from .tensor.matrices import norm
from .tensor.search import unique_consecutive
from .tensor.spelled import broadcast_shapes

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "broadcast_shapes", "einsum", "meshgrid", "norm", "split",
           "unique_consecutive"]
