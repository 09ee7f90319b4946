"""ONNX forms of operators that round to steps of few bits, and back: in floats, with the values that Paddle gives them."""

import numpy as np

from .builder import converts


def _limit(op):
    return 2 ** (op["bit_length"] - 1) - 1


def _step(b, op, scale, rank, axis):
    """What one step is worth, in a form that fits the tensor."""
    size = b.node("Div", [scale, b.constant(_limit(op), op.dtype("Scale"))])
    many = int(np.prod(b.var(scale).shape)) > 1
    return b.node("Reshape", [size, b.ints([-1 if k == axis % rank else 1 for k in range(rank)] if many else [1])])


@converts("quantize_linear")
def _quantize(b, op):
    if not op["is_test"]:
        op.unsupported("scales that are still learnt; export the layer in eval() mode")
    if op.get("only_observer"):
        b.node("Identity", [op.x()], op.out("Y"))
    else:
        step = _step(b, op, op.x("Scale"), len(op.shape()), op["quant_axis"])
        _round(b, op, b.node("Div", [op.x(), step]), op["round_type"], op.out("Y"))


@converts("dequantize_linear")
def _dequantize(b, op):
    if op.get("only_observer"):
        b.node("Identity", [op.x()], op.out("Y"))
    else:
        step = _step(b, op, op.x("Scale"), len(op.shape()), op["quant_axis"])
        b.node("Mul", [b.cast(op.x(), op.dtype("Scale")), step], op.out("Y"))


def _round(b, op, steps, round_type, out=None):
    """Whole steps within the range of the bits; halves to even numbers, or away from 0."""
    kind, limit = op.dtype(), _limit(op)
    if round_type == 0:
        return b.node("Clip", [b.node("Round", [steps]), b.constant(-limit - 1, kind), b.constant(limit, kind)], out)
    steps = b.node("Clip", [steps, b.constant(-limit, kind), b.constant(limit, kind)])
    up = b.node("Floor", [b.node("Add", [b.node("Abs", [steps]), b.constant(0.5, kind)])])
    return b.node("Mul", [b.node("Sign", [steps]), up], out)


_DYNAMIC = ("fake_quantize_dequantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max")


@converts("fake_quantize_dequantize_moving_average_abs_max", *_DYNAMIC)
def _fake_quantize(b, op):
    rank, axis = len(op.shape()), op.get("quant_axis", 0)
    if op.type in _DYNAMIC:
        others = [k for k in range(rank) if k != axis] if "channel" in op.type else None
        scale = b.node("ReduceMax", [b.node("Abs", [op.x()])], axes=others, keepdims=1)
    elif not op["is_test"]:
        op.unsupported("scales that are still learnt; export the layer in eval() mode")
    else:
        scale = b.node("Reshape", [op.x("InScale"), b.ints([1] * max(rank, 1))])
    step = b.node("Div", [scale, b.constant(_limit(op), op.dtype())])
    steps = _round(b, op, b.node("Div", [op.x(), step]), op.get("round_type", 1))
    b.node("Mul", [steps, step], op.out())
