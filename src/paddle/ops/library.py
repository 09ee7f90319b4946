"""Ops that are operators of the C library where C was built: one text (src/capi/ops), which saved models run without Python too.

An op's own text stays the reference. It also computes what the library has no code for, and says what is wrong with a call that
the library refuses.
"""

from ..core.attributes import to_file

LOD = "LoD"
OPS = []  # all of them


def by_library(*ops):
    """Let ops run the library's operators of their types."""
    for op in ops:
        op.kernel(noted=False)(kernel(op))
    OPS.extend(ops)


def kernel(op):
    """The kernel of an op whose outputs are single arrays, and the offsets of the first one's sequences if it makes those."""
    place = {slot.name: i for i, slot in enumerate(op.inputs)}
    slots = [(i, slot.name, slot.is_list, place.get(slot.name + LOD)) for i, slot in enumerate(op.inputs)
             if not slot.name.endswith(LOD)]
    outs = [slot.name for slot in op.outputs if not slot.optional and not slot.name.endswith(LOD)]
    makes_offsets, count = any(slot.name.endswith(LOD) for slot in op.outputs), op.n_in

    def run(k, *values):
        given = []
        for i, name, is_list, lod in slots:
            value = values[i]
            if is_list:
                given += [(name, one, None) for one in value or ()]
            elif value is not None:
                given.append((name, value, list(values[lod]) if lod is not None and values[lod] else None))
        found = k.operator(op.type, given, to_file(op, values[count:]), outs)
        if found is NotImplemented:
            return found
        arrays, levels = found
        if makes_offsets:
            arrays += levels
        return arrays[0] if len(arrays) == 1 else tuple(arrays)
    return run
