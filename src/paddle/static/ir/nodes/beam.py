"""beam_search_decode: the arrays that beam search filled, as sentences."""

from ....ops.sequence.beam_search import backtrace
from ..lower import special
from .op import Call


class BeamDecode(Call):
    """Sentences, their scores, and the offsets of sources and sentences, from arrays of ids, scores and their offsets."""

    type = "beam_search_decode"
    in_slots = [("Ids", 1, False), ("Scores", 1, False), ("IdsLoD", 2, True)]
    out_slots = [("SentenceIds", 1, False), ("SentenceScores", 1, False), ("OutLoD", 2, True)]

    def __init__(self, attrs):
        self.attrs = attrs

    def prepare(self):
        beam_size, end_id = int(self.attrs["beam_size"]), int(self.attrs["end_id"])

        def run(ids, scores, sources, candidates):
            if not ids:
                raise ValueError("beam_search_decode(): the arrays are empty")
            return backtrace(ids, scores, sources, candidates, beam_size, end_id)
        return run


@special("beam_search_decode")
def _decode(lowering, operator):
    call = BeamDecode(operator.attrs)
    ins = [lowering.read(n) for slot, _, _ in call.in_slots for n in operator.input(slot)]
    lowering.add(call, ins, [n for slot, _, _ in call.out_slots for n in operator.output(slot)], operator)
