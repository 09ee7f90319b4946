"""Graph functions under their first names; most live on in paddle.geometric."""

from ..core.errors import own_errors
from ..geometric import reindex_graph, sample_neighbors, segment_max, segment_mean, segment_min, segment_sum, send_u_recv
from ..ops import message_passing
from ..tensor.convert import as_tensor

__all__ = ["graph_khop_sampler", "graph_reindex", "graph_sample_neighbors", "graph_send_recv", "segment_max", "segment_mean",
           "segment_min", "segment_sum"]


@own_errors
def graph_send_recv(x, src_index, dst_index, pool_type="sum", out_size=None, name=None):
    """``paddle.geometric.send_u_recv``, with ``reduce_op`` called ``pool_type``."""
    return send_u_recv(x, src_index, dst_index, pool_type, out_size)


@own_errors
def graph_sample_neighbors(row, colptr, input_nodes, eids=None, perm_buffer=None, sample_size=-1, return_eids=False,
                           flag_perm_buffer=False, name=None):
    """``paddle.geometric.sample_neighbors`` with its arguments in another order."""
    if flag_perm_buffer and perm_buffer is None:
        raise ValueError("graph_sample_neighbors(): flag_perm_buffer needs perm_buffer")
    return sample_neighbors(row, colptr, input_nodes, sample_size, eids, return_eids, perm_buffer if flag_perm_buffer else None)


@own_errors
def graph_reindex(x, neighbors, count, value_buffer=None, index_buffer=None, flag_buffer_hashtable=False, name=None):
    """``paddle.geometric.reindex_graph``; the buffers, working memory for GPUs, must be there with ``flag_buffer_hashtable``."""
    if flag_buffer_hashtable and (value_buffer is None or index_buffer is None):
        raise ValueError("graph_reindex(): flag_buffer_hashtable needs value_buffer and index_buffer")
    buffers = (value_buffer, index_buffer) if flag_buffer_hashtable else (None, None)
    return reindex_graph(x, neighbors, count, *buffers)


@own_errors
def graph_khop_sampler(row, colptr, input_nodes, sample_sizes, sorted_eids=None, return_eids=False, name=None):
    """Random neighbours of nodes, neighbours of those, and so on, as a small graph with its nodes renumbered.

    Args:
        row, colptr: the graph by its columns: the neighbours of node i are ``row[colptr[i]:colptr[i + 1]]``.
        input_nodes: where to begin.
        sample_sizes: the most neighbours of a node, for each step away; -1 for all.
        sorted_eids: numbers of the edges, for ``return_eids``.

    Returns:
        (sources [E, 1], targets [E, 1], the nodes in the order of their new numbers, the new numbers of ``input_nodes``, and
        with ``return_eids`` the edges' numbers).

    >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
    >>> src, dst, nodes, first = paddle.incubate.graph_khop_sampler(row, colptr, paddle.to_tensor([1]), [-1, -1])
    >>> src.flatten().tolist(), dst.flatten().tolist(), nodes.tolist()
    ([1, 0, 2], [0, 1, 1], [1, 0, 2])
    """
    who = "graph_khop_sampler"
    found = message_passing.khop_sampler(as_tensor(row, who, "row"),
                                         None if sorted_eids is None else as_tensor(sorted_eids, who, "sorted_eids"),
                                         as_tensor(colptr, who, "colptr"), as_tensor(input_nodes, who, "input_nodes"),
                                         [int(s) for s in sample_sizes], bool(return_eids))
    return found if return_eids else found[:4]
