"""Ops that run operators of the C library if it was built (src/capi/ops): one implementation, also for saved models without Python.

An op's NumPy function stays the reference. It also computes the cases that the library does not support, and raises the errors for
calls that the library rejects.
"""

from ..core.attributes import to_file
from ..core.context import process

LOD = "LoD"
OPS = []  # all of them


def by_library(*ops, when=None):
    """Let ops run the library's operators of their types; when: see Op.kernel."""
    for op in ops:
        op.kernel(when, noted=False)(Operator(op))
    OPS.extend(ops)


class Operator:
    """The kernel of an op whose outputs are arrays or lists of them, and offsets of the first one's sequences if it has some."""

    def __init__(self, op):
        place = {slot.name: i for i, slot in enumerate(op.inputs)}
        inputs = tuple([(slot.name, i, slot.is_list, place.get(slot.name + LOD, -1)) for i, slot in enumerate(op.inputs)
                        if not slot.name.endswith(LOD)])
        outputs = tuple([(slot.name, slot.is_list) for slot in op.outputs if not slot.optional and not slot.name.endswith(LOD)])
        offsets = any(slot.name.endswith(LOD) for slot in op.outputs)
        self.declared = op.type, inputs, op.n_in, outputs, offsets, lambda values: to_file(op, values)

    def eager(self, k):
        """The kernel as a function of the op's arguments."""
        return k.prepared(*self.declared)


def run_on_steps(kind, steps, attributes, outputs):
    """([results], offsets of the first one's sequences) of an operator that reads arrays of steps, {slot: (arrays, their offsets)},
    and so is no op; NotImplemented without C, or where it fails."""
    if process.native is None:
        return NotImplemented
    inputs = [(slot, list(arrays), levels) for slot, (arrays, levels) in steps.items()]
    return process.native.operator(kind, inputs, attributes, outputs)
