"""ONNX forms of operators that make, rearrange and join tensors."""

import numpy as np

from ..core import dtype as dtypes
from .builder import converts
from .proto import DTYPES

_LAST = np.iinfo(np.int64).max


def vector(b, tensor):
    """A shape tensor as an int64 vector."""
    return b.node("Cast", [tensor], to=DTYPES["int64"])


def _given(b, op, attr, tensor=None, tensors=None):
    """An int64 vector from a tensor, a list of tensors, or an attribute."""
    if tensor and op.x(tensor):
        return vector(b, op.x(tensor))
    if tensors and op.xs(tensors):
        return b.node("Concat", [b.node("Reshape", [vector(b, n), b.ints([1])]) for n in op.xs(tensors)], axis=0)
    return b.ints(op[attr])


@converts("reshape2", "reshape")
def _reshape(b, op):
    b.node("Reshape", [op.x(), _given(b, op, "shape", "Shape", "ShapeTensor")], op.out())


@converts("transpose2", "transpose")
def _transpose(b, op):
    n = len(op.shape())
    b.node("Transpose", [op.x()], op.out(), perm=[int(a) % n for a in op["axis"]])


@converts("flatten_contiguous_range")
def _flatten(b, op):
    n = len(op.shape())
    if not n:
        b.node("Reshape", [op.x(), b.ints([1])], op.out())
        return
    start, stop = op["start_axis"] % n, op["stop_axis"] % n
    rest = op.shape()[stop + 1:]
    if -1 in rest:
        op.unsupported("sizes behind the flattened axes must be known")
    b.node("Reshape", [op.x(), b.ints([0] * start + [-1] + rest)], op.out())


@converts("flatten2", "flatten")
def _flatten2(b, op):
    b.node("Flatten", [op.x()], op.out(), axis=op["axis"])


@converts("squeeze2", "squeeze")
def _squeeze(b, op):
    shape = op.shape()
    axes = [int(a) % len(shape) for a in op["axes"]]
    if axes:
        axes = [a for a in axes if shape[a] == 1]
        if not axes:
            b.node("Identity", [op.x()], op.out())
            return
    b.node("Squeeze", [op.x(), b.ints(axes) if axes else None], op.out())


@converts("unsqueeze2", "unsqueeze")
def _unsqueeze(b, op):
    op.no_tensors("AxesTensor", "AxesTensorList")
    y, axes = op.x(), [int(a) for a in op["axes"]]
    for k, a in enumerate(axes):
        y = b.node("Unsqueeze", [y, b.ints([a])], op.out() if k == len(axes) - 1 else None)


@converts("concat")
def _concat(b, op):
    op.no_tensors("AxisTensor")
    b.node("Concat", op.xs(), op.out(), axis=int(op["axis"]))


@converts("stack")
def _stack(b, op):
    axis = int(op["axis"])
    parts = [b.node("Unsqueeze", [x, b.ints([axis])]) for x in op.xs()]
    b.node("Concat", parts, op.out("Y"), axis=axis)


@converts("unstack", "unbind")
def _unstack(b, op):
    outs = op.outs("Y" if op.type == "unstack" else "Out")
    parts = [b.fresh() for _ in outs]
    axis = int(op["axis"])
    b.node("Split", [op.x(), b.ints([1] * len(outs))], parts, axis=axis)
    for part, out in zip(parts, outs):
        b.node("Squeeze", [part, b.ints([axis])], out)


@converts("split")
def _split(b, op):
    op.no_tensors("AxisTensor", "SectionsTensorList")
    axis, outs = int(op["axis"]), op.outs()
    sections, size = list(op["sections"]), op.shape()[axis]
    if op["num"]:
        sections = [size // op["num"]] * op["num"] if size >= 0 else []
    elif -1 in sections:
        sections[sections.index(-1)] = size - sum(s for s in sections if s != -1)
    if any(s < 0 for s in sections):
        op.unsupported("the size of the axis must be known")
    b.node("Split", [op.x(), b.ints(sections) if sections else None], outs, axis=axis)


@converts("slice", "strided_slice")
def _slice(b, op):
    axes = [int(a) for a in op["axes"]]
    strides = list(op.get("strides") or ()) or [1] * len(axes)

    def ends(attr, tensor, tensors):
        if op.x(tensor) or op.xs(tensors):
            return _given(b, op, attr, tensor, tensors)
        return b.ints([_LAST if v >= 2 ** 31 - 1 else -_LAST if v == -1 and step < 0 and attr == "ends" else v  # -1: before 0
                       for v, step in zip(op[attr], strides)])
    steps = _given(b, op, "strides", "StridesTensor", "StridesTensorList") if op.type == "strided_slice" else None
    dropped = [int(a) for a in op.get("decrease_axis") or ()]
    ins = [op.x("Input"), ends("starts", "StartsTensor", "StartsTensorList"), ends("ends", "EndsTensor", "EndsTensorList"),
           b.ints(axes), steps]
    y = b.node("Slice", ins[:4] if steps is None else ins, op.out() if not dropped else None)
    if dropped:
        b.node("Squeeze", [y, b.ints(dropped)], op.out())


@converts("expand_v2")
def _expand(b, op):
    if op.x("Shape") or op.xs("expand_shapes_tensor"):
        shape = _given(b, op, "shape", "Shape", "expand_shapes_tensor")
    else:
        shape = b.ints([1 if n == -1 else n for n in op["shape"]])
    b.node("Expand", [op.x(), shape], op.out())


@converts("expand_as_v2")
def _expand_as(b, op):
    shape = b.node("Shape", [op.x("Y")]) if op.x("Y") else b.ints(op["target_shape"])
    b.node("Expand", [op.x(), shape], op.out())


@converts("tile")
def _tile(b, op):
    times, n = list(op["repeat_times"]), len(op.shape())
    if op.x("RepeatTimes") or op.xs("repeat_times_tensor"):
        b.node("Tile", [op.x(), _given(b, op, "repeat_times", "RepeatTimes", "repeat_times_tensor")], op.out())
        return
    x = op.x()
    if len(times) > n:
        x = b.node("Unsqueeze", [x, b.ints(range(len(times) - n))])
    b.node("Tile", [x, b.ints([1] * (n - len(times)) + times)], op.out())


@converts("lookup_table_v2", "lookup_table")
def _embedding(b, op):
    table, padding, ids = op.x("W"), op["padding_idx"], op.x("Ids")
    if op.type == "lookup_table":  # ids of 1.x have a last axis of one
        ids = b.node("Squeeze", [ids, b.ints([-1])])
    if padding >= 0:  # the padding row reads as zeros
        rows = b.node("Gather", [b.node("Shape", [table]), b.constant(0, np.int64)])
        numbers = b.node("Range", [b.constant(0, np.int64), rows, b.constant(1, np.int64)])
        keep = b.node("Not", [b.node("Equal", [numbers, b.constant(padding, np.int64)])])
        factor = b.node("Cast", [b.node("Unsqueeze", [keep, b.ints([1])])], to=DTYPES[op.dtype("W").name])
        table = b.node("Mul", [table, factor])
    b.node("Gather", [table, ids], op.out(), axis=0)


@converts("one_hot_v2")
def _one_hot(b, op):
    op.no_tensors("depth_tensor")
    values = b.constant([0, 1], dtypes.convert(op["dtype"]).dtype)
    b.node("OneHot", [op.x(), b.constant(op["depth"], np.int64), values], op.out(), axis=-1)


@converts("flip", "reverse")
def _flip(b, op):
    axes = [int(a) for a in op["axis"]]
    n = len(axes)
    b.node("Slice", [op.x(), b.ints([-1] * n), b.ints([-_LAST] * n), b.ints(axes), b.ints([-1] * n)], op.out())


@converts("meshgrid")
def _meshgrid(b, op):
    xs, outs = op.xs(), op.outs()
    shape = b.node("Concat", [b.node("Reshape", [b.node("Size", [x]), b.ints([1])]) for x in xs], axis=0)
    for k, (x, out) in enumerate(zip(xs, outs)):
        along = [-1 if k == at else 1 for at in range(len(xs))]
        b.node("Expand", [b.node("Reshape", [x, b.ints(along)]), shape], out)


@converts("expand")
def _older_expand(b, op):
    op.no_tensors("ExpandTimes", "expand_times_tensor")
    b.node("Tile", [op.x(), b.ints(op["expand_times"])], op.out())


@converts("crop_tensor")
def _crop(b, op):
    op.no_tensors("Shape", "ShapeTensor", "Offsets", "OffsetsTensor")
    starts = list(op["offsets"]) or [0] * len(op.shape())
    ends = [_LAST if n == -1 else at + n for at, n in zip(starts, op["shape"])]
    b.node("Slice", [op.x(), b.ints(starts), b.ints(ends)], op.out())


@converts("roll")
def _roll(b, op):
    op.no_tensors("ShiftsTensor")
    x, axes = op.x(), list(op["axis"])
    y = x if axes else b.node("Reshape", [x, b.ints([-1])])
    for shift, axis in zip(op["shifts"], axes or [0]):
        size = op.shape()[axis] if axes else -1
        shift = shift % size if size > 0 else shift
        if shift:
            parts = [b.node("Slice", [y, b.ints([start]), b.ints([end]), b.ints([axis])])
                     for start, end in ((-shift, _LAST), (0, -shift))]
            y = b.node("Concat", parts, axis=int(axis))
    b.node("Identity" if axes else "Reshape", [y] if axes else [y, b.node("Shape", [x])], op.out())


@converts("tril_triu")
def _triangle(b, op):
    b.since(14)
    b.node("Trilu", [op.x(), b.constant(op["diagonal"], np.int64)], op.out(), upper=int(not op["lower"]))


# ---------------------------------------------------------------- made from numbers

@converts("shape")
def _shape(b, op):
    b.node("Cast", [b.node("Shape", [op.x("Input")])], op.out(), to=DTYPES["int32"])


@converts("size")
def _size(b, op):
    b.node("Size", [op.x("Input")], op.out())


def _filling(op):
    """The number that an operator fills a tensor with, as an array of one element."""
    text = op["str_value"]
    return np.asarray([float(text) if text else op["value"]]).astype(dtypes.convert(op["dtype"]).dtype)


@converts("fill_constant")
def _fill(b, op):
    value = _filling(op)
    if op.x("ValueTensor"):
        b.node("Expand", [op.x("ValueTensor"), _given(b, op, "shape", "ShapeTensor", "ShapeTensorList")], op.out())
    elif op.x("ShapeTensor") or op.xs("ShapeTensorList"):
        shape = _given(b, op, "shape", "ShapeTensor", "ShapeTensorList")
        b.node("ConstantOfShape", [shape], op.out(), value=value)
    else:
        b.constant(np.full(op["shape"], value[0], value.dtype), name=op.out())


@converts("fill_constant_batch_size_like")
def _fill_like_batch(b, op):
    sizes, place = list(op["shape"]), op["output_dim_idx"]
    batch = b.node("Gather", [b.node("Shape", [op.x("Input")]), b.ints([op["input_dim_idx"]])], axis=0)
    parts = [b.ints(sizes[:place]), batch, b.ints(sizes[place + 1:])]
    shape = b.node("Concat", [p for p, n in zip(parts, (place, 1, len(sizes) - place - 1)) if n], axis=0)
    b.node("ConstantOfShape", [shape], op.out(), value=_filling(op))


@converts("fill_any_like")
def _fill_like(b, op):
    kind = op.dtype() if op["dtype"] in (-1, None) else dtypes.convert(op["dtype"]).dtype
    value = np.asarray([op["value"]]).astype(kind)
    b.node("ConstantOfShape", [b.node("Shape", [op.x()])], op.out(), value=value)


@converts("fill_zeros_like")
def _zeros_like(b, op):
    b.node("ConstantOfShape", [b.node("Shape", [op.x()])], op.out(), value=np.zeros(1, op.dtype()))


@converts("eye")
def _eye(b, op):
    rows = op["num_rows"]
    columns = rows if op["num_columns"] < 0 else op["num_columns"]
    b.constant(np.eye(rows, columns), dtypes.convert(op["dtype"]).dtype, name=op.out())


@converts("assign_value")
def _assign_value(b, op):
    lists = ("bool_values", "fp32_values", "fp64_values", "int32_values", "int64_values", "values")
    found = next((op.get(k) for k in lists if op.get(k)), [])
    b.constant(np.asarray(found).astype(dtypes.convert(op["dtype"]).dtype).reshape(op["shape"]), name=op.out())


@converts("range")
def _range(b, op):
    b.node("Range", [b.node("Squeeze", [op.x(s)]) if op.shape(s) else op.x(s) for s in ("Start", "End", "Step")], op.out())
