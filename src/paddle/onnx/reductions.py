"""ONNX forms of reductions, norms of vectors, and running sums."""

import numpy as np

from ..core import dtype as dtypes
from .builder import converts
from .proto import DTYPES

_REDUCE = {"reduce_mean": "ReduceMean", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin", "reduce_prod": "ReduceProd",
           "reduce_amax": "ReduceMax", "reduce_amin": "ReduceMin", "frobenius_norm": "ReduceL2"}


def _axes(op):
    whole = op.get("reduce_all") or not op["dim"]
    return None if whole else [int(a) for a in op["dim"]]


@converts(*_REDUCE)
def _reduce(b, op):
    b.node(_REDUCE[op.type], [op.x()], op.out(), axes=_axes(op), keepdims=int(op["keep_dim"]))


@converts("reduce_sum")
def _reduce_sum(b, op):
    x, out = op.x(), op.get("out_dtype", -1)
    if out not in (-1, None) and dtypes.convert(out).dtype != op.dtype():
        x = b.node("Cast", [x], to=DTYPES[dtypes.convert(out).name])
    axes = _axes(op)
    b.node("ReduceSum", [x, None if axes is None else b.ints(axes)], op.out(), keepdims=int(op["keep_dim"]))


@converts("reduce_all", "reduce_any")
def _truth(b, op):
    kind = "ReduceMin" if op.type == "reduce_all" else "ReduceMax"
    y = b.node(kind, [b.cast(op.x(), np.int32)], axes=_axes(op), keepdims=int(op["keep_dim"]))
    b.node("Cast", [y], op.out(), to=DTYPES["bool"])


@converts("logsumexp")
def _logsumexp(b, op):
    axes = None if op["reduce_all"] or not op["axis"] else [int(a) for a in op["axis"]]
    b.node("ReduceLogSumExp", [op.x()], op.out(), axes=axes, keepdims=int(op["keepdim"]))


@converts("squared_l2_norm")
def _squared_norm(b, op):
    b.node("Reshape", [b.node("ReduceSumSquare", [op.x()], keepdims=0), b.ints([1])], op.out())


@converts("p_norm")
def _p_norm(b, op):
    p, kind, x, out = op["porder"], op.dtype(), op.x(), op.out()
    how = {"axes": None if op["asvector"] else [int(op["axis"])], "keepdims": int(op["keepdim"])}
    if p in (1, 2):
        b.node("ReduceL1" if p == 1 else "ReduceL2", [x], out, **how)
    elif np.isinf(p):
        b.node("ReduceMax" if p > 0 else "ReduceMin", [b.node("Abs", [x])], out, **how)
    else:
        axes = None if how["axes"] is None else b.ints(how["axes"])
        if p == 0:  # how many are not 0
            each = b.cast(b.cast(x, np.bool_), kind)
        else:
            each = b.node("Pow", [b.node("Abs", [x]), b.constant(p, kind)])
        total = b.node("ReduceSum", [each, axes], out if p == 0 else None, keepdims=how["keepdims"])
        if p != 0:
            b.node("Pow", [total, b.constant(1 / p, kind)], out)


@converts("norm")
def _norm(b, op):
    squares = b.node("ReduceSumSquare", [op.x()], axes=[int(op["axis"])], keepdims=1)
    length = b.node("Sqrt", [b.node("Add", [squares, b.constant(op["epsilon"], op.dtype())])], op.out("Norm"))
    b.node("Div", [op.x(), length], op.out())


@converts("mean")
def _mean(b, op):
    if op.get("row", False):  # [1], as before Paddle 2.5
        b.node("Reshape", [b.node("ReduceMean", [op.x()], keepdims=0), b.ints([1])], op.out())
    else:
        b.node("ReduceMean", [op.x()], op.out(), keepdims=0)


@converts("arg_max", "arg_min")
def _arg(b, op):
    x, axis = op.x(), int(op["axis"])
    if op["flatten"]:
        x, axis = b.node("Reshape", [x, b.ints([-1])]), 0
    wide = dtypes.convert(op["dtype"]).name == "int64"
    kind = "ArgMax" if op.type == "arg_max" else "ArgMin"
    y = b.node(kind, [x], op.out() if wide else None, axis=axis, keepdims=int(op["keepdims"] and not op["flatten"]))
    if not wide:
        b.node("Cast", [y], op.out(), to=DTYPES[dtypes.convert(op["dtype"]).name])


@converts("top_k_v2", "top_k")
def _top_k(b, op):
    k = op.x("K")
    k = b.node("Reshape", [b.node("Cast", [k], to=DTYPES["int64"]), b.ints([1])]) if k else b.ints([op["k"]])
    outs = [op.out("Out") or b.fresh(), op.out("Indices") or b.fresh()]
    b.node("TopK", [op.x(), k], outs, axis=int(op.get("axis", -1)), largest=int(op.get("largest", True)),
           sorted=int(op.get("sorted", True)))


@converts("cumsum")
def _cumsum(b, op):
    x, axis = op.x(), op["axis"]
    if op["flatten"]:
        x, axis = b.node("Reshape", [x, b.ints([-1])]), 0
    b.node("CumSum", [x, b.constant(axis, np.int64)], op.out(), exclusive=int(op["exclusive"]), reverse=int(op["reverse"]))
