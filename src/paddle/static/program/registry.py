"""Ops by file type."""

from ...core.op import OPS
from ...ops.homes import find as find
from ...ops.homes import load_all as load_all


def declared(op_type):
    """The op of a file type and how many times ``_grad`` is on top of it: (op, level), or (None, 0)."""
    level = 0
    while find(op_type) is None:
        if not op_type.endswith("_grad"):
            return None, 0
        op_type, level = op_type[:-5], level + 1
    return OPS[op_type], level
