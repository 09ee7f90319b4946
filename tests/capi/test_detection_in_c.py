"""Operators of detection models whose records are no programs of one operator: the C library against Python."""

import numpy as np
import pytest
from capi.library import Failed, Model, operators
from fluid.detection_cases import built, recorded

import paddle
import paddle.nn.functional as F
from paddle import fluid, static
from paddle.vision import ops

R = np.random.RandomState(4)


def real(*shape):
    return R.randn(*shape).astype("float32")


BOXES = np.sort(R.uniform(0, 60, [7, 2, 2]), 1).reshape(7, 4).astype("float32")
COUNTS = np.array([3, 4], "int32")
IMAGE = real(2, 4, 9, 8)

CASES = {
    "deformable_conv": (lambda x, o, w: ops.deform_conv2d(x, o, w, stride=2, padding=1),
                        [IMAGE, real(2, 18, 5, 4), real(6, 4, 3, 3)]),
    "deformable_conv, masked, in groups": (
        lambda x, o, w, m: ops.deform_conv2d(x, o, w, padding=1, dilation=1, deformable_groups=2, groups=2, mask=m),
        [IMAGE, real(2, 36, 9, 8), real(6, 2, 3, 3), abs(real(2, 18, 9, 8))]),
    "roi_pool": (lambda x, b, n: ops.roi_pool(x, b, n, [3, 2], 0.125), [IMAGE, BOXES, COUNTS]),
    "distribute_fpn_proposals": (lambda b, n: ops.distribute_fpn_proposals(b, 2, 5, 4, 30, rois_num=n), [BOXES, COUNTS]),
    "trilinear_interp": (lambda x: fluid.layers.resize_trilinear(x, out_shape=[3, 5, 4], align_corners=False),
                         [real(1, 2, 4, 3, 5)]),
    "bicubic": (lambda x: F.interpolate(x, size=[5, 11], mode="bicubic"), [IMAGE]),
}


def python_gives(name):
    """(program, arrays, what Python gives) of a case."""
    function, arrays = CASES[name]
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()):
            inputs = [static.data(f"x{k}", a.shape, str(a.dtype)) for k, a in enumerate(arrays)]
            result = function(*inputs)
            outs = [v for part in (result if isinstance(result, (list, tuple)) else [result])
                    for v in (part if isinstance(part, (list, tuple)) else [part])]
            wanted = static.Executor().run(main, feed={v.name: a for v, a in zip(inputs, arrays)}, fetch_list=outs)
            program = static.serialize_program(inputs, outs, program=static.normalize_program(main, inputs, outs))
    finally:
        paddle.disable_static()
    return program, arrays, wanted


@pytest.mark.parametrize("name", CASES)
def test_same_as_python(name):
    program, arrays, wanted = python_gives(name)
    for one, other in zip(Model(program)(*arrays), wanted, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("counts", [[-5, 12], [3, 5], [8, -1]])
@pytest.mark.parametrize("name", ["distribute_fpn_proposals", "roi_pool"])
def test_counts_of_boxes_are_checked(name, counts):
    program, arrays, _ = python_gives(name)
    with pytest.raises(Failed, match="RoisNum"):
        Model(program)(*arrays[:-1], np.array(counts, "int32"))


@pytest.mark.parametrize("case, given", [pytest.param(case, given, id=f"{case[0]}-{k}")
                                         for k, (case, given) in enumerate(recorded()) if case[0] in operators()])
def test_same_as_real_paddle(case, given):
    """Values and sequences that real Paddle 2.6.2 recorded."""
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            feed, outs = built(case)
            program = static.normalize_program(static.default_main_program(), list(feed), outs)
            model = Model(static.serialize_program(list(feed), outs, program=program))
    finally:
        paddle.disable_static()
    fed = [(np.asarray(value), value.lod() if isinstance(value, fluid.LoDTensor) else []) for value in feed.values()]
    if case[0].startswith("multiclass_nms") and (fed[0][0].shape[-1] != 4 or fed[1][0].ndim == 2):
        with pytest.raises(Failed, match="BBoxes must be"):
            model(*(array for array, _ in fed), lod=[lod for _, lod in fed])
        return
    results = model(*(array for array, _ in fed), lod=[lod for _, lod in fed])
    for i, (result, (shape, dtype, lengths, values)) in enumerate(zip(results, given[1], strict=True)):
        assert (list(result.shape), result.dtype.name) == (shape, dtype)
        assert model.lod(i) == [[0, *np.cumsum(level).tolist()] for level in lengths]
        np.testing.assert_allclose(result.reshape(-1), values, rtol=1e-4, atol=1e-4)
