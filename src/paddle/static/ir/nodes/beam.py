"""beam_search_decode: the arrays that beam search filled, as sentences."""

from __future__ import annotations

from typing import Any

from ....ops.sequence.beam_search import backtrace
from ..lower import special
from .op import Call


class BeamDecode(Call):
    """Sentences, their scores, and the offsets of sources and sentences, from arrays of ids, scores and their offsets."""

    type = "beam_search_decode"
    in_slots = [("Ids", 1, False), ("Scores", 1, False), ("IdsLoD", 2, True)]
    out_slots = [("SentenceIds", 1, False), ("SentenceScores", 1, False), ("OutLoD", 2, True)]

    def __init__(self, attrs: Any) -> None:
        self.attrs = attrs

    def prepare(self) -> Any:
        beam_size, end_id = int(self.attrs["beam_size"]), int(self.attrs["end_id"])

        def run(ids: Any, scores: Any, sources: Any, candidates: Any) -> Any:
            if not ids:
                raise ValueError("beam_search_decode(): the arrays are empty")
            return backtrace(ids, scores, sources, candidates, beam_size, end_id)
        return run


@special("beam_search_decode")
def _decode(lowering: Any, operator: Any) -> None:
    call = BeamDecode(operator.attrs)
    ins = [lowering.read(n) for slot, _, _ in call.in_slots for n in operator.input(slot)]
    lowering.add(call, ins, [n for slot, _, _ in call.out_slots for n in operator.output(slot)], operator)
