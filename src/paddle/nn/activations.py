"""Activations by name, as layers take them with ``act=``: the operator of that name, with its own settings."""

import functools

from ..core.errors import suggest
from ..tensor import special, unary
from . import functional as F

_SETTINGS = {"leaky_relu": (0.02,)}  # where the function's default is another than the operator's


@functools.cache
def _named(act):
    """The function of that name, or None."""
    return next((getattr(room, act) for room in (F, unary, special) if hasattr(room, act)), None)


def activate(x, act, function):
    """x through the activation of that name (None: as it is); ``function`` is who was told it."""
    if act is None:
        return x
    found = _named(act) if isinstance(act, str) else None
    if found is None:
        raise ValueError(f"{function}(): there is no activation {act!r}{suggest(str(act), dir(F))}")
    return found(x, *_SETTINGS.get(act, ()))
