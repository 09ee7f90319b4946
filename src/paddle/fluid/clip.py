"""fluid.clip (1.x; successor: paddle.nn.ClipGradBy...)."""

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..nn.clip import ClipGradBase, ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from ..static.clips import ErrorClipByValue, append_gradient_clip_ops, error_clip_callback, set_gradient_clip  # noqa: F401

__all__ = ["GradientClipByValue", "GradientClipByNorm", "GradientClipByGlobalNorm", "ErrorClipByValue",
           "set_gradient_clip"]


class _Selecting(ClipGradBase):
    """A clip of 1.8: ``need_clip`` is a function that tells of a parameter whether its gradient is clipped; parameters without
    a gradient are left out of the result."""

    need_clip = None

    def __call__(self, params_grads):
        pairs = [(p, g) for p, g in params_grads if g is not None]
        places = [k for k, (p, _) in enumerate(pairs) if self.need_clip is None or self.need_clip(p)]
        for k, pair in zip(places, super().__call__([pairs[k] for k in places])):
            pairs[k] = pair
        return pairs

    def _select(self, need_clip):
        if need_clip is not None and not callable(need_clip):
            raise TypeError(f"{type(self).__name__}(): need_clip must be a function of a parameter, got {describe(need_clip)}")
        self.need_clip = need_clip


class GradientClipByValue(_Selecting, ClipGradByValue):
    """Limits every element of the gradients to [min, max] (1.x; successor: paddle.nn.ClipGradByValue)."""

    def __init__(self, max, min=None, need_clip=None):
        super().__init__(max, min)
        self._select(need_clip)


class GradientClipByNorm(_Selecting, ClipGradByNorm):
    """Scales each gradient to a norm of at most ``clip_norm`` (1.x; successor: paddle.nn.ClipGradByNorm)."""

    def __init__(self, clip_norm, need_clip=None):
        super().__init__(clip_norm)
        self._select(need_clip)


class GradientClipByGlobalNorm(_Selecting, ClipGradByGlobalNorm):
    """Scales all gradients so that their norm together is at most ``clip_norm`` (1.x; successor:
    paddle.nn.ClipGradByGlobalNorm)."""

    def __init__(self, clip_norm, group_name="default_group", need_clip=None):
        super().__init__(clip_norm, group_name)
        self._select(need_clip)


def mark(parameter, attr):
    """Remember the ``gradient_clip`` of a ParamAttr for the parameter made with it; returns the parameter."""
    if getattr(attr, "gradient_clip", None) is not None:
        parameter.gradient_clip = attr.gradient_clip
    return parameter


__getattr__ = _lookup(__name__)
