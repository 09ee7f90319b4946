"""Labels for sequences: conditional random fields, CTC alignments, edit distances, chunks."""

import numpy as np

from ...core.errors import check_choice
from ...core.op import op
from ..composed import composed
from ..library import by_library
from ..manipulation.gather_scatter import gather
from ..manipulation.joining import concat
from ..manipulation.slicing import basic_get
from ..math.stat import logsumexp
from ..nn.grid_sample import plain
from . import packed_rows
from .dynamic_rnn import first, longest_first, step_rows


def _packed(x, lod, length, function, argument):
    """(rows, offsets) of packed sequences, or of padded ones [sequences, longest, ...] with their lengths."""
    if length is None:
        return x, packed_rows.offsets(x, lod, function, argument)
    ends = packed_rows.ends_of(np.ravel(plain(length)))
    if len(ends) - 1 != x.shape[0] or np.diff(ends).max(initial=0) > x.shape[1]:
        raise ValueError(f"{function}(): {argument} [sequences, longest, ...] {list(x.shape)} does not hold sequences of lengths "
                         f"{np.diff(ends).tolist()}")
    return packed_rows.unpad(x, ends), ends


def _tokens(x, lod, length, function, argument):
    """As _packed; the row of -1 that a decoder gives where all its sequences are empty belongs to none of them."""
    nothing = length is None and lod and x.shape[0] == 1 and not np.asarray(plain(lod[-1])).any()
    return _packed(x[:0] if nothing else x, lod, length, function, argument)


def _row(x, k):
    return basic_get(x, (slice(k, k + 1),))


@composed("linear_chain_crf(Emission, Transition, Label, Length?, EmissionLoD*?, LabelLoD*?) -> Alpha?, EmissionExps?, "
          "TransitionExps?, LogLikelihood", family="sequence", shapes="_ -> ? 1")
def linear_chain_crf(emission, transition, label, length=None, lod=None, label_lod=None):
    """-log of the probability of each sequence's labels [sequences, 1].

    transition [labels + 2, labels]: row 0 is added at the start, row 1 at the end, the others from label to label.
    """
    x, ends = _packed(emission, lod, length, "linear_chain_crf", "input")
    tags, lengths = x.shape[1], np.diff(ends)
    labels = np.ravel(plain(_packed(label, label_lod or lod, length, "linear_chain_crf", "label")[0])).astype(np.int64)
    if list(transition.shape) != [tags + 2, tags] or not lengths.all() or labels.min() < 0 or labels.max() >= tags:
        raise ValueError(f"linear_chain_crf(): input [rows, labels] {list(x.shape)} needs transition [labels + 2, labels], got "
                         f"{list(transition.shape)}, sequences of at least one row, and labels in [0, {tags})")
    flat = transition.reshape([-1])
    # the row of transition by which each label was reached
    came = np.where(packed_rows.places(ends) > 0, np.roll(labels, 1) + 2, 0)
    said = gather(x.reshape([-1]), np.arange(len(labels)) * tags + labels) + gather(flat, came * tags + labels)
    score = packed_rows.totals(said, ends) + gather(flat, tags + labels[ends[1:] - 1])
    moves = basic_get(transition, (slice(2, None),)).reshape([1, tags, tags])
    alpha, finished, rows = None, [], step_rows(ends)
    for t, at in enumerate(rows):
        here = gather(x, at)
        if t == 0:
            alpha = here + _row(transition, 0)
        else:
            alpha = logsumexp(first(alpha, len(at)).reshape([len(at), tags, 1]) + moves, 1) + here
        left = len(rows[t + 1]) if t + 1 < len(rows) else 0
        if left < len(at):
            finished.insert(0, basic_get(alpha, (slice(left, len(at)),)))
    total = logsumexp(concat(finished, None, 0) + _row(transition, 1), 1)
    return (gather(total, np.argsort(longest_first(ends))) - score).reshape([len(lengths), 1])


@op("crf_decoding(Emission, Transition, Label?, Length?, EmissionLoD*?, LabelLoD*?) -> ViterbiPath", family="sequence", rows="keep",
    shapes=lambda emission, length: emission.like((emission.shape[0], 1 if length is None else emission.shape[1]), np.int64))
def crf_decoding(emission, transition, label=None, length=None, lod=None, label_lod=None):
    """The most probable labels, row by row; with labels given, 1 where they agree and 0 elsewhere."""
    x, ends = _packed(emission, lod, length, "crf_decoding", "input")
    path = np.zeros(len(x), np.int64)
    for a, b in zip(ends, ends[1:]):
        if a == b:
            continue
        score, came = transition[0] + x[a], []
        for t in range(a + 1, b):
            ways = score[:, None] + transition[2:]
            came.append(ways.argmax(0))
            score = ways.max(0) + x[t]
        best = int((score + transition[1]).argmax())
        for t in range(b - 1, a - 1, -1):
            path[t] = best
            best = int(came[t - a - 1][best]) if t > a else best
    if length is not None:
        path = packed_rows.pad(path, ends, 0, emission.shape[1])
        if label is None:
            return path
        return (path == label.reshape(path.shape)).astype(np.int64) * packed_rows.inside(ends, emission.shape[1])
    path = path.reshape(-1, 1)
    return path if label is None else (path == label.reshape(-1, 1)).astype(np.int64)


@op("edit_distance(Hyps, Refs, HypsLength?, RefsLength?, HypsLoD*?, RefsLoD*?) -> SequenceNum, Out", family="sequence",
    shapes="_ -> 1:int64, ? 1:float32")
def edit_distance(hyps, refs, hyps_length=None, refs_length=None, hyps_lod=None, refs_lod=None, normalized=False):
    """How many insertions, deletions and substitutions turn each hypothesis into its reference, over its length if
    ``normalized``."""
    hyps, h_ends = _tokens(hyps, hyps_lod, hyps_length, "edit_distance", "input")
    refs, r_ends = _packed(refs, refs_lod, refs_length, "edit_distance", "label")
    if len(h_ends) != len(r_ends):
        raise ValueError(f"edit_distance(): {len(h_ends) - 1} sequences of input, {len(r_ends) - 1} of label")
    out = np.zeros((len(h_ends) - 1, 1), np.float32)
    for n in range(len(out)):
        h, r = hyps[h_ends[n]:h_ends[n + 1]].ravel(), refs[r_ends[n]:r_ends[n + 1]].ravel()
        line = np.arange(len(r) + 1)
        for k, token in enumerate(h, 1):
            line = np.concatenate([[k], np.minimum(line[:-1] + (r != token), line[1:] + 1)])
            line = np.minimum.accumulate(line - np.arange(len(line))) + np.arange(len(line))  # insertions along the line
        if normalized and not len(r):
            raise ValueError(f"edit_distance(): reference {n} is empty, so its distance can't be normalized")
        out[n] = line[-1] / len(r) if normalized else line[-1]
    return np.array([len(out)], np.int64), out


@op("sequence_erase(X, XLoD*?) -> Out, OutLoD*", family="sequence", shapes="? *x -> ? *x, ?:int64")
def sequence_erase(x, lod=None, tokens=()):
    """The sequences without some ids."""
    x, ends = _tokens(x, lod, None, "sequence_erase", "x")
    keep = ~np.isin(x.ravel(), tokens)
    return x[keep], packed_rows.ends_of(np.bincount(packed_rows.owners(ends)[keep], minlength=len(ends) - 1))


def _aligned(x, length):
    lengths = x.like((-1, 1), np.int64)
    return (x, lengths) if length is not None else (x.like((-1, 1)), lengths, x.like((-1,), np.int64))


@op("ctc_align(Input, InputLength?, InputLoD*?) -> Output, OutputLength, OutLoD*", family="sequence",
    shapes=_aligned)
def ctc_align(x, length=None, lod=None, blank=0, merge_repeated=True, padding_value=0):
    """Ids without blanks and (if so said) without repetitions: packed, or padded with the lengths that are left.

    Packed results that are all empty are one row of -1 without a sequence around it.
    """
    ids, ends = _packed(x, lod, length, "ctc_greedy_decoder", "input")
    flat = ids.ravel()
    again = np.concatenate([[False], flat[1:] == flat[:-1]]) & (packed_rows.places(ends) > 0) & merge_repeated
    keep = (flat != blank) & ~again
    left = packed_rows.ends_of(np.bincount(packed_rows.owners(ends)[keep], minlength=len(ends) - 1))
    lengths = np.diff(left).reshape(-1, 1)
    if length is not None:
        return packed_rows.pad(flat[keep], left, padding_value, x.shape[1]).astype(x.dtype), lengths
    if not keep.any():
        return np.full((1, 1), -1, x.dtype), lengths, left
    return flat[keep].reshape(-1, 1), lengths, left


SCHEMES = {"IOB": (2, (0, 1, -1, -1)), "IOE": (2, (-1, 0, 1, -1)), "IOBES": (4, (0, 1, 2, 3)), "plain": (1, (-1, -1, -1, -1))}


def _chunks(tags, scheme, kinds, excluded):
    """{(first, last, kind)} of one sequence; a tag is kind * parts + part, numbers from kinds * parts on are outside."""
    parts, (begin, inside, end, single) = SCHEMES[scheme]
    found, start, before, kind_before = set(), None, -1, kinds
    for t, tag in enumerate([*tags.tolist(), kinds * parts]):
        kind, part = min(tag // parts, kinds), tag % parts
        cut = kind != kind_before or before in (end, single)  # nothing goes on from the tag before
        if start is not None and (cut or part in (begin, single)):
            found.add((start, t - 1, kind_before))
            start = None
        if kind < kinds and (cut or part in (begin, single)):
            start = t
        before, kind_before = part, kind
    return {c for c in found if c[2] not in excluded}


@op("chunk_eval(Inference, Label, SeqLength?, InferenceLoD*?, LabelLoD*?) -> Precision, Recall, F1-Score, NumInferChunks, "
    "NumLabelChunks, NumCorrectChunks", family="sequence", shapes="_ -> 1:float32, 1:float32, 1:float32, 1:int64, 1:int64, 1:int64")
def chunk_eval(inference, label, length=None, lod=None, label_lod=None, num_chunk_types=1, chunk_scheme="IOB",
               excluded_chunk_types=()):
    """Precision, recall and F1 of the chunks that tags spell, and the numbers of chunks inferred, labelled and correct."""
    check_choice(chunk_scheme, tuple(SCHEMES), "chunk_eval", "chunk_scheme")
    tags, ends = _packed(inference, lod, length, "chunk_eval", "input")
    wanted, label_ends = _packed(label, label_lod, length, "chunk_eval", "label")
    if (ends != label_ends).any():
        raise ValueError("chunk_eval(): input and label must have the same sequence lengths")
    counts = np.zeros(3, np.int64)
    for a, b in zip(ends, ends[1:]):
        got, true = (_chunks(v.ravel()[a:b], chunk_scheme, num_chunk_types, excluded_chunk_types) for v in (tags, wanted))
        counts += len(got), len(true), len(got & true)
    precision, recall = (np.float32(counts[2] / n if n else 0) for n in counts[:2])
    f1 = np.float32(2 * precision * recall / (precision + recall) if counts[2] else 0)
    return (*[np.array([v], np.float32) for v in (precision, recall, f1)], *[np.array([n]) for n in counts])


by_library(crf_decoding, ctc_align, sequence_erase)
