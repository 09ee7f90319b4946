"""Shape rules by type: convolutions, pooling, and ops whose output shape is a value of the running program."""

import numpy as np

from ..core import dtype as dtypes
from ..ops.conv import channels_last
from ..ops.einsum import result_shape
from ..ops.window import pad_pairs, per_axis
from .infer import Spec, broadcast_dims

BY_TYPE = {}


def rule(*types):
    def register(function):
        for t in types:
            BY_TYPE[t] = function
        return function
    return register


def _tuple(value):
    return tuple(value) if isinstance(value, list) else value


@rule("conv2d", "depthwise_conv2d", "conv3d")
def _conv(op, inputs, attrs):
    x, w = inputs[0], inputs[1]
    n = len(x.shape) - 2
    if -1 in w.shape or len(w.shape) != n + 2:
        return None
    last = channels_last(attrs["data_format"])
    channels, sizes = x.shape[-1 if last else 1], x.shape[1:-1] if last else x.shape[2:]
    if channels >= 0 and channels != w.shape[1] * attrs["groups"]:
        raise ValueError(f"{op.name}(): x has {channels} channels, the weight {list(w.shape)} with groups={attrs['groups']} "
                         f"needs {w.shape[1] * attrs['groups']}")
    stride = per_axis(_tuple(attrs["stride"]), n, op.name, "stride")
    dilation = per_axis(_tuple(attrs["dilation"]), n, op.name, "dilation")
    same = attrs["padding_algorithm"] == "SAME"
    if same:
        dilation = (1,) * n
    pads = pad_pairs(_tuple(attrs["padding"]), attrs["padding_algorithm"], tuple(max(s, 1) for s in sizes), w.shape[2:], stride,
                     op.name)
    out = []
    for s, k, q, d, (a, b) in zip(sizes, w.shape[2:], stride, dilation, pads):
        size = -1 if s < 0 else -(-s // q) if same else (s + a + b - d * (k - 1) - 1) // q + 1
        if s >= 0 and size < 1:
            return None  # the op itself says what does not fit
        out.append(size)
    shape = (x.shape[0], *out, w.shape[0]) if last else (x.shape[0], w.shape[0], *out)
    return [Spec(shape, x.dtype)]


def _given_shape(shape, tensor, tensors):
    """Sizes given by a tensor, by a list of one-element tensors, or by the attribute; -1 where not known."""
    if tensor is not None:
        if tensor.known is not None:
            return [int(v) for v in np.ravel(tensor.known)]
        return None if len(tensor.shape) != 1 or tensor.shape[0] < 0 else [-1] * tensor.shape[0]
    if tensors:
        return [-1 if t.known is None else int(np.ravel(t.known)[0]) for t in tensors]
    return [int(n) for n in shape]


@rule("fill_constant")
def _fill(op, inputs, attrs):
    return _created(inputs[1:], attrs)


@rule("empty", "uniform_random", "gaussian_random", "randint")
def _random(op, inputs, attrs):
    return _created(inputs, attrs) if len(inputs) == 2 else None


def _created(inputs, attrs):
    shape = _given_shape(attrs["shape"], *inputs)
    return None if shape is None or "dtype" not in attrs else [Spec(shape, dtypes.to_numpy(attrs["dtype"]))]


@rule("reshape2")
def _reshape(op, inputs, attrs):
    x, tensor, tensors = inputs
    shape = _given_shape(attrs["shape"], tensor, tensors)
    if shape is None:
        raise ValueError(f"{op.name}(): the number of sizes in the shape tensor must be known, got {tensor}")
    if tensor is None and not tensors and (-1 not in x.shape or shape.count(-1) > 1 or min(shape, default=0) < -1):
        return None  # the op itself works it out, or says what is wrong
    sizes = [x.shape[i] if n == 0 and i < len(x.shape) else n for i, n in enumerate(shape)]
    if shape.count(-1) == 1 and x.shape.count(-1) == 1 and tensor is None and not tensors:
        copied = x.shape.index(-1)
        if shape[copied:copied + 1] == [0]:
            old = [n for n in x.shape if n != -1]
            new = [n for i, n in enumerate(sizes) if n != -1 and i != copied]
            sizes[shape.index(-1)] = int(np.prod(old)) // max(int(np.prod(new)), 1)
    return [Spec(sizes, x.dtype)]


@rule("expand_v2")
def _expand(op, inputs, attrs):
    x, tensor, tensors = inputs
    if tensor is None and not tensors and -1 not in x.shape:
        return None
    shape = _given_shape(attrs["shape"], tensor, tensors)
    if shape is None:
        return None
    shape = list(shape)
    old = (1,) * (len(shape) - len(x.shape)) + tuple(x.shape)
    given = tensor is not None or bool(tensors)
    return [Spec([o if n == -1 and not given else n for o, n in zip(old, shape)], x.dtype)]


@rule("tile")
def _tile(op, inputs, attrs):
    x, tensor, tensors = (*inputs, None, None)[:3]
    if tensor is None and not tensors:
        return None
    times = _given_shape((), tensor, tensors)
    if times is None:
        return None
    n = max(len(times), len(x.shape))
    old = (1,) * (n - len(x.shape)) + tuple(x.shape)
    times = [1] * (n - len(times)) + times
    return [Spec([-1 if -1 in (o, t) else o * t for o, t in zip(old, times)], x.dtype)]


@rule("slice", "strided_slice")
def _slice(op, inputs, attrs):
    x = inputs[0]
    if not any(inputs[1:]):
        return None
    shape = list(x.shape)
    known = [i is None or (i if isinstance(i, list) else [i])[0].known is not None for i in inputs[1:]]
    if all(known) and -1 not in x.shape:
        return None  # a probe sees the numbers
    for a in attrs["axes"]:
        shape[a] = -1
    dropped = {a % len(shape) for a in attrs.get("decrease_axis") or ()}
    return [Spec([n for i, n in enumerate(shape) if i not in dropped], x.dtype)]


@rule("set_value")
def _set_value(op, inputs, attrs):
    return [Spec(inputs[0].shape, inputs[0].dtype)]


@rule("range")
def _range(op, inputs, attrs):
    if all(i.known is not None for i in inputs):
        return None
    return [Spec([-1], inputs[0].dtype)]


@rule("linspace", "logspace")
def _spaced(op, inputs, attrs):
    num = inputs[2]
    return [Spec([-1 if num.known is None else int(np.ravel(num.known)[0])], dtypes.to_numpy(attrs["dtype"]))]


@rule("expand_as_v2")
def _expand_as(op, inputs, attrs):
    x, y = inputs
    return None if y is None or -1 not in (*x.shape, *y.shape) else [Spec(y.shape, x.dtype)]


@rule("multinomial")
def _multinomial(op, inputs, attrs):
    return [Spec((*inputs[0].shape[:-1], attrs["num_samples"]), np.int64)]  # zeros, as probing has them, are no weights


@rule("where_index")
def _nonzero(op, inputs, attrs):
    return [Spec([-1, len(inputs[0].shape)], np.int64)]


@rule("masked_select")
def _masked(op, inputs, attrs):
    return [Spec([-1], inputs[0].dtype)]


@rule("assign_value")
def _assign_value(op, inputs, attrs):
    return [Spec(attrs["shape"], dtypes.to_numpy(attrs["dtype"]))]


@rule("shape")
def _shape(op, inputs, attrs):
    sizes = inputs[0].shape
    return [Spec([len(sizes)], np.int32, None if -1 in sizes else np.array(sizes, np.int32))]


@rule("one_hot_v2")
def _one_hot(op, inputs, attrs):
    depth = attrs.get("depth", attrs.get("num_classes"))
    if len(inputs) < 2 or inputs[1] is None or inputs[1].known is not None or depth is None:
        return None
    return [Spec((*inputs[0].shape, -1), np.float32)]


@rule("solve", "triangular_solve", "cholesky_solve")
def _solution(op, inputs, attrs):
    """Zeros are singular, so these can't be probed: the result has the batch axes of both and the shape of the right side."""
    matrix, right = (inputs[1], inputs[0]) if op.type == "cholesky_solve" else inputs
    a, b = matrix.shape, right.shape
    vector = op.type == "solve" and (len(b) == 1 or b == a[:-1])
    if len(a) < 2 or (len(b) < 2 and not vector):
        return None
    tail = b[-1:] if vector else b[-2:]
    return [Spec((*broadcast_dims(a[:-2], b[:-1] if vector else b[:-2], op.name), *tail), matrix.dtype)]


@rule("abs")
def _modulus(op, inputs, attrs):
    """The modulus of complex numbers is real."""
    x = inputs[0]
    return [Spec(x.shape, np.zeros(0, x.dtype).real.dtype)]


@rule("lu_unpack")
def _unpacked(op, inputs, attrs):
    """Zeros are no pivots, so this can't be probed."""
    x = inputs[0]
    if len(x.shape) < 2 or -1 in x.shape[-2:]:
        return None
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    parts = [(*batch, m, m), (*batch, m, min(m, n)), (*batch, min(m, n), n)]
    wanted = [attrs["unpack_pivots"], attrs["unpack_ludata"], attrs["unpack_ludata"]]
    return [Spec(shape if asked else (0,), x.dtype) for shape, asked in zip(parts, wanted)]


@rule("pivot_matrix")
def _permutations(op, inputs, attrs):
    return [Spec((*inputs[0].shape[:-1], attrs["rows"], attrs["rows"]), attrs["dtype"])]


@rule("einsum")
def _einsum(op, inputs, attrs):
    shape = result_shape(attrs["equation"], [s.shape for s in inputs[0]])
    return [Spec(shape, np.result_type(*[s.dtype for s in inputs[0]]))]


@rule("multi_dot")
def _multi_dot(op, inputs, attrs):
    first, last = inputs[0][0], inputs[0][-1]
    return [Spec(first.shape[:-1] + last.shape[1:], first.dtype)]


@rule("roi_align", "roi_pool", "psroi_pool")
def _regions(op, inputs, attrs):
    x, boxes = inputs[:2]
    if len(x.shape) != 4 or len(boxes.shape) != 2:
        return None  # the op itself says what is wrong
    shape = [boxes.shape[0], attrs.get("output_channels", x.shape[1]), attrs["pooled_height"], attrs["pooled_width"]]
    return [Spec(shape, x.dtype)] if op.single else [Spec(shape, x.dtype), Spec(shape, np.int64)]
