"""What is still being tried out."""

import importlib

_LAZY = ("reader",)


def __getattr__(name):
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    from ..core.errors import suggest
    raise AttributeError(f"module 'paddle.incubate' has no attribute {name!r}{suggest(name, _LAZY)}")
