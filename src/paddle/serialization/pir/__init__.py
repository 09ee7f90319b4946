"""The program files of Paddle 3.x (``.json``): `read(bytes)`, `write(program)`, and which operators they have (`operators`)."""

from importlib import import_module as _import_module

_HOMES = {**dict.fromkeys(["Attr", "Block", "Op", "Program", "Type"], "model"), "read": "reader", "write": "writer",
          **dict.fromkeys(["model", "operators", "reader", "writer"])}


def __getattr__(name):  # on first use: who reads a .pdmodel does without
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    module = _import_module(f"{__name__}.{home or name}")
    return getattr(module, name) if home else module
