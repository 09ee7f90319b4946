"""Ops that run operators of the C library: it does compute them, gives what their own text gives, and leaves the rest to that."""

import numpy as np
import opcase
import pytest

import paddle
from paddle import kernels
from paddle.core.context import process
from paddle.core.op import use_native
from paddle.ops import library
from paddle.ops.sequence.beam_search import backtrace
from paddle.static.program.registry import find

R = np.random.RandomState(2)
pytestmark = pytest.mark.skipif(process.native is None, reason="C is not built or turned off")


def real(*shape):
    return R.randn(*shape).astype("float32")


def ends(*offsets):
    return [np.array(offsets, np.int64)]


ROWS, LOD = real(7, 12), ends(0, 2, 2, 6, 7)
IDS = R.randint(0, 4, (7, 1))
BOXES = np.sort(R.uniform(0, 40, (6, 2, 2)), 1).reshape(6, 4).astype("float32")
MANY = np.sort(R.uniform(0, 40, (2, 9, 2, 2)), 2).reshape(2, 9, 4).astype("float32")
IMAGE = real(2, 4, 9, 8)
ANCHORS = BOXES[:4].reshape(1, 2, 2, 4)

CASES = {  # inputs by position, then attributes
    "fake_quantize_moving_average_abs_max": ([real(3, 4), np.float32([0.5]), np.float32([0.7]), np.float32([1.5])],
                                             {"is_test": True}),
    "roi_align": ([IMAGE, BOXES, np.array([2, 4], np.int32)],
                  {"pooled_height": 2, "pooled_width": 3, "spatial_scale": 0.25, "aligned": True}),
    "roi_pool": ([IMAGE, BOXES, np.array([2, 4], np.int32)], {"pooled_height": 2, "pooled_width": 3, "spatial_scale": 0.25}),
    "deformable_conv": ([IMAGE, real(2, 18, 7, 6), real(5, 4, 3, 3), abs(real(2, 9, 7, 6))], {}),
    "box_coder": ([BOXES, abs(BOXES) / 50 + 0.1, BOXES[:3]], {}),
    "prior_box": ([IMAGE, real(2, 3, 30, 32)],
                  {"min_sizes": [4.0, 8.0], "max_sizes": [6.0, 9.0], "aspect_ratios": [1.0, 2.0], "flip": True}),
    "anchor_generator": ([IMAGE], {"anchor_sizes": [32.0, 64.0], "aspect_ratios": [0.5, 1.0]}),
    "yolo_box": ([real(2, 14, 3, 4), np.array([[40, 50], [60, 30]], np.int32)], {"anchors": [8, 9, 10, 11], "class_num": 2}),
    "generate_proposals_v2": ([abs(real(2, 2, 1, 2)), real(2, 8, 1, 2) / 9, np.full((2, 2), 50, "float32"), ANCHORS,
                               np.ones_like(ANCHORS)], {"nms_thresh": 0.6, "min_size": 0.5}),
    "matrix_nms": ([MANY, abs(real(2, 3, 9))],
                   {"background_label": 0, "keep_top_k": 5, "use_gaussian": True, "gaussian_sigma": 2.0}),
    "multiclass_nms3": ([MANY, abs(real(2, 3, 9))],
                        {"score_threshold": 0.2, "nms_top_k": 8, "keep_top_k": 6, "background_label": -1}),
    "multiclass_nms": ([MANY, abs(real(2, 3, 9))], {"score_threshold": 0.2, "nms_top_k": 8, "keep_top_k": 6, "nms_eta": 0.9}),
    "multiclass_nms2": ([MANY, abs(real(2, 3, 9))], {"score_threshold": 0.2, "normalized": False, "background_label": -1}),
    "generate_proposals": ([abs(real(2, 2, 1, 2)), real(2, 8, 1, 2) / 9, np.array([[50, 60, 1.5], [40, 50, 2]], "float32"), ANCHORS,
                            np.ones_like(ANCHORS)], {"nms_thresh": 0.6, "min_size": 0.5}),
    "box_clip": ([BOXES * 2, np.array([[50, 60, 1.5], [40, 50, 2]], "float32"), ends(0, 2, 6)], {}),
    "crf_decoding": ([real(7, 3), real(5, 3), None, None, LOD], {}),
    "ctc_align": ([IDS, None, LOD], {"blank": 2}),
    "sequence_erase": ([IDS, LOD], {"tokens": [1, 3]}),
    "viterbi_decode": ([real(3, 5, 4), real(4, 4), np.array([5, 1, 3])], {}),
    "beam_search": ([IDS[:4], real(4, 1), None, real(4, 5), None, ends(0, 2, 4)], {"beam_size": 3, "end_id": 1}),
    "sequence_pool": ([ROWS, LOD], {"pooltype": "MAX"}),
    "sequence_softmax": ([ROWS[:, :1].copy(), LOD], {}),
    "sequence_enumerate": ([IDS, LOD], {"win_size": 3, "pad_value": 8}),
    "sequence_slice": ([ROWS, np.array([[1], [0], [1], [0]]), np.array([[1], [0], [2], [1]]), LOD], {}),
    "sequence_reverse": ([ROWS, LOD], {}),
    "im2sequence": ([IMAGE], {"kernels": [3, 2], "strides": [2, 1], "paddings": [1, 0, 0, 1]}),
    "lstm": ([ROWS, real(4, 3), real(4, 3), real(3, 12), real(1, 21), LOD], {"is_reverse": True}),
    "lstmp": ([ROWS, None, None, real(2, 12), real(3, 2), real(1, 21), LOD], {"cell_clip": 0.3, "proj_clip": 0.2}),
    "gru": ([ROWS, real(4, 4), real(4, 12), real(1, 12), LOD], {"origin_mode": True}),
    "gru_unit": ([ROWS, real(7, 4), real(4, 12), real(1, 12)], {"activation": "relu"}),
    "frame": ([real(2, 3, 40)], {"frame_length": 7, "hop_length": 3}),
    "overlap_add": ([real(2, 7, 12)], {"hop_length": 3}),
    "lstm_unit": ([ROWS, real(7, 3)], {"forget_bias": 0.5}),
    "rrelu": ([ROWS], {"is_test": True}),
    "moving_average_abs_max_scale": ([ROWS, np.float32([0.7]), np.float32([1.5])], {"is_test": True}),
    "reduce_prod": ([IDS.reshape(1, 7)], {"axis": [1]}),  # floats have kernels of their own
    "reduce_mean": ([IDS * 1000], {"axis": [0]}),
    "cumsum": ([IDS], {"axis": 0, "exclusive": True, "reverse": True}),
    "cumprod": ([IDS + 1], {"dim": 0}),
    "distribute_fpn_proposals": ([BOXES * 9, np.array([2, 0, 4], np.int32)], {}),
    "collect_fpn_proposals": ([[BOXES, BOXES[:4] + 1], [real(6, 1), real(4, 1)], [*ends(0, 2, 2, 6), *ends(0, 0, 3, 4)]],
                              {"post_nms_top_n": 7}),
    "fill_constant": ([], {"shape": (2, 3), "value": 2.5}),
    "fill_constant_batch_size_like": ([ROWS, LOD], {"shape": (-1, 3), "value": 7, "dtype": "int64"}),
    "assign_value": ([], {"shape": (2, 2), "dtype": "int64", "values": [1, -2, np.int64(2 ** 61 + 1), 2 ** 62 + 1]}),
    "range": (list(np.array([[0.5], [-3], [-0.25]], "f4")), {}),
}


def call(name, inputs, attrs):
    """(what the library gives, what the op's text gives)."""
    op = find(name)
    rest = [attrs.get(n, default) for n, default in zip(op.attr_names, op.defaults[op.n_in:])]
    values = [*inputs, *[None] * (op.n_in - len(inputs)), *rest]
    return library.Operator(op).eager(process.native)(*values), op.fn(*values)


def flat(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


class Watched:
    """The native module, noting which operators of the library computed something."""

    def __init__(self, module):
        self.module, self.types = module, set()

    def __getattr__(self, name):
        return getattr(self.module, name)

    def prepared(self, type_, *declared):
        run = self.module.prepared(type_, *declared)

        def watched(*values):
            result = run(*values)
            if result is not NotImplemented:
                self.types.add(type_)
            return result
        return watched


def test_every_op_is_tried():
    """Here, or by a record of its own: what the library gives is compared with the text either way."""
    for name in CASES:
        assert find(name) in library.OPS
    watched = Watched(process.native)
    use_native(watched)
    try:
        for case in opcase.load_cases():
            case.call(case.arrays("float32"))
    finally:
        kernels.use(True)
    assert {op.type for op in library.OPS} <= watched.types | set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_same_as_the_text(name):
    got, expected = call(name, *CASES[name])
    assert got is not NotImplemented
    for one, other in zip(flat(got), flat(expected), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "int16", "int32", "int64", "bool", "complex64"])
def test_constants_are_those_of_numpy(dtype):
    for value in (0, 1, -3, 0.0, -0.0, 2.7, -2.7, 1e30, 3e9, True, float("inf"), float("nan"), 2 ** 40 + 1, 2 ** 62 + 1, -2 ** 63):
        got, expected = call("fill_constant", [], {"shape": (2, 3), "dtype": dtype, "value": value})
        assert got is not NotImplemented
        if np.isfinite(value) and abs(value) < 128 or dtype.startswith(("f", "c", "b")):  # of others NumPy's differ by processor
            assert got.tobytes() == expected.tobytes(), value


def test_large_whole_numbers():
    got, expected = call("fill_constant", [], {"shape": (3,), "dtype": "int64", "value": 2 ** 62 + 1})
    assert got.tolist() == expected.tolist() == [2 ** 62 + 1] * 3
    assert paddle.full([2], 2 ** 53 + 1, "int64").tolist() == [2 ** 53 + 1] * 2
    for start, stop, step in ((2 ** 53 + 1, 2 ** 53 + 9, 3), (-2 ** 62, 2 ** 62, 2 ** 60), (5, -5, -3), (3, 3, 1), (3, 9, -1),
                              (0, 40000, 3), (2 ** 63 - 3, 2 ** 63 - 1, 1)):
        assert paddle.arange(start, stop, step).tolist() == list(range(start, stop, step))


def test_lists_that_may_have_no_room_are_left_to_the_text():
    dealt = paddle.vision.ops.distribute_fpn_proposals(paddle.to_tensor(BOXES), 1, 99, 50, 224)
    assert len(dealt[0]) == 99 and sum(len(level) for level in dealt[0]) == len(BOXES)


def test_sentences_from_arrays_of_steps():
    for seed in range(20):
        r, ids, scores, sources, candidates = np.random.RandomState(seed), [], [], [], []
        prefixes = np.array([0, 1, 2])
        for step in range(5):
            counts = r.multinomial(2, [0.5, 0.5], 2).reshape(-1) if step else [2, 2]  # candidates of each prefix
            sources.append(prefixes)
            candidates.append(np.concatenate([[0], np.cumsum(counts)]))
            ids.append(r.randint(0, 4, (4, 1)))
            scores.append(r.randn(4, 1).astype("f4"))
            prefixes = np.array([0, 2, 4])
        given = ids, scores, sources, candidates, 2, 0
        got = backtrace(*given)
        kernels.use(False)
        try:
            expected = backtrace(*given)
        finally:
            kernels.use(True)
        for one, other in zip(got, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    with pytest.raises(IndexError):
        backtrace([], [], [], [], 2, 0)


@pytest.mark.parametrize("name", ["lstm", "roi_align", "ctc_align"])
def test_what_it_can_not_do_is_left_to_the_text(name):
    inputs, attrs = CASES[name]
    op = find(name)
    rest = [attrs.get(n, default) for n, default in zip(op.attr_names, op.defaults[op.n_in:])]
    run = lambda *values: library.Operator(op).eager(process.native)(*values, *[None] * (op.n_in - len(values)), *rest)
    assert run(inputs[0].astype(np.complex64), *inputs[1:]) is NotImplemented
    assert run(inputs[0][:, :1], *inputs[1:2]) is NotImplemented  # too few columns or inputs


def test_arguments_are_checked():
    k = process.native
    assert k.operator("no such operator", [], {}, ["Out"]) is NotImplemented
    assert k.operator("relu", [("X", ROWS, None)], {"x": object()}, ["Out"]) is NotImplemented
    assert k.operator("sequence_reverse", [("X", ROWS, ends(0, 9))], {}, ["Y"]) is NotImplemented  # beyond the rows
    assert k.operator("sequence_reverse", [("X", ROWS, [np.zeros(2)])], {}, ["Y"]) is NotImplemented
    assert k.operator("relu", [("X", np.zeros((1,) * 11, "f4"), None)], {}, ["Out"]) is NotImplemented
    assert k.operator("beam_search_decode", [("Ids", [], None), ("Scores", [], None)], {}, ["SentenceIds"]) is NotImplemented
    assert k.operator("beam_search_decode", [("Ids", [ROWS], []), ("Scores", [ROWS], None)], {}, ["SentenceIds"]) is NotImplemented
    for wrong in [(1, [], {}, []), ("relu", (), {}, []), ("relu", [()], {}, []), ("relu", [(1, ROWS, None)], {}, [])]:
        with pytest.raises(TypeError):
            k.operator(*wrong)
    arrays, levels = k.operator("relu", [("X", ROWS[::2, ::-1], None)], {}, ["Out"])
    np.testing.assert_array_equal(arrays[0], np.maximum(ROWS[::2, ::-1], 0))
    assert levels == []
