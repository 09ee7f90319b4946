"""Layouts, element types and integers of operators whose records have one of each: C agrees with Python."""

import numpy as np
import pytest
from capi.library import Model

import paddle
import paddle.nn.functional as F
from paddle import fluid, static
from paddle.core.context import changed, context

DRAW = np.random.RandomState(5)


def agree(function, *arrays, exact=False):
    """A program of the function gives in C what the Executor gives."""
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()), changed(own_rules=context.rules.unchecked()):
            inputs = [static.data(f"in{k}", a.shape, a.dtype.name) for k, a in enumerate(arrays)]
            out = function(*inputs)
            out = list(out) if isinstance(out, (list, tuple)) else [out]
            expected = static.Executor().run(main, feed={v.name: a for v, a in zip(inputs, arrays)}, fetch_list=out)
            program = static.serialize_program(inputs, out, program=main)
    finally:
        paddle.disable_static()
    got = Model(program)(*arrays)
    for one, other in zip(got, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=0 if exact else 1e-5, atol=0 if exact else 1e-5)


def real(*shape):
    return DRAW.uniform(-1, 1, shape).astype("float32")


@pytest.mark.parametrize("function, shapes", [
    (lambda x, w: F.conv3d(x, w, padding=1, stride=2, data_format="NDHWC"), [(2, 5, 6, 7, 4), (3, 4, 3, 3, 3)]),
    (lambda x, w: F.conv3d(x, w, groups=2, data_format="NDHWC"), [(1, 4, 4, 5, 4), (6, 2, 2, 2, 3)]),
    (lambda x, w: F.conv2d(x, w, padding=1, data_format="NHWC"), [(2, 6, 7, 4), (3, 4, 3, 3)]),
    (lambda x, w: F.conv2d_transpose(x, w, stride=2, data_format="NHWC"), [(2, 4, 5, 3), (3, 4, 3, 3)]),
    (lambda x, w: F.conv2d_transpose(x, w, groups=3, padding=1, data_format="NHWC"), [(1, 4, 5, 3), (3, 2, 3, 2)]),
    (lambda x: F.max_pool2d(x, 2, data_format="NHWC"), [(2, 6, 7, 3)]),
    (lambda x: F.avg_pool2d(x, 3, 2, 1, data_format="NHWC"), [(2, 6, 7, 3)]),
    (lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False, ceil_mode=True, data_format="NHWC"), [(2, 6, 6, 3)]),
    (lambda x: F.max_pool3d(x, 2, data_format="NDHWC"), [(2, 4, 6, 5, 3)]),
    (lambda x: F.avg_pool3d(x, 2, 1, data_format="NDHWC"), [(1, 4, 3, 5, 2)]),
    (lambda x: F.interpolate(x, [7, 9], mode="bilinear", data_format="NHWC"), [(2, 4, 5, 3)]),
    (lambda x: F.interpolate(x, [3, 2], mode="nearest", data_format="NHWC"), [(2, 4, 5, 3)]),
    (lambda x: F.interpolate(x, [3, 6, 2], mode="trilinear", data_format="NDHWC"), [(1, 4, 5, 3, 2)]),
    (lambda x: F.interpolate(x, [5], mode="linear", data_format="NWC"), [(2, 4, 3)]),
])
def test_channels_last(function, shapes):
    agree(function, *[real(*shape) for shape in shapes])


INTEGERS = ([7, -7, 7, -7, 0, 5, -1, 2, 3], [2, 2, -2, -2, 3, 5, 3, 6, 1])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "max", "min", "mod", "floordiv", "pow"])
def test_integers(name, dtype):
    x, y = (np.array(values, dtype) for values in INTEGERS)
    agree(lambda a, b: getattr(fluid.layers, f"elementwise_{name}")(a, b), x, np.abs(y) if name == "pow" else y, exact=True)


@pytest.mark.parametrize("name", ["fmax", "fmin", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_extremes(name, dtype):
    x, y = (np.array(values, dtype) for values in INTEGERS)
    if dtype.startswith("float"):
        x[0], y[3], x[5], y[5] = (np.nan,) * 4
    agree(getattr(paddle, name), x, y, exact=True)


TYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


@pytest.mark.parametrize("before", [t for t in TYPES if t != "bfloat16"])
@pytest.mark.parametrize("after", TYPES)
def test_casts(before, after):
    """From every type to every type, and from there to float32, since files have no numbers for all of them."""
    values = np.array([0, 1, 2, 3, 100, 120]) if before != "bool" else np.array([0, 1, 1, 0])
    if before.startswith(("float", "int")) and after not in ("uint8", "bool"):
        values = np.concatenate([values, [-1, -2, -100]])
    if before.startswith("float"):
        values = values + 0.3125
    agree(lambda x: paddle.cast(paddle.cast(x, after), "float32"), values.astype(before), exact=True)


def test_arrays_of_tensors():
    def build(x, y):
        i = [paddle.full([1], k, "int64") for k in range(3)]
        array = paddle.tensor.array_write(x, i[0])
        paddle.tensor.array_write(y, i[1], array)
        paddle.tensor.array_write(x + y, i[2], array)
        joined, sizes = fluid.layers.tensor_array_to_tensor(array, axis=1)
        return joined, sizes, paddle.tensor.array_length(array), paddle.tensor.array_read(array, i[1])
    agree(build, real(2, 3), real(2, 3))


def test_arrays_stacked_and_of_different_widths():
    def build(stack):
        def inside(x, y):
            array = paddle.tensor.array_write(x, paddle.full([1], 0, "int64"))
            paddle.tensor.array_write(y, paddle.full([1], 1, "int64"), array)
            return fluid.layers.tensor_array_to_tensor(array, axis=1, use_stack=stack)
        return inside
    agree(build(True), real(2, 3), real(2, 3))
    agree(build(False), real(2, 3), real(2, 5))
