"""Operators of deep models over a tree of items: children of nodes, and nodes drawn from each level."""

import contextlib

import numpy as np

from ...core import dtype as dtypes
from ...core.errors import ElementTypeError
from ...core.op import op
from ..manipulation.creation import dtype_code
from ..random import draws


def _whole(function, **arrays):
    """Ids and trees are int32 or int64."""
    for argument, array in arrays.items():
        if array.dtype not in (np.int32, np.int64):
            raise ElementTypeError(f"{function}(): {argument} must be int32 or int64, got {array.dtype.name}")


def _within(function, ids, count, what):
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        raise ValueError(f"{function}(): x must be {what} in [0, {count}), got {ids.min()} to {ids.max()}")


@op("tdm_child(X, TreeInfo) -> Child, LeafMask", family="own", to_desc=dtype_code, rows="keep",
    shapes=lambda x, tree, child_nums, dtype: [x.like((*x.shape, child_nums), dtypes.to_numpy(dtype))] * 2)
def tdm_child(x, tree, child_nums, dtype="int32"):
    """The children of nodes, and 1 for those that are items. A row of the tree is (item, level, parent, children ...); node 0,
    and one whose first child is 0, has none."""
    _whole("tdm_child", x=x, tree_info=tree)
    if tree.ndim != 2 or tree.shape[1] < 3 + child_nums:
        raise ValueError(f"tdm_child(): the tree must have rows of 3 + {child_nums} numbers, got shape {list(tree.shape)}")
    _within("tdm_child", x, len(tree), "nodes")
    kind = dtypes.to_numpy(dtype, "tdm_child")
    inner = (x != 0) & (tree[x, 3] != 0)
    child = np.where(inner[..., None], tree[x, 3:3 + child_nums], 0)
    return child.astype(kind), (inner[..., None] & (tree[child, 0] != 0)).astype(kind)


def _sampled(x, travel, layer, dtype, neg_samples_num_list, output_positive):
    width = sum(neg_samples_num_list) + len(neg_samples_num_list) * bool(output_positive)
    return [x.like((x.shape[0], width), dtypes.to_numpy(dtype))] * 3


@op("tdm_sampler(X, Travel, Layer) -> Out, Labels, Mask", family="own", to_desc=dtype_code, random=True, shapes=_sampled)
def tdm_sampler(x, travel, layer, neg_samples_num_list=(), output_positive=True, layer_offset_lod=(), seed=0, dtype="int32"):
    """For each item its node on every level, if ``output_positive``, and so many different other nodes of the level; labels 1
    for the item's own nodes; mask 0 where the item's path is padded (with 0).

    ``travel`` [items, levels] has the paths, ``layer`` the nodes of all levels, which begin at ``layer_offset_lod``.
    """
    _whole("tdm_sampler", x=x, travel=travel, layer=layer)
    counts, nodes, levels = np.diff(layer_offset_lod), layer.reshape(-1), range(len(neg_samples_num_list))
    if len(counts) != len(levels) or travel.ndim != 2 or travel.shape[1] != len(levels):
        raise ValueError(f"tdm_sampler(): {len(levels)} numbers of samples need as many levels, got {len(counts)} in "
                         f"layer_offset_lod and paths of shape {list(travel.shape)}")
    for k in levels:
        if neg_samples_num_list[k] >= counts[k]:
            raise ValueError(f"tdm_sampler(): level {k} has {counts[k]} nodes, which must be more than the "
                             f"{neg_samples_num_list[k]} drawn beside the item's own")
    ids = x.reshape(-1)
    _within("tdm_sampler", ids, len(travel), "items")
    kind, shown = dtypes.to_numpy(dtype, "tdm_sampler"), int(output_positive)
    out, labels, mask = ([[] for _ in ids] for _ in range(3))
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(draws.one_by_one(seed))  # a seed starts every level anew; the global generator goes on
        drawing = [stack.enter_context(draws.one_by_one(seed)) if k and seed else first for k in levels]
        for at, path in enumerate(travel[ids]):
            for k, own in zip(levels, path.tolist()):
                wanted, level = neg_samples_num_list[k], nodes[layer_offset_lod[k]:layer_offset_lod[k + 1]]
                if own:
                    out[at] += [own] * shown + level[_others(drawing[k], level, own, wanted)].tolist()
                else:
                    out[at] += [0] * (shown + wanted)
                labels[at] += [int(own != 0)] * shown + [0] * wanted
                mask[at] += [int(own != 0)] * (shown + wanted)
    width = sum(neg_samples_num_list) + shown * len(levels)
    return tuple(np.array(rows, kind).reshape(len(ids), width) for rows in (out, labels, mask))


def _others(draw, level, own, wanted):
    """Places of different nodes of a level, none of them the item's own."""
    found = []
    while len(found) < wanted:
        place = draw(len(level))
        if level[place] != own and place not in found:
            found.append(place)
    return found
