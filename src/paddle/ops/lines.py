"""Ops that are functions of kernels/native/lines.h: comparisons, logic, bits, arithmetic of whole numbers, parts of complex ones.

The kernel declines dtypes, layouts and numbers that it does not support; the op's NumPy function computes those, and raises
errors.
"""

import functools


class Lines:
    """The kernel of an op whose arguments are those of the function: one or two tensors, and ``axis``."""

    def __init__(self, name):
        self.name = name

    def __call__(self, k, *arguments):
        return k.lines(self.name, *arguments)

    def eager(self, k):
        """The native function itself."""
        return functools.partial(k.lines, self.name)


def by_lines(*ops, name=None):
    """Let ops run the native functions of their names, or of the one that is given."""
    for op in ops:
        op.kernel()(Lines(name or op.name))
