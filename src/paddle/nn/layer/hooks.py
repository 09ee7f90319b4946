"""Hooks around the forward of layers."""

import functools

from ...core.autograd import HookHandle
from ...core.errors import describe

HookRemoveHelper = HookHandle  # its name in Paddle


class Hook:
    """A hook of forward that wants more than inputs and outputs."""

    __slots__ = ("function", "keywords", "always")

    def __init__(self, function, keywords, always):
        self.function, self.keywords, self.always = function, keywords, always

    def before(self, layer, inputs, kwargs):
        """(inputs, keywords), changed or as they were."""
        changed = self.function(layer, inputs, kwargs)
        if changed is None:
            return inputs, kwargs
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(f"a forward pre-hook with_kwargs must return None or (inputs, keywords), got {describe(changed)}")
        return changed

    def after(self, layer, inputs, kwargs, outputs):
        """What replaces the outputs, or None."""
        return self.function(layer, inputs, kwargs, outputs) if self.keywords else self.function(layer, inputs, outputs)


_FIRST = "first call"  # the key of what runs before the first forward: no handle has it


def before_first_forward(layer, method):
    """Let a layer's first call run a method of its own on the inputs, unless ``_built`` is set by then.

    This is one more hook before forward, behind all others, and gone after the first call: later calls don't ask about it.
    """
    layer._forward_pre_hooks[_FIRST] = Hook(functools.partial(_build, method), True, False)


def _build(method, layer, inputs, keywords):
    if not layer._built:
        getattr(layer, method)(*inputs, **keywords)
        layer._built = True
    layer._forward_pre_hooks.pop(_FIRST, None)


def hooked(table, hook, prepend, with_kwargs, always_call=False):
    """The handle of a hook in its table, in front if ``prepend``."""
    handle = HookHandle(table, Hook(hook, with_kwargs, always_call) if with_kwargs or always_call else hook)
    if prepend:
        table.move_to_end(handle._hook_id, last=False)
    elif _FIRST in table:
        table.move_to_end(_FIRST)
    return handle
