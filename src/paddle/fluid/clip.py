"""fluid.clip (1.x; successor: paddle.nn.ClipGradBy...)."""

import weakref

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..nn.clip import ClipGradBase, ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from ..static import default_main_program

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


class ErrorClipByValue(ClipGradByValue):
    """Limits the gradient of a variable on its way back (1.x; successor: paddle.nn.ClipGradByValue)."""


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


def append_gradient_clip_ops(params_grads):
    """The pairs with gradients clipped as ``set_gradient_clip`` and the parameters' attributes say (1.x; successor: grad_clip of
    optimizers)."""
    clip = clip_of(default_main_program())
    return list(params_grads) if clip is None else clip(params_grads)


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
