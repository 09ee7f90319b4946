"""Weighted sums over what surrounds a row: the following steps (row_conv), the subtree below a node (tree_conv)."""

import numpy as np

from ..composed import composed
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.joining import concat
from ..manipulation.reshape import transpose
from ..sequence import packed_rows as packed
from .grid_sample import plain


@composed("row_conv(X, Filter, XLoD*?) -> Out", family="sequence", rows="keep",
    shapes=lambda x, lod: x.like() if len(x.shape) == (2 if lod else 3) else None)
def row_conv(x, weight, lod=None):
    """Each step of x [batch, time, width], or of packed sequences, times weight[0], plus the k-th after it times weight[k]."""
    if lod:
        ends = packed.offsets(x, lod, "row_conv", "input")
        return packed.unpad(row_conv.fn(packed.pad(x, ends), weight), ends)
    if len(x.shape) != 3 or len(weight.shape) != 2 or weight.shape[1] != x.shape[2]:
        raise ValueError(f"row_conv(): input [batch, time, width] needs a filter [steps, width], got {list(x.shape)} and "
                         f"{list(weight.shape)}")
    (batch, length, width), ahead = x.shape, weight.shape[0] - 1
    if ahead:
        x = concat([x, np.zeros([batch, ahead, width], plain(x).dtype)], None, 1)
    total = x[:, :length] * weight[0]
    for k in range(1, ahead + 1):
        total = total + x[:, k:k + length] * weight[k]
    return total


def subtree_weights(edges, count, depth):
    """How much each node contributes to each node's window of a tree, from the left, right and top: [count, count, 3].

    ``edges`` are pairs (parent, child) of nodes counted from 1; a pair with a 0 ends them. A window holds the nodes less than
    ``depth`` levels below its own; those at level d count 1 - d / depth from the top, the rest from left and right by their
    place among their siblings.
    """
    children, known = {}, set()
    for parent, child in edges:
        if not parent or not child:
            break
        if not (0 < parent <= count and 0 < child <= count):
            raise ValueError(f"tree_conv(): an edge joins nodes {parent} and {child}, there are {count}")
        children.setdefault(int(parent), []).append(int(child))
        known.update((int(parent), int(child)))
    weights = np.zeros([count, count, 3])
    for root in sorted(known):
        level, seen = [(root, 0.5)], {root}
        for d in range(depth):
            below = []
            for node, place in level:
                left = d / depth * place
                weights[root - 1, node - 1] = left, d / depth * (1 - left), 1 - d / depth
                kids = [kid for kid in children.get(node, ()) if kid not in seen]
                seen.update(kids)
                siblings = children.get(node, ())
                below += [(kid, siblings.index(kid) / (len(siblings) - 1) if len(siblings) > 1 else 0.5) for kid in kids]
            level = below
    return weights


@composed("tree_conv(NodesVector, EdgeSet, Filter) -> Out", family="own")
def tree_conv(nodes, edges, weight, max_depth=2):
    """Windows over trees, each node with what is below it, times weight [width, 3, size, filters]: [batch, nodes, size, filters].

    Nodes that no edge joins to a tree give 0.
    """
    if len(nodes.shape) != 3 or len(edges.shape) != 3 or edges.shape[2] != 2:
        raise ValueError(f"tree_conv(): nodes must be [batch, nodes, width] and edges [batch, edges, 2], got "
                         f"{list(nodes.shape)} and {list(edges.shape)}")
    if len(weight.shape) != 4 or weight.shape[0] != nodes.shape[2] or weight.shape[1] != 3:
        raise ValueError(f"tree_conv(): the filter must be [{nodes.shape[2]}, 3, size, filters], got {list(weight.shape)}")
    batch, count, width = nodes.shape
    size, filters = weight.shape[2:]
    shares = np.stack([subtree_weights(e, count, max_depth) for e in np.asarray(plain(edges))]) if batch else \
        np.zeros([0, count, count, 3])
    shares = shares.astype(plain(nodes).dtype).transpose(0, 3, 1, 2)  # [batch, 3, window, node]
    windows = transpose(matmul(shares, nodes.reshape([batch, 1, count, width])), [0, 2, 3, 1])
    return matmul(windows.reshape([batch, count, width * 3]), weight.reshape([width * 3, size * filters])).reshape(
        [batch, count, size, filters])


by_library(row_conv)
