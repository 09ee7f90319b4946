"""Clips that belong to a program: of the gradient of one Variable on its way back, and of gradients by ``set_gradient_clip``."""

import weakref

from ..nn.clip import ClipGradBase
from .ir.nodes.op import GRAD
from .program.program import default_main_program


class ErrorClipByValue:
    """Limits the gradient of a Variable on its way back to [min, max]; min is -max unless given.

    >>> from paddle.nn.clip import ErrorClipByValue
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [2]); x.stop_gradient = False
    ...     y = x * 3.0
    ...     y._set_error_clip(ErrorClipByValue(max=0.1))
    """

    def __init__(self, max, min=None):
        self.max, self.min = float(max), float(-max if min is None else min)

    def __str__(self):
        return f"ByValue, min={self.min:f}, max={self.max:f}"

    def _append_clip_op(self, block, grad_name):
        """Add the operator that clips a gradient, in its place."""
        block.append_op("clip", {"X": grad_name}, {"Out": grad_name}, {"min": self.min, "max": self.max})


def error_clip_callback(block, context):
    """A callback of ``append_backward``: clips the gradients that an operator gives as ``error_clip`` of their Variables says."""
    for name in context["op"].output_arg_names:
        var = block.find(name.removesuffix(GRAD)) if name.endswith(GRAD) else None
        if var is not None and var.error_clip is not None:
            var.error_clip._append_clip_op(block, name)


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
