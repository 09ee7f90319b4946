"""Values that records leave open: ends of intervals, the other sign, the second picture, one input that wants a gradient.

Every test here was written for a fault that all others let pass (``make mutants``). References are NumPy and closed forms.
"""

import math

import numpy as np
import opcase
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.core.op import BY_NAME
from paddle.ops.families.conv import transposed_flops
from paddle.ops.legacy.clicks import xxh64
from paddle.ops.linalg.eigen import as_kind_of
from paddle.ops.loss.nce import alias_table
from paddle.ops.nn.extension import _mask_from_desc
from paddle.ops.nn.rounding import stable_sigmoid
from paddle.ops.nn.window_geometry import channels_last
from paddle.ops.random import draws
from paddle.ops.signal.tapers import window

opcase.load_ops()
EULER = 0.5772156649015329


def random(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


def tensor(array, wanted=True):
    return paddle.to_tensor(array, stop_gradient=not wanted)


# ---- special functions ----
def test_digamma_at_whole_numbers():
    n = np.arange(1, 31, dtype="float64")
    wanted = np.concatenate([[0], np.cumsum(1 / n[:-1])]) - EULER
    np.testing.assert_allclose(paddle.digamma(paddle.to_tensor(n)).numpy(), wanted, rtol=3e-15)


def test_digamma_below_zero():
    x = np.array([-0.3, -1.7, -4.25, -0.9, -10.1])
    up = x + 12  # by the recurrence psi(x) = psi(x + n) - sum of 1 / (x + k)
    wanted = paddle.digamma(paddle.to_tensor(up)).numpy() - sum(1 / (x + k) for k in range(12))
    np.testing.assert_allclose(paddle.digamma(paddle.to_tensor(x)).numpy(), wanted, rtol=1e-12)


def test_polygamma_in_closed_form():
    pi = math.pi
    for n, x, wanted in ((1, 0.5, pi ** 2 / 2), (1, 1.0, pi ** 2 / 6), (3, 0.5, pi ** 4), (3, 1.0, pi ** 4 / 15)):
        assert float(paddle.polygamma(paddle.to_tensor(x, "float64"), n)) == pytest.approx(wanted, rel=2e-14)


def test_scaled_bessel_functions_below_zero():
    x = paddle.to_tensor(np.array([0.3, 5.0, 19.0, 25.0, 80.0]))
    np.testing.assert_array_equal(paddle.i1e(-x).numpy(), -paddle.i1e(x).numpy())
    np.testing.assert_array_equal(paddle.i0e(-x).numpy(), paddle.i0e(x).numpy())
    far = x.numpy()[3:]  # Hankel's expansion
    np.testing.assert_allclose(paddle.i0e(x).numpy()[3:], (1 + 1 / (8 * far) + 9 / (128 * far ** 2) + 225 / (3072 * far ** 3)) /
                               np.sqrt(2 * np.pi * far), rtol=1e-6)


# ---- ends of intervals ----
def test_probabilities_of_one():
    assert paddle.binomial(paddle.to_tensor([3, 5]), paddle.to_tensor([1.0, 1.0])).tolist() == [3, 5]
    assert np.floor(paddle.zeros([4]).geometric_(1.0).numpy()).tolist() == [0.0] * 4
    assert draws.gamma(1, np.array([1e30])).shape == (1,)


def test_windows_as_large_as_the_axis():
    assert paddle.unfold(paddle.arange(3), 0, 3, 1).tolist() == [[0, 1, 2]]


def test_boxes_that_overlap_by_the_threshold_stay(either):
    boxes = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.0]])
    assert paddle.vision.ops.nms(boxes, 0.5).tolist() == [0, 1]
    assert paddle.vision.ops.nms(boxes, 0.49).tolist() == [0]


def test_samples_on_the_far_edge_count(either):
    x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    box = paddle.to_tensor([[3.5, 0.5, 4.5, 1.5]])  # its one sample lies at 4 by 1
    out = paddle.vision.ops.roi_align(x, box, paddle.to_tensor([1], "int32"), 1, sampling_ratio=1, aligned=False)
    assert float(out) == 7.0


def test_ranks_of_no_numbers():
    assert paddle.linalg.matrix_rank(paddle.zeros([5, 0, 4])).shape == [5]


# ---- axes ----
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_order_along_any_axis(axis, either):
    x = random(70, 3, 80)
    np.testing.assert_array_equal(paddle.argsort(paddle.to_tensor(x), axis).numpy(), np.argsort(x, axis))
    values, places = paddle.topk(paddle.to_tensor(x), 2, axis)
    np.testing.assert_array_equal(values.numpy(), -np.take(np.sort(-x, axis), [0, 1], axis))
    np.testing.assert_array_equal(np.take_along_axis(x, places.numpy(), axis), values.numpy())


@pytest.mark.parametrize("equation", ["iji->ij", "jiik->jki", "iij,jk->ik", "ijij->j"])
def test_einsum_of_labels_that_come_twice(equation):
    operands = [random(*shape) for shape in {"iji->ij": [(3, 2, 3)], "jiik->jki": [(2, 3, 3, 4)], "iij,jk->ik": [(3, 3, 2), (2, 4)],
                                             "ijij->j": [(3, 2, 3, 2)]}[equation]]
    np.testing.assert_allclose(paddle.einsum(equation, *map(paddle.to_tensor, operands)).numpy(), np.einsum(equation, *operands),
                               rtol=1e-5, atol=1e-6)


def test_rows_of_channels_last():
    x, w = random(2, 8, 3), paddle.to_tensor(random(4, 3, 2))
    got = F.conv1d(paddle.to_tensor(x), w, data_format="NLC").numpy()
    wanted = sum(np.einsum("nlc,oc->nlo", x[:, k:k + 7], w.numpy()[:, :, k]) for k in range(2))
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


# ---- gradients of one input alone ----
def gradients(function, arrays, wanted):
    """The gradients of some inputs, where the others want none."""
    inputs = [tensor(a, k in wanted) for k, a in enumerate(arrays)]
    out = function(*inputs)
    (out * paddle.to_tensor(random(*out.shape, seed=9))).sum().backward()
    return [inputs[k].grad.numpy() for k in wanted]


@pytest.mark.parametrize("shapes, function", [
    (((2, 3, 5, 6), (4, 3, 3, 2), (4,)), lambda x, w, b: F.conv2d(x, w, b, padding=1)),
    (((2, 3, 5), (4, 3, 3), (4,)), lambda x, w, b: F.conv1d(x, w, b)),
    (((2, 3, 4), (4, 5), (5,)), lambda x, w, b: BY_NAME["linear_act"](x, w, b, "relu")),
    (((4, 3, 2), (3,), (3,)), lambda x, s, b: BY_NAME["batch_norm"](
        x, s, b, paddle.to_tensor(random(3)), paddle.to_tensor(random(3) + 2), is_test=True)[0]),
    (((4, 3, 2), (3,), (3,)), lambda x, s, b: BY_NAME["batch_norm"](
        x, s, b, paddle.to_tensor(random(3)), paddle.to_tensor(random(3) + 2))[0]),
], ids=["conv2d", "conv1d", "linear_act", "batch_norm of files, for inference", "batch_norm of files"])
def test_gradients_of_one_input_alone(shapes, function, either):
    arrays = [random(*shape, seed=k) for k, shape in enumerate(shapes)]
    whole = gradients(function, arrays, (0, 1, 2))
    for k, wanted in enumerate(whole):
        np.testing.assert_allclose(gradients(function, arrays, (k,))[0], wanted, rtol=1e-4, atol=1e-5)


def test_gradients_of_a_table_are_rows():
    ids, table = paddle.to_tensor([[1, 2], [2, 3]]), tensor(random(5, 3))
    weights = random(2, 2, 3, seed=1)
    (F.embedding(ids, table, sparse=True) * paddle.to_tensor(weights)).sum().backward()
    assert table.grad.rows() == [1, 2, 2, 3]
    np.testing.assert_array_equal(table.grad.numpy(), weights.reshape(4, 3))


def test_gradients_through_the_statistics_of_layer_norm():
    x, weights = tensor(random(3, 5)), random(3)
    variance = BY_NAME["layer_norm"](x, None, None)[2]
    (variance * paddle.to_tensor(weights)).sum().backward()
    wanted = 2 / 5 * (x.numpy() - x.numpy().mean(1, keepdims=True)) * weights[:, None]
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_averages_of_windows_that_stick_out(either):
    x = tensor(random(1, 1, 5, 5).astype("float64"))
    F.avg_pool2d(x, 2, 2, ceil_mode=True, exclusive=True).sum().backward()
    share = np.array([0.5, 0.5, 0.5, 0.5, 1.0])
    np.testing.assert_allclose(x.grad.numpy()[0, 0], np.outer(share, share), rtol=1e-12)


# ---- normalisation ----
def test_statistics_of_batch_norm_of_files(either):
    x, mean, variance = random(4, 3, 2), random(3), random(3) + 2
    given = map(paddle.to_tensor, (x, np.ones(3, "f"), np.zeros(3, "f"), mean, variance))
    _, new_mean, new_variance, batch, inverse = BY_NAME["batch_norm"](*given, momentum=0.7, epsilon=0.5)
    np.testing.assert_allclose(new_mean.numpy(), 0.7 * mean + 0.3 * x.mean((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(new_variance.numpy(), 0.7 * variance + 0.3 * x.var((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(batch.numpy(), x.mean((0, 2)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inverse.numpy(), 1 / np.sqrt(x.var((0, 2)) + 0.5), rtol=1e-5)


def test_layer_and_group_norm(either):
    x, scale, bias = random(2, 4, 3), random(4, seed=1), random(4, seed=2)
    rows = x.reshape(2, 2, 6)
    wanted = ((rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + 0.5)).reshape(x.shape)
    got = F.group_norm(*map(paddle.to_tensor, (x,)), 2, 0.5, paddle.to_tensor(scale), paddle.to_tensor(bias)).numpy()
    np.testing.assert_allclose(got, wanted * scale[:, None] + bias[:, None], rtol=1e-5, atol=1e-6)
    x = x.transpose(0, 2, 1)
    wanted = (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 0.5) * scale + bias
    got = F.layer_norm(paddle.to_tensor(np.ascontiguousarray(x)), 4, paddle.to_tensor(scale), paddle.to_tensor(bias), 0.5).numpy()
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


# ---- optimizers ----
def test_rmsprop_with_a_large_epsilon():
    p, s, g, v, b = (random(3, seed=k).astype("float64") for k in range(5))
    s = s ** 2
    out = BY_NAME["rmsprop"](*map(paddle.to_tensor, (p, s, g, v, np.array([0.1]), b)), epsilon=0.5, rho=0.9, momentum=0.3)
    square = 0.9 * s + 0.1 * g * g
    step = 0.3 * v + 0.1 * g / np.sqrt(square + 0.5)
    np.testing.assert_allclose(out[0].numpy(), p - step, rtol=1e-12)


def test_nadam_after_its_paper():
    p, g, m, v = (random(3, seed=k).astype("float64") for k in range(4))
    v = v ** 2
    one = np.array([1.0])
    given = map(paddle.to_tensor, (p, g, one * 0.1, one * 0.8, one * 0.7, one * 0.6, m, v))
    out = BY_NAME["nadam"](*given, beta1=0.9, beta2=0.99, epsilon=1e-3, momentum_decay=0.4)
    power = 0.8 * 0.96
    now, then = 0.9 * (1 - 0.5 * power ** 0.4), 0.9 * (1 - 0.5 * (power * 0.96) ** 0.4)
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    product = 0.6 * now
    hat = then * m / (1 - product * then) + (1 - now) * g / (1 - product)
    np.testing.assert_allclose(out[0].numpy(), p - 0.1 * hat / (np.sqrt(v / (1 - 0.7 * 0.99)) + 1e-3), rtol=1e-10)


# ---- attention ----
def test_attention_of_rows_that_see_nothing(either):
    q, mask = random(1, 2, 1, 4), np.zeros((1, 1, 2, 3), "float32")
    mask[0, 0, 1] = -np.inf
    k = random(1, 3, 1, 4, seed=1)
    out = F.scaled_dot_product_attention(*map(paddle.to_tensor, (q, k, k, mask))).numpy()
    assert np.isfinite(out[0, 0]).all() and np.isnan(out[0, 1]).all()  # as in Paddle 2.6.2


def test_attention_drops_weights(either):
    paddle.seed(4)
    q, v = paddle.zeros([1, 300, 1, 4]), paddle.ones([1, 300, 1, 4])
    out = F.scaled_dot_product_attention(q, q, v, dropout_p=0.5).numpy()  # means of what is kept, doubled
    assert 0.97 < out.mean() < 1.03 and len(np.unique(out[0, :, 0, 0].round(4))) > 10


# ---- sizes in programs ----
def test_sizes_in_programs(either, program):
    x = static.data("x", [2, 6, 8, 3])
    assert F.max_pool2d(x, 2, data_format="NHWC").shape == (2, 3, 4, 3)
    assert [tuple(part.shape) for part in paddle.unstack(x, 1)] == [(2, 8, 3)] * 6
    assert paddle.crop(x, [2, -1, 4, 3], [0, 2, 1, 0]).shape == (2, 4, 4, 3)
    assert BY_NAME["partial_sum"]([static.data("m", [4, 5])], 1, 2).shape == (4, 2)


def test_products_of_three_are_recorded_by_pairs(program):
    paddle.einsum("ij,jk,kl->il", *(static.data(name, [3, 3]) for name in "abc"))
    assert [len(op.input("Operands")) for op in program.global_block().ops if op.type == "einsum"] == [2, 2]


def test_work_of_transposed_convolutions():
    x, w, b, out = np.zeros((1, 2, 4, 4)), np.zeros((2, 3, 2, 2)), np.zeros(3), np.zeros((1, 3, 8, 8))
    assert transposed_flops((x, w, b), out) == 32 * 12 + 3 * 64 and transposed_flops((x, w, None), out) == 32 * 12


# ---- detection ----
def test_boxes_from_offsets(either):
    prior = np.array([[1.0, 2.0, 5.0, 8.0], [0.5, 0.5, 1.5, 3.5]], "float32")
    moves = np.array([[[0.1, -0.2, 0.3, 0.4], [0.5, 0.6, -0.7, 0.8]]], "float32")
    for variance in (np.array([0.1, 0.1, 0.2, 0.2], "float32"), np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]], "float32")):
        given = paddle.to_tensor(variance) if variance.ndim == 2 else variance.tolist()
        got = paddle.vision.ops.box_coder(paddle.to_tensor(prior), given, paddle.to_tensor(moves), "decode_center_size").numpy()
        size, t = prior[:, 2:] - prior[:, :2], moves * variance
        centre, extent = prior[:, :2] + size / 2 + t[..., :2] * size, np.exp(t[..., 2:]) * size
        np.testing.assert_allclose(got, np.concatenate([centre - extent / 2, centre + extent / 2], -1), rtol=1e-5)


def test_boxes_decoded_and_assigned(either):
    prior, score = np.array([[2.0, 3.0, 7.0, 9.0]], "float32"), np.array([[0.1, 0.2, 0.7]], "float32")
    moves = random(1, 12)
    _, best = BY_NAME["box_decoder_and_assign"](*map(paddle.to_tensor, (prior, np.ones(4, "float32"), moves, score)))
    size, t = np.array([6.0, 7.0]), moves[0, 8:]
    centre, extent = prior[0, :2] + size / 2 + t[:2] * size, np.exp(t[2:]) * size
    np.testing.assert_allclose(best.numpy()[0], [*(centre - extent / 2), *(centre + extent / 2 - 1)], rtol=1e-5)


def test_yolo_boxes_with_a_scaled_grid(either):
    x = random(1, 6, 2, 3)
    boxes, _ = paddle.vision.ops.yolo_box(paddle.to_tensor(x), paddle.to_tensor([[64, 96]], "int32"), [10, 20], 1, 0.0, 32, False,
                                          scale_x_y=1.5)
    t = x[0].astype("float64")
    centre = (1 / (1 + np.exp(-t[0])) * 1.5 - 0.25 + np.arange(3)) / 3 * 96
    np.testing.assert_allclose(boxes.numpy()[0, :, 0], (centre - np.exp(t[2]) * 10 / 96 * 96 / 2).ravel(), rtol=1e-4, atol=1e-4)


# ---- others ----
def test_antialiased_cubic_interpolation():
    def cubic(t):  # Keys 1981, with a = -1/2
        t = abs(t)
        return 1.5 * t ** 3 - 2.5 * t ** 2 + 1 if t < 1 else -0.5 * t ** 3 + 2.5 * t ** 2 - 4 * t + 2 if t < 2 else 0.0
    x = random(1, 1, 1, 12)
    got = F.interpolate(paddle.to_tensor(x), size=[1, 4], mode="bicubic", antialias=True).numpy()[0, 0, 0]
    for k, value in enumerate(got):
        weights = [cubic((j + 0.5 - 3 * (k + 0.5)) / 3) for j in range(12)]
        assert value == pytest.approx(np.dot(weights, x[0, 0, 0]) / sum(weights), rel=1e-4, abs=1e-5)


def test_integers_are_interpolated_as_numbers():
    x = paddle.to_tensor([[[[0, 10]]]], "uint8")
    assert F.interpolate(x, size=[1, 4], mode="nearest").numpy().ravel().tolist() == [0, 0, 10, 10]
    assert F.interpolate(x, size=[1, 4], mode="bilinear").numpy().ravel().tolist() == [0, 2, 7, 10]


@pytest.mark.parametrize("weights", [[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25] * 4, [0.05, 0.9, 0.05]])
def test_alias_tables_give_their_probabilities(weights):
    other, keep = alias_table(np.array(weights))
    found = keep.astype("float64").copy()
    for k, to in enumerate(other):
        if to >= 0:
            found[to] += 1 - keep[k]
    np.testing.assert_allclose(found / len(weights), weights, rtol=1e-5)


def plain_xxh64(data, seed):
    """The hash as its specification has it, on Python's integers."""
    p1, p2, p3, p4, p5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)
    full = 2 ** 64 - 1

    def turned(v, bits):
        return (v << bits | v >> 64 - bits) & full

    def mixed(lane, word):
        return turned(lane + word * p2 & full, 31) * p1 & full
    at, h = 0, seed + p5 & full
    if len(data) >= 32:
        lanes = [seed + p1 + p2 & full, seed + p2 & full, seed, seed - p1 & full]
        while at + 32 <= len(data):
            lanes = [mixed(lane, int.from_bytes(data[at + 8 * k:at + 8 * k + 8], "little")) for k, lane in enumerate(lanes)]
            at += 32
        h = sum(turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & full
        for lane in lanes:
            h = (h ^ mixed(0, lane)) * p1 + p4 & full
    h = h + len(data) & full
    while at + 8 <= len(data):
        h = turned(h ^ mixed(0, int.from_bytes(data[at:at + 8], "little")), 27) * p1 + p4 & full
        at += 8
    if at + 4 <= len(data):
        h = turned(h ^ int.from_bytes(data[at:at + 4], "little") * p1 & full, 23) * p2 + p3 & full
    for bits, prime in ((33, p2), (29, p3), (32, 1)):
        h = (h ^ h >> bits) * prime & full
    return h


@pytest.mark.parametrize("length", [4, 8, 28, 32, 36, 64, 100])
def test_hashes_of_rows(length):
    rows = np.random.RandomState(length).randint(0, 256, (3, length)).astype("uint8")
    assert [int(h) for h in xxh64(rows, 7)] == [plain_xxh64(row.tobytes(), 7) for row in rows]


def test_parts_that_only_some_programs_reach():
    x = np.array([-800.0, -2.0, 0.0, 3.0, 800.0])
    np.testing.assert_allclose(stable_sigmoid(x), [0, 1 / (1 + math.exp(2)), 0.5, 1 / (1 + math.exp(-3)), 1], rtol=1e-14)
    assert all(map(channels_last, ("NLC", "NHWC", "NDHWC"))) and not any(map(channels_last, ("NC", "NCL", "NCHW", "NCDHW")))
    assert _mask_from_desc({"out_dtype": 5})["maxlen"] == -1
    complex_, real = np.array([1 + 2j]), np.array([1.0])
    assert as_kind_of(complex_, "complex128") is complex_ and as_kind_of(real, "float64") is real
    assert as_kind_of(complex_, "float64").tolist() == [1.0]
    assert BY_NAME["fill_zeros_like2"](paddle.to_tensor([1, 2])).dtype == paddle.int64


def test_area_under_a_curve(either):
    labels, scores = np.array([0, 1, 1, 0, 1, 0, 0]), np.array([0.1, 0.9, 0.4, 0.5, 0.6, 0.2, 0.4])
    metric = paddle.metric.Auc(num_thresholds=4095)
    metric.update(np.stack([1 - scores, scores], 1), labels[:, None])
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[labels == 1] for b in scores[labels == 0]]
    assert metric.accumulate() == pytest.approx(np.mean(pairs), abs=1e-6)
    metric.reset()
    metric.update(np.stack([1 - scores, scores], 1).tolist() + [[0.5, 0.5]] * 4, labels[:, None])
    assert metric.accumulate() == pytest.approx(np.mean(pairs), abs=1e-6)  # scores without a label do not count


def test_sizes_of_detections_in_programs(either, program):
    """Numbers of boxes are known when the program runs; one level is enough."""
    boxes, scores = static.data("boxes", [2, 6, 4]), static.data("scores", [2, 3, 6])
    assert BY_NAME["packed_multiclass_nms"](boxes, scores)[0].shape == (-1, 6)
    assert BY_NAME["multiclass_nms2"](boxes, scores)[1].shape == (-1, 1)
    levels = [boxes], [static.data("s", [2, 6, 3])], [static.data("a", [6, 4])]
    assert BY_NAME["retinanet_detection_output"](*levels, static.data("i", [2, 3]))[0].shape == (-1, 6)
    assert BY_NAME["collect_fpn_proposals"]([static.data("r", [-1, 4])], [static.data("t", [-1, 1])])[0].shape == (-1, 4)
    assert BY_NAME["im2sequence"](static.data("p", [1, 3, 8, 8]), None, (2, 3))[0].shape == (-1, 18)


def test_pictures_without_boxes_and_difficult_ones():
    """Average precision: detections of a class that a picture lacks are wrong; difficult boxes may be left out."""
    boxes = [[0.1, 0.1, 0.3, 0.3], [0.5, 0.5, 0.9, 0.9]]
    found = np.array([[0, 0.9, *boxes[0]], [0, 0.8, *boxes[1]], [0, 0.7, *boxes[0]]], "float32")  # the last in the second picture
    truth = np.array([[0, 0, *boxes[0]], [0, 1, *boxes[1]], [1, 0, *boxes[1]]], "float32")
    lods = {"detected_lod": [np.array([0, 2, 3])], "labels_lod": [np.array([0, 2, 3])]}
    for difficult, scores in ((True, [0.9, 0.8, 0.7]), (False, [0.9, 0.7])):
        out = BY_NAME["detection_map"](paddle.to_tensor(found), paddle.to_tensor(truth), **lods, class_num=2, background_label=-1,
                                       evaluate_difficult=difficult)
        assert float(out[3]) == pytest.approx(0.5) and out[1].numpy()[:, 0] == pytest.approx(scores)


def test_windows_in_closed_form():
    np.testing.assert_allclose(window("exponential", 5, False), np.exp(-np.array([2.0, 1, 0, 1, 2])))
    np.testing.assert_allclose(window("triang", 4, False), [0.25, 0.75, 0.75, 0.25])
    np.testing.assert_allclose(window("triang", 5, False), np.array([1, 2, 3, 2, 1]) / 3)
    np.testing.assert_allclose(window("general_gaussian", 5, False, 1.5, 2.0), np.exp(-0.5 * np.array([1, 0.5, 0, 0.5, 1]) ** 3))
