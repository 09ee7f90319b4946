"""fluid.layers: the functions that 1.x programs build networks from, static outside a guard, eager inside."""

from . import nn as _nn
from . import tensor as _tensor
from .common import activate  # noqa: F401
from .ops import TABLE, find

_OWN = {**{n: v for n, v in vars(_tensor).items() if callable(v) and getattr(v, "__module__", "").startswith("paddle.fluid")},
        **{n: v for n, v in vars(_nn).items() if callable(v) and getattr(v, "__module__", "").startswith("paddle.fluid")}}
_OWN = {n: v for n, v in _OWN.items() if not n.startswith("_") and n not in ("fluid_call", "dim_arg", "elementwise", "reduction")}
globals().update(_OWN)


def __getattr__(name):
    found = find(name)
    if found is None:
        from ...core.errors import suggest
        raise AttributeError(f"module 'paddle.fluid.layers' has no attribute {name!r}{suggest(name, [*_OWN, *TABLE])}")
    globals()[name] = found
    return found


def __dir__():
    return sorted({*_OWN, *TABLE})
