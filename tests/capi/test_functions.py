"""Operators of detection heads, resizing and others without a record that a program can be made of: C agrees with Python."""

import numpy as np
import pytest
from capi.library import Model

import paddle
import paddle.nn.functional as F
from paddle import fluid, static
from paddle.vision import ops

DRAW = np.random.RandomState(11)


def real(*shape, low=-1.0, high=1.0):
    return DRAW.uniform(low, high, shape).astype("float32")


def boxes(*shape):
    """Boxes whose second corner lies behind the first."""
    corners = real(*shape, 4, low=0, high=8)
    corners[..., 2:] = corners[..., :2] + real(*shape, 2, low=1, high=6)
    return corners


FUNCTIONS = {
    "roi_align": (lambda x, b, n: ops.roi_align(x, b, n, (3, 2), 0.7, aligned=True),
                  [real(2, 3, 9, 8), boxes(5), np.array([2, 3], "int32")]),
    "roi_align_sampled": (lambda x, b, n: ops.roi_align(x, b, n, 2, sampling_ratio=2, aligned=False),
                          [real(1, 2, 7, 7), boxes(3), np.array([3], "int32")]),
    "box_decode": (lambda p, t: ops.box_coder(p, [0.1, 0.1, 0.2, 0.2], t, "decode_center_size"), [boxes(4), real(3, 4, 4)]),
    "box_encode": (lambda p, v, t: ops.box_coder(p, v, t, "encode_center_size", False), [boxes(4), real(4, 4, low=0.1), boxes(3)]),
    "prior_box": (lambda x, i: ops.prior_box(x, i, [4.0, 7.0], [9.0, 12.0], [1.0, 2.0], flip=True, clip=True),
                  [real(1, 2, 4, 3), real(1, 3, 32, 24)]),
    "prior_box_ordered": (lambda x, i: ops.prior_box(x, i, [4.0], [9.0], [2.0], min_max_aspect_ratios_order=True),
                          [real(1, 2, 2, 2), real(1, 3, 16, 16)]),
    "yolo_box": (lambda x, s: ops.yolo_box(x, s, [4, 6, 8, 9], 3, 0.4, 8),
                 [real(2, 16, 4, 5, low=-3, high=3), np.array([[32, 40], [50, 44]], "int32")]),
    "bicubic": (lambda x: F.interpolate(x, [7, 9], mode="bicubic", align_corners=True), [real(1, 2, 4, 5)]),
    "bicubic_scaled": (lambda x: F.interpolate(x, scale_factor=1.7, mode="bicubic"), [real(1, 2, 4, 5)]),
    "trilinear": (lambda x: F.interpolate(x, [5, 3, 6], mode="trilinear", data_format="NCDHW"), [real(1, 2, 3, 4, 5)]),
    "bmm": (paddle.bmm, [real(3, 2, 4), real(3, 4, 5)]),
    "range": (lambda x: x + paddle.arange(0, 5, 2, dtype="float32"), [real(2, 3)]),
    "linspace": (lambda x: x * paddle.linspace(-1, 2, 4), [real(3, 4)]),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2, 1, return_mask=True), [real(1, 2, 3, 4, 4)]),
    "broadcast": (lambda x, y: [paddle.logical_and(x > 0, y > 0), paddle.atan2(x, y), x >= y, paddle.bitwise_xor(x > 0, y > 0)],
                  [real(2, 3), real(3)]),
    "norm": (lambda x: fluid.layers.l2_normalize(x, 1), [real(2, 3, 4)]),
    "gather_tree": (F.gather_tree, [DRAW.randint(0, 9, (4, 2, 3)), DRAW.randint(0, 3, (4, 2, 3))]),
    "multiplex": (lambda a, b, i: paddle.multiplex([a, b], i), [real(4, 3), real(4, 3), np.array([[1], [0], [1]], "int32")]),
    "polygon": (fluid.layers.polygon_box_transform, [real(2, 4, 3, 5)]),
    "mv": (paddle.mv, [real(3, 4), real(4)]),
    "soft_relu": (lambda x: fluid.layers.soft_relu(x, 2.0), [real(3, 4, low=-5, high=5)]),
    "array": (lambda x: paddle.stack([x * float(k) for k in range(3)]).sum(0), [real(2, 2)]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    function, arrays = FUNCTIONS[name]
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()):
            inputs = [static.data(f"in{k}", a.shape, a.dtype.name) for k, a in enumerate(arrays)]
            out = function(*inputs)
            out = list(out) if isinstance(out, (list, tuple)) else [out]
            expected = static.Executor().run(main, feed={v.name: a for v, a in zip(inputs, arrays)}, fetch_list=out)
            used = {n for op in main.global_block().ops for n in op.input_arg_names}
            read = [k for k, v in enumerate(inputs) if v.name in used]
            program = static.serialize_program([inputs[k] for k in read], out, program=main)
    finally:
        paddle.disable_static()
    got = Model(program)(*(arrays[k] for k in read))
    for one, other in zip(got, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
