"""The best path through a lattice of tags."""

import numpy as np

from ...core.op import op
from ..library import by_library


@op("viterbi_decode(Input, Transition, Length) -> Scores, Path", family="dynamic", shapes="b t n -> b, b ?:int64")
def viterbi_decode(potentials, transitions, lengths, include_bos_eos_tag=True):
    """Scores [N] and tags [N, longest] of the best path through potentials [N, T, tags]; tags beyond a length are 0."""
    if potentials.ndim != 3:
        raise ValueError(f"potentials must be [batch, steps, tags], got {list(potentials.shape)}")
    count, steps, tags = potentials.shape
    if transitions.shape != (tags, tags):
        raise ValueError(f"transition_params must be [{tags}, {tags}], got {list(transitions.shape)}")
    if include_bos_eos_tag and tags < 2:
        raise ValueError("include_bos_eos_tag needs two tags for the start and the stop, there is only one")
    if lengths.shape != (count,) or lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be {count} integers, got {lengths.dtype} {list(lengths.shape)}")
    if count and not (0 <= lengths.min() and lengths.max() <= steps):
        raise ValueError(f"lengths must be from 0 to {steps}, got {lengths.tolist()}")
    longest = int(lengths.max()) if count else 0
    best = potentials[:, 0].copy() if steps else np.zeros((count, tags), potentials.dtype)
    if include_bos_eos_tag:
        best += transitions[-1]
        best += transitions[-2] * (lengths == 1)[:, None]
    came_from = [None]
    for t in range(1, longest):
        candidates = best[:, :, None] + transitions
        came_from.append(candidates.argmax(1))
        best = np.where((t < lengths)[:, None], candidates.max(1) + potentials[:, t], best)
        if include_bos_eos_tag:
            best += transitions[-2] * (lengths == t + 1)[:, None]
    tag, rows = best.argmax(1), np.arange(count)
    path = np.zeros((count, longest), np.int64)
    for t in reversed(range(longest)):
        inside = t < lengths
        path[:, t] = tag * inside
        if t:
            tag = np.where(inside, came_from[t][rows, tag], tag)
    return best.max(1), path


by_library(viterbi_decode)
