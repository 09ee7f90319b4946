"""What is called before a layer is written by jit.save."""

import functools

from ..core.errors import describe


class HookRemoveHelper:
    """Takes a hook of ``save`` away again."""

    def __init__(self, hook):
        self._hook = hook

    def remove(self):
        """``save`` does not call the hook any more."""
        _remove_save_pre_hook(self._hook)


_save_pre_hooks = []  # functions of (layer, input_spec, configs), called before a layer is written


def _register_save_pre_hook(hook):
    """Let ``save`` call hook(layer, input_spec, configs) before it writes; a hook is called once, however often registered.

    >>> from paddle.jit.api import _register_save_pre_hook
    >>> def tell(layer, input_spec, configs):
    ...     print("saving", type(layer).__name__)
    >>> _register_save_pre_hook(tell).remove()
    """
    if not callable(hook):
        raise TypeError(f"_register_save_pre_hook(): hook must be callable, got {describe(hook)}")
    if hook not in _save_pre_hooks:
        _save_pre_hooks.append(hook)
    return HookRemoveHelper(hook)


def _remove_save_pre_hook(hook):
    """Take one hook away, if it is there."""
    if hook in _save_pre_hooks:
        _save_pre_hooks.remove(hook)


def _clear_save_pre_hooks():
    """Take all hooks away."""
    _save_pre_hooks.clear()


def _run_save_pre_hooks(function):
    """A function of the arguments of ``save`` which calls the hooks first."""
    @functools.wraps(function)
    def save(layer, path, input_spec=None, **configs):
        for hook in list(_save_pre_hooks):
            hook(layer, input_spec, configs)
        return function(layer, path, input_spec, **configs)
    return save
