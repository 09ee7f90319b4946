"""paddle.decomposition: programs of primitive operators, which are not here."""

import contextlib

from .core.addresses import lookup as _lookup
from .static import primitive

__all__ = ["decompose"]


def decompose(program, src_vars, blacklist=frozenset(), whitelist=frozenset()):
    """Refused: every operator runs and differentiates as it is."""
    raise NotImplementedError("decompose(): operators are not decomposed into primitive ones here; every gradient can be "
                              "differentiated as it is")


@contextlib.contextmanager
def prim_guard():
    """Inside the ``with`` block composite operators and gradients of programs become what they are made of."""
    old = primitive.forward.value, primitive.backward.value
    primitive.forward.value = primitive.backward.value = True
    try:
        yield
    finally:
        primitive.forward.value, primitive.backward.value = old


__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
