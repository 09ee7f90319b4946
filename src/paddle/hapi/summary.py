"""A table of a network's layers, shapes and parameters."""

import math
import numbers

from ..core.autograd import no_grad
from ..core.errors import check_type
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn import Layer, LayerList, Sequential
from ..nn.layer.rnn import RNNBase
from ..tensor.creation import ones

__all__ = ["summary"]


def make_inputs(sizes, dtypes, function):
    """Tensors of ones of the given sizes (-1 and None count as 1); one number is the only size of a shape."""
    if isinstance(sizes, numbers.Integral):
        sizes = (sizes,)
    if isinstance(sizes, (numbers.Number, str)) or not len(sizes):
        raise ValueError(f"{function}(): input_size must be a shape or a list of shapes, got {sizes!r}")
    many = isinstance(sizes[0], (list, tuple)) or hasattr(sizes[0], "shape")
    groups = sizes if many else [sizes]
    kinds = list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes or "float32"] * len(groups)
    return [_ones(group, kind, function) for group, kind in zip(groups, kinds)]


def _ones(sizes, kind, function):
    """A tensor of ones, or a tuple of them where an input is made of several (the states of recurrent networks)."""
    sizes = getattr(sizes, "shape", sizes)
    if any(isinstance(n, (list, tuple)) for n in sizes):
        return tuple(_ones(part, kind, function) for part in sizes)
    for n in sizes:
        if n is not None and not isinstance(n, numbers.Integral):
            raise TypeError(f"{function}(): sizes must be ints, -1 or None, got {n!r} in {tuple(sizes)}")
    return ones([1 if n in (None, -1) else int(n) for n in sizes], kind)


def _shapes(value):
    if isinstance(value, (Tensor, Symbolic)):
        return list(value.shape)
    if isinstance(value, (list, tuple)):
        return [_shapes(v) for v in value]
    return []


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in _leaves(v)] if isinstance(value, (list, tuple)) else [value]


def _cells(shape):
    return math.prod(shape) if not shape or isinstance(shape[0], int) else sum(_cells(s) for s in shape)


def _own_state(layer):
    """Parameters and saved buffers that belong to this layer itself, each once."""
    kept = [b for n, b in layer._buffers.items() if n not in layer._non_persistable_buffer_names_set]
    found = {id(t): t for t in [*layer._parameters.values(), *kept] if t is not None}
    return list(found.values())


@no_grad()
def summary(net, input_size=None, dtypes=None, input=None):
    """Print a table of layers with shapes and numbers of parameters; returns {'total_params', 'trainable_params'}.

    Args:
        net (Layer): the network.
        input_size (tuple, list or None): a shape or a list of shapes, of the network's inputs.
        input (Tensor, list, dict or None): in place of them the tensors themselves: the network's one argument, a Tensor or a
            list or dict of them.
        dtypes (str, list or None): data type, or a list of them, of inputs made from ``input_size`` (float32 for None).
    Returns:
        dict with 'total_params' and 'trainable_params'.
    Raises:
        ValueError: neither ``input_size`` nor ``input`` is given, or the network refuses the shape.
        TypeError: ``net`` is not a Layer.

    >>> counts = paddle.summary(paddle.nn.Sequential(paddle.nn.Linear(4, 3)), (1, 4))  # doctest: +ELLIPSIS
    ---...
    >>> counts["total_params"]
    15
    """
    check_type(net, Layer, "summary", "net")
    if input_size is None and input is None:
        raise ValueError("summary(): input_size or input must be given")
    given = make_inputs(input_size, dtypes, "summary") if input is None else [input]
    rows, seen, handles = {}, set(), []  # a layer that is called again has the row of its last call, and is counted once

    def note(layer, given, result):
        state = [t for t in _own_state(layer) if id(t) not in seen]
        seen.update(id(t) for t in state)
        number = layer.full_name().rpartition("_")[2]
        name = f"{type(layer).__name__}-{int(number) + 1 if number.isdigit() else number}"
        total, trained = 0, 0
        for t in state:
            total += math.prod(t.shape)
            trained += math.prod(t.shape) * bool(getattr(t, "trainable", False))
        before = rows.get(name, (name, None, None, 0, 0))
        rows[name] = (name, _shapes(given), _shapes(result), before[3] + total, before[4] + trained)

    for layer in net.sublayers(include_self=True):
        container = isinstance(layer, (Sequential, LayerList)) or layer is net and net._sub_layers
        if isinstance(layer, RNNBase) or not container:
            handles.append(layer.register_forward_post_hook(note))
    training = {layer: layer.training for layer in net.sublayers(include_self=True)}
    net.eval()
    try:
        net(*given)
    finally:
        for handle in handles:
            handle.remove()
        for layer, mode in training.items():
            layer.training = mode
    rows = list(rows.values())
    rest = [t for layer in net.sublayers(include_self=True) for t in _own_state(layer) if id(t) not in seen]
    extra = {id(t): t for t in rest}.values()
    total = sum(r[3] for r in rows) + sum(math.prod(t.shape) for t in extra)
    trained = sum(r[4] for r in rows) + sum(math.prod(t.shape) for t in extra if getattr(t, "trainable", False))
    print(_table(rows, _leaves(given), total, trained))
    return {"total_params": int(total), "trainable_params": int(trained)}


def _table(rows, inputs, total, trained):
    cells = [("Layer (type)", "Input Shape", "Output Shape", "Param #")]
    cells += [(name, str(given), str(result), f"{count:,}") for name, given, result, count, _ in rows]
    widths = [max(least, *(len(row[k]) for row in cells)) for k, least in enumerate((15, 20, 20, 15))]
    lines = [" ".join(f"{text:^{w}}" for text, w in zip(row, widths)) for row in cells]
    width = sum(widths) + 5
    thin, thick = "-" * width, "=" * width

    def megabytes(count):
        return count * 4 / 2 ** 20
    given = megabytes(sum(math.prod(t.shape) for t in inputs))
    passed = megabytes(2 * sum(_cells(r[2]) for r in rows))
    stored = megabytes(total)
    return "\n".join([thin, lines[0], thick, *lines[1:], thick, f"Total params: {total:,}", f"Trainable params: {trained:,}",
                      f"Non-trainable params: {total - trained:,}", thin, f"Input size (MB): {given:.2f}",
                      f"Forward/backward pass size (MB): {passed:.2f}", f"Params size (MB): {stored:.2f}",
                      f"Estimated Total Size (MB): {given + passed + stored:.2f}", thin, ""])
