"""Rows sent along the edges of a graph, and segments of rows."""

from ..core.errors import check_choice, own_errors
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops import message_passing
from ..tensor.convert import as_tensor
from ..utils import naming

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_sum", "send_u_recv", "send_ue_recv", "send_uv"]

_REDUCE = ("sum", "mean", "max", "min")
_MESSAGE = ("add", "sub", "mul", "div")


def segment_sum(data, segment_ids, name=None):
    """The sums of segments of rows.

    Args:
        data: rows.
        segment_ids: for each row the number of its segment; the numbers rise.

    >>> paddle.geometric.segment_sum(paddle.to_tensor([[1., 2.], [3., 4.], [5., 6.]]), paddle.to_tensor([0, 0, 1])).tolist()
    [[4.0, 6.0], [5.0, 6.0]]
    """
    return naming.named(_segment(data, segment_ids, "SUM"), name)


def segment_mean(data, segment_ids, name=None):
    """The means of segments of rows; 0 for a number without rows. See ``segment_sum``.

    >>> paddle.geometric.segment_mean(paddle.to_tensor([[1., 2.], [3., 4.], [5., 6.]]), paddle.to_tensor([0, 0, 1])).tolist()
    [[2.0, 3.0], [5.0, 6.0]]
    """
    return naming.named(_segment(data, segment_ids, "MEAN"), name)


def segment_min(data, segment_ids, name=None):
    """The smallest elements of segments of rows; 0 for a number without rows. See ``segment_sum``.

    >>> paddle.geometric.segment_min(paddle.to_tensor([[1., 4.], [3., 2.], [5., 6.]]), paddle.to_tensor([0, 0, 1])).tolist()
    [[1.0, 2.0], [5.0, 6.0]]
    """
    return naming.named(_segment(data, segment_ids, "MIN"), name)


def segment_max(data, segment_ids, name=None):
    """The largest elements of segments of rows; 0 for a number without rows. See ``segment_sum``.

    >>> paddle.geometric.segment_max(paddle.to_tensor([[1., 4.], [3., 2.], [5., 6.]]), paddle.to_tensor([0, 0, 1])).tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    return naming.named(_segment(data, segment_ids, "MAX"), name)


def _segment(data, segment_ids, how):
    who = f"segment_{how.lower()}"
    return message_passing.segment_pool(as_tensor(data, who, "data"), as_tensor(segment_ids, who, "segment_ids"), how)


def _edges(function, src_index, dst_index):
    return as_tensor(src_index, function, "src_index"), as_tensor(dst_index, function, "dst_index")


def _size(out_size):
    """(tensor, attribute) of an ``out_size`` that is None, a number or a tensor."""
    if isinstance(out_size, (Tensor, Symbolic)):
        return out_size, [0]
    return None, [0 if out_size is None else int(out_size)]


def send_u_recv(x, src_index, dst_index, reduce_op="sum", out_size=None, name=None):
    """Rows of x sent along the edges of a graph, and put together where they arrive.

    Args:
        x: a row for each node.
        src_index, dst_index: where each edge comes from and leads to.
        reduce_op: 'sum', 'mean', 'max' or 'min'; nodes that nothing reaches get 0.
        out_size: how many rows the result has; as many as x for None.

    >>> x, src, dst = paddle.to_tensor([[1.], [2.], [4.]]), paddle.to_tensor([0, 1, 2, 0]), paddle.to_tensor([1, 2, 1, 0])
    >>> paddle.geometric.send_u_recv(x, src, dst).tolist()
    [[1.0], [5.0], [2.0]]
    """
    who = "send_u_recv"
    check_choice(reduce_op, _REDUCE, who, "reduce_op")
    out = message_passing.send_u_recv(as_tensor(x, who), *_edges(who, src_index, dst_index), _size(out_size)[0], reduce_op.upper(),
                                      _size(out_size)[1])
    return naming.named(out, name)


def _mixed(y, message_op):
    """y and the operator of files, which know no differences and quotients."""
    y = -y if message_op == "sub" else 1.0 / y if message_op == "div" else y
    return y, "ADD" if message_op in ("add", "sub") else "MUL"


@own_errors
def send_ue_recv(x, y, src_index, dst_index, message_op="add", reduce_op="sum", out_size=None, name=None):
    """Rows of nodes, mixed with rows of the edges, sent along them, and put together where they arrive.

    Args:
        x: a row for each node.
        y: a row for each edge.
        src_index, dst_index: where each edge comes from and leads to.
        message_op: 'add', 'sub', 'mul' or 'div'.
        reduce_op, out_size: see ``send_u_recv``.

    >>> x, y = paddle.to_tensor([[1.], [2.], [4.]]), paddle.to_tensor([[1.], [10.]])
    >>> paddle.geometric.send_ue_recv(x, y, paddle.to_tensor([0, 1]), paddle.to_tensor([2, 2]), "mul").tolist()
    [[0.0], [0.0], [21.0]]
    """
    who = "send_ue_recv"
    check_choice(message_op, _MESSAGE, who, "message_op")
    check_choice(reduce_op, _REDUCE, who, "reduce_op")
    y, how = _mixed(as_tensor(y, who, "y"), message_op)
    out = message_passing.send_ue_recv(as_tensor(x, who), y, *_edges(who, src_index, dst_index), _size(out_size)[0], how,
                                       reduce_op.upper(),
                                       _size(out_size)[1])
    return naming.named(out, name)


def send_uv(x, y, src_index, dst_index, message_op="add", name=None):
    """For each edge, the row of x where it comes from mixed with the row of y that it leads to.

    Args:
        x, y: rows for the nodes.
        src_index, dst_index: where each edge comes from and leads to.
        message_op: 'add', 'sub', 'mul' or 'div'.

    >>> x, y = paddle.to_tensor([[1.], [2.]]), paddle.to_tensor([[10.], [20.]])
    >>> paddle.geometric.send_uv(x, y, paddle.to_tensor([0, 1]), paddle.to_tensor([1, 0])).tolist()
    [[21.0], [12.0]]
    """
    check_choice(message_op, _MESSAGE, "send_uv", "message_op")
    y, how = _mixed(as_tensor(y, "send_uv", "y"), message_op)
    return naming.named(message_passing.send_uv(as_tensor(x, "send_uv"), y, *_edges("send_uv", src_index, dst_index), how), name)
