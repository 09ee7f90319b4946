"""fluid.clip (1.x; successor: paddle.nn.ClipGradBy...)."""

import weakref

from ..core.addresses import lookup as _lookup
from ..nn.clip import ClipGradBase
from ..nn.clip import ClipGradByGlobalNorm as GradientClipByGlobalNorm
from ..nn.clip import ClipGradByNorm as GradientClipByNorm
from ..nn.clip import ClipGradByValue as GradientClipByValue
from ..static import default_main_program

GradClipByGlobalNorm, GradClipByNorm, GradClipByValue = GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue
ErrorClipByValue = GradientClipByValue

__all__ = ["GradientClipByValue", "GradientClipByNorm", "GradientClipByGlobalNorm", "ErrorClipByValue",
           "set_gradient_clip"]


def set_gradient_clip(clip, param_list=None, program=None):
    """Clip the gradients of a static program, or of some of its parameters (or their names), when ``minimize`` is called later
    (1.x; successor: grad_clip of optimizers)."""
    if not isinstance(clip, ClipGradBase):
        raise TypeError(f"set_gradient_clip(): clip must be a gradient clip, got {clip!r}")
    program = default_main_program() if program is None else program
    if param_list is None:
        _clips[program] = clip
    for p in param_list or ():
        (program.global_block().var(p) if isinstance(p, str) else p).gradient_clip = clip


def mark(parameter, attr):
    """Remember the ``gradient_clip`` of a ParamAttr for the parameter made with it; returns the parameter."""
    if getattr(attr, "gradient_clip", None) is not None:
        parameter.gradient_clip = attr.gradient_clip
    return parameter


def clip_of(program):
    """The clip that ``set_gradient_clip`` and the parameters' own attributes chose for a program, or None."""
    chosen = _clips.get(program)
    own = any(getattr(p, "gradient_clip", None) is not None for p in program.all_parameters())
    return ByParameter(chosen) if own else chosen


class ByParameter(ClipGradBase):
    """Clips each gradient as its parameter's ``gradient_clip`` says, those without one all together by another clip."""

    def __init__(self, other=None):
        self._other = other

    def _clip(self, pairs):
        groups = {}
        for k, (p, _) in enumerate(pairs):
            clip = getattr(p, "gradient_clip", None) or self._other
            groups.setdefault(id(clip), (clip, []))[1].append(k)
        for clip, places in groups.values():
            if clip is not None:
                for k, pair in zip(places, clip([pairs[k] for k in places])):
                    pairs[k] = pair
        return pairs


_clips = weakref.WeakKeyDictionary()

__getattr__ = _lookup(__name__)
