"""fluid.dygraph_grad_clip of 1.5 (1.x; successor: paddle.nn.ClipGradByGlobalNorm and friends)."""

from ..core.addresses import lookup as _lookup
from .clip import GradClipByGlobalNorm, GradClipByNorm, GradClipByValue

__all__ = ["GradClipByValue", "GradClipByNorm", "GradClipByGlobalNorm"]

__getattr__ = _lookup(__name__)
