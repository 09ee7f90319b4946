"""Operators of click-through models of 1.x: shows and clicks beside features, hashed ids, instances by tag, rows shuffled; and
similarity focus."""

import math

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ..composed import composed
from ..manipulation.gather_scatter import gather
from ..manipulation.joining import concat
from ..manipulation.slicing import basic_get
from ..nn.grid_sample import plain
from ..random import draws
from ..sequence import packed_rows


@op("cvm(X, CVM, XLoD*?) -> Y", family="own", rows="keep",
    shapes=lambda x, use_cvm: x.like((*x.shape[:-1], x.shape[-1] - (0 if use_cvm else 2))))
def cvm(x, shows_and_clicks, lod=None, use_cvm=True):
    """The first two columns (shows, clicks) as log(shows + 1) and log(clicks + 1) - log(shows + 1), or left out.

    Their gradient is the second input by definition, so that it reaches the table the rows come from.
    """
    if x.ndim != 2 or x.shape[1] < 2 or shows_and_clicks.ndim != 2 or shows_and_clicks.shape[1] != 2:
        raise ValueError(f"continuous_value_model(): input must be [rows, 2 + width] and cvm [rows, 2], got {list(x.shape)} and "
                         f"{list(shows_and_clicks.shape)}")
    if not use_cvm:
        return x[:, 2:].copy()
    shows = np.log(x[:, :1] + 1)
    return np.concatenate([shows, np.log(x[:, 1:2] + 1) - shows, x[:, 2:]], 1)


def _cvm_gradient(g, shows_and_clicks, lod, use_cvm):
    first = shows_and_clicks
    if lod:
        ends = np.asarray(plain(lod[0]))
        first = gather(first, packed_rows.owners(ends))
    return concat([first, basic_get(g, (slice(None), slice(2, None))) if use_cvm else g], None, 1)


cvm.grad(x=_cvm_gradient)


def _rotated(x, bits):
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


_P = [np.uint64(p) for p in (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
                             2870177450012600261)]


def _mixed(lane, word):
    return _rotated(lane + word * _P[1], 31) * _P[0]


def xxh64(rows, seed):
    """The 64-bit xxHash of each row of bytes [n, a multiple of 4]."""
    length = rows.shape[1]
    words = np.ascontiguousarray(rows[:, :length // 8 * 8]).view(np.uint64)
    seed, used = np.uint64(seed), length // 32 * 4
    with np.errstate(over="ignore"):
        if used:
            lanes = [np.full(len(rows), v) for v in (seed + _P[0] + _P[1], seed + _P[1], seed, seed - _P[0])]
            for start in range(0, used, 4):
                lanes = [_mixed(lane, words[:, start + k]) for k, lane in enumerate(lanes)]
            h = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18)))
            for lane in lanes:
                h = (h ^ _mixed(np.uint64(0), lane)) * _P[0] + _P[3]
        else:
            h = np.full(len(rows), seed + _P[4])
        h = h + np.uint64(length)
        for k in range(used, words.shape[1]):
            h = _rotated(h ^ _mixed(np.uint64(0), words[:, k]), 27) * _P[0] + _P[3]
        if length % 8:
            rest = np.ascontiguousarray(rows[:, length // 8 * 8:]).view(np.uint32)[:, 0].astype(np.uint64)
            h = _rotated(h ^ (rest * _P[0]), 23) * _P[1] + _P[2]
        for shift, factor in ((33, _P[1]), (29, _P[2])):
            h = (h ^ (h >> np.uint64(shift))) * factor
        return h ^ (h >> np.uint64(32))


@op("hash(X) -> Out", family="own", rows="keep", shapes=lambda x, num_hash: x.like((*x.shape[:-1], num_hash, 1)))
def hash_ids(x, num_hash=1, mod_by=100000):
    """Each row of ids as ``num_hash`` numbers below ``mod_by``: the xxHash of its bytes with the seeds 0, 1, ..."""
    if x.dtype not in (np.int32, np.int64) or x.ndim < 2:
        raise ElementTypeError(f"hash(): input must be rows of int32 or int64 ids, got {x.dtype.name} of shape {list(x.shape)}")
    rows = np.ascontiguousarray(x).reshape(-1, x.shape[-1]).view(np.uint8).reshape(-1, x.shape[-1] * x.itemsize)
    values = np.stack([xxh64(rows, seed) % np.uint64(mod_by) for seed in range(num_hash)], 1)
    return values.astype(x.dtype).reshape(*x.shape[:-1], num_hash, 1)


@composed("filter_by_instag(Ins, Ins_tag, Filter_tag, InsLoD*?, Ins_tagLoD*?) -> Out, LossWeight, IndexMap, OutLoD, IndexMapLoD",
          family="sequence", rows="give LossWeight=IndexMap",
          shapes="? w -> ? w, ? 1:float32, ? 3:int64, ?:int64, ?:int64")
def filter_by_instag(x, tags, wanted, x_lod=None, tags_lod=None, is_lod=True, out_val_if_empty=0):
    """The instances of x (sequences, or rows) with a wanted tag, weights 1 for them, and rows [place here, place in x, length].

    If there is none: one row of ``out_val_if_empty`` with weight 0.
    """
    ends = packed_rows.offsets(x, x_lod, "filter_by_instag", "ins") if is_lod and x_lod else np.arange(x.shape[0] + 1)
    tag_ends = packed_rows.offsets(tags, tags_lod, "filter_by_instag", "ins_tag") if tags_lod else np.arange(tags.shape[0] + 1)
    hit = np.isin(np.ravel(plain(tags)), np.ravel(plain(wanted)))
    found = [k for k, (a, b) in enumerate(zip(tag_ends, tag_ends[1:])) if hit[a:b].any()]
    if not found:
        empty = basic_get(x, (slice(0, 1),)) * 0 + plain(x).dtype.type(out_val_if_empty)
        return empty, np.zeros((1, 1), np.float32), np.array([[0, 1, 1]], np.int64), np.array([0, 1]), np.array([0, 1])
    lengths = np.diff(ends)[found]
    new = packed_rows.ends_of(lengths)
    out = concat([basic_get(x, (slice(int(ends[k]), int(ends[k + 1])),)) for k in found], None, 0)
    table = np.stack([new[:-1], ends[found], lengths], 1).astype(np.int64)
    return out, np.ones((len(found), 1), np.float32), table, new, np.arange(len(found) + 1)


@op("similarity_focus(X) -> Out", family="same")
def similarity_focus(x, axis=1, indexes=()):
    """Ones where, in one of the chosen slices along an axis, the largest values stand that share no row and no column; else
    zeros."""
    if x.ndim != 4 or axis not in (1, 2, 3) or not len(indexes) or not all(0 <= k < x.shape[axis] for k in indexes):
        raise ValueError(f"similarity_focus(): input must be [N, A, B, C], axis 1, 2 or 3 and indexes below that size; got "
                         f"{list(x.shape)}, {axis} and {list(indexes)}")
    turned = np.moveaxis(x, axis, 1)
    mask = np.zeros((len(x), *turned.shape[2:]), bool)
    for n, k in ((n, k) for n in range(len(x)) for k in indexes):
        plane, rows, columns = turned[n, k], set(), set()
        for at in np.argsort(-plane, None, kind="stable"):
            row, column = divmod(int(at), plane.shape[1])
            if row not in rows and column not in columns:
                rows.add(row)
                columns.add(column)
                mask[n, row, column] = True
    return np.moveaxis(np.broadcast_to(mask[:, None], turned.shape), 1, axis).astype(x.dtype)


_MODULUS = 2 ** 31 - 1  # of the generator that gives the next seed


@op("shuffle_batch(X, Seed?) -> Out, ShuffleIdx, SeedOut", family="own", random=True,
    shapes=lambda x: (x, x.like((-1 if -1 in x.shape[:-1] else math.prod(x.shape[:-1]),), np.int64), x.like((1,), np.int64)))
def shuffle_batch(x, seed_tensor=None, startup_seed=0):
    """The rows (of all axes but the last) in another order, to which place each went, and a seed for the next time.

    Row i goes to place ShuffleIdx[i]. ``seed_tensor`` counts before ``startup_seed``; 0 is the global generator.
    """
    first = int(startup_seed if seed_tensor is None or not seed_tensor.size else seed_tensor.reshape(-1)[0])
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    places = draws.permutation(first, len(rows))
    out = np.empty_like(rows)
    out[places] = rows
    following = (first % 2 ** 64 % _MODULUS or 1) * 16807 % _MODULUS
    return out.reshape(x.shape), places, np.array([following], np.int64)


shuffle_batch.grad(x=lambda g, out, x_shape: gather(
    g[0].reshape([math.prod(x_shape[:-1]), x_shape[-1]]), out[1]).reshape(list(x_shape)))
