"""fluid.dygraph_grad_clip of 1.5 (1.x; successor: paddle.nn.ClipGradByGlobalNorm and friends)."""

from ..core.errors import typos as _typos
from .clip import GradClipByGlobalNorm, GradClipByNorm, GradClipByValue

__all__ = ["GradClipByValue", "GradClipByNorm", "GradClipByGlobalNorm"]

__getattr__ = _typos(__name__)
