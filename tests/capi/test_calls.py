"""Operators called one at a time, in programs written by hand: what they refuse and with which words, and what they give for
operands and attributes that exporters seldom write."""

import numpy as np
import pytest
from capi.library import Failed, Model

from paddle.serialization import program_desc as pd
from paddle.serialization.program_desc import AttrType, VarKind

KINDS = {bool: AttrType.BOOLEAN, int: AttrType.LONG, float: AttrType.FLOAT, str: AttrType.STRING}
LISTS = {int: AttrType.LONGS, float: AttrType.FLOATS, str: AttrType.STRINGS}
NUMBERS = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6, "uint8": 20, "int8": 21,
           "complex64": 23, "complex128": 24}


def attribute(name, value):
    kind = LISTS[type(value[0]) if value else int] if isinstance(value, list) else KINDS[type(value)]
    return pd.Attr.of(name, kind, value)


def operator(type_, inputs, outputs, **attrs):
    """An operator; a slot has one name or a list of them."""
    ins, outs = ([pd.Slot(slot, [names] if isinstance(names, str) else names) for slot, names in slots.items()]
                 for slots in (inputs, outputs))
    return pd.OpDesc(ins, outs, type_, [attribute(*item) for item in attrs.items()])


def variable(name, kind="float32", dims=(), *, array=False):
    tensor = pd.LoDTensorDesc(pd.TensorDesc(NUMBERS[kind], list(dims)))
    return pd.VarDesc(name, pd.VarType(int(VarKind.LOD_TENSOR_ARRAY), tensor_array=tensor) if array
                      else pd.VarType(int(VarKind.LOD_TENSOR), lod_tensor=tensor))


def program(feeds, ops, fetches, more=(), blocks=()):
    """The bytes of a program; ``feeds`` are the arrays of its inputs by name, ``more`` other variables."""
    columns = [operator("feed", {"X": "feed"}, {"Out": name}, col=k) for k, name in enumerate(feeds)]
    columns += [*ops, *(operator("fetch", {"X": name}, {"Out": "fetch"}, col=k) for k, name in enumerate(fetches))]
    declared = [variable(name, a.dtype.name, a.shape) for name, a in feeds.items()]
    known = {*feeds, *(v.name for v in more)}
    declared += [*(variable(name) for name in fetches if name not in known), *more,
                 pd.VarDesc("feed", pd.VarType(int(VarKind.FEED_MINIBATCH))),
                 pd.VarDesc("fetch", pd.VarType(int(VarKind.FETCH_LIST)))]
    return pd.write(pd.ProgramDesc([pd.BlockDesc(0, -1, declared, columns), *blocks]))


def call(type_, inputs, attrs, outputs=("Out",)):
    """What an operator gives. An input is an array, a pair of an array and its levels of offsets, a list of such, or None: a
    variable without a value."""
    feeds, lod, slots = {}, [], {}
    for slot, given in inputs.items():
        slots[slot] = []
        for one in given if isinstance(given, list) else [given]:
            slots[slot].append("nothing" if one is None else f"in{len(feeds)}")
            if one is not None:
                array, levels = one if isinstance(one, tuple) else (one, [])
                feeds[slots[slot][-1]] = array
                lod.append(levels)
    files = program(feeds, [operator(type_, slots, {slot: f"out_{slot}" for slot in outputs}, **attrs)],
                    [f"out_{slot}" for slot in outputs], [variable("nothing")])
    return Model(files)(*feeds.values(), lod=lod)


def real(*shape, dtype="float32"):
    return np.linspace(-1, 2, int(np.prod(shape)), dtype=dtype).reshape(shape)


def whole(*values, dtype="int64"):
    return np.array(values, dtype)


def rows(n, *ends, width=2, dtype="float32"):
    """Rows in sequences that end at ``ends``."""
    return np.arange(n * width).reshape(n, width).astype(dtype), [[0, *ends]]


BOXES = np.array([[0, 0, 2, 2]], "float32")
IMAGE = real(1, 1, 4, 4)
REGION = {"pooled_height": 1, "pooled_width": 1, "spatial_scale": 1.0, "sampling_ratio": 1}
YOLO = {"anchors": [2, 2], "class_num": 1, "conf_thresh": 0.0, "downsample_ratio": 2}
REFUSED = [
    *((name, inputs, {**REGION, **attrs}, words) for name in ("roi_align", "roi_pool") for inputs, attrs, words in [
        ({"X": None, "ROIs": BOXES}, {}, "input X has no value"), ({"X": IMAGE, "ROIs": None}, {}, "input ROIs has no value"),
        ({"X": IMAGE.astype("int32"), "ROIs": BOXES}, {}, "X must be float32 or float64, not int32"),
        ({"X": IMAGE[0], "ROIs": BOXES}, {}, "X must have 4 axes"), ({"X": IMAGE, "ROIs": BOXES[0]}, {}, "ROIs be .boxes, 4"),
        ({"X": IMAGE, "ROIs": BOXES[:, :3]}, {}, "ROIs be .boxes, 4"),
        ({"X": IMAGE, "ROIs": BOXES}, {"pooled_height": 0}, "size of|4 axes"),
        ({"X": IMAGE, "ROIs": BOXES}, {"pooled_width": -2}, "size of|4 axes"),
        ({"X": IMAGE, "ROIs": BOXES, "RoisNum": whole(1, 0)}, {}, "RoisNum must say"),
        ({"X": IMAGE, "ROIs": BOXES}, {}, "RoisNum must say")]),
    ("roi_align", {"X": IMAGE, "ROIs": BOXES}, {**REGION, "sampling_ratio": 1 << 40}, "sampling_ratio can't be used"),
    ("affine_grid", {"Theta": real(1, 2, 3)}, {"output_shape": [1, 1, 0, 2]}, "0 places along an axis"),
    ("affine_grid", {"Theta": real(1, 2, 3)}, {"output_shape": [1, 1, 2, 1 << 30]}, "places along an axis"),
    ("affine_grid", {"Theta": real(1, 2, 3)}, {"output_shape": [1] * 6}, "output_shape has 6 numbers"),
    *(("box_coder", inputs, attrs, words) for inputs, attrs, words in [
        ({"PriorBox": None, "TargetBox": BOXES}, {}, "input PriorBox has no value"),
        ({"PriorBox": BOXES, "TargetBox": None}, {}, "input TargetBox has no value"),
        ({"PriorBox": BOXES, "TargetBox": BOXES.astype("int64")}, {}, "TargetBox must be float32"),
        ({"PriorBox": BOXES[0], "TargetBox": BOXES}, {}, "PriorBox must be"),
        ({"PriorBox": BOXES[:, :2], "TargetBox": BOXES}, {}, "PriorBox must be"),
        ({"PriorBox": BOXES, "TargetBox": BOXES[:, :2]}, {"code_type": "encode_center_size"}, "TargetBox .N, 4"),
        ({"PriorBox": BOXES, "TargetBox": BOXES}, {"code_type": "decode_center_size"}, "TargetBox .N, M, 4"),
        ({"PriorBox": BOXES, "TargetBox": BOXES[None]}, {"code_type": "decode_center_size", "axis": 2}, "TargetBox .N, M, 4"),
        ({"PriorBox": BOXES, "TargetBox": BOXES[None]}, {"code_type": "decode_center_size", "axis": -1}, "TargetBox .N, M, 4"),
        ({"PriorBox": BOXES, "TargetBox": np.zeros((1, 3, 4), "float32")}, {"code_type": "decode_center_size"}, "along its axis"),
        ({"PriorBox": BOXES, "PriorBoxVar": real(3), "TargetBox": BOXES}, {"code_type": "encode_center_size"},
         "PriorBoxVar must have 4")]),
    ("prior_box", {"Input": None, "Image": IMAGE}, {}, "Input has no value"),
    ("prior_box", {"Input": IMAGE, "Image": None}, {}, "Image has no"),
    ("prior_box", {"Input": IMAGE.astype("int32"), "Image": IMAGE}, {}, "Input must be float32"),
    ("prior_box", {"Input": IMAGE[0], "Image": IMAGE}, {}, "must have 4 axes"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE[0]}, {}, "4 axes"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE}, {"min_sizes": [1.0], "max_sizes": [2.0, 3.0]}, "as many as min_sizes"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE}, {"min_sizes": [1.0] * 65}, "min_sizes"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE}, {"min_sizes": [1.0], "max_sizes": [1.0] * 65}, "max_sizes"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE}, {"min_sizes": [1.0], "aspect_ratios": [2.0] * 65}, "aspect_ratios"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE}, {"min_sizes": [1.0], "variances": [1.0] * 5}, "variances"),
    ("prior_box", {"Input": IMAGE, "Image": IMAGE}, {"min_sizes": [1.0] * 64, "aspect_ratios": [2.0, 3.0, 4.0, 5.0]},
     "more than 256 boxes"),
    *(("yolo_box", inputs, {**YOLO, **attrs}, words) for inputs, attrs, words in [
        ({"X": None, "ImgSize": whole(4, 4)}, {}, "X has no value"),
        ({"X": real(1, 6, 1, 1), "ImgSize": None}, {}, "ImgSize has no value"),
        ({"X": whole(1), "ImgSize": whole(4, 4)}, {}, "X must be float32"),
        ({"X": real(6), "ImgSize": whole(4, 4)}, {}, "does not fit 1 anchors"),
        ({"X": real(1, 6, 1, 1), "ImgSize": whole(4, 4)}, {"class_num": 0}, "does not fit 1 anchors and 0"),
        ({"X": real(1, 6, 1, 1), "ImgSize": whole(4, 4)}, {"class_num": 1 << 22}, "does not fit"),
        ({"X": real(1, 5, 1, 1), "ImgSize": whole(4, 4)}, {}, "does not fit"),
        ({"X": real(1, 6, 1, 1), "ImgSize": whole(4)}, {}, "does not fit"),
        ({"X": real(1, 6, 1, 1), "ImgSize": whole(4, 4)}, {"anchors": [1] * 129}, "anchors has 129 numbers")]),
    ("multiclass_nms3", {"BBoxes": BOXES[None], "Scores": real(1, 1, 1), "RoisNum": whole(1)}, {}, "RoisNum. are not supported"),
    # control flow and arrays
    ("select_input", {"Mask": whole(0)}, {}, "input X is missing"),
    ("select_input", {"X": [real(2)], "Mask": None}, {}, "Mask has no value"),
    ("select_input", {"X": [real(2)], "Mask": whole(1)}, {}, "Mask asks for input 1 of 1"),
    ("select_input", {"X": [real(2)], "Mask": whole(-1)}, {}, "Mask asks for input -1 of 1"),
    ("select_input", {"X": [None, real(2)], "Mask": whole(0)}, {}, "input X has no value"),
    ("read_from_array", {"X": None, "I": whole(0)}, {}, "the array has nothing at place 0"),
    ("read_from_array", {"X": None, "I": whole(-3)}, {}, "an array has no place -3"),
    ("read_from_array", {"X": None, "I": None}, {}, "input I has no value"),
    ("read_from_array", {"I": whole(0)}, {}, "the array is missing"),
    ("tensor_array_to_tensor", {"X": None}, {}, "the array is empty"), ("tensor_array_to_tensor", {}, {}, "the array is missing"),
    ("lod_array_length", {}, {}, "the array is missing"),
    ("write_to_array", {"X": real(2), "I": whole(1 << 40)}, {}, "an array has no place"),
    ("while", {"Condition": None}, {"sub_block": 0}, "while has block 0"),
    ("conditional_block", {"Cond": None}, {"sub_block": 3}, "has block 3"),
    # sequences
    ("sequence_conv", {"X": rows(3, 3), "Filter": real(2, 2)}, {"contextLength": 1, "contextStride": 1, "paddingTrainable": True},
     "trained padding"),
    ("sequence_conv", {"X": rows(3, 3), "Filter": real(2, 2)}, {"contextLength": 1, "contextStride": 2},
     "trained padding and strides"),
    ("sequence_conv", {"X": rows(3, 3), "Filter": real(2, 2)}, {"contextLength": 0, "contextStride": 1}, "its neighbours few"),
    ("sequence_conv", {"X": rows(3, 3), "Filter": real(2, 2)}, {"contextLength": 1, "contextStride": 1, "contextStart": -5000},
     "neighbours few"),
    ("sequence_conv", {"X": rows(3, 3), "Filter": real(2, 2)}, {"contextLength": 1, "contextStride": 1, "contextStart": 5000},
     "neighbours few"),
    ("sequence_conv", {"X": (real(3, 2, 2), [[0, 3]]), "Filter": real(2, 2)}, {"contextLength": 1, "contextStride": 1},
     "X must be a matrix"),
    ("sequence_reshape", {"X": rows(3, 3)}, {"new_dim": 0}, "new_dim can't be 0"),
    ("sequence_reshape", {"X": rows(3, 1, 3)}, {"new_dim": 4}, "a sequence of 2 numbers does not fill rows of 4"),
    ("sequence_expand", {"X": real(2, 2), "Y": rows(3, 1, 3)}, {"ref_level": 4}, "Y has no level 4"),
    ("sequence_expand", {"X": real(2, 2), "Y": rows(3, 1, 3)}, {"ref_level": -7}, "Y has no level -7"),
    ("sequence_expand", {"X": real(3, 2), "Y": rows(3, 1, 3)}, {"ref_level": 0}, "X must have 2 sequences"),
    ("sequence_expand", {"X": real(), "Y": rows(3, 1, 3)}, {"ref_level": 0}, "X must have 2 sequences"),
    ("sequence_concat", {"X": [rows(3, 1, 3), rows(3, 3)]}, {}, "as many sequences of equal rows"),
    ("sequence_concat", {"X": [rows(3, 1, 3), rows(3, 1, 3, width=3)]}, {}, "as many sequences of equal rows"),
    ("sequence_concat", {"X": [rows(3, 1, 3), rows(3, 1, 3, dtype="float64")]}, {}, "as many sequences of equal rows"),
    ("sequence_concat", {"X": [None, rows(3, 3)]}, {}, "X has no value"),
    ("sequence_concat", {"X": [rows(3, 3), None]}, {}, "X has no value"),
    ("sequence_pad", {"X": rows(3, 1, 3), "PadValue": real(1, dtype="float64")}, {"padded_length": -1}, "PadValue doesn't fit X"),
    ("sequence_pad", {"X": rows(3, 1, 3), "PadValue": real(3)}, {"padded_length": -1}, "PadValue doesn't fit X"),
    ("sequence_softmax", {"X": rows(3, 3, dtype="int64")}, {}, "X must be float32"),
    ("sequence_erase", {"X": rows(3, 3, dtype="int64")}, {"tokens": [1]}, "one number for each row"),
    ("sequence_enumerate", {"X": rows(3, 3, dtype="int64")}, {"win_size": 2}, "one number for each row"),
    ("sequence_enumerate", {"X": rows(3, 3, width=1, dtype="int64")}, {"win_size": 0}, "win_size from 1"),
    ("sequence_enumerate", {"X": rows(3, 3, width=1, dtype="int64")}, {"win_size": 5000}, "win_size from 1"),
    ("sequence_slice", {"X": rows(3, 1, 3), "Offset": whole(0), "Length": whole(1, 1)}, {}, "a number for each sequence"),
    ("sequence_slice", {"X": rows(3, 1, 3), "Offset": whole(0, 0), "Length": whole(1)}, {}, "a number for each sequence"),
    ("sequence_slice", {"X": rows(3, 1, 3), "Offset": whole(-1, 0), "Length": whole(1, 1)}, {}, "1 rows from row -1 on are not"),
    ("sequence_slice", {"X": rows(3, 1, 3), "Offset": whole(0, 0), "Length": whole(1, -1)}, {}, "-1 rows from row 0 on are not"),
    ("sequence_slice", {"X": rows(3, 1, 3), "Offset": whole(0, 3), "Length": whole(1, 1)}, {}, "1 rows from row 3 on are not"),
    *(("im2sequence", {"X": IMAGE, **more},
       {"kernels": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0], "out_stride": [1, 1], **attrs}, words) for words,
       changes in {
           "and out_stride positive": [({}, {"out_stride": [0, 1]}), ({"Y": real(1, 2)}, {"out_stride": [1, 0]}),
            ({"Y": real(3)}, {}),
                                       ({"X": IMAGE[0]}, {})],
           "kernels, strides and paddings do not fit X": [({}, {name: value}) for name, value in [
               ("kernels", [2, 0]), ("strides", [0, 1]), ("strides", [1, -1]), ("paddings", [-1, 0, 0, 0]),
               ("paddings", [0, 0, 0, -1]),
               ("kernels", [1 << 30, 1]), ("strides", [1 << 30, 1]), ("paddings", [1 << 30, 0, 0, 0]),
               ("paddings", [0, 0, 1 << 30, 0])]],
           "picture 0 does not have the size that Y says": [({"Y": whole(*size)}, {}) for size in ((-4, 4), (1, 1), (40, 4))],
       }.items() for more, attrs in changes),
    ("lod_reset", {"X": real(3, 2)}, {"target_lod": [0, 2]}, "rise from 0 to the rows of X"),
    ("lod_rank_table", {"X": rows(3, 3)}, {"level": 3}, "no level 3"),
    # everything else
    ("linspace", {"Start": None, "Stop": real(1), "Num": whole(2)}, {}, "Start has no value"),
    ("linspace", {"Start": real(1), "Stop": None, "Num": whole(2)}, {}, "Stop has no value"),
    ("linspace", {"Start": real(1), "Stop": real(1), "Num": None}, {}, "Num has no value"),
    ("linspace", {"Start": real(0), "Stop": real(1), "Num": whole(2)}, {"dtype": 5}, "must hold a number"),
    ("linspace", {"Start": real(1), "Stop": real(0), "Num": whole(2)}, {"dtype": 5}, "must hold a number"),
    ("linspace", {"Start": real(1), "Stop": real(1), "Num": whole()}, {"dtype": 5}, "must hold a number"),
    ("linspace", {"Start": real(1), "Stop": real(1), "Num": whole(0)}, {"dtype": 5}, "Num must be at least 1"),
    ("one_hot_v2", {"X": whole(1, 7)}, {"depth": 3, "dtype": 5}, "7 is not below the depth 3"),
    ("meshgrid", {}, {}, "meshgrid takes 1 to"), ("meshgrid", {"X": [real(2)] * 11}, {}, "meshgrid takes 1 to"),
    ("meshgrid", {"X": [real(2), None]}, {}, "X has no value"),
    ("sum", {}, {}, "input X is missing"), ("sum", {"X": [None]}, {}, "X has no value"),
    ("sum", {"X": [real(2), None]}, {}, "X has no value"),
    ("sum", {"X": [real(2), real(3)]}, {}, "must have one shape"),
    *((f"elementwise_{name}", {"X": whole(7, 5), "Y": whole(2, 0)}, {"axis": -1}, "a whole number is divided by 0")
      for name in ("div", "mod", "floordiv")),
    *((f"elementwise_{name}", {"X": np.ones(2, bool), "Y": np.ones(2, bool)}, {"axis": -1}, "of type bool are not supported")
      for name in ("sub", "div", "pow")),
    ("gather_tree", {"Ids": None, "Parents": whole(1)}, {}, "Ids has no value"),
    ("gather_tree", {"Ids": whole(1), "Parents": None}, {}, "Parents has no"),
    ("gather_tree", {"Ids": whole(1), "Parents": whole(1)}, {}, "must be .steps, batch, beams"),
    ("gather_tree", {"Ids": whole([[1]]).reshape(1, 1, 1), "Parents": whole(1)}, {}, "must be .steps"),
    ("gather_tree", {"Ids": whole(1, 2).reshape(1, 1, 2), "Parents": whole(1, 0).reshape(1, 2, 1)}, {}, "must be .steps"),
    ("gather_tree", {"Ids": whole(1, 2).reshape(1, 1, 2), "Parents": whole(1).reshape(1, 1, 1)}, {}, "must be .steps"),
    ("gather_tree", {"Ids": whole(1, 2).reshape(2, 1, 1), "Parents": whole(5, 5).reshape(2, 1, 1)}, {}, "there is no beam 5"),
    ("multiplex", {"Ids": whole(0)}, {}, "X is missing"), ("multiplex", {"X": [real(1, 2)], "Ids": None}, {}, "Ids has no value"),
    ("multiplex", {"X": [real(1, 2), real(1, 3)], "Ids": whole(1)}, {}, "id 1 names no input like the first"),
    ("multiplex", {"X": [real(1, 2), real(1, 2, dtype="float64")], "Ids": whole(1)}, {}, "id 1 names no input"),
    ("polygon_box_transform", {"Input": real(1, 3, 2, 2)}, {}, "even number of channels"),
    ("polygon_box_transform", {"Input": real(2, 2)}, {}, "even number of channels"),
    *(("einsum", {"Operands": operands}, {"equation": text}, words) for operands, text, words in [
        ([real(2, 2)], "a1->a", "equations with 1 are not supported"), ([real(2, 2)], "abcdefghijk->a", "more than"),
        ([real(2, 2)], "a->a", "operand 0 has 2 axes, the equation names 1"), ([real(2, 2)], "aa->a", "named twice in one operand"),
        ([real(2)], "a->ab", "no operand has"),
        ([real(2), None], "a,a->", "has no value")]),
    ("median", {"X": real(0)}, {"mode": "avg"}, "no middle of nothing"),
    ("median", {"X": real(2, 2)}, {"axis": [0, 1], "mode": "avg"}, "more than one axis"),
    ("crop_tensor", {"X": real(4)}, {"offsets": [-1], "shape": [2]}, r"offsets \[-1\] do not fit into x \[4\]"),
    ("crop_tensor", {"X": real(4)}, {"offsets": [5], "shape": [-1]}, "do not fit into x"),
    ("crop_tensor", {"X": real(4)}, {"offsets": [1], "shape": [-3]}, "do not fit into x"),
    ("crop_tensor", {"X": real(4)}, {"offsets": [3], "shape": [2]}, "do not fit into x"),
    ("trace", {"Input": real(2, 2)}, {"axis1": 0, "axis2": 0}, "must differ"),
    ("trace", {"Input": real(2, 2)}, {"axis1": 0, "axis2": 1, "offset": 1 << 30}, "must differ"),
    ("fold", {"X": real(1, 4, 1)}, {"output_sizes": [0, 2], "kernel_sizes": [2, 2]}, "output_sizes must be 2 sizes"),
    ("fold", {"X": real(1, 4, 1)}, {"output_sizes": [2, 1 << 30], "kernel_sizes": [2, 2]}, "output_sizes must be 2 sizes"),
    ("fold", {"X": real(1, 4, 1)}, {"output_sizes": [1 << 30, 2], "kernel_sizes": [2, 2]}, "output_sizes must be 2 sizes"),
    ("fold", {"X": real(1, 4, 1)}, {"output_sizes": [2], "kernel_sizes": [2, 2]}, "output_sizes must be 2 sizes"),
    ("mul", {"X": None, "Y": real(2, 2)}, {}, "X has no value"),
    ("mul", {"X": real(2, 2), "Y": real(2, 2)}, {"x_num_col_dims": 0}, "doesn't fit"),
    ("mul", {"X": real(2, 2), "Y": real(2, 2)}, {"y_num_col_dims": 2}, "doesn't fit"),
    ("matmul_v2", {"X": real(), "Y": real(2)}, {}, "operands with axes"),
    ("matmul_v2", {"X": real(2), "Y": real()}, {}, "operands with axes"),
    ("kldiv_loss", {"X": real(2), "Target": None}, {}, "Target has no value"),
    ("pool2d", {"X": real(2, 2)}, {"ksize": [1, 1]}, "X must have 4 axes, not 2"),
    ("pool2d", {"X": real(2, 2)}, {"ksize": [1, 1], "data_format": "NHWC"}, "X must have 4 axes, not 2"),
    ("conv3d", {"Input": real(2, 2), "Filter": real(1, 1, 1, 1, 1)}, {"data_format": "NDHWC"}, "Input must have 5 axes, not 2"),
    ("bilinear_interp_v2", {"X": real(2, 2)}, {"data_layout": "NHWC"}, "X must have 3 to 5 axes, not 2"),
    ("trilinear_interp", {"X": real(2, 2, 2, 2)}, {"out_d": 2}, "X must have 5 axes, not 4"),
    ("grid_sampler", {"X": IMAGE, "Grid": real(1, 2, 2, 2)}, {"mode": "cubic"}, "mode can't be 'cubic'"),
    ("grid_sampler", {"X": IMAGE, "Grid": real(1, 2, 2, 2)}, {"padding_mode": "none"}, "padding_mode can't be 'none'"),
    ("nearest_interp_v2", {"X": IMAGE, "OutSize": whole(1, 2, 3)}, {"data_layout": "NCHW"}, "3 sizes are given for 2 axes|OutSize"),
    ("reshape2", {"X": real(4)}, {"shape": [-2, 2]}, "the negative size -2"),
    ("reshape2", {"X": real(4)}, {"shape": [-1, -1]}, "more than one -1"),
    ("elementwise_add", {"X": np.ones(2, "complex64"), "Y": real(2, dtype="float64")}, {"axis": -1}, "must be cast to one type"),
    ("set_value", {"Input": real(3)}, {"axes": [0], "starts": [0], "ends": [1], "steps": [1], "fp32_values": [1.0, 2.0]},
     "list of numbers"),
    ("set_value", {"Input": real(3)}, {"axes": [0], "starts": [0], "ends": [1], "steps": [1]}, "list of numbers"),
    ("pow", {"X": real(4), "FactorTensor": real(1)}, {"factor": 1.0}, "a factor that is a tensor is not supported"),
    ("masked_fill", {"X": real(3), "Mask": np.ones(3, bool), "Value": real(2)}, {}, "one number of X's type"),
]


@pytest.mark.parametrize("type_, inputs, attrs, words", REFUSED, ids=[f"{k}-{row[0]}" for k, row in enumerate(REFUSED)])
def test_refused(type_, inputs, attrs, words):
    with pytest.raises(Failed, match=words) as told:
        call(type_, inputs, attrs)
    assert type_ in str(told.value)


# ---- what they give ----
def decoded(prior, code, factor):
    """Boxes of codes, as Paddle's documentation of box_coder says it."""
    w, h = prior[2] - prior[0], prior[3] - prior[1]
    c = np.asarray(code, "float64") * factor
    x, y, dx, dy = c[0] * w + prior[0] + w / 2, c[1] * h + prior[1] + h / 2, np.exp(c[2]) * w / 2, np.exp(c[3]) * h / 2
    return [x - dx, y - dy, x + dx, y + dy]


ONE, TWO = [0.0, 0, 2, 4], [1.0, 1, 2, 3]
PRIORS, CODES = np.array([ONE, TWO], "float32"), np.array([[[0.5, 0, 0.1, 0], [0, 0.25, 0, -0.2]]], "float32")
SPREAD = np.array([[1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4]], "float32")
DECODE = {"code_type": "decode_center_size", "box_normalized": True}
NAN, INF = float("nan"), float("inf")
HALF, PAIRS = real(3, 4).astype("float16"), (real(3, 4) + 1j * real(4, 3).T).astype("complex128")
REALS = np.array([3, NAN, -1, INF], "float32")
SET = {"axes": [0], "starts": [0], "ends": [3], "steps": [2], "shape": [1]}
AFTER = {"scale": 2.0, "bias": 1.0, "bias_after_scale": True}
GIVEN = [  # type, inputs, attributes, {slot: values}
    ("roi_align", {"X": IMAGE, "ROIs": np.float32([[9, 9, 11, 11], [-5, -5, -3, -3], [4e9, 0, 5e9, 1]]),
                   "RoisNum": whole(3, dtype="int32")}, REGION, {"Out": np.zeros((3, 1, 1, 1))}),
    ("roi_pool", {"X": IMAGE, "ROIs": np.float32([[0, 0, 1, 1], [9, 9, 11, 11]]), "RoisNum": whole(2, dtype="int32")}, REGION,
     {"Out": [[[[IMAGE[0, 0, 1, 1]]]], [[[0]]]], "Argmax": [[[[5]]], [[[-1]]]]}),
    *(("affine_grid", {"Theta": np.float32([[[1, 0, 0], [0, 1, 0]]])}, {"output_shape": [1, 1, 1, 1], "align_corners": align},
       {"Output": np.full((1, 1, 1, 2), -1.0 if align else 0.0)}) for align in (True, False)),
    ("box_coder", {"PriorBox": PRIORS, "TargetBox": CODES}, DECODE,
     {"OutputBox": [[decoded(ONE, CODES[0, 0], 1), decoded(TWO, CODES[0, 1], 1)]]}),
    ("box_coder", {"PriorBox": PRIORS, "TargetBox": CODES}, {**DECODE, "variance": [0.1, 0.1, 0.2, 0.2]},
     {"OutputBox": [[decoded(p, c, [0.1, 0.1, 0.2, 0.2]) for p, c in zip((ONE, TWO), CODES[0])]]}),
    ("box_coder", {"PriorBox": PRIORS, "PriorBoxVar": SPREAD, "TargetBox": CODES}, DECODE,
     {"OutputBox": [[decoded(p, c, s) for p, c, s in zip((ONE, TWO), CODES[0], SPREAD)]]}),
    ("box_coder", {"PriorBox": PRIORS[:1], "PriorBoxVar": SPREAD[1], "TargetBox": CODES}, {**DECODE, "axis": 1},
     {"OutputBox": [[decoded(ONE, c, SPREAD[1]) for c in CODES[0]]]}),
    ("box_coder", {"PriorBox": PRIORS, "TargetBox": PRIORS[:1]}, {"code_type": "encode_center_size", "box_normalized": True},
     {"OutputBox": [[[0, 0, 0, 0], [-0.5, 0, np.log(2), np.log(2)]]]}),
    ("select_input", {"X": [real(2), real(3)], "Mask": whole()}, {}, {"Out": real(2)}),
    ("lod_array_length", {"X": None}, {}, {"Out": [0]}),
    ("sequence_pad", {"X": rows(3, 1, 3), "PadValue": np.float32([7, 8])}, {"padded_length": -1},
     {"Out": [[[0, 1], [7, 8]], [[2, 3], [4, 5]]], "Length": [1, 2]}),
    ("sequence_erase", {"X": rows(4, 2, 4, width=1, dtype="int64")}, {}, {"Out": [[0], [1], [2], [3]]}),
    ("linspace", {"Start": np.float32([3]), "Stop": np.float32([9]), "Num": whole(1)}, {"dtype": 5}, {"Out": [3]}),
    ("linspace", {"Start": np.float32([3]), "Stop": np.float32([9]), "Num": whole(4)}, {"dtype": 6}, {"Out": [3, 5, 7, 9]}),
    ("one_hot_v2", {"X": whole(1, 7), "depth_tensor": whole(3)}, {"depth": 9, "dtype": 5, "allow_out_of_range": True},
     {"Out": [[0, 1, 0], [0, 0, 0]]}),
    ("one_hot", {"X": whole(1, 0)}, {"depth": 2, "dtype": 5}, {"Out": [[0, 1], [1, 0]]}),
    ("one_hot", {"X": whole([1], [0])}, {"depth": 2, "dtype": 5}, {"Out": [[0, 1], [1, 0]]}),
    ("tril_triu", {"X": np.ones((2, 2), "float32")}, {"lower": True}, {"Out": [[1, 0], [1, 1]]}),
    ("tril_triu", {"X": np.ones((2, 2), "float32")}, {"lower": False}, {"Out": [[1, 1], [0, 1]]}),
    ("concat", {"X": [real(2, 2), real(2, 1)], "AxisTensor": whole(1)}, {"axis": 0},
     {"Out": np.concatenate([real(2, 2), real(2, 1)], 1)}),
    ("set_value", {"Input": real(3)}, {**SET, "fp32_values": [9.0]}, {"Out": [9, 0.5, 9]}),
    ("set_value", {"Input": real(3)}, {**SET, "int32_values": [4]}, {"Out": [4, 0.5, 4]}),
    ("set_value", {"Input": real(3), "ValueTensor": whole(6)}, {"axes": [0], "starts": [0], "ends": [1]}, {"Out": [6, 0.5, 2]}),
    ("slice", {"Input": PAIRS}, {"axes": [1], "starts": [1], "ends": [9]}, {"Out": PAIRS[:, 1:]}),
    *(("transpose2", {"X": x}, {"axis": [1, 0]}, {"Out": x.T}) for x in
      (HALF, PAIRS, real(40, 50).astype("float16"), np.tile(PAIRS, (20, 20)))),
    *(("transpose2", {"X": x.reshape(3, 2, 2)}, {"axis": [1, 0, 2]}, {"Out": x.reshape(3, 2, 2).transpose(1, 0, 2)})
      for x in (HALF, PAIRS)),
    *(("expand_v2", {"X": x[:, :1]}, {"shape": [2, 3, 4]}, {"Out": np.broadcast_to(x[:, :1], (2, 3, 4))}) for x in (HALF, PAIRS)),
    *((f"elementwise_{name}", {"X": x, "Y": x[1:2]}, {"axis": -1}, {"Out": f(x, x[1:2])})
      for x in (PAIRS, PAIRS.astype("complex64"))
      for name, f in (("add", np.add), ("div", np.divide), ("sub", np.subtract), ("mul", np.multiply))),
    ("elementwise_add", {"X": PAIRS, "Y": real(3, 4)}, {"axis": -1}, {"Out": PAIRS + real(3, 4)}),
    *((f"elementwise_{name}", {"X": whole(7, -7, 100, 0, dtype=t), "Y": whole(2, 3, 5, 4, dtype=t)}, {"axis": -1},
       {"Out": f(whole(7, -7, 100, 0, dtype=t), whole(2, 3, 5, 4, dtype=t))}) for t in ("int8", "int16")
      for name, f in (("add", np.add), ("max", np.maximum), ("min", np.minimum), ("sub", np.subtract))),
    ("elementwise_pow", {"X": whole(1, -1, -1, 2, 0), "Y": whole(-3, -3, -4, -1, 0)}, {"axis": -1}, {"Out": [1, -1, 1, 0, 1]}),
    ("elementwise_floordiv", {"X": whole(7, -7, 6), "Y": whole(-1, 2, -3)}, {"axis": -1}, {"Out": [-7, -4, -2]}),
    ("elementwise_div", {"X": whole(7, 6, dtype="int32"), "Y": whole(-1, 3, dtype="int32")}, {"axis": -1}, {"Out": [-7, 2]}),
    *((f"elementwise_{name}", {"X": whole(-128, 127, 5, dtype=kind), "Y": whole(3, 2, 1, dtype=kind)}, {"axis": -1},
       {"Out": f(whole(-128, 127, 5, dtype=kind), whole(3, 2, 1, dtype=kind))}) for kind in ("int8", "int16")
      for name, f in (("add", np.add), ("mul", np.multiply), ("max", np.maximum), ("mod", np.remainder),
                      ("floordiv", np.floor_divide), ("pow", np.power))),
    *((name, {"X": whole(-128, 127, 5, dtype=kind), "Y": whole(3, 2, 5, dtype=kind)}, {"axis": -1},
       {"Out": f(whole(-128, 127, 5), whole(3, 2, 5))}) for kind in ("int8", "int16")
      for name, f in (("less_than", np.less), ("greater_equal", np.greater_equal), ("not_equal", np.not_equal))),
    *((f"elementwise_{name}", {"X": np.array([True, True, False]), "Y": np.array([True, False, False])}, {"axis": -1},
       {"Out": wanted}) for name, wanted in
      (("add", [True, True, False]), ("mul", [True, False, False]), ("max", [True, True, False]))),
    ("cast", {"X": PAIRS}, {"in_dtype": 24, "out_dtype": 23}, {"Out": PAIRS.astype("complex64")}),
    ("cast", {"X": PAIRS.astype("complex64")}, {"in_dtype": 23, "out_dtype": 24}, {"Out": PAIRS.astype("complex64")}),
    ("scale", {"X": real(3), "ScaleTensor": np.float32([3])}, AFTER, {"Out": real(3) * 3 + 1}),
    ("scale", {"X": PAIRS}, AFTER, {"Out": PAIRS * 2 + 1}), ("scale", {"X": whole(3, 1 << 60)}, AFTER, {"Out": [7, (1 << 61) + 1]}),
    ("scale", {"X": whole(3, 4)}, {**AFTER, "bias": 0.5}, {"Out": [6, 8]}),
    ("clip", {"X": real(4), "Min": np.float32([0]), "Max": np.float32([1])}, {"min": -9.0, "max": 9.0},
     {"Out": np.clip(real(4), 0, 1)}),
    *((f"is{name}_v2", {"X": x}, {}, {"Out": getattr(np, f"is{name}")(x)}) for name in ("nan", "inf", "finite")
      for x in (REALS, whole(1, 2))),
    ("kldiv_loss", {"X": real(4), "Target": real(4) / 2}, {"reduction": "none", "log_target": True},
     {"Loss": np.exp(real(4) / 2) * (real(4) / 2 - real(4))}),
    ("einsum", {"Operands": [real(2, 3)]}, {"equation": " a b -> b a "}, {"Out": real(2, 3).T}),
    ("einsum", {"Operands": [real(2, 3), real(3, 4)]}, {"equation": "ab,bc"}, {"Out": real(2, 3) @ real(3, 4)}),
    ("einsum", {"Operands": [real(2, 3)]}, {"equation": "ba"}, {"Out": real(2, 3).T}),
    ("median", {"X": np.float64([[3, 1, NAN], [3, 1, 2]])}, {"axis": [1], "mode": "avg"}, {"Out": [NAN, 2]}),
    ("median", {"X": real(4)}, {"mode": "avg", "keepdim": True}, {"Out": [0.5]}),
    *(("p_norm", {"X": np.float32([[3, 0], [-4, 1]])}, {"porder": p, "axis": 0, **more}, {"Out": out}) for p, more, out in [
        (0.0, {}, [2, 1]), (1.0, {}, [7, 1]), (2.0, {}, [5, 1]), (3.0, {"asvector": True}, (27 + 64 + 1) ** (1 / 3)),
        (INF, {}, [4, 1]),
        (-INF, {}, [3, 0])]),
    ("p_norm", {"X": np.float32(-3)}, {"porder": 2.0, "axis": -1}, {"Out": 3}),
    ("logsumexp", {"X": np.float32([[-INF, 1], [-INF, -INF], [2, -INF]])}, {"axis": [1]}, {"Out": [1, -INF, 2]}),
    ("reduce_sum", {"X": np.float32(4)}, {"dim": [0]}, {"Out": 4}), ("reduce_sum", {"X": np.float32(4)}, {"dim": [-1]}, {"Out": 4}),
    ("cumsum", {"X": np.float32(4)}, {"axis": -1}, {"Out": 4}), ("cumprod", {"X": np.float32(4)}, {"dim": -1}, {"Out": 4}),
    ("cumsum", {"X": real(2, 2)}, {"flatten": True}, {"Out": np.cumsum(real(2, 2))}),
    ("arg_max", {"X": REALS}, {"axis": 0, "dtype": 3}, {"Out": 1}), ("arg_min", {"X": REALS}, {"axis": 0, "dtype": 3}, {"Out": 1}),
    ("arg_max", {"X": np.float32(4)}, {"axis": -1, "dtype": 3}, {"Out": 0}),
    ("arg_max", {"X": real(2, 2)}, {"flatten": True, "dtype": 3}, {"Out": 3}),
    ("argsort", {"X": np.float32([3, NAN, -1, 3, NAN])}, {"axis": -1}, {"Out": [-1, 3, 3, NAN, NAN], "Indices": [2, 0, 3, 1, 4]}),
    ("argsort", {"X": np.float32([3, NAN, -1, 3])}, {"axis": -1, "descending": True},
     {"Out": [NAN, 3, 3, -1], "Indices": [1, 0, 3, 2]}),
    ("argsort", {"X": np.float32(5)}, {"axis": -1}, {"Out": 5, "Indices": 0}),
    ("top_k_v2", {"X": real(4), "K": whole(2)}, {"k": 1, "axis": -1, "largest": False}, {"Out": real(4)[:2], "Indices": [0, 1]}),
    ("top_k", {"X": real(1, 4), "K": whole(2)}, {"k": 1}, {"Out": real(1, 4)[:, :1:-1], "Indices": [[3, 2]]}),
    ("gather", {"X": real(2, 3), "Index": whole(2, 0), "Axis": whole(1)}, {"axis": 0}, {"Out": real(2, 3)[:, [2, 0]]}),
    *(("lookup_table", {"W": real(3, 2), "Ids": ids}, {"padding_idx": -1}, {"Out": real(3, 2)[1:]}) for ids in
      (whole([1], [2]), whole(1, 2))),
    ("sequence_mask", {"X": whole(1, 2), "MaxLenTensor": whole(3)}, {"maxlen": -1, "out_dtype": 3}, {"Y": [[1, 0, 0], [1, 1, 0]]}),
    ("sequence_mask", {"X": np.float32([0.5, 2, -0.5])}, {"maxlen": 3, "out_dtype": 2}, {"Y": [[1, 0, 0], [1, 1, 0], [0, 0, 0]]}),
    ("softmax", {"X": np.float32(4)}, {"axis": -1}, {"Out": 1}), ("softmax", {"X": real(2, 0)}, {"axis": 0}, {"Out": real(2, 0)}),
    ("angle", {"X": np.float32([-1, 0, 2, NAN])}, {}, {"Out": [np.pi, 0, 0, NAN]}),
    ("equal_all", {"X": real(2), "Y": real(3)}, {}, {"Out": False}),
    ("equal_all", {"X": real(2), "Y": real(2)[::-1].copy()}, {}, {"Out": False}),
    ("fill_constant", {"ValueTensor": np.float32([])}, {"shape": [2], "dtype": 5, "value": 3.0}, {"Out": [3, 3]}),
    *(("fill_constant", {}, {"shape": [1], "dtype": t, "str_value": text}, {"Out": [out]}) for t, text, out in [
        (5, "nan", NAN), (5, "inf", INF), (3, "1e3", 1000), (3, "2.5", 2), (3, str(1 << 60), 1 << 60)]),
    ("label_smooth", {"X": np.float32(1)}, {"epsilon": 0.1}, {"Out": 1}),
    ("kron", {"X": whole(1, 2), "Y": whole(3, 4)}, {}, {"Out": [3, 4, 6, 8]}),
    ("kron", {"X": real(2), "Y": real(2)}, {}, {"Out": np.kron(real(2), real(2))}),
    ("pad", {"X": np.float32(4)}, {"paddings": [], "pad_value": 1.0}, {"Out": 4}),
    *(("nearest_interp_v2", {"X": IMAGE, **size}, {"data_layout": "NCHW", "align_corners": False}, {"Out": IMAGE[:, :, ::2, ::2]})
      for size in ({"OutSize": whole(2, 2, dtype="int32")}, {"Scale": np.float32([0.5])}, {"Scale": np.float32([0.5, 0.5])})),
]


@pytest.mark.parametrize("type_, inputs, attrs, wanted", GIVEN, ids=[f"{k}-{row[0]}" for k, row in enumerate(GIVEN)])
def test_given(type_, inputs, attrs, wanted):
    for got, expected in zip(call(type_, inputs, attrs, wanted), wanted.values(), strict=True):
        expected = np.asarray(expected)
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
