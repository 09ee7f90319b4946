"""ONNX forms of operators on pictures and boxes."""

import numpy as np

from ..core.facts import BY_NAME
from .builder import converts
from .shapes import vector

_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}
_SIZES = ("out_d", "out_h", "out_w")


def _where(op, mode):
    """How places of the result are matched with those of the input, in ONNX's words."""
    if op["align_corners"]:
        return "align_corners"
    return "half_pixel" if mode == "cubic" or mode == "linear" and op["align_mode"] == 0 else "asymmetric"


@converts(*(f"{kind}_interp{version}" for kind in _MODES for version in ("", "_v2")))
def _resize(b, op):
    mode, axes = _MODES[op.type.split("_")[0]], len(op.shape()) - 2
    if op["data_layout"] not in ("NCHW", "NCDHW", "NCW"):
        op.unsupported(f"data_layout {op['data_layout']}")
    op.no_tensors("Scale")
    attrs = {"mode": mode, "coordinate_transformation_mode": _where(op, mode)}
    if mode == "nearest":
        attrs["nearest_mode"] = "round_prefer_ceil" if op["align_corners"] else "floor"
    if mode == "cubic":
        attrs["cubic_coeff_a"] = -0.75
    sizes = [op[name] for name in _SIZES[3 - axes:]]
    tensors = op.xs("SizeTensor") or op.xs("OutSize")
    if tensors:
        parts = [b.node("Reshape", [vector(b, name), b.ints([-1])]) for name in tensors]
        wanted = b.node("Concat", parts, axis=0)
    else:
        wanted = b.ints(sizes)
    scale = np.atleast_1d(op["scale"])
    if tensors or not scale.size or not (scale > 0).all():
        batch = b.node("Slice", [b.node("Shape", [op.x()]), b.ints([0]), b.ints([2])])
        b.node("Resize", [op.x(), None, None, b.node("Concat", [batch, wanted], axis=0)], op.out(), **attrs)
    else:
        scale = np.concatenate([[1, 1], np.broadcast_to(scale, (axes,))])
        b.node("Resize", [op.x(), None, b.constant(scale, np.float32)], op.out(), **attrs)


def _grouped(b, x, sizes, perm, out):
    """x with its axes divided as ``sizes`` says, in another order, in its old shape."""
    turned = b.node("Transpose", [b.node("Reshape", [x, b.ints(sizes)])], perm=perm)
    return b.node("Reshape", [turned, b.node("Shape", [x])], out)


@converts("channel_shuffle", "shuffle_channel")
def _channel_shuffle(b, op):
    groups = op["groups" if op.type == "channel_shuffle" else "group"]
    if op.get("data_format", "NCHW") == "NHWC":
        _grouped(b, op.x(), [0, 0, 0, groups, -1], [0, 1, 2, 4, 3], op.out())
    elif op.shape()[1] < 0:
        op.unsupported("the number of channels must be known")
    else:
        _grouped(b, op.x(), [0, groups, op.shape()[1] // groups, -1], [0, 2, 1, 3], op.out())


def _channels_first(b, op, convert):
    """Apply what ONNX has for NCHW to an operator of either layout."""
    if op["data_format"] == "NHWC":
        y = convert(b.node("Transpose", [op.x()], perm=[0, 3, 1, 2]), None)
        b.node("Transpose", [y], op.out(), perm=[0, 2, 3, 1])
    else:
        convert(op.x(), op.out())


@converts("pixel_shuffle")
def _pixel_shuffle(b, op):
    _channels_first(b, op, lambda x, out: b.node("DepthToSpace", [x], out, blocksize=op["upscale_factor"], mode="CRD"))


@converts("pixel_unshuffle")
def _pixel_unshuffle(b, op):
    factor, channels = op["downscale_factor"], op.shape()[3 if op["data_format"] == "NHWC" else 1]
    if channels < 0:
        op.unsupported("the number of channels must be known")

    def convert(x, out):  # ONNX puts the places within a block before the channels
        blocks = b.node("SpaceToDepth", [x], blocksize=factor)
        return _grouped(b, blocks, [0, factor * factor, channels, -1], [0, 2, 1, 3], out)
    _channels_first(b, op, convert)


@converts("unfold")
def _unfold(b, op):
    """A convolution with one filter for each place of the window, group by group."""
    channels, window = op.shape()[1], list(op["kernel_sizes"])
    if channels < 0:
        op.unsupported("the number of channels must be known")
    places = window[0] * window[1]
    filters = np.tile(np.eye(places).reshape(places, 1, *window), (channels, 1, 1, 1))
    p = list(op["paddings"])
    columns = b.node("Conv", [op.x(), b.constant(filters, op.dtype())], group=channels, kernel_shape=window,
                     strides=list(op["strides"]), dilations=list(op["dilations"]), pads=p if len(p) == 4 else p * 2)
    b.node("Reshape", [columns, b.ints([0, channels * places, -1])], op.out("Y"))


@converts("temporal_shift")
def _temporal_shift(b, op):
    shape, length = op.shape(), op["seg_num"]
    if op["data_format"] != "NCHW" or -1 in shape[1:]:
        op.unsupported("unknown sizes, or channels last")
    first, second = int(shape[1] * op["shift_ratio"]), int(shape[1] * 2 * op["shift_ratio"])
    steps = b.node("Reshape", [op.x(), b.ints([-1, length, *shape[1:]])])
    padded = b.node("Pad", [steps, b.ints([0, 1, 0, 0, 0, 0, 1, 0, 0, 0])])

    def part(at, start, end):
        return b.node("Slice", [padded, b.ints([at, start]), b.ints([at + length, end]), b.ints([1, 2])])
    bounds = ((0, 0, first), (2, first, second), (1, second, shape[1]))
    moved = b.node("Concat", [part(*given) for given in bounds if given[1] < given[2]], axis=2)
    b.node("Reshape", [moved, b.node("Shape", [op.x()])], op.out())


@converts("grid_sampler")
def _grid_sample(b, op):
    if len(op.shape()) != 4:
        op.unsupported("grids of volumes")
    b.since(16)
    b.node("GridSample", [op.x(), op.x("Grid")], op.out("Output"), mode=op["mode"], padding_mode=op["padding_mode"],
           align_corners=int(op["align_corners"]))


# ---------------------------------------------------------------- boxes

@converts("roi_align")
def _roi_align(b, op):
    b.since(16)
    count = b.node("Gather", [b.node("Shape", [op.x("ROIs")]), b.constant(0, np.int64)])
    numbers = b.node("Range", [b.constant(0, np.int64), count, b.constant(1, np.int64)])
    if op.x("RoisNum"):  # a box's picture: how many pictures' boxes end at or before it
        ends = b.node("CumSum", [vector(b, op.x("RoisNum")), b.constant(0, np.int64)])
        before = b.node("GreaterOrEqual", [b.node("Unsqueeze", [numbers, b.ints([1])]), b.node("Unsqueeze", [ends, b.ints([0])])])
        pictures = b.node("ReduceSum", [b.cast(before, np.int64), b.ints([1])], keepdims=0)
    else:
        pictures = b.node("Mul", [numbers, b.constant(0, np.int64)])
    where = "half_pixel" if op["aligned"] else "output_half_pixel"
    b.node("RoiAlign", [op.x(), op.x("ROIs"), pictures], op.out(), coordinate_transformation_mode=where, mode="avg",
           output_height=op["pooled_height"], output_width=op["pooled_width"], sampling_ratio=max(op["sampling_ratio"], 0),
           spatial_scale=float(op["spatial_scale"]))


@converts("prior_box", "anchor_generator")
def _fixed_boxes(b, op):
    """Boxes that depend on sizes only: constants."""
    slots = ("Input", "Image") if op.type == "prior_box" else ("Input",)
    if any(-1 in op.shape(slot)[2:] for slot in slots):
        op.unsupported("the pictures' height and width must be known")
    shaped = [np.broadcast_to(op.dtype(slot).type(0), [max(n, 1) for n in op.shape(slot)]) for slot in slots]
    text = BY_NAME[op.type]
    boxes = text.fn(*shaped, **{name: op[text.renames.get(name, name)] for name in text.attr_names})
    for name, value in zip((op.out("Boxes" if op.type == "prior_box" else "Anchors"), op.out("Variances")), boxes):
        b.constant(value, name=name)


@converts("yolo_box")
def _yolo_box(b, op):
    kind, shape, classes = op.dtype(), op.shape(), op["class_num"]
    anchors = np.reshape(op["anchors"], (-1, 2)).astype(kind)
    count, (tall, wide) = len(anchors), shape[2:]
    if min(tall, wide) < 0:
        op.unsupported("the height and width of the head must be known")

    def number(value):
        return b.constant(value, kind)

    def taken(x, start, end, axis=2):
        return b.node("Slice", [x, b.ints([start]), b.ints([end]), b.ints([axis])])
    x, overlap = op.x(), None
    if op["iou_aware"]:
        overlap = b.node("Sigmoid", [b.node("Unsqueeze", [taken(x, 0, count, 1), b.ints([2])])])
        x = taken(x, count, count * (6 + classes), 1)
    head = b.node("Reshape", [x, b.ints([0, count, 5 + classes, tall, wide])])  # [N, anchors, 5 + classes, H, W]
    cells = np.stack(np.meshgrid(np.arange(wide), np.arange(tall)))  # x, then y
    middle = b.node("Mul", [b.node("Sigmoid", [taken(head, 0, 2)]), number(op["scale_x_y"])])
    middle = b.node("Add", [middle, number(cells - 0.5 * (op["scale_x_y"] - 1))])
    middle = b.node("Div", [middle, number(np.reshape([wide, tall], (2, 1, 1)))])
    whole = op["downsample_ratio"] * np.array([wide, tall])
    half = b.node("Mul", [b.node("Exp", [taken(head, 2, 4)]), number((anchors / whole / 2).reshape(count, 2, 1, 1))])
    sure = b.node("Sigmoid", [taken(head, 4, 5)])
    if overlap is not None:
        factor = op["iou_aware_factor"]
        sure = b.node("Mul", [b.node("Pow", [sure, number(1 - factor)]), b.node("Pow", [overlap, number(factor)])])
    seen = b.cast(b.node("GreaterOrEqual", [sure, number(op["conf_thresh"])]), kind)
    turned = b.node("Gather", [b.cast(op.x("ImgSize"), kind), b.ints([1, 0])], axis=1)  # width, height
    picture = b.node("Reshape", [turned, b.ints([-1, 1, 2, 1, 1])])
    corners = [b.node("Mul", [b.node(side, [middle, half]), picture]) for side in ("Sub", "Add")]
    if op["clip_bbox"]:
        corners = [b.node("Max", [corners[0], number(0)]),
                   b.node("Min", [corners[1], b.node("Sub", [picture, number(1)])])]
    boxes = b.node("Mul", [b.node("Concat", corners, axis=2), seen])
    scores = b.node("Mul", [b.node("Mul", [b.node("Sigmoid", [taken(head, 5, 5 + classes)]), sure]), seen])
    for name, value, size in ((op.out("Boxes"), boxes, 4), (op.out("Scores"), scores, classes)):
        b.node("Reshape", [b.node("Transpose", [value], perm=[0, 1, 3, 4, 2]), b.ints([0, count * tall * wide, size])], name)


@converts("box_coder")
def _box_coder(b, op):
    """Boxes from their distances to prior ones, in units of these and of variances."""
    if not op["code_type"].startswith("decode"):
        op.unsupported(f"code_type {op['code_type']}")
    kind, extra = op.dtype("PriorBox"), 0 if op["box_normalized"] else 1

    def columns(x, start, end):
        return b.node("Slice", [x, b.ints([start]), b.ints([end]), b.ints([-1])])

    def sides(name):  # prior boxes [M, 4] meet targets [N, M, 4] at the axis that is not theirs
        return b.node("Unsqueeze", [name, b.ints([op["axis"]])])
    prior, target = sides(op.x("PriorBox")), op.x("TargetBox")
    size = b.node("Add", [b.node("Sub", [columns(prior, 2, 4), columns(prior, 0, 2)]), b.constant(extra, kind)])
    middle = b.node("Add", [columns(prior, 0, 2), b.node("Mul", [size, b.constant(0.5, kind)])])
    if op.x("PriorBoxVar"):
        target = b.node("Mul", [target, sides(op.x("PriorBoxVar"))])
    elif op["variance"]:
        target = b.node("Mul", [target, b.constant(op["variance"], kind)])
    middle = b.node("Add", [b.node("Mul", [columns(target, 0, 2), size]), middle])
    half = b.node("Mul", [b.node("Mul", [b.node("Exp", [columns(target, 2, 4)]), size]), b.constant(0.5, kind)])
    ends = b.node("Sub", [b.node("Add", [middle, half]), b.constant(extra, kind)])
    b.node("Concat", [b.node("Sub", [middle, half]), ends], op.out("OutputBox"), axis=-1)
