"""What composite operators are made of: one function each, from an op's arguments to its results, in terms of other operators."""

import math

from ..tensor import functions as tensor
from .ir.lower import ByType

RULES = ByType()
made_of = RULES.of  # decorator: the function says what operators of a type are made of


def _single(x):
    """(x in float32 where it is shorter, the type to go back to)."""
    return (x.astype("float32"), x.dtype) if x.dtype.name in ("float16", "bfloat16") else (x, x.dtype)


def _filled(x, value):
    """A tensor of the type and shape of x."""
    return tensor.full(list(x.shape), value, x.dtype)


def _sum(x, axes, keepdim=True):
    return tensor.sum(x, axes, keepdim=keepdim)


def _moments(x, axes):
    """Mean and variance over axes that stay, with size 1."""
    count = math.prod(x.shape[a] for a in axes)
    mean = _sum(x, axes) / count
    centred = x - mean
    return centred, mean, _sum(centred * centred, axes) / count


@made_of("softmax")
def softmax(x, axis):
    """exp(x - its greatest) over their sum."""
    if not x.shape:
        return tensor.exp(x - x)
    wide, kind = _single(x)
    powers = tensor.exp(wide - tensor.max(wide, axis, keepdim=True))
    return (powers / _sum(powers, [axis])).astype(kind)


@made_of("sigmoid")
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    wide, kind = _single(x)
    return (1.0 / (1.0 + tensor.exp(-wide))).astype(kind)


@made_of("silu")
def silu(x):
    """x / (1 + exp(-x))."""
    wide, kind = _single(x)
    return (wide / (1.0 + tensor.exp(-wide))).astype(kind)


@made_of("relu")
def relu(x):
    """The greater of x and 0."""
    return tensor.maximum(x, _filled(x, 0.0))


@made_of("leaky_relu")
def leaky_relu(x, negative_slope):
    """The greater of x and a share of it; the smaller for shares above 1."""
    return (tensor.maximum if negative_slope < 1 else tensor.minimum)(x, x * negative_slope)


@made_of("hard_swish")
def hard_swish(x, threshold, scale, offset):
    """x times its clipped line."""
    line = tensor.maximum(tensor.minimum(x + offset, _filled(x, threshold)), _filled(x, 0.0))
    return x * line / scale


@made_of("gelu")
def gelu(x, approximate):
    """x times the normal distribution's share below it, or its approximation by tanh."""
    wide, kind = _single(x)
    if approximate:
        inner = tensor.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide * wide * wide))
    else:
        inner = tensor.erf(wide * math.sqrt(0.5))
    return (0.5 * wide * (1.0 + inner)).astype(kind)


@made_of("sqrt")
def sqrt(x):
    """x to the power of a half."""
    wide, kind = _single(x)
    return tensor.pow(wide, _filled(wide, 0.5)).astype(kind)


@made_of("rsqrt")
def rsqrt(x):
    """x to the power of minus a half."""
    wide, kind = _single(x)
    return tensor.pow(wide, _filled(wide, -0.5)).astype(kind)


@made_of("pow")
def power(x, factor):
    """x to the power of a tensor of one value."""
    wide, kind = _single(x)
    return tensor.pow(wide, _filled(wide, factor)).astype(kind)


@made_of("reduce_mean")
def mean(x, axis, keepdim):
    """The sum over the number of elements."""
    wide, kind = _single(x)
    axes = list(range(len(x.shape))) if axis in (None, (), []) else [axis] if isinstance(axis, int) else list(axis)
    count = math.prod(x.shape[a] for a in axes)
    return (_sum(wide, axes, keepdim) / count).astype(kind)


@made_of("sum")
def add_n(inputs):
    """One after the other."""
    total = inputs[0]
    for more in inputs[1:]:
        total = total + more
    return total if len(inputs) > 1 else tensor.assign(total)


def _repeated(x, shape):
    """x repeated to a shape: elements times ones, cast where the type can't be multiplied."""
    lead = len(shape) - len(x.shape)
    sizes = [x.shape[k - lead] if n == -1 else n for k, n in enumerate(shape)]
    kind = x.dtype
    if kind.name == "bool":
        return (x.astype("int32") * tensor.ones(sizes, "int32")).astype("bool")
    return x * tensor.ones(sizes, kind)


@made_of("expand_v2")
def expand(x, shape_tensor, shape_list, shape):
    """Repeated to a shape known in the program."""
    return None if shape_tensor is not None or shape_list else _repeated(x, shape)


@made_of("expand_as_v2")
def expand_as(x, y, target_shape):
    """Repeated to another tensor's shape."""
    return _repeated(x, list(target_shape) if y is None else list(y.shape))


@made_of("stack")
def stack(x, axis):
    """A new axis for each, then one beside the other."""
    return tensor.concat([tensor.unsqueeze(one, axis) for one in x], axis)


@made_of("flatten_contiguous_range")
def flatten(x, start_axis, stop_axis):
    """A reshape."""
    shape = list(x.shape)
    if not shape:
        return tensor.reshape(x, [1])
    start, stop = start_axis % len(shape), stop_axis % len(shape)
    return tensor.reshape(x, [*shape[:start], math.prod(shape[start:stop + 1]), *shape[stop + 1:]])


@made_of("squeeze2")
def squeeze(x, axes):
    """A reshape without the axes of size 1."""
    ndim = max(len(x.shape), 1)
    dropped = {a % ndim for a in axes} if axes else set(range(ndim))
    return tensor.reshape(x, [n for k, n in enumerate(x.shape) if k not in dropped or n != 1])


@made_of("unsqueeze2")
def unsqueeze(x, axes_tensor, axes_list, axes):
    """A reshape with axes of size 1."""
    if axes_tensor is not None or axes_list:
        return None
    shape = list(x.shape)
    for axis in axes:
        shape.insert(axis + len(shape) + 1 if axis < 0 else axis, 1)
    return tensor.reshape(x, shape)


@made_of("index_select")
def index_select(x, index, axis):
    """Rows by number, with the axis in front."""
    ndim = len(x.shape)
    order = [axis % ndim, *[k for k in range(ndim) if k != axis % ndim]]
    back = [order.index(k) for k in range(ndim)]
    return tensor.transpose(tensor.gather(tensor.transpose(x, order), index), back)


@made_of("fill_any_like")
def fill_any_like(x, value, dtype):
    """A tensor of one value with the shape of x."""
    return tensor.full(list(x.shape), value, x.dtype if dtype in (None, -1) else dtype)


@made_of("meshgrid")
def meshgrid(x):
    """Each input along an axis of its own, repeated along the others."""
    sizes = [math.prod(one.shape) for one in x]
    return [_repeated(tensor.reshape(one, [n if k == i else 1 for k, n in enumerate(sizes)]), sizes) for i, one in enumerate(x)]


@made_of("dropout")
def dropout(x, seed_tensor, p, is_test, mode, seed):
    """Elements where a drawn number is at least p."""
    if seed_tensor is not None:
        return None
    if is_test:
        return (x if mode == "upscale_in_train" else x * (1.0 - p)), tensor.cast(tensor.ones(list(x.shape)), "uint8")
    kept = tensor.cast(tensor.uniform(list(x.shape), "float32", 0.0, 1.0, seed=seed) >= p, x.dtype)
    out = x * kept if mode != "upscale_in_train" else x * 0.0 if p >= 1 else x * kept / (1.0 - p)
    return out, tensor.cast(kept, "uint8")


def _scaled(x, scale, bias, shape):
    out = x if scale is None else x * tensor.reshape(scale, shape)
    return out if bias is None else out + tensor.reshape(bias, shape)


@made_of("layer_norm")
def layer_norm(x, scale, bias, epsilon, begin_norm_axis):
    """Centred over the last axes, divided by the deviation, scaled and shifted."""
    wide, kind = _single(x)
    axes = list(range(begin_norm_axis, len(x.shape)))
    centred, average, variance = _moments(wide, axes)
    shape = list(x.shape[begin_norm_axis:])
    out = _scaled(centred * tensor.rsqrt(variance + epsilon), scale, bias, shape)
    rows = [math.prod(x.shape[:begin_norm_axis])]
    return out.astype(kind), tensor.reshape(average, rows), tensor.reshape(variance, rows)


@made_of("instance_norm")
def instance_norm(x, scale, bias, epsilon):
    """Each channel of each member by itself."""
    wide, kind = _single(x)
    axes = list(range(2, len(x.shape)))
    centred, average, variance = _moments(wide, axes)
    inverse = tensor.rsqrt(variance + epsilon)
    out = _scaled(centred * inverse, scale, bias, [1, x.shape[1], *[1] * len(axes)])
    count = [x.shape[0] * x.shape[1]]
    return out.astype(kind), tensor.reshape(average, count), tensor.reshape(inverse, count)


@made_of("group_norm")
def group_norm(x, scale, bias, epsilon, groups, data_format):
    """Each group of channels of each member by itself."""
    if data_format != "NCHW":
        return None
    wide, kind = _single(x)
    rows = tensor.reshape(wide, [x.shape[0] * groups, -1])
    centred, average, variance = _moments(rows, [1])
    out = tensor.reshape(centred * tensor.rsqrt(variance + epsilon), list(x.shape))
    out = _scaled(out, scale, bias, [1, x.shape[1], *[1] * (len(x.shape) - 2)])
    shape = [x.shape[0], groups]
    return out.astype(kind), tensor.reshape(average, shape), tensor.reshape(variance, shape)


@made_of("batch_norm")
def batch_norm(x, scale, bias, mean, variance, momentum, epsilon, is_test, data_format, use_global_stats, trainable_statistics):
    """Each channel over the batch, with the averages of the past moved on."""
    wide, kind = _single(x)
    channel = 1 if data_format in ("NCHW", "NCDHW", "NCL", "NC") else len(x.shape) - 1
    shape = [x.shape[channel] if k == channel else 1 for k in range(len(x.shape))]
    if (is_test and not trainable_statistics) or use_global_stats:
        average, spread = tensor.reshape(mean, shape), tensor.reshape(variance, shape)
        kept = mean, variance
        centred = wide - average
    else:
        centred, average, spread = _moments(wide, [k for k in range(len(x.shape)) if k != channel])
        flat = [tensor.reshape(v, [-1]) for v in (average, spread)]
        kept = [old * momentum + new * (1.0 - momentum) for old, new in zip((mean, variance), flat)]
    inverse = tensor.rsqrt(spread + epsilon)
    out = _scaled(centred * inverse, scale, bias, shape)
    return out.astype(kind), *kept, tensor.reshape(average, [-1]), tensor.reshape(inverse, [-1])
