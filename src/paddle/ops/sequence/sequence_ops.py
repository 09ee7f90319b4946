"""Ops over packed sequences (LoD): pooling, softmax, convolution, and rearrangements of rows."""

import numpy as np

from ...core.errors import check_choice
from ...core.op import op
from ..composed import composed
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.gather_scatter import gather, take_along_axis
from ..manipulation.gather_scatter import scatter_nd_add as add_at
from ..manipulation.joining import concat
from ..manipulation.masking import where
from ..manipulation.reshape import transpose
from ..math.unary import exp
from ..nn.grid_sample import plain
from ..nn.shuffle import unfold
from ..short import through_float32
from . import packed_rows

POOLS = ("SUM", "AVERAGE", "SQRT", "MAX", "FIRST", "LAST")


@composed("sequence_pool(X, XLoD*?) -> Out, MaxIndex?", family="sequence", rows="pool", shapes="? *x -> ? *x")
def sequence_pool(x, lod=None, pooltype="AVERAGE", pad_value=0.0):
    """One row for each sequence: the sum, mean, sum over the root of the length, maximum, first or last of its rows.

    An empty sequence gives ``pad_value``.
    """
    check_choice(pooltype, POOLS, "sequence_pool", "pool_type")
    ends = packed_rows.offsets(x, lod, "sequence_pool", "input")
    lengths, dtype = np.diff(ends), plain(x).dtype
    if pooltype in ("FIRST", "LAST"):
        return packed_rows.rows_or(x, np.where(lengths > 0, ends[:-1] if pooltype == "FIRST" else ends[1:] - 1, -1), pad_value)
    if pooltype == "MAX":
        cells = packed_rows.pad(plain(x), ends, -np.inf if dtype.kind == "f" else np.iinfo(dtype).min)
        if not cells.shape[1]:
            return np.full([len(lengths), *x.shape[1:]], pad_value, dtype)
        best = packed_rows.with_axes(np.where(lengths > 0, ends[:-1], 0), x) + cells.argmax(1)
        out = take_along_axis(x, best, 0)
    else:
        power = {"SUM": 0.0, "AVERAGE": 1.0, "SQRT": 0.5}[pooltype]
        out = packed_rows.totals(x, ends) * packed_rows.with_axes(np.maximum(lengths, 1) ** -power, x, dtype)
    return out if lengths.all() else where(packed_rows.with_axes(lengths > 0, x), out, np.asarray(pad_value, dtype))


@composed("sequence_softmax(X, XLoD*?) -> Out", family="sequence", rows="keep", shapes="*x -> *x")
def sequence_softmax(x, lod=None):
    """Softmax over the rows of each sequence."""
    ends = packed_rows.offsets(x, lod, "sequence_softmax", "input")
    who, top = packed_rows.owners(ends), packed_rows.pad(plain(x), ends, -np.inf).max(1, initial=-np.inf)
    e = exp(x - top[who])
    return e / gather(packed_rows.totals(e, ends), who)


@composed("sequence_conv(X, PaddingData?, Filter, XLoD*?) -> Out", family="sequence", context_length="contextLength",
          context_start="contextStart", context_stride="contextStride", padding_trainable="paddingTrainable", rows="keep",
    shapes="? d, _, c k -> ? k")
def sequence_conv(x, padding, weight, lod=None, context_length=1, context_start=0, context_stride=1, padding_trainable=False):
    """Each row and its neighbours from ``context_start`` on, zeros beyond the sequence, times weight [length * width, out]."""
    if padding is not None or padding_trainable or context_stride != 1:
        raise NotImplementedError("sequence_conv(): trained padding and strides other than 1 are not supported")
    ends = packed_rows.offsets(x, lod, "sequence_conv", "input")
    if len(x.shape) != 2 or len(weight.shape) != 2 or weight.shape[0] != context_length * x.shape[1]:
        raise ValueError(f"sequence_conv(): input [rows, width] needs a filter [{context_length} * width, out], got "
                         f"{list(x.shape)} and {list(weight.shape)}")
    who = packed_rows.owners(ends)
    near = np.arange(len(who))[:, None] + context_start + np.arange(context_length)
    near = np.where((near >= ends[:-1][who][:, None]) & (near < ends[1:][who][:, None]), near, -1)
    return matmul(packed_rows.rows_or(x, near, 0.0).reshape([len(who), context_length * x.shape[1]]), weight)


@composed("sequence_expand(X, Y, XLoD*?, YLoD*?) -> Out, OutLoD*", family="sequence",
    shapes=lambda x, x_lod: packed_rows.with_lengths(x, x_lod))
def sequence_expand(x, y, x_lod=None, y_lod=None, ref_level=-1):
    """Each sequence of x (each row, if x has no lengths) as often as y has entries there on one of its levels."""
    if not y_lod or not -len(y_lod) <= ref_level < len(y_lod):
        raise ValueError(f"sequence_expand(): y must have sequence lengths on level {ref_level}, it has {len(y_lod or ())} levels")
    times = np.diff(np.asarray(plain(y_lod[ref_level])))
    ends = packed_rows.offsets(x, x_lod, "sequence_expand") if x_lod else np.arange(x.shape[0] + 1)
    if len(times) != len(ends) - 1:
        raise ValueError(f"sequence_expand(): x has {len(ends) - 1} sequences, y {len(times)} entries on level {ref_level}")
    chosen = np.repeat(np.arange(len(times)), times)
    lengths = np.diff(ends)[chosen]
    out = gather(x, packed_rows.runs(ends[:-1][chosen], lengths))
    return (out, packed_rows.ends_of(lengths)) if x_lod else (out,)


@composed("sequence_expand_as(X, Y, YLoD*?) -> Out", family="sequence", rows="keep Y", shapes="? *x -> ? *x")
def sequence_expand_as(x, y, y_lod=None):
    """Each row of x as often as the sequence of y with its number has rows."""
    ends = packed_rows.offsets(y, y_lod, "sequence_expand_as", "y")
    if x.shape[0] != len(ends) - 1:
        raise ValueError(f"sequence_expand_as(): x has {x.shape[0]} rows, y {len(ends) - 1} sequences")
    return gather(x, packed_rows.owners(ends))


@composed("sequence_concat(X*, XLoD*?) -> Out, OutLoD*", family="sequence", shapes=lambda xs: packed_rows.with_lengths(xs[0], xs))
def sequence_concat(xs, lods=None):
    """The first sequences of all inputs behind each other, then the second ones, and so on."""
    if not lods or len(lods) != len(xs):
        raise ValueError(f"sequence_concat(): each of {len(xs)} inputs must have one level of sequence lengths")
    ends = [packed_rows.offsets(x, [lod], "sequence_concat", "input") for x, lod in zip(xs, lods)]
    if len({len(e) for e in ends}) != 1:
        raise ValueError(f"sequence_concat(): the inputs have {[len(e) - 1 for e in ends]} sequences")
    lengths = np.stack([np.diff(e) for e in ends], 1)
    first = packed_rows.ends_of([e[-1] for e in ends])[:-1]
    starts = np.stack([e[:-1] for e in ends], 1) + first
    return gather(concat(list(xs), None, 0), packed_rows.runs(starts.reshape(-1),
                                                              lengths.reshape(-1))), packed_rows.ends_of(lengths.sum(1))


@composed("sequence_pad(X, PadValue, XLoD*?) -> Out, Length", family="sequence", shapes="? *x -> ? padded_length *x, ?:int64")
def sequence_pad(x, pad_value, lod=None, padded_length=-1):
    """Sequences as [sequences, longest (or padded_length), ...] filled up with a value, and their lengths."""
    ends = packed_rows.offsets(x, lod, "sequence_pad")
    lengths = np.diff(ends)
    if padded_length not in (-1, None) and padded_length < lengths.max(initial=0):
        raise ValueError(f"sequence_pad(): maxlen {padded_length} is less than the longest sequence, {lengths.max()}")
    return packed_rows.pad(x, ends, pad_value, None if padded_length in (-1, None) else padded_length), lengths


@composed("sequence_unpad(X, Length) -> Out, OutLoD*", family="sequence", shapes="b t *x -> ? *x, ?:int64")
def sequence_unpad(x, length):
    """The first rows of each sequence of x [sequences, longest, ...], packed."""
    lengths = np.ravel(plain(length)).astype(np.int64)
    if len(x.shape) < 2 or len(lengths) != x.shape[0] or lengths.max(initial=0) > x.shape[1] or lengths.min(initial=0) < 0:
        raise ValueError(f"sequence_unpad(): x [sequences, longest, ...] {list(x.shape)} does not hold sequences of lengths "
                         f"{lengths.tolist()}")
    ends = packed_rows.ends_of(lengths)
    return packed_rows.unpad(x, ends), ends


@composed("sequence_reshape(X, XLoD*?) -> Out, OutLoD*", family="sequence", shapes="_ -> ? new_dim, ?:int64")
def sequence_reshape(x, lod=None, new_dim=1):
    """The numbers of each sequence in rows of another width."""
    ends = packed_rows.offsets(x, lod, "sequence_reshape", "input")
    numbers = np.diff(ends) * x.shape[1]
    if (numbers % new_dim).any():
        raise ValueError(f"sequence_reshape(): sequences of {numbers.tolist()} numbers do not fill rows of {new_dim}")
    return x.reshape([-1, new_dim]), packed_rows.ends_of(numbers // new_dim)


@composed("sequence_reverse(X, XLoD*?) -> Y", family="sequence", rows="keep", shapes="*x -> *x")
def sequence_reverse(x, lod=None):
    """Each sequence from its last row to its first."""
    return gather(x, packed_rows.back(packed_rows.offsets(x, lod, "sequence_reverse")))


@composed("sequence_slice(X, Offset, Length, XLoD*?) -> Out, OutLoD*", family="sequence", shapes="? *x -> ? *x, ?:int64")
def sequence_slice(x, offset, length, lod=None):
    """``length`` rows of each sequence from its row ``offset`` on."""
    ends = packed_rows.offsets(x, lod, "sequence_slice", "input")
    skip, size = (np.ravel(plain(v)).astype(np.int64) for v in (offset, length))
    if len(skip) != len(ends) - 1 or len(size) != len(skip) or (skip < 0).any() or (skip + size > np.diff(ends)).any():
        raise ValueError(f"sequence_slice(): offset {skip.tolist()} and length {size.tolist()} do not fit sequences of lengths "
                         f"{np.diff(ends).tolist()}")
    return gather(x, packed_rows.runs(ends[:-1] + skip, size)), packed_rows.ends_of(size)


@op("sequence_enumerate(X, XLoD*?) -> Out", family="sequence", rows="keep", shapes="? *x -> ? win_size")
def sequence_enumerate(x, lod=None, win_size=1, pad_value=0):
    """For each id the ``win_size`` ids from it on, ``pad_value`` beyond the end of its sequence."""
    ends = packed_rows.offsets(x, lod, "sequence_enumerate", "input")
    near = np.arange(len(x))[:, None] + np.arange(win_size)
    return packed_rows.rows_or(x.reshape(-1), np.where(near < ends[1:][packed_rows.owners(ends)][:, None], near, -1),
                               x.dtype.type(pad_value))


@composed("sequence_scatter(X, Ids, Updates, IdsLoD*?, UpdatesLoD*?) -> Out", family="sequence", shapes="*x -> *x")
def sequence_scatter(x, ids, updates, lod=None, updates_lod=None):
    """x with the updates of sequence i added to row i, at the columns that the ids name."""
    ends = packed_rows.offsets(ids, lod, "sequence_scatter", "index")
    if x.shape[0] != len(ends) - 1 or updates.shape[0] != ids.shape[0]:
        raise ValueError(f"sequence_scatter(): input {list(x.shape)} needs as many sequences of ids, got {len(ends) - 1}, and "
                         f"{ids.shape[0]} updates, got {updates.shape[0]}")
    at = np.stack([packed_rows.owners(ends), np.ravel(plain(ids)).astype(np.int64)], 1)
    return add_at(x, at, updates.reshape([-1]))


def _reset(x, x_lod, y_lod, append):
    """The rows stay; there are as many levels as y has, or one, behind those of x if they are kept."""
    levels = len(y_lod or [None]) + (len(x_lod or ()) if append else 0)
    return x, *[x.like((-1,), np.int64)] * levels


@composed("lod_reset(X, Y?, XLoD*?, YLoD*?) -> Out, OutLoD*", family="sequence", shapes=_reset)
def lod_reset(x, y=None, x_lod=None, y_lod=None, target_lod=(), append=False):
    """The same rows with other sequence lengths: those of y, or the offsets in y or ``target_lod``; ``append`` adds a level."""
    if y_lod:
        new = [np.asarray(plain(level)) for level in y_lod]
    else:
        new = [np.ravel(np.asarray(target_lod) if y is None else plain(y)).astype(np.int64)]
    outer = [np.asarray(plain(level)) for level in x_lod or ()] if append else []
    packed_rows.offsets(x, new, "lod_reset")
    return (x.reshape(list(x.shape)), *[np.array(level) for level in outer + new])


@composed("im2sequence(X, Y?) -> Out, OutLoD*", family="sequence",
    shapes=lambda x, kernels: (
    x.like((-1, -1 if x.shape[1] < 0 else x.shape[1] * kernels[0] * kernels[1])), x.like((-1,), np.int64)))
def im2sequence(x, y=None, kernels=(1, 1), strides=(1, 1), paddings=(0, 0, 0, 0), out_stride=(1, 1)):
    """The windows of each picture [N, C, H, W] as rows of C * kh * kw numbers, one sequence for each picture; of pictures whose
    sizes y [N, 2] are given, those windows that lie in the first size / out_stride rows and columns."""
    if len(x.shape) != 4:
        raise ValueError(f"im2sequence(): input must be [N, C, H, W], got {list(x.shape)}")
    rows = transpose(unfold(x, list(kernels), list(strides), list(paddings), [1, 1]), [0, 2, 1])
    count, windows, width = rows.shape
    rows = rows.reshape([count * windows, width])
    if y is None:
        return rows, np.arange(count + 1) * windows
    high, wide = [(x.shape[2 + i] + paddings[i] + paddings[2 + i] - kernels[i]) // strides[i] + 1 for i in (0, 1)]
    chosen, ends = [], [0]
    for picture, size in enumerate(np.asarray(plain(y)).reshape(count, 2)):
        tall, broad = [(-(-int(size[i]) // out_stride[i]) + paddings[i] + paddings[2 + i] - kernels[i]) // strides[i] + 1
                       for i in (0, 1)]
        if not (0 < tall <= high and 0 < broad <= wide):
            raise ValueError(f"im2sequence(): picture {picture} has size {size.tolist()}, which gives {tall} x {broad} windows; "
                             f"its tensor has {high} x {wide}")
        chosen.append((picture * windows + np.arange(tall)[:, None] * wide + np.arange(broad)).reshape(-1))
        ends.append(ends[-1] + tall * broad)
    return gather(rows, np.concatenate(chosen)), np.array(ends)


through_float32(sequence_pool, sequence_softmax, sequence_conv)


by_library(sequence_pool, sequence_softmax, sequence_enumerate, sequence_slice, sequence_reverse, im2sequence)
