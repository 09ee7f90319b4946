"""ONNX forms of arithmetic, comparisons and activations."""

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
                       "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tan": "Tan", "asinh": "Asinh", "acosh": "Acosh",
                       "atanh": "Atanh"}.items():
    converts(_paddle)(_unary(_onnx))

_BINARY = {"elementwise_add": "Add", "elementwise_sub": "Sub", "elementwise_mul": "Mul", "elementwise_div": "Div",
           "elementwise_pow": "Pow", "elementwise_max": "Max", "elementwise_min": "Min", "equal": "Equal",
           "less_than": "Less", "less_equal": "LessOrEqual", "greater_than": "Greater", "greater_equal": "GreaterOrEqual",
           "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "minus": "Sub"}


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


_BITS = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor", "bitwise_not": "Not"}


@converts(*_BITS)
def _bits(b, op):
    if op.dtype().kind != "b":
        op.unsupported("bits of whole numbers; truth values only")
    b.node(_BITS[op.type], op.xs("X") + op.xs("Y"), op.out())


@converts("elementwise_fmax", "elementwise_fmin")
def _without_nan(b, op):
    x, y = operands(b, op)
    chosen = b.node("Max" if op.type == "elementwise_fmax" else "Min", [x, y])
    b.node("Where", [b.node("IsNaN", [x]), y, b.node("Where", [b.node("IsNaN", [y]), x, chosen])], op.out())


@converts("equal_all")
def _equal_all(b, op):
    same = b.node("ReduceMin", [b.cast(b.node("Equal", operands(b, op)), np.int32)], keepdims=0)
    b.node("Cast", [same], op.out(), to=DTYPES["bool"])


@converts("lerp")
def _lerp(b, op):
    way = b.node("Sub", [op.x("Y"), op.x("X")])
    b.node("Add", [op.x("X"), b.node("Mul", [op.x("Weight"), way])], op.out())


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


@converts("increment")
def _increment(b, op):
    b.node("Add", [op.x(), b.constant(op["step"], op.dtype())], op.out())


@converts("isfinite_v2")
def _isfinite(b, op):
    if op.dtype().kind != "f":
        op.unsupported(f"element type {op.dtype()}")
    b.node("Not", [b.node("Or", [b.node("IsInf", [op.x()]), b.node("IsNaN", [op.x()])])], op.out())


@converts("is_empty")
def _is_empty(b, op):
    b.node("Equal", [b.node("Size", [op.x()]), b.constant(0, np.int64)], op.out())


@converts("square")
def _square(b, op):
    b.node("Mul", [op.x(), op.x()], op.out())


@converts("rsqrt")
def _rsqrt(b, op):
    b.node("Reciprocal", [b.node("Sqrt", [op.x()])], op.out())


@converts("log1p")
def _log1p(b, op):
    b.node("Log", [b.node("Add", [op.x(), b.constant(1, op.dtype())])], op.out())


@converts("log2", "log10")
def _log(b, op):
    b.node("Div", [b.node("Log", [op.x()]), b.constant(np.log(2 if op.type == "log2" else 10), op.dtype())], op.out())


@converts("expm1")
def _expm1(b, op):  # 2 exp(x / 2) sinh(x / 2), which keeps its digits near 0; from -80 down it is -1
    half = b.node("Mul", [b.node("Max", [op.x(), b.constant(-80, op.dtype())]), b.constant(0.5, op.dtype())])
    doubled = b.node("Mul", [b.node("Exp", [half]), b.constant(2, op.dtype())])
    b.node("Mul", [doubled, b.node("Sinh", [half])], op.out())


@converts("trunc")
def _trunc(b, op):
    b.node("Mul", [b.node("Sign", [op.x()]), b.node("Floor", [b.node("Abs", [op.x()])])], op.out())


@converts("logit")
def _logit(b, op):
    x, one, eps = op.x(), b.constant(1, op.dtype()), op["eps"]
    if eps:
        x = b.node("Clip", [x, b.constant(eps, op.dtype()), b.constant(1 - eps, op.dtype())])
    b.node("Log", [b.node("Div", [x, b.node("Sub", [one, x])])], op.out())


@converts("label_smooth")
def _label_smooth(b, op):
    kind, eps, prior = op.dtype(), op["epsilon"], op.x("PriorDist")
    share = b.node("Mul", [prior, b.constant(eps, kind)]) if prior else b.constant(eps / op.shape()[-1], kind)
    b.node("Add", [b.node("Mul", [op.x(), b.constant(1 - eps, kind)]), share], op.out())


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


@converts("celu")
def _celu(b, op):
    b.node("Celu", [op.x()], op.out(), alpha=float(op["alpha"]))


@converts("logsigmoid")
def _logsigmoid(b, op):
    b.node("Neg", [b.node("Softplus", [b.node("Neg", [op.x()])])], op.out())


@converts("tanh_shrink")
def _tanh_shrink(b, op):
    b.node("Sub", [op.x(), b.node("Tanh", [op.x()])], op.out())


@converts("softshrink", "hard_shrink")
def _shrink(b, op):
    soft = op.type == "softshrink"
    limit = float(op["lambda" if soft else "threshold"])
    b.node("Shrink", [op.x()], op.out(), lambd=limit, bias=limit if soft else 0.0)


@converts("thresholded_relu")
def _thresholded_relu(b, op):
    b.node("ThresholdedRelu", [op.x()], op.out(), alpha=float(op["threshold"]))


@converts("brelu")
def _brelu(b, op):
    b.node("Clip", [op.x(), b.constant(op["t_min"], op.dtype()), b.constant(op["t_max"], op.dtype())], op.out())


@converts("stanh")
def _stanh(b, op):
    bent = b.node("Tanh", [b.node("Mul", [op.x(), b.constant(op["scale_a"], op.dtype())])])
    b.node("Mul", [bent, b.constant(op["scale_b"], op.dtype())], op.out())


@converts("maxout")
def _maxout(b, op):
    shape, groups = op.shape(), op["groups"]
    axis = op["axis"] % len(shape)
    if shape[:axis + 1].count(-1) > (shape[0] == -1) or -1 in shape[axis:]:
        op.unsupported("sizes other than the batch must be known")
    parts = [0] * axis + [shape[axis] // groups, groups] + shape[axis + 1:]
    b.node("ReduceMax", [b.node("Reshape", [op.x(), b.ints(parts)])], op.out(), axes=[axis + 1], keepdims=0)


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
