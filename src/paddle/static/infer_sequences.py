"""Shapes of what ops over packed sequences give: first sizes are never known, the others are probed or said by a rule."""

import numpy as np

from ..core.errors import describe
from .infer import Spec, flat, merge, sized
from .infer import run as run_op
from .infer_rules import rule


def probe_sequences(op, inputs, attrs):
    """Probed with rows shared out evenly, then with all in the last sequence; every first size is unknown."""
    slots = {slot.name: k for k, slot in enumerate(op.inputs)}

    def run(count, length, other, even):
        filled = [sized(spec, (count, other)) for spec in inputs]
        for name, k in slots.items():
            if name.endswith("LoD") and inputs[k] is not None:
                source = slots[name[:-3]]
                many = op.inputs[source].is_list
                packed = [sized(s, (count * length, other)) for s in (inputs[source] if many else [inputs[source]])]
                filled[source] = packed if many else packed[0]
                rows, filled[k] = packed[-1].shape[0], []
                for position, level in reversed(list(enumerate(inputs[k]))):
                    n = level.shape[0] - 1 if level.shape[0] > 0 else count
                    rows = packed[position].shape[0] if many else rows
                    ends = np.arange(n + 1) * rows // max(n, 1) if even else np.arange(n + 1) // max(n, 1) * rows
                    filled[k].insert(0, Spec([n + 1], np.int64, ends))
                    rows = n
        return run_op(op, filled, list(attrs.values()), None)
    known = [s.shape[0] for s in flat(inputs) if s.shape and s.shape[0] > 0]  # one of them may be the number of sequences
    error = None
    for counts in ((2, 3), *[(n, n) for n in known]):
        try:
            found = zip(run(counts[0], 1, 48, True), run(counts[1], 2, 80, False))
        except (ValueError, IndexError) as failure:
            error = error or failure
            continue
        return [None if p is None else Spec([-1, *merge(p, q, False).shape[1:]], np.asarray(p).dtype) for p, q in found]
    raise op.explain(error, [describe(i) for i in inputs])


@rule("row_conv")
def _as_before(op, inputs, attrs):
    x = inputs[0]
    return [Spec(x.shape, x.dtype)] if len(x.shape) == (2 if inputs[2] else 3) else None


@rule("lod_reset")
def _lengths_reset(op, inputs, attrs):
    """The rows stay; the new offsets need not fit rows that are only probed."""
    x, _, x_lod, y_lod = inputs
    levels = len(y_lod or [None]) + (len(x_lod or ()) if attrs["append"] else 0)
    return [Spec(x.shape, x.dtype), *[Spec([-1], np.int64)] * levels]


@rule("sequence_reshape")
def _sequences_reshaped(op, inputs, attrs):
    return [Spec([-1, attrs["new_dim"]], inputs[0].dtype), Spec([-1], np.int64)]


@rule("sequence_pad")
def _sequences_padded(op, inputs, attrs):
    x = inputs[0]
    return [Spec([-1, attrs["padded_length"], *x.shape[1:]], x.dtype), Spec([-1], np.int64)]


# outputs of ops that can't be probed: (shape, dtype) in order; None is the dtype of the first input
_GIVEN = {
    "linear_chain_crf": [([-1, 1], None)],
    "edit_distance": [([1], np.int64), ([-1, 1], np.float32)],
    "chunk_eval": [([1], np.float32)] * 3 + [([1], np.int64)] * 3,
}


def _given(op, inputs, attrs):
    return [Spec(shape, dtype or inputs[0].dtype) for shape, dtype in _GIVEN[op.type]]


rule(*_GIVEN)(_given)


@rule("beam_search")
def _beams(op, inputs, attrs):
    ids, scores = inputs[:2]
    return [Spec([-1, 1], ids.dtype), Spec([-1, 1], scores.dtype), Spec([-1], np.int32), *[Spec([-1], np.int64)] * 2]
