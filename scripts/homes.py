"""Writes src/paddle/ops/homes.json: which module declares which operators.

    python scripts/homes.py

``tests/ops/test_homes.py`` compares the file with the modules.
"""

import importlib
import json
import pathlib
import pkgutil

from paddle import ops
from paddle.core.op import OPS

TARGET = pathlib.Path(ops.__file__).with_name("homes.json")


def found():
    """{module below paddle.ops: its ops}, from the modules themselves."""
    for module in pkgutil.walk_packages(ops.__path__, ops.__name__ + "."):
        importlib.import_module(module.name)
    homes = {}
    for kind, op in OPS.items():
        if op.__module__.startswith("paddle.ops."):  # programs declare ops of their own
            homes.setdefault(op.__module__.removeprefix("paddle.ops."), []).append(kind if op.name == kind else f"{kind}={op.name}")
    return {home: sorted(types) for home, types in sorted(homes.items())}


def text():
    """What the file holds."""
    lines = [f"{json.dumps(home)}: {json.dumps(types)}" for home, types in found().items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf8")
