"""ONNX forms of arithmetic, comparisons, activations, reductions."""

import numpy as np

from ..core import dtype as dtypes
from .builder import converts
from .proto import DTYPES


def _unary(kind):
    return lambda b, op: b.node(kind, [op.x()], op.out())


for _paddle, _onnx in {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "exp": "Exp", "log": "Log", "sqrt": "Sqrt",
                       "abs": "Abs", "reciprocal": "Reciprocal", "floor": "Floor", "ceil": "Ceil", "sign": "Sign", "sin": "Sin",
                       "cos": "Cos", "erf": "Erf", "softsign": "Softsign", "logical_not": "Not", "assign": "Identity",
                       "share_data": "Identity", "isnan_v2": "IsNaN", "isinf_v2": "IsInf", "asin": "Asin", "acos": "Acos",
                       "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tan": "Tan"}.items():
    converts(_paddle)(_unary(_onnx))

_BINARY = {"elementwise_add": "Add", "elementwise_sub": "Sub", "elementwise_mul": "Mul", "elementwise_div": "Div",
           "elementwise_pow": "Pow", "elementwise_max": "Max", "elementwise_min": "Min", "equal": "Equal",
           "less_than": "Less", "less_equal": "LessOrEqual", "greater_than": "Greater", "greater_equal": "GreaterOrEqual",
           "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}


def operands(b, op):
    """Names of x and y, with y's shape extended to the right where the axis asks for it."""
    x, y, axis = op.x("X"), op.x("Y"), op.get("axis", -1)
    nx, ny = len(op.shape("X")), len(op.shape("Y"))
    if axis not in (-1, None) and axis >= 0 and nx > axis + ny:
        y = b.node("Unsqueeze", [y, b.ints(range(ny, ny + nx - axis - ny))])
    return x, y


@converts(*_BINARY)
def _binary(b, op):
    b.node(_BINARY[op.type], operands(b, op), op.out())


@converts("not_equal")
def _not_equal(b, op):
    b.node("Not", [b.node("Equal", operands(b, op))], op.out())


@converts("elementwise_mod")
def _mod(b, op):
    x, y = operands(b, op)
    if op.dtype().kind in "iu":
        b.node("Mod", [x, y], op.out())
    else:  # x - floor(x / y) * y
        b.node("Sub", [x, b.node("Mul", [b.node("Floor", [b.node("Div", [x, y])]), y])], op.out())


@converts("elementwise_floordiv")
def _floordiv(b, op):
    x, y = operands(b, op)
    if op.dtype().kind in "iu":
        as_float = [b.node("Cast", [v], to=DTYPES["float64"]) for v in (x, y)]
        b.node("Cast", [b.node("Floor", [b.node("Div", as_float)])], op.out(), to=DTYPES[op.dtype().name])
    else:
        b.node("Floor", [b.node("Div", [x, y])], op.out())


@converts("scale")
def _scale(b, op):
    op.no_tensors("ScaleTensor")
    kind, y = op.dtype(), op.x()
    factor, bias = op["scale"], op["bias"]
    first, second = (("Mul", factor), ("Add", bias)) if op["bias_after_scale"] else (("Add", bias), ("Mul", factor))
    steps = [(k, v) for k, v in (first, second) if v != (1 if k == "Mul" else 0)]
    for n, (k, v) in enumerate(steps):
        y = b.node(k, [y, b.constant(v, kind)], op.out() if n == len(steps) - 1 else None)
    if not steps:
        b.node("Identity", [y], op.out())


@converts("sum")
def _sum(b, op):
    b.node("Sum", op.xs(), op.out())


@converts("pow")
def _pow(b, op):
    op.no_tensors("FactorTensor")
    b.node("Pow", [op.x(), b.constant(op["factor"], op.dtype())], op.out())


@converts("square")
def _square(b, op):
    b.node("Mul", [op.x(), op.x()], op.out())


@converts("rsqrt")
def _rsqrt(b, op):
    b.node("Reciprocal", [b.node("Sqrt", [op.x()])], op.out())


@converts("log1p")
def _log1p(b, op):
    b.node("Log", [b.node("Add", [op.x(), b.constant(1, op.dtype())])], op.out())


@converts("round")
def _round(b, op):  # halves away from zero, unlike ONNX's Round
    x, kind = op.x(), op.dtype()
    up = b.node("Floor", [b.node("Add", [b.node("Abs", [x]), b.constant(0.5, kind)])])
    b.node("Mul", [b.node("Sign", [x]), up], op.out())


@converts("clip")
def _clip(b, op):
    kind = op.dtype()

    def bound(tensor, number):
        return tensor if tensor is not None else None if number is None else b.constant(number, kind)
    b.node("Clip", [op.x(), bound(op.x("Min"), op.get("min")), bound(op.x("Max"), op.get("max"))], op.out())


@converts("where")
def _where(b, op):
    b.node("Where", [op.x("Condition"), op.x("X"), op.x("Y")], op.out())


@converts("cast")
def _cast(b, op):
    b.node("Cast", [op.x()], op.out(), to=DTYPES[dtypes.convert(op["out_dtype"]).name])


# ---------------------------------------------------------------- activations

@converts("relu6")
def _relu6(b, op):
    kind = op.dtype()
    b.node("Clip", [op.x(), b.constant(0, kind), b.constant(6, kind)], op.out())


@converts("leaky_relu")
def _leaky(b, op):
    b.node("LeakyRelu", [op.x()], op.out(), alpha=float(op["alpha"]))


@converts("elu")
def _elu(b, op):
    b.node("Elu", [op.x()], op.out(), alpha=float(op["alpha"]))


@converts("selu")
def _selu(b, op):
    b.node("Selu", [op.x()], op.out(), alpha=float(op["alpha"]), gamma=float(op["scale"]))


@converts("softplus")
def _softplus(b, op):
    if op.get("beta", 1) == 1:
        b.node("Softplus", [op.x()], op.out())
    else:
        beta = b.constant(op["beta"], op.dtype())
        b.node("Div", [b.node("Softplus", [b.node("Mul", [op.x(), beta])]), beta], op.out())


@converts("gelu")
def _gelu(b, op):
    kind, x = op.dtype(), op.x()
    half, one = b.constant(0.5, kind), b.constant(1, kind)
    if op["approximate"]:
        cube = b.node("Mul", [b.node("Mul", [x, x]), x])
        inner = b.node("Add", [x, b.node("Mul", [cube, b.constant(0.044715, kind)])])
        curve = b.node("Tanh", [b.node("Mul", [inner, b.constant((2 / np.pi) ** 0.5, kind)])])
    else:
        curve = b.node("Erf", [b.node("Mul", [x, b.constant(0.5 ** 0.5, kind)])])
    b.node("Mul", [b.node("Mul", [x, half]), b.node("Add", [curve, one])], op.out())


@converts("silu", "swish")
def _silu(b, op):
    b.node("Mul", [op.x(), b.node("Sigmoid", [op.x()])], op.out())


@converts("mish")
def _mish(b, op):
    b.node("Mul", [op.x(), b.node("Tanh", [b.node("Softplus", [op.x()])])], op.out())


@converts("hard_sigmoid")
def _hard_sigmoid(b, op):
    b.node("HardSigmoid", [op.x()], op.out(), alpha=float(op["slope"]), beta=float(op["offset"]))


@converts("hard_swish")
def _hard_swish(b, op):
    kind = op.dtype()
    moved = b.node("Add", [op.x(), b.constant(op["offset"], kind)])
    cut = b.node("Clip", [moved, b.constant(0, kind), b.constant(op["threshold"], kind)])
    b.node("Div", [b.node("Mul", [op.x(), cut]), b.constant(op["scale"], kind)], op.out())


@converts("prelu")
def _prelu(b, op):
    slope, shape = op.x("Alpha"), op.shape()
    if op["mode"] == "channel" and op["data_format"] == "NCHW":
        slope = b.node("Reshape", [slope, b.ints([-1] + [1] * (len(shape) - 2))])
    elif op["mode"] == "all":
        slope = b.node("Reshape", [slope, b.ints([1] * max(len(shape) - 1, 1))])
    b.node("PRelu", [op.x(), slope], op.out())


@converts("softmax", "log_softmax")
def _softmax(b, op):
    b.node("Softmax" if op.type == "softmax" else "LogSoftmax", [op.x()], op.out(), axis=op["axis"])


# ---------------------------------------------------------------- reductions

_REDUCE = {"reduce_mean": "ReduceMean", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin", "reduce_prod": "ReduceProd"}


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
