"""Operators as bare calls of native kernels, for values whose dtypes, shapes and layouts are known.

An entry is called with the Binding that takes notes (``note``), the call, and its inputs as Knowns; it returns its outputs, or
None where it has no shorter way than the operator itself. All entries are only asked where ``kernels.native`` is there.
"""

import math
import operator

import numpy as np

from .. import kernels
from ..core import dtype as dtypes
from ..ops.region import region
from ..ops.window import flat_pads

OPS, GRADIENTS = {}, {}  # type -> entry(note, call, *inputs); entry(note, call, inputs, outputs, gradients)
_BINARY = {"elementwise_add": "add", "elementwise_sub": "sub", "elementwise_mul": "mul", "elementwise_div": "div"}
_UNARY = ("relu", "relu6", "sigmoid", "tanh", "exp", "sqrt", "rsqrt", "square", "abs", "silu", "erf")
_SAVED = {"relu": "out", "relu6": "out", "sigmoid": "out", "tanh": "out", "exp": "out", "sqrt": "out", "silu": "x"}
LARGEST = 1 << 14  # elements of a constant made for a kernel
_reshape = np.ndarray.reshape


def _entry(table, *types):
    def register(function):
        for t in types:
            table[t] = function
        return function
    return register


def _floats(*knowns):
    """Are they arrays of one float type that kernels take?"""
    first = knowns[0].value
    if any(k.value.__class__ is not np.ndarray or not k.value.flags.aligned for k in knowns):
        return False
    return first.dtype.char in "fd" and first.dtype.isnative and all(k.value.dtype == first.dtype for k in knowns)


def _dense(*knowns):
    """... and laid out one element after the other?"""
    return _floats(*knowns) and all(k.value.flags.c_contiguous for k in knowns)


def _rows(note, x):
    """x as a matrix of its last axis."""
    return x if x.value.ndim == 2 else note(_reshape, x, (-1, x.value.shape[-1]))


def _shaped(note, x, shape):
    return x if x.value.shape == tuple(shape) else note(_reshape, x, tuple(shape))


def _sums(note, g, shape):
    """g summed back to the shape that was broadcast to its own; None where there is no kernel."""
    shape, extra = tuple(shape), g.value.ndim - len(shape)
    if g.value.shape == shape:
        return g
    axes = [i for i in range(g.value.ndim) if i < extra or shape[i - extra] == 1 != g.value.shape[i]]
    found = note(kernels.native.reduce, "sum", g, tuple(axes), into=[])
    return None if found is None else _shaped(note, found, shape)


# ---- products -------------------------------------------------------------------------------------------------------------
def _gemm(note, a, b, trans_a=False, trans_b=False, bias=None, act=0):
    return note(kernels.native.gemm, a, b, trans_a, trans_b, bias, act, into=[])


@_entry(OPS, "matmul_v2")
def _matmul(note, call, x, y):
    trans_x, trans_y = call.values
    if not _floats(x, y) or y.value.ndim != 2 or x.value.ndim < 2 or not x.value.size or not y.value.size:
        return None
    if x.value.ndim == 2:
        return [_gemm(note, x, y, trans_x, trans_y)]
    if trans_x or not _dense(x):
        return None
    flat = _gemm(note, _rows(note, x), y, False, trans_y)
    return [_shaped(note, flat, (*x.value.shape[:-1], flat.value.shape[-1]))]


@_entry(GRADIENTS, "matmul_v2")
def _matmul_grad(note, call, ins, outs, grads):
    (x, y), (g,), (trans_x, trans_y) = ins, grads, call.inner.values
    if not _floats(x, y, g) or y.value.ndim != 2:
        return None
    shape = x.value.shape
    if x.value.ndim != 2:
        if trans_x or x.value.ndim < 2 or not _dense(x, g):
            return None
        x, g = _rows(note, x), _rows(note, g)
    dx = dy = note.constant(None)
    if 0 in call.wanted:
        dx = _gemm(note, y, g, trans_y, True) if trans_x else _gemm(note, g, y, False, not trans_y)
        dx = _shaped(note, dx, shape)
    if 1 in call.wanted:
        dy = _gemm(note, g, x, True, trans_x) if trans_y else _gemm(note, x, g, not trans_x, False)
    return [dx, dy]


@_entry(OPS, "linear_act")
def _linear(note, call, x, w, bias):
    if not _floats(x, w, bias) or x.value.ndim < 2 or not x.value.size or not w.value.size or not _dense(bias):
        return None
    if x.value.ndim > 2 and not _dense(x):
        return None
    y = _gemm(note, _rows(note, x), w, False, False, bias, 1 if call.values[0] == "relu" else 0)
    return [_shaped(note, y, (*x.value.shape[:-1], w.value.shape[1]))]


@_entry(GRADIENTS, "linear_act")
def _linear_grad(note, call, ins, outs, grads):
    (x, w, _), (out,), (g,), nothing = ins, outs, grads, note.constant(None)
    if not _dense(g) or not _floats(g, x, w) or x.value.ndim > 2 and not _dense(x):
        return None
    if call.inner.values[0] == "relu":
        g = note(kernels.native.unary_grad, "relu", out, g, into=[])
    rows, shape = _rows(note, g), x.value.shape
    dx = _shaped(note, _gemm(note, rows, w, False, True), shape) if 0 in call.wanted else nothing
    dw = _gemm(note, _rows(note, x), rows, True, False) if 1 in call.wanted else nothing
    db = _sums(note, rows, rows.value.shape[1:]) if 2 in call.wanted else nothing
    return None if db is None else [dx, dw, db]


# ---- element by element ----------------------------------------------------------------------------------------------------
@_entry(OPS, *_BINARY)
def _binary(note, call, x, y):
    if call.values[0] != -1 or not _dense(x, y):
        return None
    found = note(kernels.native.binary, _BINARY[call.type], x, y, into=[x, y])
    return None if found is None else [found]


@_entry(GRADIENTS, "elementwise_add", "elementwise_sub", "elementwise_mul")
def _binary_grad(note, call, ins, outs, grads):
    (x, y), (g,), kind = ins, grads, call.inner.type
    if call.aligns or not _dense(g):
        return None
    results = [note.constant(None)] * 2
    for w in call.wanted:
        d, other = g, (y, x)[w]
        if kind == "elementwise_mul":
            d = note(kernels.native.binary, "mul", g, other, into=[]) if _dense(g, other) else None
        elif kind == "elementwise_sub" and w == 1:
            d = note(kernels.native.binary, "mul", g, _number(note, -1, g), into=[])
        results[w] = None if d is None else _sums(note, d, ins[w].value.shape)
        if results[w] is None:
            return None
    return results


def _number(note, value, like):
    """A number as an array of another's dtype."""
    return note.constant(np.asarray(value, like.value.dtype))


def _unary_of(note, name, x):
    return [note(kernels.native.unary, name, x, into=[x])] if _dense(x) and x.value.size else None


@_entry(OPS, *_UNARY)
def _unary(note, call, x):
    return _unary_of(note, call.type, x)


@_entry(GRADIENTS, *_SAVED)
def _unary_grad(note, call, ins, outs, grads):
    saved, g = ins[0] if _SAVED[call.inner.type] == "x" else outs[0], grads[0]
    if not _dense(g, saved):
        return None
    return [note(kernels.native.unary_grad, call.inner.type, saved, g, into=[g])]


@_entry(OPS, "pow")
def _pow(note, call, x, *more):
    return _unary_of(note, "square", x) if call.values[0] == 2 else None


@_entry(GRADIENTS, "pow")
def _pow_grad(note, call, ins, outs, grads):
    x, g = ins[0], grads[0]
    if call.inner.values[0] != 2 or not _dense(x, g):
        return None
    twice = note(kernels.native.binary, "mul", note(kernels.native.binary, "mul", g, x, into=[]), _number(note, 2, g), into=[])
    return [twice, *[note.constant(None)] * (len(ins) - 1)]


@_entry(OPS, "scale")
def _scale(note, call, x, *more):
    a = dict(zip(call.op.attr_names, call.values))
    if not _dense(x) or a["bias"] != 0 or not x.value.size:
        return None
    found = note(kernels.native.binary, "mul", x, _number(note, a["scale"], x), into=[x])
    return None if found is None else [found]


@_entry(GRADIENTS, "scale")
def _scale_grad(note, call, ins, outs, grads):
    g = grads[0]
    factor = dict(zip(call.inner.op.attr_names, call.inner.values))["scale"]
    found = note(kernels.native.binary, "mul", g, _number(note, factor, g), into=[]) if _dense(g) and g.value.size else None
    return None if found is None else [found, *[note.constant(None)] * (len(ins) - 1)]


@_entry(OPS, "cast")
def _cast(note, call, x):
    kind = dtypes.to_numpy(call.values[0], "cast")
    plain = x.value.dtype.kind in "biu" and kind.kind in "biuf" and x.value.dtype != kind
    return [note(np.ndarray.astype, x, kind)] if plain else None


@_entry(OPS, "sum")
def _sum(note, call, *members):
    if len(members) < 2 or not _dense(*members) or len({k.value.shape for k in members}) > 1:
        return None
    total = members[0]
    for k in members[1:]:
        total = note(kernels.native.binary, "add", total, k, into=[total, k])
        if total is None:
            return None
    return [total]


# ---- reductions and shapes ---------------------------------------------------------------------------------------------------
@_entry(OPS, "reduce_sum", "reduce_mean")
def _reduce(note, call, x):
    axis, keepdim = call.values[:2]
    if keepdim or not _dense(x) or not x.value.size:
        return None
    axes = axis if axis is None or isinstance(axis, int) else tuple(axis)
    found = note(kernels.native.reduce, call.type.removeprefix("reduce_"), x, axes, into=[])
    return None if found is None else [found]


@_entry(GRADIENTS, "reduce_sum", "reduce_mean")
def _reduce_grad(note, call, ins, outs, grads):
    g, shape = grads[0], tuple(ins[0].value.shape)
    if not _dense(g) or not 0 < math.prod(shape) <= LARGEST:
        return None
    each = 1 if call.inner.type == "reduce_sum" else g.value.size / math.prod(shape)
    axis = call.inner.values[0]
    axes = range(len(shape)) if axis is None else [a % len(shape) for a in (axis if isinstance(axis, (list, tuple)) else [axis])]
    spread = _shaped(note, g, [1 if i in axes else n for i, n in enumerate(shape)])
    found = note(kernels.native.binary, "mul", spread, note.constant(np.full(shape, each, g.value.dtype)), into=[])
    return None if found is None else [found, *[note.constant(None)] * (len(ins) - 1)]


@_entry(OPS, "flatten_contiguous_range", "reshape2", "squeeze2", "unsqueeze2")
def _reshaped(note, call, x, *more):
    if any(k.value is not None for k in more) or not x.value.flags.c_contiguous:
        return None
    shape = np.shape(call.prepare()(x.value, *[None] * len(more)))
    return [note(_reshape, x, shape)]


@_entry(GRADIENTS, "flatten_contiguous_range", "reshape2", "squeeze2", "unsqueeze2")
def _reshaped_grad(note, call, ins, outs, grads):
    g = grads[0]
    if not g.value.flags.c_contiguous or call.wanted != (0,):
        return None
    return [note(_reshape, g, tuple(ins[0].value.shape)), *[note.constant(None)] * (len(ins) - 1)]


@_entry(OPS, "slice")
def _slice(note, call, x, *more):
    if any(k.value is not None for k in more):
        return None
    a = dict(zip(call.op.attr_names, call.values))
    index = region(x.value.shape, a["axes"], a["starts"], a["ends"], None, a["decrease_axis"])
    return [note(operator.getitem, x, index)]


@_entry(OPS, "concat")
def _concat(note, call, *ins):
    *arrays, axis_tensor = ins
    if axis_tensor.value is not None:
        return None
    return [_joined(note, arrays, call.values[0])]


def _joined(note, arrays, axis):
    return note(lambda *members: np.concatenate(members, axis), *arrays)


@_entry(OPS, "stack")
def _stack(note, call, *members):
    axis = call.values[0] % (members[0].value.ndim + 1)
    if len(members) > 1 or not members[0].value.flags.c_contiguous:
        return [note(lambda *arrays: np.stack(arrays, axis), *members)]
    shape = members[0].value.shape
    return [note(_reshape, members[0], (*shape[:axis], 1, *shape[axis:]))]


@_entry(GRADIENTS, "stack")
def _stack_grad(note, call, ins, outs, grads):
    g = grads[0]
    axis = call.inner.values[0] % g.value.ndim
    return [note(operator.getitem, g, (*[slice(None)] * axis, k)) if k in call.wanted else note.constant(None)
            for k in range(len(ins))]


@_entry(OPS, "split")
def _split(note, call, x, *more):
    if any(k.value is not None for k in more):
        return None
    parts, start, axis = [], 0, call.values[2] % x.value.ndim
    for part in call.prepare()(x.value, *[None] * len(more)):
        size = part.shape[axis]
        parts.append(note(operator.getitem, x, (*[slice(None)] * axis, slice(start, start + size))))
        start += size
    return parts


@_entry(GRADIENTS, "split")
def _split_grad(note, call, ins, outs, grads):
    if any(k.value is not None for k in ins[1:]) or any(g.value is None for g in grads):
        return None
    return [_joined(note, grads, call.inner.values[2]), *[note.constant(None)] * (len(ins) - 1)]


# ---- convolution -------------------------------------------------------------------------------------------------------------
def _conv_values(call):
    a = dict(zip(call.op.attr_names, call.values))
    return a["stride"], flat_pads(a["pads"]), a["dilation"], a["groups"]


def _conv_ready(*knowns):
    present = [k for k in knowns if k.value is not None]
    return _dense(*present) and present[0].value.ndim == 4 and math.prod(present[0].value.shape) > 0


@_entry(OPS, "conv_bias_act")
def _conv(note, call, x, w, bias):
    if not _conv_ready(x, w, bias):
        return None
    return [note(kernels.native.conv2d, x, w, bias, *_conv_values(call), 1 if call.values[-1] == "relu" else 0)]


@_entry(OPS, "conv_relu_pool")
def _conv_pool(note, call, x, w, bias):
    return note.several(kernels.native.conv2d_relu_pool, x, w, bias, *_conv_values(call)) if _conv_ready(x, w, bias) else None


@_entry(GRADIENTS, "conv_relu_pool")
def _conv_pool_grad(note, call, ins, outs, grads):
    return _conv_back(note, call, ins, grads[0], outs[1])


@_entry(GRADIENTS, "conv_bias_act")
def _conv_grad(note, call, ins, outs, grads):
    g = grads[0]
    if not _dense(g) or call.wanted == (2,):
        return None
    if call.inner.values[-1] == "relu":
        g = note(kernels.native.unary_grad, "relu", outs[0], g, into=[])
    return _conv_back(note, call, ins, g, None)


def _conv_back(note, call, ins, dy, pool_index):
    (x, w, _), values = ins, _conv_values(call.inner)
    if not _conv_ready(x, w, dy):
        return None
    found = [note.constant(None)] * 3
    if 0 in call.wanted:
        found[0] = note(kernels.native.conv2d_backward_data, dy, w, tuple(x.value.shape[2:]), *values, pool_index)
    if 1 in call.wanted or 2 in call.wanted:
        found[1:] = note.several(kernels.native.conv2d_backward_weight, x, dy, tuple(w.value.shape[2:]), *values,
                                 2 in call.wanted, pool_index)
    return found


# ---- normalisation -----------------------------------------------------------------------------------------------------------
def _ready(*knowns):
    return _dense(*[k for k in knowns if k.value is not None]) and knowns[0].value.size > 0


@_entry(OPS, "batch_norm_train")
def _batch_norm(note, call, x, scale, bias):
    return note.several(kernels.native.batch_norm, x, scale, bias, call.values[0]) if _ready(x, scale, bias) else None


@_entry(GRADIENTS, "batch_norm_train")
def _batch_norm_grad(note, call, ins, outs, grads):
    (x, scale, _), (_, mean, var), (g, *others) = ins, outs, grads
    if any(o.value is not None for o in others) or not _ready(g, x, mean, var, scale):
        return None
    found = note.several(kernels.native.batch_norm_backward, x, g, mean, var, scale, call.inner.values[0])
    return [k if p in call.wanted else note.constant(None) for p, k in enumerate(found)]
