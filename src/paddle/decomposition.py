"""paddle.decomposition: programs of primitive operators, which are not here."""

from .core.addresses import lookup as _lookup

__all__ = ["decompose"]


def decompose(program, src_vars, blacklist=frozenset(), whitelist=frozenset()):
    """Refused: every operator runs and differentiates as it is."""
    raise NotImplementedError("decompose(): operators are not decomposed into primitive ones here; every gradient can be "
                              "differentiated as it is")


__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
