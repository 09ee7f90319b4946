"""fluid.dygraph_grad_clip of 1.5 to 1.7 (successor: paddle.nn.ClipGradByGlobalNorm and friends)."""

from ..core.addresses import lookup as _lookup
from ..nn.clip import ClipGradBase
from ..nn.clip import ClipGradByGlobalNorm as _ByGlobalNorm
from ..nn.clip import ClipGradByNorm as GradClipByNorm
from ..ops.math import arithmetic

__all__ = ["GradClipByValue", "GradClipByNorm", "GradClipByGlobalNorm"]


class GradClipByValue(ClipGradBase):
    """Limits every element of the gradients to [min_value, max_value]; a lower bound of None is the negative of the upper."""

    def __init__(self, min_value, max_value=None):
        if max_value is None:
            raise TypeError("GradClipByValue(): max_value must be a number, got None")
        self.min_value, self.max_value = float(-max_value if min_value is None else min_value), float(max_value)

    def __repr__(self):
        return f"ClipByValue, min = {self.min_value:f}, max={self.max_value:f}"

    def _clip_one(self, g):
        return arithmetic.clip(g, None, None, self.min_value, self.max_value)


class GradClipByGlobalNorm(_ByGlobalNorm):
    """Scales all gradients so that their norm together is at most ``max_global_norm``."""

    def __init__(self, max_global_norm, dtype="float32"):
        super().__init__(max_global_norm)
        self.dtype = dtype
        self.max_global_norm = self.clip_norm


__getattr__ = _lookup(__name__)
