"""paddle._legacy_C_ops: operators by the names of 2.6.2's C++ functions (see base/c_ops.py)."""

from .base.c_ops import legacy_function as _function


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _function(name)
    return value
