"""Operators of ONNX that move elements, reduce and pick; and what NumPy makes of sizes."""

from __future__ import annotations

import numpy as np

from ..nn import functional as F
from ..nn.functional import vision
from ..tensor import functions as tensor
from .importers import _TYPES, FOLDERS, imports, ints

_REDUCERS = {"ReduceSum": tensor.sum, "ReduceMean": tensor.mean, "ReduceMax": tensor.max, "ReduceMin": tensor.min,
             "ReduceProd": tensor.prod, "ReduceLogSumExp": tensor.logsumexp}


def _value(x):
    return tensor.to_tensor(x) if isinstance(x, np.ndarray) else x


@imports("Shape")
def _shape(node, layer, x):
    start, end = node.get("start", 0), node.get("end")
    if -1 in x.shape:
        return tensor.shape(x).astype("int64")[start:len(x.shape) if end is None else end]
    return np.array(list(x.shape)[start:end], np.int64)


@imports("Size")
def _size(node, layer, x):
    return tensor.numel(x) if -1 in x.shape else np.array(int(np.prod(x.shape)), np.int64)


@imports("Constant")
def _constant(node, layer):
    return constant(node)


def constant(node):
    """The array of a Constant node."""
    name, value = next(iter(node.attributes.items()))
    kinds = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
    if name != "value" and name not in kinds:
        raise NotImplementedError(f"load(): Constant with {name} is not supported")
    return value if name == "value" else np.array(value, kinds[name])


@imports("Reshape")
def _reshape(node, layer, x, shape):
    sizes = ints(shape)
    if node.get("allowzero", 0) and isinstance(sizes, list) and 0 in sizes:
        raise NotImplementedError("load(): Reshape with allowzero and a size of 0 is not supported")
    return tensor.reshape(_value(x), sizes)


@imports("Flatten")
def _flatten(node, layer, x):
    axis = node.get("axis", 1) % (len(x.shape) + 1)
    if axis == 0:
        return tensor.reshape(x, [1, -1])
    head = tensor.flatten(x, 0, axis - 1) if axis > 1 else x
    return tensor.flatten(head, 1, -1) if len(head.shape) > 2 else head if len(head.shape) == 2 else tensor.unsqueeze(head, 1)


@imports("Transpose")
def _transpose(node, layer, x):
    return tensor.transpose(x, node.get("perm", list(range(len(x.shape)))[::-1]))


@imports("Squeeze", "Unsqueeze")
def _axes(node, layer, x, axes=None):
    axes = ints(node.get("axes", axes))
    x = _value(x)
    if node.type == "Squeeze":
        return tensor.squeeze(x, axes)
    rank = len(x.shape) + len(axes)
    for axis in sorted(a % rank for a in axes):
        x = tensor.unsqueeze(x, axis)
    return x


@imports("Concat")
def _concat(node, layer, *parts):
    return tensor.concat(list(parts), node.get("axis"))


@imports("Split")
def _split(node, layer, x, sections=None):
    sections = ints(node.get("split", sections))
    return tensor.split(_value(x), len(node.outputs) if sections is None else sections, node.get("axis", 0))


@imports("Slice")
def _slice(node, layer, x, starts=None, ends=None, axes=None, steps=None):
    starts, ends = ints(node.get("starts", starts)), ints(node.get("ends", ends))
    axes, steps = ints(node.get("axes", axes)), ints(steps)
    count = len(starts) if isinstance(starts, list) else starts.shape[0]
    axes = list(range(count)) if axes is None else axes
    limit = 2 ** 31 - 1
    if isinstance(ends, list):
        ends = [max(-limit, min(limit, n)) for n in ends]
    if steps is None or steps == [1] * count:
        return tensor.slice(_value(x), axes, starts, ends)
    return tensor.strided_slice(_value(x), axes, starts, ends, steps)


@imports("Gather")
def _gather(node, layer, x, index):
    axis = node.get("axis", 0) % len(x.shape)
    index = tensor.where(index < 0, index + x.shape[axis], index) if x.shape[axis] >= 0 else index
    flat = tensor.gather(x, tensor.reshape(index, [-1]), axis)
    if len(index.shape) == 1:
        return flat
    sizes = [*_sizes(x)[:axis], *_sizes(index), *_sizes(x)[axis + 1:]]
    return tensor.reshape(flat, sizes)


def _sizes(x):
    """Sizes of the axes; unknown ones as tensors of one number."""
    known = tensor.shape(x) if -1 in x.shape else None
    return [n if n >= 0 else known[k] for k, n in enumerate(x.shape)]


@imports("GatherElements")
def _gather_elements(node, layer, x, index):
    return tensor.take_along_axis(x, index, node.get("axis", 0), broadcast=False)


@imports("GatherND")
def _gather_nd(node, layer, x, index):
    if node.get("batch_dims", 0):
        raise NotImplementedError("load(): GatherND with batch_dims is not supported")
    return tensor.gather_nd(x, index)


@imports("Expand")
def _expand(node, layer, x, shape):
    x, sizes = _value(x), ints(shape)
    if isinstance(sizes, list):
        own = [1] * (len(sizes) - len(x.shape)) + list(x.shape)
        sizes = [1] * (len(own) - len(sizes)) + sizes
        sizes = [mine if asked == 1 else asked for mine, asked in zip(own, sizes)]  # both sides are broadcast
    return tensor.expand(x, sizes)


@imports("Tile")
def _tile(node, layer, x, repeats):
    return tensor.tile(_value(x), ints(repeats))


@imports("Pad")
def _pad(node, layer, x, pads=None, value=None, axes=None):
    x, pads = _value(x), ints(node.get("pads", pads))
    rank, mode = len(x.shape), node.get("mode", "constant")
    axes = list(range(rank)) if axes is None else [a % rank for a in ints(axes)]
    begin, end = [0] * rank, [0] * rank
    for axis, first, last in zip(axes, pads, pads[len(axes):]):
        begin[axis], end[axis] = first, last
    filler = node.get("value", 0.0) if value is None else float(np.asarray(value))
    if mode == "constant":
        return vision.pad(x, [n for pair in zip(begin, end) for n in pair], mode="constant", value=filler)
    if any(begin[:2]) or any(end[:2]) or rank not in (3, 4, 5):
        raise NotImplementedError(f"load(): Pad with mode {mode!r} of the first two axes is not supported")
    layout = {3: "NCL", 4: "NCHW", 5: "NCDHW"}[rank]
    order = [n for axis in range(rank - 1, 1, -1) for n in (begin[axis], end[axis])]
    return vision.pad(x, order, mode="replicate" if mode == "edge" else mode, data_format=layout)


@imports("ConstantOfShape")
def _constant_of_shape(node, layer, shape):
    value = node.get("value", np.zeros(1, np.float32))
    return tensor.full(ints(shape), value.item(), value.dtype.name)


@imports("Range")
def _range(node, layer, start, limit, delta):
    return tensor.arange(*[v.item() if isinstance(v, np.ndarray) else v for v in (start, limit, delta)])


@imports(*_REDUCERS, "ReduceL1", "ReduceL2", "ReduceSumSquare")
def _reduce(node, layer, x, axes=None):
    axes, keep = ints(node.get("axes", axes)), bool(node.get("keepdims", 1))
    if not axes and node.get("noop_with_empty_axes", 0):
        return x
    axes, x = axes or None, _value(x)
    if node.type == "ReduceL1":
        return tensor.sum(tensor.abs(x), axes, keepdim=keep)
    if node.type in ("ReduceL2", "ReduceSumSquare"):
        total = tensor.sum(x * x, axes, keepdim=keep)
        return tensor.sqrt(total) if node.type == "ReduceL2" else total
    return _REDUCERS[node.type](x, axes, keepdim=keep)


@imports("ArgMax", "ArgMin")
def _arg(node, layer, x):
    if node.get("select_last_index", 0):
        raise NotImplementedError(f"load(): {node.type} with select_last_index is not supported")
    return (tensor.argmax if node.type == "ArgMax" else tensor.argmin)(x, node.get("axis", 0), bool(node.get("keepdims", 1)))


@imports("TopK")
def _topk(node, layer, x, count=None):
    count = node.get("k") if count is None else ints(count)[0]
    return tensor.topk(_value(x), count, node.get("axis", -1), bool(node.get("largest", 1)), bool(node.get("sorted", 1)))


@imports("OneHot")
def _one_hot(node, layer, index, depth, values):
    if node.get("axis", -1) != -1:
        raise NotImplementedError("load(): OneHot with another axis than the last is not supported")
    index, depth, values = _value(index), ints(depth)[0], np.asarray(values)
    hot = F.one_hot(tensor.where(index < 0, index + depth, index), depth).astype(values.dtype.name)
    return hot * (values[1] - values[0]).item() + values[0].item()


@imports("NonZero")
def _nonzero(node, layer, x):
    return tensor.transpose(tensor.nonzero(x), [1, 0])


@imports("CumSum")
def _cumsum(node, layer, x, axis):
    if node.get("exclusive", 0) or node.get("reverse", 0):
        raise NotImplementedError("load(): CumSum with exclusive or reverse is not supported")
    return tensor.cumsum(_value(x), ints(axis)[0])


@imports("Trilu")
def _trilu(node, layer, x, k=None):
    return (tensor.triu if node.get("upper", 1) else tensor.tril)(_value(x), 0 if k is None else ints(k)[0])


@imports("DepthToSpace")
def _depth_to_space(node, layer, x):
    if node.get("mode", "DCR") != "CRD":
        raise NotImplementedError("load(): DepthToSpace with mode DCR is not supported")
    return F.pixel_shuffle(x, node.get("blocksize"))


@imports("Resize", "Upsample")
def _resize(node, layer, x, *more):
    x, rank = _value(x), len(x.shape) - 2
    scales, sizes = (more[0], None) if node.type == "Upsample" or len(more) == 1 else (more[1], more[2] if len(more) > 2 else None)
    way = node.get("coordinate_transformation_mode", "asymmetric" if node.type == "Upsample" else "half_pixel")
    mode = {"nearest": "nearest", "linear": {1: "linear", 2: "bilinear", 3: "trilinear"}[rank], "cubic": "bicubic"}[node.get(
        "mode", "nearest")]
    if way not in (("asymmetric",) if mode == "nearest" else ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")):
        raise NotImplementedError(f"load(): {node.type} with mode {mode} and {way} is not supported")
    factors = [] if scales is None else [float(s) for s in np.ravel(np.asarray(scales))[2:]]
    shape = {"size": ints(sizes)[2:]} if sizes is not None else {"scale_factor": factors}
    layout = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[rank]
    return F.interpolate(x, mode=mode, align_corners=way == "align_corners", align_mode=1 if way == "asymmetric" else 0,
                         data_format=layout, **shape)


def _fold_axes(node, opset, x, axes=None):
    axes = ints(node.get("axes", axes))
    if node.type == "Squeeze":
        return np.squeeze(x, None if axes is None else tuple(axes))
    return np.expand_dims(x, tuple(axes))


def _fold_slice(node, opset, x, starts=None, ends=None, axes=None, steps=None):
    starts, ends = ints(node.get("starts", starts)), ints(node.get("ends", ends))
    axes = ints(node.get("axes", axes)) or list(range(len(starts)))
    where = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, ints(steps) or [1] * len(starts)):
        where[axis] = slice(start, end if end >= -x.shape[axis] - 1 and not (step < 0 and end < -x.shape[axis]) else None, step)
    return x[tuple(where)]


def _fold_divide(node, opset, x, y):
    return (x / y if x.dtype.kind == "f" else np.trunc(x / y)).astype(x.dtype)


FOLDERS.update({
    "Constant": constant, "Squeeze": _fold_axes, "Unsqueeze": _fold_axes, "Slice": _fold_slice, "Div": _fold_divide,
    "Add": lambda node, opset, x, y: x + y, "Sub": lambda node, opset, x, y: x - y, "Mul": lambda node, opset, x, y: x * y,
    "Concat": lambda node, opset, *parts: np.concatenate(parts, node.get("axis")),
    "Gather": lambda node, opset, x, index: np.take(x, index, node.get("axis", 0)),
    "Cast": lambda node, opset, x: x.astype(_TYPES[node.get("to")]),
    "Reshape": lambda node, opset, x, shape: x.reshape([x.shape[k] if n == 0 else n for k, n in enumerate(ints(shape))]),
    "ConstantOfShape": lambda node, opset, shape: np.full(ints(shape), node.get("value", np.zeros(1, np.float32)).item(),
                                                          node.get("value", np.zeros(1, np.float32)).dtype),
    "Range": lambda node, opset, start, limit, delta: np.arange(start.item(), limit.item(), delta.item(), start.dtype),
    "Equal": lambda node, opset, x, y: np.equal(x, y), "Where": lambda node, opset, c, x, y: np.where(c, x, y),
    "Identity": lambda node, opset, x: x,
})
