"""Ops by file type. Op modules are imported on demand; the first unknown type imports all of them."""

import functools
import importlib
import pkgutil

from ... import ops
from ...core.op import OPS


@functools.lru_cache(maxsize=1)
def load_all():
    """Import every module of ops, so that all types are known."""
    for module in pkgutil.walk_packages(ops.__path__, ops.__name__ + "."):
        importlib.import_module(module.name)


def find(op_type):
    """The op of a file type, or None."""
    if op_type not in OPS:
        load_all()
    return OPS.get(op_type)


def declared(op_type):
    """The op of a file type and how many times ``_grad`` is on top of it: (op, level), or (None, 0)."""
    level = 0
    while find(op_type) is None:
        if not op_type.endswith("_grad"):
            return None, 0
        op_type, level = op_type[:-5], level + 1
    return OPS[op_type], level
