"""Formulas in closed form that records leave open: gradients of norms, optimizers, ranges of numbers, sizes in programs.

As in test_corners.py, every test was written for a fault that all others let pass (``make mutants``).
"""

import math
import statistics
from types import SimpleNamespace

import numpy as np
import opcase
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.core.facts import Spec
from paddle.core.op import BY_NAME
from paddle.ops.families.concat import unstacked
from paddle.ops.families.pool import pool_geometry
from paddle.ops.legacy.parts import _concat_shape
from paddle.ops.math.quantile import erfinv_rational
from paddle.ops.metrics import _slide
from paddle.ops.nn import calibration

opcase.load_ops()


def random(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


# ---- functions ----
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_polygamma_below_zero(n):
    x = np.array([-0.3, -1.7, -4.25])
    up = x + 6  # psi_n(x) = psi_n(x + 1) - (-1)^n n! / x^(n + 1)
    wanted = paddle.polygamma(paddle.to_tensor(up), n).numpy() - sum((-1) ** n * math.factorial(n) / (x + k) ** (n + 1)
                                                                     for k in range(6))
    np.testing.assert_allclose(paddle.polygamma(paddle.to_tensor(x), n).numpy(), wanted, rtol=1e-9)


def test_quantiles_of_the_normal_distribution():
    share = np.array([1e-12, 1e-5, 0.02, 0.3, 0.5, 0.7, 0.999, 1 - 1e-9])
    wanted = [statistics.NormalDist().inv_cdf(p) for p in share]
    np.testing.assert_allclose(erfinv_rational(2 * share - 1) * math.sqrt(2), wanted, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("size", [2, 200])
def test_products_of_two_types(size, either):
    x, y = random(size, 3), random(3, size, seed=1).astype("float64")
    for a, b in ((x, y), (y.T, x.T)):
        out = BY_NAME["matmul"](paddle.to_tensor(a), paddle.to_tensor(b))
        np.testing.assert_allclose(out.numpy(), a.astype("float64") @ b.astype("float64"), rtol=1e-12, atol=1e-15)


def test_a_number_on_the_threshold_is_not_above_it(either):
    assert F.thresholded_relu(paddle.to_tensor([0.5, 1.0, 1.5]), 1.0).tolist() == [0.0, 0.0, 1.5]
    assert BY_NAME["thresholded_relu"](paddle.to_tensor([0.5, 1.0, 1.5]), 1.0, 7.0).tolist() == [7.0, 7.0, 1.5]


def test_ways_to_classes_of_a_full_tree():
    x, weight, label = random(4, 3), random(3, 3, seed=1), np.arange(4)
    loss = F.hsigmoid_loss(paddle.to_tensor(x), paddle.to_tensor(label[:, None]), 4, paddle.to_tensor(weight))
    for k, value in enumerate(loss.numpy()[:, 0]):
        root, leaf = x[k] @ weight[0], x[k] @ weight[1 + k // 2]
        wanted = sum(math.log1p(math.exp(score)) - bit * score for score, bit in ((root, k // 2), (leaf, k % 2)))
        assert value == pytest.approx(wanted, rel=1e-5)


def test_slopes_of_small_norms():
    """The norm is held to max_norm / (norm + 1e-7), which shows where norms are small."""
    m, x = 1e-7, np.array([[2e-7, 3e-7]])
    size = np.sqrt((x ** 2).sum())
    given = paddle.to_tensor(x, stop_gradient=False)
    paddle.renorm(given, 2.0, 0, m).sum().backward()
    wanted = m / (size + 1e-7) - x.sum() * m / (size + 1e-7) ** 2 * x / size
    np.testing.assert_allclose(given.grad.numpy(), wanted, rtol=1e-6)
    norm = paddle.to_tensor([size], stop_gradient=False)
    BY_NAME["renorm_scale"](norm, m).backward()
    assert float(norm.grad) == pytest.approx(-m / (size + 1e-7) ** 2)


def test_frames_as_long_as_the_signal():
    x = paddle.arange(5, dtype="float32")
    assert paddle.signal.frame(x, 5, 1).shape == [5, 1]
    with pytest.raises(ValueError, match="frame_length 6 is larger"):
        paddle.signal.frame(x, 6, 1)


def test_gradient_of_a_selection_by_rows():
    x, mask = paddle.to_tensor(random(2, 3), stop_gradient=False), paddle.to_tensor([[True], [False]])
    for select in (paddle.masked_select, BY_NAME["masked_select"]):
        x.clear_grad()
        (select(x, mask) * paddle.to_tensor([1.0, 2.0, 3.0])).sum().backward()
        assert x.grad.tolist() == [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]


def test_ids_of_other_shards():
    assert BY_NAME["shard_index"](paddle.to_tensor([1, 7, 4]), 10, 2, 0).tolist() == [1, -1, 4]


def test_numbers_on_a_diagonal():
    out = BY_NAME["uniform_random"](shape=[4, 4], diag_num=4, diag_step=4, diag_val=9.0)
    assert np.diag(out.numpy()).tolist() == [9.0] * 4 and (out.numpy() == 9).sum() == 4
    with pytest.raises(ValueError, match="do not fit"):
        BY_NAME["uniform_random"](shape=[4, 4], diag_num=4, diag_step=5)


def test_counts_of_the_last_calls():
    state = np.zeros(3 * 2 + 3 + 1)  # sums, two rows of three, and the number of calls
    for new, wanted in (([1, 2, 3], [1, 2, 3]), ([4, 0, 1], [5, 2, 4]), ([0, 0, 5], [4, 0, 6])):
        state, total = _slide(state, np.array(new), 3, 2)
        assert total.tolist() == wanted


def test_arithmetic_of_attention():
    q, k = SimpleNamespace(shape=(2, 3, 4, 8)), SimpleNamespace(shape=(2, 3, 5, 8))
    assert BY_NAME["dot_attention"].facts.flops((q, k, k, None), ()) == 2 * 120 * 8


# ---- optimizers ----
def test_decay_of_several_parameters_at_once():
    given = [random(3), random(2, 2, seed=1)]
    for decay in (0.1, None):
        params = [paddle.create_parameter(list(a.shape), "float32", default_initializer=paddle.nn.initializer.Assign(a))
                  for a in given]
        optimizer = paddle.optimizer.Momentum(0.5, 0.9, params, weight_decay=decay)
        sum((p * p * p).sum() for p in params).backward()
        optimizer.step()
        for p, a in zip(params, given):
            np.testing.assert_allclose(p.numpy(), a - 0.5 * (3 * a * a + (decay or 0.0) * a), rtol=1e-5)


def test_decay_that_a_file_asks_for():
    """What the kernel of many parameters is told: files name the kind of decay and its size."""
    told = []
    update = BY_NAME["momentum"].group[1]
    for method in ("l2_decay", ""):
        update(lambda *given: told.append(given[-1]), [], [], [[]], [],
               {"mu": 0.9, "use_nesterov": False, "regularization_method": method, "regularization_coeff": 0.3})
    assert told == [0.3, 0.0]


def test_radam_when_the_variance_is_certain():
    p, g, m, v = (random(4, seed=k).astype("float64") for k in range(4))
    v, steps, b1, b2 = np.abs(v), 30, 0.8, 0.9
    out = BY_NAME["radam"](*map(paddle.to_tensor, (p, g, np.array([0.1]), np.array([0.5]), np.array([0.5]), np.array([steps - 1.0]),
                                                   m, v)), beta1=b1, beta2=b2, epsilon=1e-3)
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    limit = 2 / (1 - b2) - 1
    length = limit - 2 * steps * b2 ** steps / (1 - b2 ** steps)
    share = math.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
    step = m / (1 - b1 ** steps) * share * math.sqrt(1 - b2 ** steps) / (np.sqrt(v) + 1e-3)
    np.testing.assert_allclose(out[0].numpy(), p - 0.1 * step, rtol=1e-9)


# ---- sizes ----
def test_sizes_that_programs_know(program):
    boxes, scores = static.data("boxes", [1, 5, 4]), static.data("scores", [1, 1, 5])
    assert [part.shape for part in BY_NAME["locality_aware_nms"](boxes, scores)] == [(-1, 6), (-1,)]
    info = Spec((1, 3), np.dtype("float32"))
    assert BY_NAME["generate_mask_labels"].facts.shapes(info, num_classes=3, resolution=4)[2].shape == (-1, 48)


def test_sizes_by_rule():
    x = Spec((2, 6), np.dtype("float32"))
    assert [part.shape for part in unstacked(x, 0)] == [(6,)] * 2 and [part.shape for part in unstacked(x, 1)] == [(2,)] * 6
    assert _concat_shape([x], 1, 3).shape == (2, 3) and _concat_shape([x, x], 1, 3).shape == (2, 6)
    assert pool_geometry("pool", (0, 4), (2, 2), (1, 1), [1, 1], "EXPLICIT", False)[3] == (1, 5)
    assert pool_geometry("pool", (-1, 4), (2, 2), (1, 1), [1, 1], "EXPLICIT", False)[3] == (-1, 5)


def test_proposals_of_uneven_pictures(either):
    """Two anchors for each of 3 x 2 cells; what does not fit together is refused by name."""
    scores, anchors = random(1, 2, 3, 2), np.tile(np.array([0, 0, 7, 7], "float32"), (3, 2, 2, 1))
    anchors = anchors + 10 * np.arange(12, dtype="float32").reshape(3, 2, 2, 1)
    given = [scores, np.zeros((1, 8, 3, 2), "float32"), np.array([[200, 200, 1]], "float32"), anchors, np.ones_like(anchors)]
    boxes, found = BY_NAME["packed_proposals"](*map(paddle.to_tensor, given), nms_thresh=0.9)[:2]
    order = np.argsort(-scores[0].transpose(1, 2, 0).ravel(), kind="stable")
    np.testing.assert_allclose(boxes.numpy(), anchors.reshape(-1, 4)[order])
    np.testing.assert_allclose(found.numpy()[:, 0], scores[0].transpose(1, 2, 0).ravel()[order])


def test_places_beyond_the_picture_are_not_seen():
    x = paddle.ones([1, 1, 4, 4])
    quad = np.array([[0, 0, 3.5, 0, 3.5, 3, 0, 3]], "float32")
    mask = BY_NAME["roi_perspective_transform"](x, paddle.to_tensor(quad), [np.array([0, 1])], 3, 3)[1].numpy()[0, 0]
    assert mask[:, 0].all() and not mask[:, -1].any()


# ---- scales of quantization ----
def scale_of(way, *batches, bits=8, percent=0.9):
    seen = calibration.WAYS[way](bits, False, percent)
    for turn in range(seen.rounds):
        for x in batches:
            seen.see(np.array(x), turn)
    return seen.scale()


def test_scales_that_lose_nothing_are_chosen():
    x = np.arange(8) / 7 * 0.7  # seven steps of a scale of 0.7, at four bits
    outlier = np.append(np.tile(x, 200), 1.0)
    assert scale_of("mse", outlier, bits=4) == pytest.approx(0.7, abs=0.02)
    assert scale_of("emd", x, bits=4) == pytest.approx(0.7 * (0.3 + 0.02 * 34), abs=0.02)
    assert scale_of("ptf", np.append(np.tile(np.arange(8) / 8.0, 5000), 7.0), bits=4) == pytest.approx(7.0 / 8)
    assert scale_of("ptf", np.arange(8.0), bits=4) == 7.0


def test_cuts_of_histograms_lie_in_the_middle_of_a_bin():
    counts = np.zeros(16)
    counts[:9] = 5
    assert calibration.cal_kl_threshold(counts, 2.0, 3) % 2.0 == 1.0
    assert calibration.cal_kl_threshold(np.array([3.0, 0, 0, 0, 0]), 2.0, 3) == 1.0
