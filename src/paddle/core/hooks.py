"""Hooks on every op call: profiler, NaN finder, FLOP counter and AMP share this one mechanism.

A hook has ``before(op, args) -> args`` and/or ``after(op, args, outs)``; ``args`` are the bound arguments (Tensors first,
then attributes), ``outs`` the Tensor or tuple of Tensors. While the list is empty an op call costs nothing extra.
"""

active = []  # the engine tests the truth of this list, so it is changed in place only


def of_gradients():
    """The installed hooks that are told of the steps of backward."""
    return [hook for hook in active if hook.gradients] if active else ()


class OpHook:
    """Base of hooks; use as a context manager, or ``install()`` / ``remove()``."""

    programs = False  # is it told of the operators of running static programs too? (it can't change their arguments)
    gradients = False  # is it told of the steps of backward too? (it can't change their arguments)

    def before(self, op, args):
        """Called before the op runs; returns the arguments to run it with."""
        return args

    def after(self, op, args, outs):
        """Called with the result of the op."""

    def install(self):
        active.append(self)
        return self

    def remove(self):
        if self in active:
            active.remove(self)

    def __enter__(self):
        return self.install()

    def __exit__(self, *exc):
        self.remove()
