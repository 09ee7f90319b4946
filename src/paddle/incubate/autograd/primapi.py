"""paddle.incubate.autograd.primapi: programs of primitive operators, which are not here."""

from . import _NO_PRIM, forward_grad, grad

__all__ = ["forward_grad", "grad", "to_prim"]


def to_prim(blocks, blacklist=frozenset(), whitelist=frozenset(), start_idx=-1, backward_length=-1):
    """Refused."""
    raise NotImplementedError(f"to_prim(): {_NO_PRIM}")
