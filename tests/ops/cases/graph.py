"""Rows along edges, segments of rows, neighbours of nodes."""

import numpy as np
from opcase import OpCase, bad, const, distinct, f

G = "paddle.geometric."
IDS = const([0, 0, 2, 2, 2], "int64")
SRC, DST = const([0, 1, 2, 0, 3], "int64"), const([1, 2, 1, 0, 0], "int64")
ROW, PTR = const([3, 2, 0, 1, 0], "int64"), const([0, 2, 3, 4, 5], "int64")
FOLD = {"sum": lambda rows: rows.sum(0), "mean": lambda rows: rows.mean(0), "max": lambda rows: rows.max(0), "min": lambda rows: rows.min(0)}
QUIET = {"rejects_text": False}


def collect(rows, ids, count, how):
    parts = [rows[ids == k] for k in range(count)]
    return np.stack([FOLD[how](part) if len(part) else np.zeros(rows.shape[1:], rows.dtype) for part in parts])


def segments(how):
    return OpCase(G + f"segment_{how}", [distinct(5, 3), IDS], ref=lambda x, ids: collect(x, ids, 3, how), unknown=False, errors=[
        bad(ValueError, f(5, 3), const([0, 2, 1, 3, 4], "int64"), match="must rise"),
        bad(ValueError, f(4, 3), IDS, match="for each row"), bad(TypeError, f(2, 3), const([0.0, 1.0]), match="integers")])


def sent(how):
    return OpCase(G + "send_u_recv", [distinct(4, 2), SRC, DST], reduce_op=how, unknown=False,
                  ref=lambda x, s, d, reduce_op: collect(x[s], d, 4, reduce_op),
                  errors=[bad(ValueError, f(4, 2), SRC, DST, reduce_op="prod", match="reduce_op"),
                          bad(IndexError, f(3, 2), SRC, DST, reduce_op=how, match="out of range")])


CASES = [
    *map(segments, FOLD), *map(sent, FOLD),
    OpCase(G + "send_u_recv", [f(4, 2), SRC, DST], out_size=3, ref=lambda x, s, d, out_size: collect(x[s], d, 3, "sum"), unknown=False),
    OpCase(G + "send_ue_recv", [f(4, 2, 3), f(5, 1, low=0.5), SRC, DST], message_op="div", reduce_op="mean", unknown=False,
           ref=lambda x, y, s, d, message_op, reduce_op: collect(x[s] / y[:, None], d, 4, "mean"), **QUIET,
           errors=[bad(ValueError, f(4, 2), f(4, 2), SRC, DST, match="row for each of 5 edges"),
                   bad(ValueError, f(4, 2), f(5, 2), SRC, DST, message_op="pow", match="message_op")]),
    OpCase(G + "send_ue_recv", [distinct(4, 2), f(5, 2, high=0.01), SRC, DST], reduce_op="max", unknown=False, **QUIET,
           ref=lambda x, y, s, d, reduce_op: collect(x[s] + y, d, 4, "max")),
    OpCase(G + "send_uv", [f(4, 2), f(3, 2), SRC, DST], message_op="sub", ref=lambda x, y, s, d, message_op: x[s] - y[d],
           unknown=False, errors=[bad(ValueError, f(4, 2), f(3, 2), SRC, const([0], "int64"), message_op="add", match="one length")]),
    OpCase(G + "reindex_graph", [const([5, 7], "int64"), const([7, 9, 5], "int64"), const([2, 1], "int32")], grad=False, static=False,
           ref=lambda *_: [np.array([1, 2, 0]), np.array([0, 0, 1]), np.array([5, 7, 9])], **QUIET,
           errors=[bad(ValueError, const([5, 7], "int64"), const([7, 9], "int64"), const([2, 1], "int32"), match="count"),
                   bad(ValueError, const([5, 5], "int64"), const([7, 9], "int64"), const([1, 1], "int32"), match="twice")]),
    OpCase(G + "sample_neighbors", [ROW, PTR, const([0, 3], "int64")], grad=False, unknown=False, **QUIET,
           ref=lambda *_: [np.array([3, 2, 0]), np.array([2, 1])],
           errors=[bad(IndexError, ROW, PTR, const([4], "int64"), match="out of range"),
                   bad(ValueError, ROW, PTR, const([0], "int64"), return_eids=True, match="needs eids")]),
    OpCase(G + "weighted_sample_neighbors", [ROW, PTR, const([0.0, 1.0, 1.0, 1.0, 1.0]), const([0, 3], "int64"), 1], grad=False,
           ref=lambda *_: [np.array([2, 0]), np.array([1, 1])], unknown=False, **QUIET,
           errors=[bad(ValueError, ROW, PTR, f(4), const([0], "int64"), match="edge_weight")]),
    OpCase("paddle.incubate.graph_khop_sampler", [ROW, PTR, const([0], "int64"), [-1, -1]], grad=False, unknown=False, **QUIET,
           ref=lambda *_: [np.array([[1], [2], [0], [3]]), np.array([[0], [0], [1], [2]]), np.array([0, 3, 2, 1]), np.array([0])]),
    OpCase("paddle.incubate.identity_loss", [f(2, 3)], reduction="mean", ref=lambda x, reduction: x.mean(),
           errors=[bad(ValueError, f(2), reduction="max", match="reduction")]),
]
