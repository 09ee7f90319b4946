"""Ops that are operators of the C library where C was built: one text (src/capi/ops), which saved models run without Python too.

An op's own text stays the reference. It also computes what the library has no code for, and says what is wrong with a call that
the library refuses.
"""

from ..core.attributes import to_file

LOD = "LoD"
OPS = []  # all of them


def by_library(*ops, when=None):
    """Let ops run the library's operators of their types; when: see Op.kernel."""
    for op in ops:
        op.kernel(when, noted=False)(Operator(op))
    OPS.extend(ops)


class Operator:
    """The kernel of an op whose outputs are single arrays, and the offsets of the first one's sequences if it makes those."""

    def __init__(self, op):
        place = {slot.name: i for i, slot in enumerate(op.inputs)}
        inputs = tuple([(slot.name, i, slot.is_list, place.get(slot.name + LOD, -1)) for i, slot in enumerate(op.inputs)
                        if not slot.name.endswith(LOD)])
        outputs = tuple([slot.name for slot in op.outputs if not slot.optional and not slot.name.endswith(LOD)])
        offsets = any(slot.name.endswith(LOD) for slot in op.outputs)
        self.declared = op.type, inputs, op.n_in, outputs, offsets, lambda values: to_file(op, values)

    def eager(self, k):
        """The kernel as a function of the op's arguments."""
        return k.prepared(*self.declared)
