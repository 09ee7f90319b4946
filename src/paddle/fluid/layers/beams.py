"""fluid.layers: beam search over packed candidates (LoD)."""

from ...ops.sequence import beam_search as beam_search_ops
from ...static.program import lod, program
from ..state import fluid_call

__all__ = ["beam_search", "beam_search_decode"]


@fluid_call
def beam_search(pre_ids, pre_scores, ids, scores, beam_size, end_id, level=0, is_accumulated=True, name=None,
                return_parent_idx=False):
    """The best ``beam_size`` continuations of each source's prefixes: ids and scores with two levels of lengths (prefixes of
    each source, continuations of each prefix) (1.x; successor: paddle.nn.dynamic_decode)."""
    out, reached, parents, *_ = beam_search_ops.beam_search(pre_ids, pre_scores, ids, scores, level=int(level),
                                                            beam_size=int(beam_size),
                                                            end_id=int(end_id), is_accumulated=bool(is_accumulated))
    return (out, reached, parents) if return_parent_idx else (out, reached)


@fluid_call
def beam_search_decode(ids, scores, beam_size, end_id, name=None):
    """Whole sentences and their scores from the arrays of what ``beam_search`` gave at every step, best sentence first; two
    levels of lengths: sentences of each source, words of each sentence (1.x; successor: paddle.nn.dynamic_decode)."""
    for array in (ids, scores):
        if not array.lod:  # nothing was written into it yet
            lod.declare(array, 2, kind=program.LOD_TENSOR_ARRAY)
    if len(ids.lod) != 2 or len(scores.lod) != 2:
        raise ValueError("beam_search_decode(): ids and scores must be arrays of Variables with two levels of sequence lengths")
    block = program.default_main_program().current_block()

    def made(shape, dtype):
        return block.new_var(shape=shape, dtype=dtype, stop_gradient=True)
    outs = [made([-1], ids.dtype), made([-1], scores.dtype)]
    offsets = [made([-1], "int64"), made([-1], "int64")]
    block.append_op("beam_search_decode", {"Ids": ids, "Scores": scores, "IdsLoD": list(ids.lod)},
                    {"SentenceIds": outs[0], "SentenceScores": outs[1], "OutLoD": offsets},
                    {"beam_size": int(beam_size), "end_id": int(end_id)})
    return tuple(lod.give(out, offsets) for out in outs)
