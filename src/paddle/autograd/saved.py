"""Hooks on the tensors that a PyLayer saves for its backward."""

from ..core.context import context


class saved_tensors_hooks:
    """Context manager: what a PyLayer saves inside goes through ``pack_hook``, and back through ``unpack_hook``.

    >>> with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
    ...     pass
    """

    def __init__(self, pack_hook, unpack_hook):
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError("saved_tensors_hooks(): pack_hook and unpack_hook must be functions")
        self.pack, self.unpack = pack_hook, unpack_hook

    def __enter__(self):
        context.saved = (*(context.saved or ()), self)
        return self

    def __exit__(self, *exc):
        context.saved = context.saved[:-1]


def current():
    """The innermost hooks in force, or None."""
    return context.saved[-1] if context.saved else None
