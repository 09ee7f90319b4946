"""What each operator of ONNX is here: functions of (node, layer, inputs), and NumPy's where only sizes and constants go in."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..core.op import Symbolic
from ..nn import functional as F
from ..nn.functional import activation, conv
from ..nn.functional.dropout import dropout
from ..tensor import functions as tensor
from .proto import DTYPES

_TYPES = {number: name for name, number in DTYPES.items()}
IMPORTERS, FOLDERS = {}, {}
_ARRAYS = {"Reshape", "Squeeze", "Unsqueeze", "Slice", "Expand", "Tile", "Pad", "Split", "ConstantOfShape", "Range", "Resize",
           "Upsample", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
           "ReduceLogSumExp", "TopK", "Clip", "OneHot", "CumSum", "Trilu", "Dropout"}


@dataclasses.dataclass(slots=True)
class Node:
    """One operator: its type, names of inputs ('' for one left out) and outputs, attributes."""

    type: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict

    @classmethod
    def of(cls, proto) -> Node:
        """The node of a message."""
        if proto.domain:
            raise NotImplementedError(f"load(): the operator {proto.op_type} is of the domain {proto.domain!r}, not of ONNX")
        return cls(proto.op_type, list(proto.input), list(proto.output), {a.name: a.value() for a in proto.attribute})

    @property
    def takes_arrays(self) -> bool:
        """Does its function take constant inputs as arrays?"""
        return self.type in _ARRAYS

    def get(self, name: str, default=None):
        """An attribute, or its default."""
        return self.attributes.get(name, default)


def imports(*names):
    """Decorator: this function makes the results of those operators."""
    def declare(function):
        IMPORTERS.update(dict.fromkeys(names, function))
        return function
    return declare


def ints(value):
    """Sizes or positions as a list; a tensor of a program stays one."""
    if value is None or isinstance(value, Symbolic):
        return value
    return [int(n) for n in np.ravel(np.asarray(value))]


def _simple(function):
    return lambda node, layer, *inputs: function(*inputs)


for _name, _function in {
        "Relu": F.relu, "Sigmoid": F.sigmoid, "Tanh": tensor.tanh, "Exp": tensor.exp, "Log": tensor.log, "Sqrt": tensor.sqrt,
        "Abs": tensor.abs, "Neg": tensor.neg, "Reciprocal": tensor.reciprocal, "Floor": tensor.floor, "Ceil": tensor.ceil,
        "Round": tensor.round, "Sign": tensor.sign, "Sin": tensor.sin, "Cos": tensor.cos, "Tan": tensor.tan, "Asin": tensor.asin,
        "Acos": tensor.acos, "Atan": tensor.atan, "Sinh": tensor.sinh, "Cosh": tensor.cosh, "Asinh": tensor.asinh,
        "Acosh": tensor.acosh, "Atanh": tensor.atanh, "Erf": tensor.erf, "Softplus": F.softplus, "Softsign": F.softsign,
        "Mish": F.mish, "HardSwish": F.hardswish, "Not": tensor.logical_not, "IsNaN": tensor.isnan, "IsInf": tensor.isinf,
        "Identity": lambda x: x, "Add": tensor.add, "Sub": tensor.subtract, "Mul": tensor.multiply, "Pow": tensor.pow,
        "And": tensor.logical_and, "Or": tensor.logical_or, "Xor": tensor.logical_xor, "Equal": tensor.equal,
        "Greater": tensor.greater_than, "GreaterOrEqual": tensor.greater_equal, "Less": tensor.less_than,
        "LessOrEqual": tensor.less_equal, "Where": tensor.where, "MatMul": tensor.matmul}.items():
    IMPORTERS[_name] = _simple(_function)


@imports("Div")
def _div(node, layer, x, y):
    whole = x.dtype.is_integer and y.dtype.is_integer
    return tensor.trunc(tensor.divide(x.astype("float64"), y.astype("float64"))).astype(x.dtype) if whole else tensor.divide(x, y)


@imports("Mod")
def _mod(node, layer, x, y):
    if node.get("fmod", 0):
        return x - tensor.trunc(x / y) * y
    return tensor.mod(x, y)


@imports("Max", "Min", "Sum", "Mean")
def _several(node, layer, first, *others):
    combine = {"Max": tensor.maximum, "Min": tensor.minimum}.get(node.type, tensor.add)
    for other in others:
        first = combine(first, other)
    return first / (len(others) + 1) if node.type == "Mean" else first


@imports("LeakyRelu")
def _leaky_relu(node, layer, x):
    return activation.leaky_relu(x, node.get("alpha", 0.01))


@imports("Elu", "Celu")
def _elu(node, layer, x):
    return (F.elu if node.type == "Elu" else F.celu)(x, node.get("alpha", 1.0))


@imports("Selu")
def _selu(node, layer, x):
    return F.selu(x, node.get("gamma", 1.0507009873554805), node.get("alpha", 1.6732632423543772))


@imports("HardSigmoid")
def _hard_sigmoid(node, layer, x):
    return F.hardsigmoid(x, node.get("alpha", 0.2), node.get("beta", 0.5))


@imports("Gelu")
def _gelu(node, layer, x):
    return F.gelu(x, node.get("approximate", "none") == "tanh")


@imports("PRelu")
def _prelu(node, layer, x, slope):
    return tensor.where(x > 0, x, x * slope)


@imports("Clip")
def _clip(node, layer, x, low=None, high=None):
    low, high = node.get("min", low), node.get("max", high)
    return tensor.clip(x, *[None if v is None else v.item() if isinstance(v, np.ndarray) else v for v in (low, high)])


@imports("Softmax", "LogSoftmax")
def _softmax(node, layer, x):
    function = activation.softmax if node.type == "Softmax" else activation.log_softmax
    if layer._opset >= 13:
        return function(x, node.get("axis", -1))
    axis = node.get("axis", 1)  # all axes from this one on are one
    start = axis % len(x.shape)
    flat = tensor.flatten(x, start, -1) if start < len(x.shape) - 1 else x
    return tensor.reshape(function(flat, -1), _shape(x)) if flat is not x else function(x, -1)


def _shape(x):
    return tensor.shape(x) if -1 in x.shape else list(x.shape)


@imports("Dropout")
def _dropout(node, layer, x, ratio=None, training=None):
    if len(node.outputs) > 1 and node.outputs[1]:
        raise NotImplementedError("load(): the mask of Dropout is not supported")
    share = node.get("ratio", 0.5) if ratio is None else float(np.asarray(ratio))
    return dropout(x, share, training=layer.training)


@imports("Gemm")
def _gemm(node, layer, a, b, c=None):
    out = tensor.matmul(a, b, bool(node.get("transA", 0)), bool(node.get("transB", 0)))
    out = out if node.get("alpha", 1.0) == 1.0 else out * node.get("alpha")
    if c is None:
        return out
    return out + (c if node.get("beta", 1.0) == 1.0 else c * node.get("beta"))


@imports("Einsum")
def _einsum(node, layer, *inputs):
    return tensor.einsum(node.get("equation"), *inputs)


def _pads(node, rank):
    """Padding in Paddle's order (begin and end of each axis), or 'SAME' or 'VALID'."""
    kind = node.get("auto_pad", "NOTSET")
    if kind in ("SAME_UPPER", "VALID"):
        return "SAME" if kind == "SAME_UPPER" else "VALID"
    if kind == "SAME_LOWER":
        raise NotImplementedError(f"load(): {node.type} with auto_pad=SAME_LOWER is not supported")
    pads = list(node.get("pads", [0] * (2 * rank)))
    return [n for pair in zip(pads[:rank], pads[rank:]) for n in pair]


@imports("Conv")
def _conv(node, layer, x, weight, bias=None):
    rank = len(weight.shape) - 2
    ones = [1] * rank
    function = {1: conv.conv1d, 2: conv.conv2d, 3: conv.conv3d}[rank]
    strides, dilations = node.get("strides", ones), node.get("dilations", ones)
    return function(x, weight, bias, strides, _pads(node, rank), dilations, node.get("group", 1))


@imports("ConvTranspose")
def _conv_transpose(node, layer, x, weight, bias=None):
    rank = len(weight.shape) - 2
    ones = [1] * rank
    function = {1: conv.conv1d_transpose, 2: conv.conv2d_transpose, 3: conv.conv3d_transpose}[rank]
    if node.get("output_shape") is not None:
        raise NotImplementedError("load(): ConvTranspose with output_shape is not supported")
    return function(x, weight, bias, stride=node.get("strides", ones), padding=_pads(node, rank),
                    output_padding=node.get("output_padding", 0), groups=node.get("group", 1), dilation=node.get("dilations", ones))


@imports("MaxPool", "AveragePool")
def _pool(node, layer, x):
    size = node.get("kernel_shape")
    rank = len(size)
    if any(n != 1 for n in node.get("dilations", ())) or (len(node.outputs) > 1 and node.outputs[1]):
        raise NotImplementedError(f"load(): {node.type} with dilations or positions is not supported")
    largest = node.type == "MaxPool"
    function = getattr(F, f"{'max' if largest else 'avg'}_pool{rank}d")
    rest = {} if largest else {"exclusive": not node.get("count_include_pad", 0)}
    return function(x, size, node.get("strides", [1] * rank), _pads(node, rank), ceil_mode=bool(node.get("ceil_mode", 0)), **rest)


@imports("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(node, layer, x):
    axes = list(range(2, len(x.shape)))
    return (tensor.mean if node.type == "GlobalAveragePool" else tensor.max)(x, axes, True)


@imports("BatchNormalization")
def _batch_norm(node, layer, x, scale, bias, mean, variance):
    momentum, epsilon = node.get("momentum", 0.9), node.get("epsilon", 1e-5)
    return F.batch_norm(x, mean, variance, scale, bias, layer.training, momentum, epsilon)


@imports("InstanceNormalization")
def _instance_norm(node, layer, x, scale, bias):
    return F.instance_norm(x, weight=scale, bias=bias, eps=node.get("epsilon", 1e-5))


@imports("LayerNormalization")
def _layer_norm(node, layer, x, scale, bias=None):
    start = node.get("axis", -1) % len(x.shape)
    return F.layer_norm(x, x.shape[start:], scale, bias, node.get("epsilon", 1e-5))


@imports("Cast")
def _cast(node, layer, x):
    return tensor.cast(x, _TYPES[node.get("to")])
