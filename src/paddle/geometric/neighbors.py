"""Neighbours of nodes, and graphs with their nodes renumbered.

A graph is given by its columns: the neighbours of node i are ``row[colptr[i]:colptr[i + 1]]``.
"""

from ..core.errors import check_type, own_errors
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops import message_passing
from ..tensor.convert import as_tensor
from ..tensor.joining import concat
from ..utils import naming

__all__ = ["reindex_graph", "reindex_heter_graph", "sample_neighbors", "weighted_sample_neighbors"]


def _check_buffers(function, **buffers):
    """Working memory that kernels of GPUs want; those of the CPU, here as in Paddle, need none and leave it as it is."""
    for name, value in buffers.items():
        if value is not None:
            check_type(value, (Tensor, Symbolic), function, name)


def reindex_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """Numbers nodes and their neighbours from 0: (sources of edges, targets of edges, nodes in the order of the numbers).

    Args:
        x: nodes, each once.
        neighbors: the neighbours of all of them, one after the other.
        count: how many neighbours each node has.
        value_buffer, index_buffer: working memory for GPUs, left as it is.

    >>> nodes, neighbors = paddle.to_tensor([5, 7]), paddle.to_tensor([7, 9, 5])
    >>> src, dst, found = paddle.geometric.reindex_graph(nodes, neighbors, paddle.to_tensor([2, 1], dtype="int32"))
    >>> src.tolist(), dst.tolist(), found.tolist()
    ([1, 2, 0], [0, 0, 1], [5, 7, 9])
    """
    who = "reindex_graph"
    _check_buffers(who, value_buffer=value_buffer, index_buffer=index_buffer)
    out = message_passing.reindex_graph(as_tensor(x, who), as_tensor(neighbors, who, "neighbors"), as_tensor(count, who, "count"))
    return naming.named(out, name)


def reindex_heter_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """As ``reindex_graph`` with edges of several kinds: lists of neighbours and counts, and numbers common to all.

    >>> nodes, counts = paddle.to_tensor([5, 7]), [paddle.to_tensor([1, 1]), paddle.to_tensor([0, 1])]
    >>> src, dst, found = paddle.geometric.reindex_heter_graph(nodes, [paddle.to_tensor([7, 9]), paddle.to_tensor([8])], counts)
    >>> src.tolist(), dst.tolist(), found.tolist()
    ([1, 2, 3], [0, 1, 1], [5, 7, 9, 8])
    """
    who = "reindex_heter_graph"
    if not isinstance(neighbors, (list, tuple)) or not isinstance(count, (list, tuple)) or len(neighbors) != len(count):
        raise TypeError(f"{who}(): neighbors and count must be lists of one length")
    return naming.named(reindex_graph(x, concat([as_tensor(n, who, "neighbors") for n in neighbors]),
                                      concat([as_tensor(c, who, "count") for c in count]), value_buffer, index_buffer), name)


@own_errors
def sample_neighbors(row, colptr, input_nodes, sample_size=-1, eids=None, return_eids=False, perm_buffer=None, name=None):
    """Random neighbours of nodes: (neighbours, how many each node has, and with ``return_eids`` the edges' numbers).

    Args:
        row, colptr: the graph by its columns.
        input_nodes: whose neighbours.
        sample_size: the most that a node may have; -1 for all.
        eids: numbers of the edges.
        perm_buffer: working memory for GPUs, left as it is.

    >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
    >>> found, count = paddle.geometric.sample_neighbors(row, colptr, paddle.to_tensor([0, 2]))
    >>> found.tolist(), count.tolist()
    ([1, 2], [2, 0])
    """
    who = "sample_neighbors"
    _check_buffers(who, perm_buffer=perm_buffer)
    found = message_passing.sample_neighbors(
        as_tensor(row, who, "row"), as_tensor(colptr, who, "colptr"), as_tensor(input_nodes, who, "input_nodes"),
        None if eids is None else as_tensor(eids, who, "eids"), int(sample_size), bool(return_eids))
    return naming.named(found if return_eids else found[:2], name)


@own_errors
def weighted_sample_neighbors(row, colptr, edge_weight, input_nodes, sample_size=-1, eids=None, return_eids=False, name=None):
    """As ``sample_neighbors``, with edges of more weight more likely.

    >>> row, colptr, weight = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3]), paddle.to_tensor([0.0, 1.0, 1.0])
    >>> found, count = paddle.geometric.weighted_sample_neighbors(row, colptr, weight, paddle.to_tensor([0]), 1)
    >>> found.tolist(), count.tolist()
    ([2], [1])
    """
    who = "weighted_sample_neighbors"
    found = message_passing.weighted_sample_neighbors(
        as_tensor(row, who, "row"), as_tensor(colptr, who, "colptr"), as_tensor(edge_weight, who, "edge_weight"),
        as_tensor(input_nodes, who, "input_nodes"), None if eids is None else as_tensor(eids, who, "eids"), int(sample_size),
        bool(return_eids))
    return naming.named(found if return_eids else found[:2], name)
