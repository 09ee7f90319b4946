"""Counting the arithmetic of a network as Paddle does: layer by layer, or operator by operator of a program."""

import math
import types
import warnings

from .. import nn
from ..core.autograd import no_grad
from ..core.errors import check_type
from ..tensor.creation import zeros
from ..tensor.random import randn

__all__ = ["flops"]


def _convolution(layer, given, result):
    return result.size * (given.shape[1] // layer._groups * math.prod(layer.weight.shape[2:]) + (layer.bias is not None))


def _adaptive_average(layer, given, result):
    return result.size * (math.prod(n // m for n, m in zip(given.shape[2:], result.shape[2:])) + 1)


def _nothing(layer, given, result):
    return 0


RULES = {  # layers of exactly these classes: function(layer, first input, output) -> number
    **dict.fromkeys([nn.Conv1D, nn.Conv2D, nn.Conv3D, nn.Conv1DTranspose, nn.Conv2DTranspose, nn.Conv3DTranspose], _convolution),
    **dict.fromkeys([nn.BatchNorm2D, nn.BatchNorm], lambda layer, given, result: 2 * given.size),
    **dict.fromkeys([nn.ReLU, nn.ReLU6, nn.Dropout], _nothing),
    nn.LeakyReLU: lambda layer, given, result: given.size,
    nn.Linear: lambda layer, given, result: layer.weight.shape[0] * result.size,
    **dict.fromkeys([nn.AvgPool1D, nn.AvgPool2D, nn.AvgPool3D], lambda layer, given, result: result.size),
    **dict.fromkeys([nn.AdaptiveAvgPool1D, nn.AdaptiveAvgPool2D, nn.AdaptiveAvgPool3D], _adaptive_average),
}


def flops(net, input_size, custom_ops=None, print_detail=False):
    """Print and return how many operations one forward pass takes (a multiplication with its addition counts once).

    Layers without layers in them are counted, those inside ``net`` that ran: convolutions, ``BatchNorm`` and ``BatchNorm2D``,
    ``Linear``, ``LeakyReLU`` and average pools by rules, others as nothing. Functions are not seen. Of a Program
    it counts conv2d, pool2d, mul, matmul, batch_norm and elementwise operators.

    Args:
        net (Layer or Program): what is counted.
        input_size (list): shape of the network's input; not looked at for a Program.
        custom_ops (dict or None): {layer class: function(layer, inputs, output)} that adds to ``layer.total_ops`` and counts in
            place of the rule. Not looked at for a Program.
        print_detail (bool): also print a line for each layer or operator.
    Returns:
        int.

    >>> paddle.flops(paddle.nn.Sequential(paddle.nn.Linear(4, 3)), [1, 4])
    <class 'paddle.nn.layer.common.Linear'>: counted by rule
    Total Flops: 12     Total Params: 15
    12
    """
    if isinstance(net, nn.Layer):
        check_type(custom_ops or {}, dict, "flops", "custom_ops")
        return _of_layers(net, input_size, custom_ops or {}, print_detail)
    from ..static import Program  # programs are another two hundred modules
    if isinstance(net, Program):
        return _of_program(net, print_detail)
    warnings.warn(f"flops(): net must be a Layer or a Program, got {type(net).__name__}; the result is -1", stacklevel=2)
    return -1


@no_grad()
def _of_layers(net, input_size, custom_ops, print_detail):
    leaves = [layer for layer in net.sublayers() if not list(layer.children())]
    shapes, handles = {}, []

    def note(layer, given, result):
        first = result[0] if isinstance(result, (list, tuple)) else result
        shapes[layer] = list(given[0].shape), list(first.shape)
        if type(layer) not in custom_ops and type(layer) in RULES:
            layer.total_ops += int(RULES[type(layer)](layer, given[0], result))

    for kind in dict.fromkeys(map(type, leaves)):
        how = "counted by custom_ops" if kind in custom_ops else "counted by rule" if kind in RULES else "no rule, counted as 0"
        print(f"{kind}: {how}")
    for layer in leaves:
        layer.register_buffer("total_ops", zeros([1], "int64"))
        if type(layer) in custom_ops:
            handles.append(layer.register_forward_post_hook(custom_ops[type(layer)]))
        handles.append(layer.register_forward_post_hook(note))
    modes = {layer: layer.training for layer in net.sublayers(include_self=True)}
    net.eval()
    translated = getattr(net.forward, "dygraph_function", None)  # what to_static was given; a translated one calls no hooks
    forward = net if translated is None else types.MethodType(translated, net)
    try:
        forward(randn(list(input_size)))
        counted = {layer: (sum(int(p.size) for p in layer.parameters()), int(layer.total_ops)) for layer in leaves
                   if layer in shapes}
    finally:
        for handle in handles:
            handle.remove()
        for layer in leaves:
            del layer.total_ops
        for layer, mode in modes.items():
            layer.training = mode
    if print_detail:
        print(_table(["Layer Name", "Input Shape", "Output Shape", "Params", "Flops"],
                     [[layer.full_name(), *shapes[layer], *counts] for layer, counts in counted.items()]))
    params, total = (sum(counts[k] for counts in counted.values()) for k in (0, 1))
    print(f"Total Flops: {total}     Total Params: {params}")
    return total


def _of_program(program, print_detail):
    rows = []
    for block in program.blocks:
        for op in block.ops:
            count, name = _of_operator(op, block)
            if count:
                rows.append([op.type, name, count])
    if print_detail:
        print(_table(["OP Type", "Param name", "Flops"], rows))
    return sum(row[2] for row in rows)


def _of_operator(op, block):
    """(number for one row of the batch, name of the parameter) of an operator of a program; 0 for those not counted."""
    def shape(names):
        return list(block._var_recursive(names[0]).shape)

    if op.type in ("conv2d", "depthwise_conv2d"):
        names = op.input("Filter")
        bias = "Bias" in op.input_names and len(op.input("Bias")) > 0
        return abs(math.prod(shape(op.output("Output"))[1:]) * (math.prod(shape(names)[1:]) + bias)), names[0]
    if op.type == "pool2d":
        given, result = shape(op.input("X")), shape(op.output("Out"))
        return abs(math.prod(result[1:]) * (math.prod(n // m for n, m in zip(given[2:], result[2:])) + 1)), ""
    if op.type in ("mul", "matmul"):
        names = op.input("Y")
        return abs(shape(names)[0] * math.prod(shape(op.output("Out"))[1:])), names[0]
    if op.type == "batch_norm":
        return abs(2 * math.prod(shape(op.output("Y"))[1:])), ""
    if op.type.startswith("element"):
        return abs(math.prod(shape(op.input("X"))[1:])), ""
    return 0, ""


def _table(head, rows):
    """Lines of a table with frames."""
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) + 2 for column in zip(*rows)]
    frame = "+" + "+".join("-" * w for w in widths) + "+"
    lines = ["|" + "|".join(cell.center(w) for cell, w in zip(row, widths)) + "|" for row in rows]
    return "\n".join([frame, lines[0], frame, *lines[1:], frame])
