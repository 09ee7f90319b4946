"""Beam search: the best continuations of every source's prefixes, and whole sentences traced back from them."""

import numpy as np

from ...core.op import op
from ..library import by_library, run_on_steps
from . import packed_rows


@op("beam_search(pre_ids, pre_scores, ids?, scores, pre_idsLoD*?, scoresLoD*?) -> selected_ids, selected_scores, parent_idx, "
    "OutLoD*", family="sequence", shapes="_, *s, *i -> ? 1:pre_ids, ? 1:pre_scores, ?:int32, ?:int64, ?:int64",
    rows="give selected_scores")
def beam_search(pre_ids, pre_scores, ids, scores, pre_lod=None, lod=None, level=0, beam_size=1, end_id=0, is_accumulated=True):
    """The ``beam_size`` best of all candidates of each source: ids, scores, the prefix each continues, and two levels of
    offsets: of the sources' prefixes, and of the candidates that each prefix got.

    A prefix that has ended stays as it is; a source whose prefixes have all ended gives nothing more.
    """
    levels = [np.asarray(v) for v in lod or pre_lod or ()]
    if len(levels) <= level:
        raise ValueError(f"beam_search(): scores need sequence lengths on level {level}, they have {len(levels)} levels")
    sources = levels[level]
    for finer in levels[level + 1:]:
        sources = finer[sources]
    before, kept = np.ravel(pre_ids), np.ravel(pre_scores)
    if sources[-1] != len(before) or len(scores) != len(before):
        raise ValueError(f"beam_search(): {len(before)} prefixes, but lengths for {sources[-1]} and {len(scores)} rows of scores")
    reached = scores if is_accumulated else kept[:, None] + np.log(scores)
    names = np.broadcast_to(np.arange(scores.shape[1]), scores.shape) if ids is None else ids
    chosen = []  # (prefix, id, score)
    for a, b in zip(sources, sources[1:]):
        found = []
        for p in range(a, b):
            if before[p] == end_id:
                found.append((kept[p], p, end_id))
            else:
                found += [(s, p, n) for s, n in zip(reached[p], names[p])]
        best = sorted(found, key=lambda c: (-c[0], -c[1]))[:beam_size]
        if not all(n == end_id and before[p] == end_id for _, p, n in best):
            chosen += sorted([(p, n, s) for s, p, n in best], key=lambda c: c[0])
    parents = np.array([c[0] for c in chosen], np.int64)
    candidates = packed_rows.ends_of(np.bincount(parents, minlength=len(before)))
    return (np.array([c[1] for c in chosen], pre_ids.dtype).reshape(-1, 1),
            np.array([c[2] for c in chosen], pre_scores.dtype).reshape(-1, 1), parents.astype(np.int32), sources.astype(np.int64),
            candidates)


def backtrace(step_ids, step_scores, step_sources, step_candidates, beam_size, end_id):
    """(ids, scores, offsets of sources among sentences, offsets of sentences) from what ``beam_search`` gave at every step.

    A sentence ends with its first ``end_id``; the sentences of a source come best first.
    """
    steps = {"Ids": (step_ids, list(zip(step_sources, step_candidates))), "Scores": (step_scores, None)}
    done = run_on_steps("beam_search_decode", steps, {"beam_size": beam_size, "end_id": end_id}, ["SentenceIds", "SentenceScores"])
    if done is not NotImplemented:
        return *done[0], *done[1]
    found = [[([], []) for _ in range(beam_size)] for _ in range(len(step_sources[0]) - 1)]
    tracks = [[] for _ in found]
    for ids, scores, sources, candidates in reversed(list(zip(step_ids, step_scores, step_sources, step_candidates))):
        ids, scores = np.ravel(ids), np.ravel(scores)
        parents = packed_rows.owners(candidates)
        for n, (sentences, track) in enumerate(zip(found, tracks)):
            fresh = not track
            if fresh:
                track.extend(range(candidates[sources[n]], candidates[sources[n + 1]]))
            for k, c in enumerate(track):
                words, reached = sentences[k]
                if fresh or ids[c] != end_id or not words:
                    words.append(ids[c])
                    reached.append(scores[c])
                track[k] = int(parents[c])
    for sentences in found:
        sentences.sort(key=lambda s: -s[1][0] if s[1] else np.inf)
    flat = [s for sentences in found for s in sentences]
    ids = np.array([w for words, _ in flat for w in reversed(words)], np.asarray(step_ids[0]).dtype)
    scores = np.array([r for _, reached in flat for r in reversed(reached)], np.asarray(step_scores[0]).dtype)
    return ids, scores, packed_rows.ends_of([beam_size] * len(found)), packed_rows.ends_of([len(words) for words, _ in flat])


by_library(beam_search)
