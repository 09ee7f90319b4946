"""The program files of Paddle 3.x (``.json``): `read(bytes)`, `write(program)`, and which operators they have (`operators`)."""

from importlib import import_module as _import_module

_HOMES = {"Attr": "model", "Block": "model", "Op": "model", "Program": "model", "Type": "model", "read": "reader", "write": "writer",
          "model": None, "operators": None, "reader": None, "writer": None}


def __getattr__(name):  # on first use: who reads a .pdmodel does without
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    module = _import_module(f"{__name__}.{home or name}")
    return getattr(module, name) if home else module
