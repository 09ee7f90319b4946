"""fluid.clip (1.x; successor: paddle.nn.ClipGradBy...)."""

import weakref

from ..core.errors import typos as _typos
from ..nn.clip import ClipGradByGlobalNorm as GradientClipByGlobalNorm
from ..nn.clip import ClipGradByNorm as GradientClipByNorm
from ..nn.clip import ClipGradByValue as GradientClipByValue

GradClipByGlobalNorm, GradClipByNorm, GradClipByValue = GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue
ErrorClipByValue = GradientClipByValue

__all__ = ["GradientClipByValue", "GradientClipByNorm", "GradientClipByGlobalNorm", "ErrorClipByValue",
           "set_gradient_clip"]


def set_gradient_clip(clip, param_list=None, program=None):
    """Clip the gradients of a static program when ``minimize`` is called later (1.x; successor: grad_clip of optimizers)."""
    from ..nn.clip import ClipGradBase
    from ..static.program import default_main_program
    if not isinstance(clip, ClipGradBase):
        raise TypeError(f"set_gradient_clip(): clip must be a gradient clip, got {clip!r}")
    if param_list is not None:
        raise NotImplementedError("set_gradient_clip(): param_list is not supported; set need_clip=False on the other parameters")
    _clips[program or default_main_program()] = clip


def clip_of(program):
    """What ``set_gradient_clip`` chose for a program, or None."""
    return _clips.get(program)


_clips = weakref.WeakKeyDictionary()

__getattr__ = _typos(__name__)
