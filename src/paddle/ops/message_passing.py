"""Rows that are sent along the edges of a graph and gathered at its nodes; segments of rows; neighbours of nodes."""

import numpy as np

from ..core.errors import ElementTypeError, check_choice
from ..core.op import op
from ..core.random import numpy_generator
from .composed import composed
from .families.elementwise import broadcast_dims
from .families.reshape import given_ints
from .manipulation.gather_scatter import check_index, gather, gather_sum
from .manipulation.reshape import cast, ints_of
from .math import reduction as reduce
from .math.logic import equal
from .nn.grid_sample import plain
from .short import through_float32

_REDUCTIONS = ("SUM", "MEAN", "MIN", "MAX")


@op("rows_extreme(X, Index) -> Out", family="own")
def rows_extreme(x, index, rows=0, largest=True):
    """For each of ``rows`` the largest (or smallest) of the rows of x that are sent to it; 0 where none is."""
    out = np.zeros((rows, *x.shape[1:]), x.dtype)
    if x.size:  # what goes to one row made neighbours: far quicker than element by element
        ordered = np.all(index[1:] >= index[:-1])
        order = slice(None) if ordered else np.argsort(index, kind="stable")
        ids = index[order]
        starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
        out[ids[starts]] = (np.maximum if largest else np.minimum).reduceat(x[order], starts, 0)
    return out


def _extreme_grad(g, out, x, index, x_dtype):
    return gather(g, index, None, 0) * cast(equal(x, gather(out, index, None, 0)), x_dtype.name)


rows_extreme.grad(x=_extreme_grad)


def _collected(messages, index, rows, how, function):
    """Messages, one for each edge, put together at the nodes ``index``."""
    check_choice(how, _REDUCTIONS, function, "reduce_op")
    if how in ("MIN", "MAX"):
        return rows_extreme(messages, index, rows, how == "MAX")
    total = gather_sum(messages, index, (rows, *messages.shape[1:]), 0)
    if how == "SUM":
        return total
    kind = plain(messages).dtype
    counts = np.maximum(np.bincount(plain(index), minlength=rows), 1).astype(kind).reshape([-1] + [1] * (len(messages.shape) - 1))
    if kind.kind in "iu":  # the mean of integers is cut off to one
        return (total + (counts - 1) * cast(total < 0, kind.name)) // counts
    return total / counts


def _flat_ids(ids, function, argument):
    values = plain(ids)
    if values.dtype.kind not in "iu":
        raise ElementTypeError(f"{function}(): {argument} must be integers, got {values.dtype.name}")
    if values.ndim > 1 and (values.ndim > 2 or values.shape[1] != 1):
        raise ValueError(f"{function}(): {argument} must have one axis, got shape {list(values.shape)}")
    return values.reshape(-1)


@composed("segment_pool(X, SegmentIds) -> Out, SummedIds?", family="dynamic", shapes="? *x -> ? *x")
def segment_pool(x, segment_ids, pooltype="SUM"):
    """The sum, mean, minimum or maximum of the rows of each segment; rows of a segment follow each other."""
    function = f"segment_{pooltype.lower()}"
    ids = _flat_ids(segment_ids, function, "segment_ids")
    if not len(x.shape) or ids.size != x.shape[0] or not ids.size:
        raise ValueError(f"{function}(): segment_ids must have a number for each row of data {list(x.shape)}, got {ids.size}")
    if ids[0] < 0 or (np.diff(ids) < 0).any():
        raise ValueError(f"{function}(): segment_ids must rise from at least 0, got {ids[:20].tolist()}")
    return _collected(x, ids, int(ids[-1]) + 1, pooltype, function)


def _ends(x, src, dst, rows, function):
    """The flat ids of the edges' sources and targets, checked."""
    source, target = _flat_ids(src, function, "src_index"), _flat_ids(dst, function, "dst_index")
    if source.size != target.size:
        raise ValueError(f"{function}(): src_index and dst_index must be of one length, got {source.size} and {target.size}")
    check_index(source, x.shape[0], function)
    check_index(target, rows, function)
    return source, target


def _rows(x, size_tensor, out_size):
    size = ints_of(out_size, size_tensor)
    return size[0] if size and size[0] > 0 else x.shape[0]


def _rows_like(x, message, size_tensor, out_size):
    size = given_ints(out_size, size_tensor)
    rows = x.shape[0] if not size or size[0] is not None and size[0] <= 0 else size[0]
    return x.like((-1 if rows is None else rows, *message.shape[1:]))


def _met(x, y):
    """What two rows make: axes are matched from the last."""
    return x.like((-1, *broadcast_dims(x.shape[1:], y.shape[1:], "message")))


@composed("graph_send_recv(X, Src_index, Dst_index, Out_size?) -> Out, Dst_count?", family="own",
    shapes=lambda x, size_tensor, out_size: _rows_like(x, x, size_tensor, out_size))
def send_u_recv(x, src_index, dst_index, size_tensor=None, reduce_op="SUM", out_size=(0,)):
    """Rows of x sent along edges and put together where they arrive."""
    rows = _rows(x, size_tensor, out_size)
    source, target = _ends(x, src_index, dst_index, rows, "send_u_recv")
    return _collected(gather(x, source, None, 0), target, rows, reduce_op, "send_u_recv")


def _message(x, y, how, function):
    """What is sent when two rows meet; axes are matched from the last."""
    check_choice(how, ("ADD", "MUL"), function, "message_op")
    depth = max(len(x.shape), len(y.shape))
    x, y = (t.reshape([t.shape[0]] + [1] * (depth - len(t.shape)) + list(t.shape[1:])) for t in (x, y))
    return x + y if how == "ADD" else x * y


@composed("graph_send_ue_recv(X, Y, Src_index, Dst_index, Out_size?) -> Out, Dst_count?", family="own",
    shapes=lambda x, y, size_tensor, out_size: _rows_like(x, _met(x, y), size_tensor, out_size))
def send_ue_recv(x, y, src_index, dst_index, size_tensor=None, message_op="ADD", reduce_op="SUM", out_size=(0,)):
    """Rows of x, with rows y of the edges added or multiplied, sent along edges and put together where they arrive."""
    rows = _rows(x, size_tensor, out_size)
    source, target = _ends(x, src_index, dst_index, rows, "send_ue_recv")
    if y.shape[0] != source.size:
        raise ValueError(f"send_ue_recv(): y must have a row for each of {source.size} edges, got {list(y.shape)}")
    return _collected(_message(gather(x, source, None, 0), y, message_op, "send_ue_recv"), target, rows, reduce_op, "send_ue_recv")


@composed("graph_send_uv(x, y, src_index, dst_index) -> out", family="own",
    shapes=lambda x, y, src_index: x.like((*src_index.shape[:1], *_met(x, y).shape[1:])))
def send_uv(x, y, src_index, dst_index, message_op="ADD"):
    """For each edge, the sum or product of the row of x at its source and of y at its target."""
    source, target = _ends(x, src_index, dst_index, y.shape[0], "send_uv")
    return _message(gather(x, source, None, 0), gather(y, target, None, 0), message_op, "send_uv")


@composed("identity_loss(X) -> Out", family="own", shapes=lambda x, reduction: x if reduction == 2 else x.like(()))
def identity_loss(x, reduction=1):
    """x as a loss: its sum (0), its mean (1) or as it is (2)."""
    check_choice(reduction, (0, 1, 2), "identity_loss", "reduction")
    return x * 1 if reduction == 2 else (reduce.sum, reduce.mean)[reduction](x)


# ---- nodes and their neighbours; a graph is given by columns: those of node i are row[colptr[i]:colptr[i + 1]] ----------
def _renamed(nodes):
    """Nodes without repetition in the order in which they come, and the place of each among them."""
    unique, first, places = np.unique(nodes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return unique[order], rank[places.reshape(-1)].astype(nodes.dtype)


@op("graph_reindex(X, Neighbors, Count) -> Reindex_Src, Reindex_Dst, Out_Nodes", family="dynamic", shapes="_ -> ?, ?, ?")
def reindex_graph(x, neighbors, count):
    """Numbers from 0 for nodes and their neighbours: edges' sources and targets, and the nodes in the order of the numbers."""
    x, neighbors, count = (_flat_ids(v, "reindex_graph", n) for v, n in ((x, "x"), (neighbors, "neighbors"), (count, "count")))
    if x.size == 0 or count.size % x.size or count.sum() != neighbors.size:
        raise ValueError(f"reindex_graph(): count must say for each of {x.size} nodes how many of the {neighbors.size} neighbors "
                         f"are its own, got {count.size} numbers that add up to {count.sum()}")
    if np.unique(x).size != x.size:
        raise ValueError("reindex_graph(): x must not hold a node twice")
    nodes, places = _renamed(np.concatenate([x, neighbors]))
    targets = np.repeat(np.tile(np.arange(x.size, dtype=x.dtype), count.size // x.size), count)
    return places[x.size:], targets, nodes


def _picked(row, colptr, nodes, size, weight, function):
    """Places in ``row`` of neighbours of each node, at most ``size`` (-1: all), and how many each has."""
    row, colptr, nodes = (_flat_ids(v, function, n) for v, n in ((row, "row"), (colptr, "colptr"), (nodes, "input_nodes")))
    check_index(nodes, colptr.size - 1, function)
    if (np.diff(colptr) < 0).any() or colptr[0] < 0 or colptr[-1] > row.size:
        raise ValueError(f"{function}(): colptr must rise from 0 to at most the {row.size} edges of row")
    generator, found = None, []
    for start, end in zip(colptr[nodes], colptr[nodes + 1]):
        places = np.arange(start, end)
        if 0 <= size < places.size:
            generator = generator or numpy_generator(0)
            # waiting times of independent events: the more weight, the sooner; without weights all are alike
            with np.errstate(divide="ignore"):
                waits = generator.standard_exponential(places.size) / (1 if weight is None else weight[places])
            places = np.sort(places[np.argsort(waits)[:size]])
        found.append(places)
    counts = np.array([places.size for places in found], np.int32)
    return (np.concatenate(found) if found else np.zeros(0, np.int64)), counts


def _with_ids(row, eids, places, counts, return_eids, function):
    if return_eids and eids is None:
        raise ValueError(f"{function}(): return_eids needs eids, the numbers of the edges")
    numbers = eids.reshape(-1)[places] if return_eids else np.zeros(0, row.dtype)
    return row.reshape(-1)[places], counts, numbers


@op("graph_sample_neighbors(Row, Col_Ptr, X, Eids?) -> Out, Out_Count, Out_Eids", family="dynamic", random=True,
    shapes="_ -> ?, ?:int32, ?")
def sample_neighbors(row, colptr, nodes, eids=None, sample_size=-1, return_eids=False):
    """Random neighbours of nodes, at most ``sample_size`` of each; how many each has; and the numbers of the edges."""
    places, counts = _picked(row, colptr, nodes, sample_size, None, "sample_neighbors")
    return _with_ids(row, eids, places, counts, return_eids, "sample_neighbors")


@op("weighted_sample_neighbors(row, colptr, edge_weight, input_nodes, eids?) -> out_neighbors, out_count, out_eids",
    family="dynamic", random=True, shapes="_ -> ?, ?:int32, ?")
def weighted_sample_neighbors(row, colptr, weight, nodes, eids=None, sample_size=-1, return_eids=False):
    """As sample_neighbors, with edges of more weight more likely."""
    weight = weight.reshape(-1)
    if weight.size != row.size or (weight < 0).any():
        raise ValueError(f"weighted_sample_neighbors(): edge_weight must be {row.size} numbers of at least 0, got {weight.size}")
    places, counts = _picked(row, colptr, nodes, sample_size, weight, "weighted_sample_neighbors")
    return _with_ids(row, eids, places, counts, return_eids, "weighted_sample_neighbors")


@op("graph_khop_sampler(Row, Eids?, Col_Ptr, X) -> Out_Src, Out_Dst, Sample_Index, Reindex_X, Out_Eids", family="dynamic",
    random=True, shapes="_ -> ? 1, ? 1, ?, ?, ?")
def khop_sampler(row, eids, colptr, nodes, sample_sizes=(), return_eids=False):
    """Neighbours, theirs and so on: renumbered ends of edges [E, 1], all nodes, places of the first ones, numbers of edges."""
    frontier = nodes.reshape(-1)
    seen, sources, targets, numbers = frontier, [], [], []
    for size in sample_sizes:
        places, counts = _picked(row, colptr, frontier, size, None, "graph_khop_sampler")
        found, _, ids = _with_ids(row, eids, places, counts, return_eids, "graph_khop_sampler")
        sources, targets, numbers = [*sources, found], [*targets, np.repeat(frontier, counts)], [*numbers, ids]
        fresh = _renamed(np.concatenate([seen, found]))[0]
        frontier, seen = fresh[np.unique(seen).size:], fresh
    edges = sum(part.size for part in sources)
    unique, places = _renamed(np.concatenate([nodes.reshape(-1), *sources, *targets]))
    first = nodes.size
    return (places[first:first + edges, None], places[first + edges:, None], unique, places[:first],
            np.concatenate(numbers) if numbers else np.zeros(0, row.dtype))


through_float32(segment_pool, send_u_recv, send_ue_recv)
