"""Hooks on the tensors that a PyLayer saves for its backward."""

import threading

_local = threading.local()


class saved_tensors_hooks:
    """Context manager: what a PyLayer saves inside goes through ``pack_hook``, and back through ``unpack_hook``.

    >>> import paddle
    >>> with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
    ...     pass
    """

    def __init__(self, pack_hook, unpack_hook):
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError("saved_tensors_hooks(): pack_hook and unpack_hook must be functions")
        self.pack, self.unpack = pack_hook, unpack_hook

    def __enter__(self):
        stack = _local.__dict__.setdefault("stack", [])
        stack.append(self)
        return self

    def __exit__(self, *exc):
        _local.stack.pop()


def current():
    """The innermost hooks in force, or None."""
    stack = getattr(_local, "stack", None)
    return stack[-1] if stack else None
