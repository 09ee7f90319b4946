"""Operators that may be put together, and others that only look like it: chains written by hand give with passes what they give
without, and as many operators as are said here."""

import io

import numpy as np
import pytest
from capi.library import Model
from capi.test_attention import operators
from capi.test_calls import operator, program, variable

from paddle.serialization import lod_tensor
from paddle.serialization.stored import StoredTensor

DRAW = np.random.RandomState(7)


def real(*shape):
    return DRAW.uniform(-1, 1, shape).astype("float32")


def files_of(x, ops):
    """(program, parameters) of operators (type, inputs, attributes) behind each other. An input is an array, a constant,
    or the number of the operator that makes it, -1 for the feed. Its first slot is given by type, and is the operator before."""
    constants, made = {}, []
    for k, (type_, inputs, attrs) in enumerate(ops):
        first = "Input" if "conv2d" in type_ or type_ == "slice" else "X"
        names = {first: f"v{k - 1}"}
        for slot, given in inputs.items():
            if isinstance(given, np.ndarray):
                constants[f"c{len(constants):03}"] = given
                names[slot] = f"c{len(constants) - 1:03}"
            else:
                names[slot] = f"v{given}"
        slot = "Output" if "conv2d" in type_ else "Y" if type_ in ("batch_norm", "layer_norm") else "Out"
        made.append(operator(type_, names, {slot: f"v{k}"}, **attrs))
    held = [variable(name, a.dtype.name, a.shape) for name, a in constants.items()]
    for one in held:
        one.persistable = True
    parameters = io.BytesIO()
    lod_tensor.write_combined(parameters, {name: StoredTensor(a) for name, a in constants.items()})
    parameters = parameters.getvalue()
    every = [f"v{k}" for k in range(len(ops))]
    shapes = [a.shape for a in Model(program({"v-1": x}, made, every, held), parameters, optimize=False)(x)]
    between = [variable(name, "float32", shape) for name, shape in zip(every, shapes)]
    return program({"v-1": x}, made, every[-1:], [*held, *between]), parameters


X, WEIGHT, FOUR = real(2, 3, 6, 6), real(4, 3, 3, 3), real(4)
CONV = ("conv2d", {"Filter": WEIGHT}, {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1,
  "data_format": "NCHW"})
LAST = (CONV[0], CONV[1], {**CONV[2], "data_format": "NHWC"})  # of X with its channels behind
STATE = {"Mean": real(4), "Variance": real(4) ** 2 + 0.5}
NORM = {"epsilon": 1e-5, "is_test": True, "data_layout": "NCHW"}
RELU = ("relu", {}, {})


def add(y, axis=-1):
    return "elementwise_add", {"Y": y}, {"axis": axis}


def pool(**attrs):
    return "pool2d", {}, {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0], "pooling_type": "max", "data_format": "NCHW",
                          **attrs}


def mul(y, x_axes=3, y_axes=1):
    return "mul", {"Y": y}, {"x_num_col_dims": x_axes, "y_num_col_dims": y_axes}


def matmul(y, **attrs):
    return "matmul_v2", {"Y": y}, {"trans_x": False, "trans_y": False, **attrs}


def norm(more, **attrs):
    return "batch_norm", {**STATE, **more}, {**NORM, **attrs}


BOTH = {"Scale": real(4), "Bias": real(4)}
BIASED = (CONV[0], {**CONV[1], "Bias": FOUR}, CONV[2])
SQUARE = ("conv2d", {"Filter": real(3, 3, 3, 3)}, {**CONV[2], "paddings": [1, 1]})
IMAGES = [  # operators over X, how many are left
    ([CONV, norm(BOTH)], 1), ([CONV, norm({})], 1), ([CONV, norm({"Scale": FOUR})], 1), ([CONV, norm({"Bias": FOUR})], 1),
    ([BIASED, norm(BOTH)], 1), ([CONV, norm(BOTH, is_test=False, use_global_stats=True)], 1), ([CONV, norm(BOTH), RELU], 1),
    ([CONV, norm(BOTH, data_layout="NHWC")], 2), ([CONV, RELU, norm(BOTH)], 2),
    # a result of 4 channels of 4 x 4: only one axis is that of the channels
    *(([CONV, add(FOUR, axis)], left) for axis, left in ((1, 1), (-1, 2), (2, 2), (3, 2))),
    *(([CONV, add(FOUR.reshape(shape), axis)], left) for shape, axis, left in [
        ((1, 4, 1, 1), -1, 1), ((1, 4, 1, 1), 0, 1), ((4, 1, 1), -1, 1), ((4, 1, 1), 1, 2), ((1, 1, 1, 4), -1, 2),
        ((1, 4, 1), -1, 2),
        ((1, 1, 4, 1), -1, 2), ((1, 1, 4), -1, 2), ((1, 4), -1, 2)]),
    ([BIASED, add(FOUR, 1)], 1), ([CONV, RELU, add(FOUR, 1)], 2), ([CONV, add(FOUR[:1], -1)], 2), ([CONV, add(real(4, 4, 4))], 2),
    ([CONV, ("relu6", {}, {"threshold": 6.0})], 1), ([CONV, ("relu6", {}, {"threshold": 0.3})], 1),
    ([CONV, ("sigmoid", {}, {}), RELU], 2), ([CONV, RELU, ("sigmoid", {}, {})], 2), ([("scale", {}, {"scale": 2.0}), RELU], None),
    ([CONV, RELU, pool()], 1), ([CONV, RELU, pool(global_pooling=True)], None), ([CONV, RELU, pool(ksize=[2], strides=[2])], None),
    ([CONV, pool()], 2), ([BIASED, RELU, pool()], 1),
    *(([CONV, RELU, pool(**attrs)], 2) for attrs in (
        {"ksize": [3, 3]}, {"strides": [1, 1]}, {"paddings": [1, 1]}, {"pooling_type": "avg", "exclusive": True},
        {"ceil_mode": True},
        {"adaptive": True}, {"data_format": "NHWC"}, {"padding_algorithm": "SAME"}, {"ksize": [2, 3]})),
    ([("conv2d_transpose", {"Filter": real(3, 4, 2, 2)}, CONV[2]), RELU], 1),
    ([("elementwise_mul", {"Y": X}, {"axis": -1}), ("sigmoid", {}, {})], 1),
    ([norm({"Mean": real(3), "Variance": real(3) ** 2 + 1}), ("tanh", {}, {})], 1),
    # sums of what is there before
    ([RELU, SQUARE, add(0)], 2), ([RELU, SQUARE, add(0), RELU], 2),
    ([RELU, SQUARE, ("elementwise_add", {"X": 0, "Y": 1}, {"axis": -1})], 2),
    ([RELU, SQUARE, add(1)], 3), ([RELU, SQUARE, add(-1)], 2), ([RELU, SQUARE, add(0, 0)], None), ([RELU, SQUARE, RELU, add(0)], 3),
    ([RELU, ("conv2d", {"Filter": real(3, 1, 3, 3)}, {**SQUARE[2], "groups": 3}), add(0)], 3),
    ([RELU, SQUARE, add(0), norm({"Mean": real(3), "Variance": real(3) ** 2 + 1})], 3),
    ([RELU, SQUARE, add(0), add(real(3), 1)], 2),
    # products over the last axis
    ([mul(real(6, 4)), add(FOUR)], 1), ([mul(real(6, 4)), add(FOUR, 3)], 1), ([mul(real(6, 4)), add(FOUR[:1])], 2),
    ([mul(real(6, 4)), add(FOUR.reshape(1, 4))], 2), ([mul(real(6, 4)), add(real(6), 2)], 2),
    ([mul(real(6, 2, 3), 3, 1), add(real(3))], 2),
    ([mul(real(2, 3, 4), 3, 2), add(FOUR)], 2), ([matmul(real(6, 4)), add(FOUR)], 1),
    ([matmul(real(4, 6), trans_y=True), add(FOUR)], 1),
    ([matmul(real(6, 6)), add(real(6), 2)], 2), ([matmul(real(6, 4)), add(FOUR), RELU, add(FOUR)], 2),
    ([matmul(real(6, 4)), RELU], 1), ([matmul(real(6, 4)), ("gelu", {}, {"approximate": False})], 1),
    ([mul(real(6, 4)), mul(real(4, 2))], 1), ([mul(real(6, 4)), add(FOUR), mul(real(4, 2))], 1),
    ([mul(real(6, 4)), RELU, mul(real(4, 2))], 2),
    ([mul(real(6, 4)), matmul(real(4, 2))], 2), ([mul(real(6, 4)), mul(real(24, 2), 2)], 2),
    ([mul(real(6, 4)), mul(real(2, 2, 2), 3, 2)], 2),
    ([mul(real(6, 1)), mul(real(1, 9))], 2), ([mul(real(6, 4)), mul(real(4, 2)), add(real(2))], 1),
    ([matmul(real(4, 6), trans_y=True), matmul(real(4, 2))], 1), ([matmul(real(6, 4)), matmul(real(2, 4), trans_y=True)], 1),
    ([matmul(real(4, 6), trans_y=True), matmul(real(2, 4), trans_y=True)], 1),
    ([matmul(real(4, 6), trans_y=True), add(FOUR), matmul(real(2, 4), trans_y=True)], 1),
    ([matmul(real(6, 6)), matmul(real(6, 6), trans_x=True)], 2), ([matmul(real(6, 6), trans_x=True), matmul(real(6, 6))], 1),
    ([matmul(real(3, 6, 4)), matmul(real(4, 2))], 2), ([matmul(real(6, 4)), matmul(real(3, 4, 2))], 2),
]
BEHIND = [  # the same with channels behind
    ([LAST, norm(BOTH, data_layout="NHWC")], 1), ([LAST, norm(BOTH)], 2),
    *(([LAST, add(FOUR, axis)], left) for axis, left in ((-1, 1), (3, 1), (1, 2), (2, 2))),
    *(([LAST, add(FOUR.reshape(shape), -1)], left) for shape, left in [
        ((1, 1, 1, 4), 1), ((1, 1, 4), 1), ((1, 4, 1, 1), 2), ((4, 1, 1), 2), ((1, 4), 2)]),
    ([LAST, RELU], 1), ([LAST, RELU, pool()], 2), ([LAST, RELU, pool(data_format="NHWC")], 2),
]
CASES = [(X, *row) for row in IMAGES] + [(np.ascontiguousarray(X.transpose(0, 2, 3, 1)), *row) for row in BEHIND]


@pytest.mark.parametrize("x, ops, left", CASES, ids=[f"{k}-{'-'.join(op[0] for op in row[1])}" for k, row in enumerate(CASES)])
def test_chains(capfd, x, ops, left):
    files = files_of(x, ops)
    plain, passed = (Model(*files, optimize=optimize)(x)[0] for optimize in (False, True))
    assert plain.shape == passed.shape and np.abs(plain).max() > 0.01
    np.testing.assert_allclose(passed, plain, rtol=1e-4, atol=1e-5)
    if left is not None:
        assert operators(capfd, files, [x]) == left


def cut(start, end, axis=1, dropped=()):
    return "slice", {}, {"axes": [axis], "starts": [start], "ends": [end], "decrease_axis": list(dropped)}


def transposed(*order):
    return "transpose2", {}, {"axis": list(order)}


def reshaped(*shape):
    return "reshape2", {}, {"shape": list(shape)}


def normed(axis, size):
    return "layer_norm", {"Scale": real(size), "Bias": real(size)}, {"begin_norm_axis": axis, "epsilon": 1e-5}


TOKENS, FIRST = real(2, 5, 6), cut(0, 1)
PARTS = [FIRST, cut(1, 3), cut(-1, 1 << 40), cut(-3, -1), cut(0, 1, dropped=[1]), cut(2, 6, 2), cut(0, 1, 0),
 cut(0, 1, 2)]
ROWS = [RELU, ("scale", {}, {"scale": 2.0, "bias": 1.0}), normed(2, 6), normed(1, 30), ("softmax", {}, {"axis": -1}),
 ("softmax", {}, {"axis": 1}),
        ("softmax", {}, {"axis": -2}), ("dropout", {},
         {"is_test": True, "dropout_prob": 0.5, "dropout_implementation": "upscale_in_train"}),
        ("dropout", {}, {"is_test": True, "dropout_prob": 0.5, "dropout_implementation": "downgrade_in_infer"}), matmul(real(6, 7)),
        matmul(real(2, 5, 7), trans_x=True), transposed(0, 2, 1), transposed(0, -1, 1), transposed(1, 0, 2),
        reshaped(0, 0, 3, 2), reshaped(2, 5, 2, 3), reshaped(0, 0, -1), reshaped(0, -1, 3), reshaped(0, 30, 1), add(real(5, 6)),
        add(real(1, 6)), add(real(6)), add(real(2, 1, 6)), add(real(2, 5, 1)), add(real(5), 1), add(real(2, 5), 0), add(real(1)),
        ("cumsum", {}, {"axis": 1}), ("flip", {}, {"axis": [1]})]
SLICED = [*([row, part] for row in ROWS for part in PARTS),
          *([RELU, add(real(*shape)), normed(2, 6), FIRST] for shape in ((5, 6), (1, 6), (6,), (2, 1, 6))),
          [matmul(real(6)), FIRST], [transposed(0, 2, 1), cut(-2, 1 << 40, -2)],
          [RELU, FIRST, ("slice", {"Input": 0}, FIRST[2]), add(1)], [RELU, FIRST, ("slice", {"Input": 0}, cut(1, 2)[2]), add(1)],
          [RELU, ("scale", {}, {"scale": 2.0}), ("elementwise_mul", {"X": 0, "Y": 1}, {"axis": -1}), FIRST],
          [RELU, FIRST, ("elementwise_add", {"X": 0, "Y": 1}, {"axis": -1})]]


@pytest.mark.parametrize("ops", SLICED, ids=[f"{k}-{'-'.join(op[0] for op in row)}" for k, row in enumerate(SLICED)])
def test_parts_that_are_taken_early(ops):
    """What is behind a slice is computed of less, if it is the same."""
    files = files_of(TOKENS, ops)
    plain, passed = (Model(*files, optimize=optimize)(TOKENS)[0] for optimize in (False, True))
    assert plain.shape == passed.shape
    np.testing.assert_allclose(passed, plain, rtol=1e-5, atol=1e-6)


# ---- attention, by hand ----
def old(y, alpha=1.0, x=False, turned=False):
    return "matmul", {"Y": y}, {"transpose_X": x, "transpose_Y": turned, "alpha": alpha}


def scaled(y, how="mul"):
    return f"elementwise_{how}", {"Y": y}, {"axis": -1}


HEADS, KEYS, VALUES = real(2, 3, 5, 4), real(2, 3, 7, 4), real(2, 3, 7, 6)
SCORES, SOFT, SUM = matmul(KEYS, trans_y=True), ("softmax", {}, {"axis": -1}), matmul(VALUES)
TURN, DROPOUT = transposed(0, 2, 1, 3), {"is_test": True, "dropout_prob": 0.5}
ATTENTION = [
    [SCORES, SOFT, SUM], [old(KEYS, turned=True), SOFT, old(VALUES)], [old(KEYS, 0.5, turned=True), SOFT, old(VALUES)],
    [SCORES, SOFT, old(VALUES, 2.0)],
    [old(real(2, 3, 5, 6), x=True), SOFT, matmul(real(2, 3, 6, 2))], [SCORES, SOFT, old(real(2, 3, 6, 7), turned=True)],
    [SCORES, SOFT, matmul(real(2, 3, 6, 7), trans_y=True)], [SCORES, SOFT, matmul(real(2, 3, 5, 6), trans_x=True)],
    *([SCORES, ("softmax", {}, {"axis": axis}), SUM] for axis in (3, 2, 1, -2)), [SCORES, RELU, SOFT, SUM],
    [SCORES, SOFT, RELU, SUM],
    [SCORES, SOFT, SUM, RELU], [RELU, SCORES, SOFT, SUM],
    *([SCORES, add(mask, axis), SOFT, SUM] for mask,
     axis in ((real(2, 1, 5, 7), -1), (real(2, 3, 5, 7), 0), (real(5, 7), 2), (real(5, 7), -1),
                                                              (real(2, 3), 0), (real(7), 3), (real(1, 1, 1, 7), -1))),
    *([SCORES, scaled(np.full(shape, 0.5, "float32"), how), SOFT, SUM] for how in ("mul", "div") for shape in ((1,), (), (1, 1),
      (7,), (1, 1, 5, 1))),
    [scaled(np.full(1, 0.5, "float32")), SCORES, SOFT, SUM], [scaled(np.zeros(1, "float32")), SCORES, SOFT, SUM],
    [SCORES, ("scale", {}, {"scale": 0.5, "bias": 2.0, "bias_after_scale": True}), SOFT, SUM],
    [SCORES, ("scale", {}, {"scale": 0.0}), SOFT, SUM],
    *([SCORES, SOFT, ("dropout", {}, {**DROPOUT, **attrs}), SUM] for attrs in (
        {"dropout_implementation": "upscale_in_train"}, {"dropout_implementation": "downgrade_in_infer"}, {"dropout_prob": 0.0})),
    [SCORES, SOFT, SUM, ("elementwise_add", {"Y": real(2, 3, 5, 6)}, {"axis": -1})],
    # heads behind tokens, turned in every way
    *([transposed(*q), ("transpose2", {"X": -1}, {"axis": list(k)}),
      ("matmul_v2", {"X": 0, "Y": 1}, {"trans_x": False, "trans_y": trans}), SOFT,
       ("transpose2", {"X": -1}, {"axis": list(v)}), ("matmul_v2", {"X": 3, "Y": 4}, {"trans_x": False, "trans_y": False}),
       transposed(*out)]
      for q, k, trans, v, out in [
          ((0, 2, 1, 3), (0, 2, 1, 3), True, (0, 2, 1, 3), (0, 2, 1, 3)),
          ((0, 2, 1, 3), (0, 2, 3, 1), False, (0, 2, 1, 3), (0, 2, 1, 3)),
          ((0, -2, 1, -1), (0, -2, -1, 1), False, (0, 2, 1, 3), (0, -2, 1, 3)),
          ((0, 2, 1, 3), (0, 2, 1, 3), True, (0, 2, 1, 3), (0, 1, 2, 3)),
          ((0, 2, 1, 3), (0, 2, 1, 3), True, (0, 2, 1, 3), (0, 2, 3, 1)),
          ((0, 2, 1, 3), (0, 2, 1, 3), True, (0, 2, 1, 3), (1, 2, 0, 3)),
          ((2, 0, 1, 3), (2, 0, 1, 3), True, (2, 0, 1, 3), (1, 2, 0, 3)),
          ((0, 2, 1, 3), (0, 2, 1, 3), True, (0, 2, 1, 3), (0, 3, 1, 2)),
          ((0, 1, 2, 3), (0, 1, 3, 2), False, (0, 1, 2, 3), (0, 2, 1, 3)),
          ((0, 2, 1, 3), (0, 2, 1, 3), True, (0, 2, 1, 3), (3, 2, 1, 0))]),
]


@pytest.mark.parametrize("ops", ATTENTION, ids=[f"{k}-{'-'.join(op[0] for op in row)}" for k, row in enumerate(ATTENTION)])
def test_attention(ops):
    files = files_of(HEADS, ops)
    plain, passed = (Model(*files, optimize=optimize)(HEADS)[0] for optimize in (False, True))
    assert plain.shape == passed.shape and np.isfinite(plain).all()
    np.testing.assert_allclose(passed, plain, rtol=1e-5, atol=1e-6)
