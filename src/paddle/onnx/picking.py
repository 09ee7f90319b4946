"""ONNX forms of operators that pick, put and order elements."""

import numpy as np

from .builder import converts
from .shapes import vector


@converts("gather")
def _gather(b, op):
    op.no_tensors("Axis")
    b.node("Gather", [op.x(), op.x("Index")], op.out(), axis=int(op["axis"]))


@converts("index_select")
def _index_select(b, op):
    b.node("Gather", [op.x(), op.x("Index")], op.out(), axis=int(op["dim"]))


@converts("gather_nd")
def _gather_nd(b, op):
    b.node("GatherND", [op.x(), vector(b, op.x("Index"))], op.out())


@converts("take_along_axis")
def _take(b, op):
    b.node("GatherElements", [op.x("Input"), op.x("Index")], op.out("Result"), axis=int(op["Axis"]))


@converts("where_index")
def _nonzero(b, op):
    b.node("Transpose", [b.node("NonZero", [op.x("Condition")])], op.out(), perm=[1, 0])


@converts("index_sample")
def _index_sample(b, op):
    b.node("GatherElements", [op.x(), vector(b, op.x("Index"))], op.out(), axis=1)


@converts("repeat_interleave")
def _repeat(b, op):
    op.no_tensors("RepeatsTensor")
    axis = int(op["dim"])
    size = b.node("Gather", [b.node("Shape", [op.x()]), b.constant(axis, np.int64)])
    places = b.node("Range", [b.constant(0, np.int64), size, b.constant(1, np.int64)])
    repeated = b.node("Tile", [b.node("Unsqueeze", [places, b.ints([1])]), b.ints([1, op["Repeats"]])])
    b.node("Gather", [op.x(), b.node("Reshape", [repeated, b.ints([-1])])], op.out(), axis=axis)


@converts("masked_select")
def _masked_select(b, op):
    x, mask = op.x(), op.x("Mask")
    both = [b.node("Expand", [one, b.node("Shape", [other])]) for one, other in ((x, mask), (mask, x))]
    b.node("Compress", [b.node("Reshape", [one, b.ints([-1])]) for one in both], op.out("Y"), axis=0)


@converts("argsort")
def _argsort(b, op):
    axis = int(op["axis"])
    size = b.node("Gather", [b.node("Shape", [op.x()]), b.ints([axis])])
    outs = [op.out("Out") or b.fresh(), op.out("Indices") or b.fresh()]
    b.node("TopK", [op.x(), size], outs, axis=axis, largest=int(op["descending"]), sorted=1)


# ---------------------------------------------------------------- put

@converts("scatter")
def _scatter(b, op):
    x, updates, ids = op.x(), op.x("Updates"), vector(b, op.x("Ids"))
    places = b.node("Reshape", [ids, b.ints([-1, 1])])
    if op["overwrite"]:
        b.node("ScatterND", [x, places, updates], op.out())
    else:  # rows that are named become 0, then all their updates are added
        b.since(16)
        zeros = b.node("ConstantOfShape", [b.node("Shape", [updates])], value=np.zeros(1, op.dtype()))
        b.node("ScatterND", [b.node("ScatterND", [x, places, zeros]), places, updates], op.out(), reduction="add")


@converts("scatter_nd_add")
def _scatter_nd_add(b, op):
    b.since(16)
    b.node("ScatterND", [op.x(), vector(b, op.x("Index")), op.x("Updates")], op.out(), reduction="add")


@converts("put_along_axis")
def _put_along_axis(b, op):
    reduce = {"assign": None, "add": "add", "mul": "mul", "multiply": "mul"}.get(op["Reduce"], "")
    if reduce == "" or reduce and not op.get("Include_self", True):
        op.unsupported(f"Reduce {op['Reduce']}, Include_self {op.get('Include_self', True)}")
    if reduce:
        b.since(16)
    index = vector(b, op.x("Index"))
    values = b.node("Expand", [op.x("Value"), b.node("Shape", [index])])
    b.node("ScatterElements", [op.x("Input"), index, values], op.out("Result"), axis=int(op["Axis"]), reduction=reduce)


@converts("set_value")
def _set_value(b, op):
    """The values, and a mask of ones, spread over the sliced part and padded to the whole."""
    op.no_tensors("StartsTensorList", "EndsTensorList", "StepsTensorList")
    x, shape, kind = op.x("Input"), op.shape("Input"), op.dtype("Input")
    if any(s != 1 for s in op["steps"]) or op["none_axes"]:
        op.unsupported("steps other than 1, or new axes")
    starts, counts = [0] * len(shape), list(shape)
    for axis, start, end in zip(op["axes"], op["starts"], op["ends"]):
        if shape[axis] < 0:
            op.unsupported("the sizes of sliced axes must be known")
        start, end, _ = slice(start, end).indices(shape[axis])
        starts[axis], counts[axis] = start, max(end - start, 0)
    sliced = sorted(op["axes"])
    begins, ends = [starts[a] for a in sliced], [starts[a] + counts[a] for a in sliced]
    part = b.node("Slice", [x, b.ints(begins), b.ints(ends), b.ints(sliced)])
    if op.x("ValueTensor"):
        value, rank = op.x("ValueTensor"), b.rank(op.x("ValueTensor"))
    else:
        sizes = list(op["shape"])
        value, rank = b.constant(np.reshape(op["values"], sizes), kind), len(sizes)
    for axis in sorted(op["decrease_axes"]):  # axes that the value does not have
        if axis >= len(shape) - rank:
            value, rank = b.node("Unsqueeze", [value, b.ints([axis - (len(shape) - rank - 1)])]), rank + 1
    part = b.node("Shape", [part])
    pads = b.ints(starts + [0 if a not in sliced else shape[a] - starts[a] - counts[a] for a in range(len(shape))])
    spread = b.node("Pad", [b.node("Expand", [b.cast(value, kind), part]), pads])
    mask = b.node("Pad", [b.node("ConstantOfShape", [part], value=np.ones(1, np.int32)), pads])
    b.node("Where", [b.cast(mask, np.bool_), spread, x], op.out())
