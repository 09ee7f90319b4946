"""fluid.clip (1.x; successor: paddle.nn.ClipGradBy...)."""

from ..nn.clip import ClipGradByGlobalNorm as GradientClipByGlobalNorm
from ..nn.clip import ClipGradByNorm as GradientClipByNorm
from ..nn.clip import ClipGradByValue as GradientClipByValue

GradClipByGlobalNorm, GradClipByNorm, GradClipByValue = GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue
ErrorClipByValue = GradientClipByValue

__all__ = ["GradientClipByValue", "GradientClipByNorm", "GradientClipByGlobalNorm", "ErrorClipByValue"]
