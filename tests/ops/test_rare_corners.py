"""Values that records leave open, of operators that few programs use: detection, sampling, sequences, quantization, metrics.

As in test_corners.py, every test was written for a fault that all others let pass (``make mutants``).
"""

import math
from types import SimpleNamespace

import numpy as np
import opcase
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.core.facts import Spec
from paddle.core.op import BY_NAME
from paddle.ops.detection.polygons import common_area
from paddle.ops.detection.sampling import _proposals_of
from paddle.ops.detection.warped import _CLOSE, _within
from paddle.ops.families.index import cropped
from paddle.ops.metrics import _area
from paddle.ops.nn.calibration import merged_histogram
from paddle.ops.nn.embedding import hot_sizes
from paddle.ops.nn.rounding import bias_correction_w, quant_tensor
from paddle.ops.random.sampling import _all_different

opcase.load_ops()


def random(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


# ---- functions ----
def test_inverse_of_erf_far_out():
    x = np.array([1e-6, 0.3, 0.99, 0.999965, 1 - 1e-9, 1 - 1e-14])
    for y, wanted in zip(paddle.erfinv(paddle.to_tensor(x)).numpy(), x):
        assert math.erfc(y) == pytest.approx(1 - wanted, rel=1e-9)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_inverse_of_erf_at_its_ends_and_beyond(kind):
    """Values and gradients of real Paddle 2.6.2 and 3.3.1."""
    x = paddle.to_tensor(np.array([-np.inf, -2, -1, 1, 1.5, np.inf, np.nan], kind), stop_gradient=False)
    y = paddle.erfinv(x)
    np.testing.assert_array_equal(y.numpy(), [-np.inf] * 3 + [np.inf] * 3 + [np.nan])
    y.backward(paddle.ones_like(y))
    np.testing.assert_array_equal(x.grad.numpy(), [np.inf] * 6 + [np.nan])


def test_what_is_selected_of_one_element_without_axes():
    x = paddle.to_tensor(3.0, stop_gradient=False)
    y = paddle.masked_select(x, paddle.to_tensor(True))
    y.backward()
    assert y.shape == [1] and x.grad.shape == [] and float(x.grad) == 1


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("power", [0.5, -1.0, 2.0, 1.0])
def test_powers_that_have_steps_of_their_own(power, kind):
    """The rounded result itself; at zeros and infinities what C's pow gives."""
    x = np.concatenate([[-0.0, 0.0, -np.inf, np.inf, np.nan, -2.0], np.random.RandomState(3).uniform(0, 100, 1001)]).astype(kind)
    wanted = [math.pow(v, power) if v or power > 0 else math.copysign(math.inf, v) for v in x[:5].tolist()]
    with np.errstate(invalid="ignore"):
        rest = {0.5: np.sqrt, -1.0: np.reciprocal, 2.0: np.square, 1.0: np.positive}[power](x[5:])
    for array in (x, x[::-1][::-1]):
        found = (paddle.to_tensor(array) ** power).numpy()
        np.testing.assert_array_equal(found, np.concatenate([np.array(wanted, kind), rest]))
        np.testing.assert_array_equal(np.signbit(found[:4]), np.signbit(wanted[:4]))


def test_margins_of_all_three_kinds():
    cosines, label = random(4, 5), np.array([0, 3, 2, 4])
    moved = cosines.astype("float64")
    at = np.arange(4), label
    moved[at] = np.cos(1.1 * np.arccos(moved[at]) + 0.2) - 0.3
    logits = moved * 8.0
    wanted = np.log(np.exp(logits).sum(1)) - logits[at]
    loss = F.margin_cross_entropy(paddle.to_tensor(cosines), paddle.to_tensor(label), 1.1, 0.2, 0.3, 8.0, reduction=None)
    np.testing.assert_allclose(loss.numpy()[:, 0], wanted, rtol=1e-5)


COMPLEX = {"softsign": F.softsign, "hardswish": F.hardswish, "tanhshrink": F.tanhshrink,
           "cumprod": lambda x: paddle.cumprod(x, 0), "prod": lambda x: paddle.prod(x, 1),
           "logsumexp": lambda x: paddle.logsumexp(x, 0), "slogdet": lambda x: paddle.linalg.slogdet(x)[1]}


@pytest.mark.parametrize("name", COMPLEX)
def test_gradients_by_complex_numbers(name):
    """dL/dRe + i dL/dIm, against finite differences."""
    rng = np.random.RandomState(0)
    at, weights = (rng.randn(3, 3) + 1j * rng.randn(3, 3) for _ in range(2))

    def loss(values):
        x = paddle.to_tensor(values, stop_gradient=False)
        y = COMPLEX[name](x)
        weight = paddle.to_tensor(weights.ravel()[:y.size].reshape(y.shape))
        return x, (y.real() * weight.real() + y.imag() * weight.imag()).sum()
    x, total = loss(at)
    total.backward()
    wanted = np.zeros_like(at)
    for k in np.ndindex(at.shape):
        for direction in (1, 1j):
            step = np.zeros_like(at)
            step[k] = 1e-6 * direction
            wanted[k] += direction * float(loss(at + step)[1] - loss(at - step)[1]) / 2e-6
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_softplus_of_complex_numbers():
    x = np.array([1 + 1j, -0.5 + 2j], "complex64")
    np.testing.assert_allclose(F.softplus(paddle.to_tensor(x), beta=2.0).numpy(), np.log(1 + np.exp(2 * x)) / 2, rtol=1e-5)


def test_bits_move_with_and_without_their_sign():
    x = paddle.to_tensor([-8, 8], "int8")
    one = paddle.to_tensor([1, 1], "int8")
    assert paddle.bitwise_right_shift(x, one).tolist() == [-4, 4]
    assert paddle.bitwise_right_shift(x, one, is_arithmetic=False).tolist() == [124, 4]
    assert paddle.bitwise_right_shift(x.astype("uint8"), one.astype("uint8"), is_arithmetic=False).tolist() == [124, 4]


@pytest.mark.parametrize("equation", ["i,i,i->", "ij,ij,ij->i", "ij,jk,kij->", "ab,ab,bc,c->a"])
def test_products_of_more_than_two(equation):
    sizes = {"i": 3, "j": 2, "k": 4, "a": 3, "b": 2, "c": 4}
    operands = [random(*(sizes[c] for c in term), seed=n) for n, term in enumerate(equation.partition("->")[0].split(","))]
    np.testing.assert_allclose(paddle.einsum(equation, *map(paddle.to_tensor, operands)).numpy(), np.einsum(equation, *operands),
                               rtol=1e-5, atol=1e-6)


def test_gradients_through_mean_and_variance():
    x = random(2, 5)
    for place, wanted in ((1, np.full((2, 5), 0.2)), (2, 2 * (x - x.mean(1, keepdims=True)) / 5)):
        given = paddle.to_tensor(x, stop_gradient=False)
        BY_NAME["layer_norm"](given, None, None)[place].sum().backward()
        np.testing.assert_allclose(given.grad.numpy(), wanted, rtol=1e-5, atol=1e-7)


def test_a_fused_pool_gives_the_gradient_that_is_wanted(references):
    arrays = random(1, 2, 6, 6), random(3, 2, 3, 3, seed=1), random(3, seed=2)
    whole = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    BY_NAME["conv_relu_pool"](*whole)[0].sum().backward()
    for k in (0, 1, 2):
        one = [paddle.to_tensor(a, stop_gradient=n != k) for n, a in enumerate(arrays)]
        BY_NAME["conv_relu_pool"](*one)[0].sum().backward()
        np.testing.assert_array_equal(one[k].grad.numpy(), whole[k].grad.numpy())


def test_attention_with_large_scores(references):
    q = np.full((1, 1, 1, 1), 60.0, "float32")
    k, v = np.array([1.0, 0.5, 1.0], "float32").reshape(1, 1, 3, 1), np.array([2.0, 7.0, 4.0], "float32").reshape(1, 1, 3, 1)
    out = BY_NAME["dot_attention"](*map(paddle.to_tensor, (q, k, v)))[0]
    assert float(out) == pytest.approx(3.0)


def test_attention_with_a_mask_of_more_batches(either):
    """A mask that repeats queries, keys and values: their gradients are sums over its batches."""
    arrays, masks = [random(1, 2, n, 4, seed=n) for n in (3, 5, 5)], random(2, 1, 3, 5)
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    (BY_NAME["dot_attention"](*tensors, paddle.to_tensor(masks))[0] ** 2).sum().backward()
    apart = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    for mask in masks:
        (BY_NAME["dot_attention"](*apart, paddle.to_tensor(mask[None]))[0] ** 2).sum().backward()
    for one, other in zip(tensors, apart):
        assert one.grad.shape == one.shape
        np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_one_axis_of_the_smaller_is_the_last(either):
    x, y = random(2, 3, 4), random(4, seed=1)
    np.testing.assert_array_equal(BY_NAME["floor_divide"](paddle.to_tensor(x), paddle.to_tensor(y)).numpy(), np.floor(x / y))
    np.testing.assert_array_equal(BY_NAME["minimum"](paddle.to_tensor(x), paddle.to_tensor(y)).numpy(), np.minimum(x, y))
    np.testing.assert_array_equal(BY_NAME["maximum"](paddle.to_tensor(x), paddle.to_tensor(y)).numpy(), np.maximum(x, y))


@pytest.mark.parametrize("stride,padding,wanted", [(3, [0, 1], [2.0, 0, 0, 2.0, 0]), (4, [2, 0], [0, 0, 2.0, 0, 0])])
def test_gradient_where_no_window_reaches(stride, padding, wanted, references):
    x = paddle.to_tensor(random(1, 1, 5), stop_gradient=False)
    F.conv1d(x, paddle.to_tensor([[[2.0]]]), stride=stride, padding=padding).sum().backward()
    assert x.grad.numpy().ravel().tolist() == wanted


def test_area_of_pairs_in_bins():
    pos, neg = np.array([1, 0, 2, 3]), np.array([2, 1, 1, 0])
    pairs = sum(p * n * ((i > j) + 0.5 * (i == j)) for i, p in enumerate(pos) for j, n in enumerate(neg))
    assert _area(pos, neg) == pytest.approx(pairs / (pos.sum() * neg.sum()))


def test_arithmetic_of_reductions():
    long, short = SimpleNamespace(shape=(4, 5)), SimpleNamespace(shape=(4,))
    assert BY_NAME["sum"].facts.flops((long, None, None), short) == 20 == BY_NAME["max"].facts.flops((long,), (short, short))


# ---- indices and sizes ----
def test_axes_that_are_tensors():
    x, index = random(2, 3), np.array([2, 0])
    out = BY_NAME["gather"](paddle.to_tensor(x), paddle.to_tensor(index), paddle.to_tensor([1]))
    np.testing.assert_array_equal(out.numpy(), x[:, index])


def test_scatter_takes_a_column_of_places_and_nothing_wider():
    x, rows = paddle.zeros([4, 2]), paddle.ones([2, 2])
    assert paddle.scatter(x, paddle.to_tensor([[3], [1]]), rows).sum(1).tolist() == [0.0, 2.0, 0.0, 2.0]
    for index in ([[0, 1]], [[[0]], [[1]]]):
        with pytest.raises(ValueError, match="index must be 0-d or 1-d"):
            paddle.scatter(x, paddle.to_tensor(index), rows)


def test_scatter_at_one_place_takes_a_row_without_its_axis():  # as Paddle 2.6.2 does
    x = paddle.zeros([3, 2])
    assert paddle.scatter(x, paddle.to_tensor(1), paddle.to_tensor([5.0, 6.0])).tolist() == [[0.0, 0.0], [5.0, 6.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="for a 0-d index"):
        paddle.scatter(x, paddle.to_tensor(1), paddle.to_tensor([[5.0, 6.0]]))


@pytest.mark.parametrize("function", [paddle.cumsum, paddle.logcumsumexp])
def test_gradients_of_running_results_have_the_shape_of_a_number(function):
    x = paddle.to_tensor(0.5, stop_gradient=False)
    out = function(x)
    out.backward()
    assert (out.shape, x.grad.shape, x.grad.item()) == ([1], [], 1.0)


def test_prelu_of_a_number():
    x, slope = (paddle.to_tensor(v, stop_gradient=False) for v in (-2.0, 0.25))
    out = paddle.nn.functional.prelu(x, slope)
    out.backward()
    assert (out.shape, out.item(), x.grad.item(), slope.grad.item(), slope.grad.shape) == ([], -0.5, 0.25, -2.0, [])
    assert x.grad.dtype == slope.grad.dtype == paddle.float32  # NumPy 1 would make it float64
    assert paddle.nn.functional.prelu(paddle.to_tensor([-4.0, 3.0]), slope).tolist() == [-1.0, 3.0]


def test_increment_of_a_leaf_that_receives_gradients():  # as Paddle 2.6.2 does: it stays a leaf
    x = paddle.to_tensor(2.0, stop_gradient=False)
    assert paddle.increment(x, 3.0) is x
    (x * x).backward()
    assert (x.item(), x.is_leaf, x.grad.item()) == (5.0, True, 10.0)


def test_sizes_in_programs(program):
    assert BY_NAME["diag_embed"](static.data("a", [2, 3, 4]), 1).shape == (2, 3, 5, 5)
    assert BY_NAME["diag_embed"](static.data("b", [2, -1]), 1).shape == (2, -1, -1)
    assert BY_NAME["fold"](static.data("c", [2, 0, 4]), (3, 3), (2, 2)).shape == (2, 0, 3, 3)
    assert BY_NAME["fold"](static.data("d", [2, -1, 4]), (3, 3), (2, 2)).shape == (2, -1, 3, 3)
    assert hot_sizes((2,), None, 3, 5).shape == (2, 3) and hot_sizes((2,), None, 0, 5) is None


def test_sizes_to_the_end():
    x = Spec((4, 5), np.dtype("float32"))
    assert cropped(x, None, None, None, None, [-1, 2], [1, 3]).shape == (3, 2)
    assert cropped(x, None, None, None, None, [4, 0], [0, 0]).shape == (4, 0)
    with pytest.raises(ValueError, match="do not fit"):
        cropped(x, None, None, None, None, [-2, 2], [0, 0])


# ---- random choices ----
def test_places_of_no_weight_are_never_drawn():
    """Rounding may leave a share of the running sums to a place that is taken: the weights that are left decide."""
    rows, ends = np.array([[0.0, 1.0, 3.0]], "float32"), np.array([[0.5, 0.6, 1.0]], "float32")
    for number, place in ((0.2, 1), (0.3, 2), (0.5, 2)):
        assert _all_different(rows, ends, np.array([[number]], "float32")).ravel().tolist() == [place]


# ---- detection ----
def test_common_area_away_from_the_origin():
    square = np.array([[10.0, 10], [12, 10], [12, 12], [10, 12]])
    diamond = np.array([[12.5, 10], [13.5, 11], [12.5, 12], [11.5, 11]])
    assert common_area(square, diamond) == pytest.approx(0.25) == common_area(diamond, square)


def test_overlaps_equal_to_the_threshold_are_foreground():
    overlap = np.array([[0.5], [0.25], [0.125]])
    fore, back, owner = _proposals_of(np.zeros((3, 4)), overlap, np.zeros(1), 8, 0.5, 0.5, 0.5, 0.25, None, False)
    assert fore.tolist() == [0] and back.tolist() == [1] and owner.tolist() == [0]


def test_anchors_of_the_second_picture(either):
    anchors = np.array([[0, 0, 9, 9], [20, 20, 29, 29], [40, 40, 49, 49]], "float32")
    boxes, crowd = np.array([[0, 0, 9, 9], [20, 20, 29, 29]], "float32"), np.zeros((2, 1), "int32")
    info, ends = np.array([[60, 60, 1], [60, 60, 1]], "float32"), [np.array([0, 1, 2])]
    located, scored, _, labels, *_ = BY_NAME["rpn_target_assign"](*map(paddle.to_tensor, (anchors, boxes, crowd, info)), ends, ends,
                                                                  use_random=False)
    assert located.tolist() == [0, 4] and scored.tolist() == [0, 1, 2, 4, 3, 5]
    assert labels.numpy().ravel().tolist() == [1, 0, 0, 1, 0, 0]


def test_objects_of_the_background_have_no_masks(either):
    left, right = [[0, 0], [4, 0], [4, 4], [0, 4]], [[2, 0], [4, 0], [4, 4], [2, 4]]
    segments, levels = np.array(left + right, "float32"), [np.array([0, 2]), np.array([0, 1, 2]), np.array([0, 4, 8])]
    given = [np.array([[8, 8, 1]], "float32"), np.array([[0], [1]], "int32"), np.zeros((2, 1), "int32"), segments,
             np.array([[0, 0, 4, 4]], "float32"), np.array([[1]], "int32")]
    two, one = [np.array([0, 2])], [np.array([0, 1])]
    masks = BY_NAME["generate_mask_labels"](*map(paddle.to_tensor, given), two, two, levels, one, num_classes=2, resolution=4)[2]
    assert masks.numpy().reshape(2, 4, 4)[1].sum(0).tolist() == [0, 0, 4, 4]


def test_places_close_to_a_corner_lie_on_the_outline():
    triangle = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])
    y = 3 + np.array([-0.4, 0.4, 3.0]) * _CLOSE
    assert _within(np.full(3, 2.0), y, triangle).tolist() == [True, True, False]


def test_scales_of_rows_of_boxes(either):
    prior, scale = np.array([[0, 0, 2, 4], [1, 1, 5, 3]], "float32"), random(2, 4, seed=1)
    moves, size, centre = random(2, 3, 4), prior[:, 2:] - prior[:, :2], (prior[:, 2:] + prior[:, :2]) / 2
    for given, factor in ((scale, scale[:, None]), (scale[0], scale[0])):
        part = moves * factor
        middle, extent = part[..., :2] * size[:, None] + centre[:, None], np.exp(part[..., 2:]) * size[:, None]
        out = BY_NAME["box_coder"](*map(paddle.to_tensor, (prior, given, moves)), code_type="decode_center_size", axis=1)
        np.testing.assert_allclose(out.numpy(), np.concatenate([middle - extent / 2, middle + extent / 2], -1), rtol=1e-4,
                                   atol=1e-5)


def test_all_boxes_are_kept_unless_a_number_is_given(either):
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]], "float32")
    scores = np.array([[[0.1, 0.1, 0.1], [0.9, 0.8, 0.7]]], "float32")
    for name in ("multiclass_nms2", "packed_multiclass_nms"):
        assert BY_NAME[name](paddle.to_tensor(boxes), paddle.to_tensor(scores))[0].numpy()[:, 1].tolist() == scores[0, 1].tolist()


# ---- sequences ----
def test_rows_with_a_wanted_tag(either):
    x, tags = random(3, 2), np.array([[1], [2], [1]])
    out, weight, table = BY_NAME["filter_by_instag"](*map(paddle.to_tensor, (x, tags, np.array([1]))))[:3]
    np.testing.assert_array_equal(out.numpy(), x[[0, 2]])
    assert weight.numpy().ravel().tolist() == [1.0, 1.0] and table.tolist() == [[0, 0, 1], [1, 2, 1]]


def test_windows_of_pictures_of_several_sizes(either):
    x, kernel, stride, pads, shrink = random(2, 1, 6, 8), (2, 3), (1, 2), (1, 0, 2, 1), (2, 1)
    sizes = np.array([[7, 6], [12, 8]])
    rows, ends = BY_NAME["im2sequence"](paddle.to_tensor(x), paddle.to_tensor(sizes), kernel, stride, pads, shrink)[:2]
    wanted, counts = [], [0]
    for picture, (high, wide) in zip(x, sizes):
        padded = np.pad(picture[0], ((pads[0], pads[2]), (pads[1], pads[3])))
        tall, broad = math.ceil(high / shrink[0]) + pads[0] + pads[2], math.ceil(wide / shrink[1]) + pads[1] + pads[3]
        found = [padded[i:i + 2, j:j + 3].ravel() for i in range(0, tall - 1, stride[0]) for j in range(0, broad - 2, stride[1])]
        wanted += found
        counts.append(counts[-1] + len(found))
    np.testing.assert_array_equal(rows.numpy(), wanted)
    assert np.asarray(ends).tolist() == counts


# ---- quantization ----
def test_histograms_that_grow():
    high, counts = merged_histogram(np.array([-1.5]), 1.0, np.array([4.0, 2.0]), 2, 4)
    assert high == 1.5 and counts.tolist() == [5.0, 2.0]


def test_steps_get_back_what_rounding_took():
    x = random(3, 4)
    steps = np.round(quant_tensor(x, 0.9))
    back = steps * 0.9 / 127
    wanted = (back + (x - back).mean()) * (x.std() / back.std())
    np.testing.assert_allclose(bias_correction_w(x, steps, 0.9, 0) * 0.9 / 127, np.clip(wanted, -0.9, 0.9), rtol=1e-4)


def test_steps_of_the_last_axis(either):
    x, scale = random(2, 3, 4), np.array([1.0, 2.0, 3.0, 4.0], "float32")
    out = BY_NAME["dequantize_linear"](*map(paddle.to_tensor, (x, scale, np.zeros(4, "float32"))))
    np.testing.assert_allclose(out.numpy(), x * scale / 127, rtol=1e-6)


@pytest.mark.parametrize("queries, keys", [(3, 0), (0, 3), (0, 0)])
def test_attention_without_keys_or_queries(queries, keys):
    """A query that sees nothing gets 0, also where there is nothing to see."""
    q, k = paddle.ones([1, queries, 2, 4]), paddle.ones([1, keys, 2, 4])
    q.stop_gradient = k.stop_gradient = False
    out = paddle.nn.functional.scaled_dot_product_attention(q, k, k)
    assert out.shape == [1, queries, 2, 4] and not out.numpy().any()
    out.sum().backward()
    assert q.grad.shape == q.shape and k.grad.shape == k.shape and not q.grad.numpy().any() and not k.grad.numpy().any()


def test_poisson_of_a_number_is_a_number():
    x = paddle.to_tensor(4.0, stop_gradient=False)
    out = paddle.poisson(x)
    out.backward()
    assert (out.shape, x.grad.shape) == ([], [])


def test_whole_numbers_stay_whole_without_their_fraction():  # as in Paddle 2.6.2
    x = paddle.to_tensor([2 ** 60 + 1, -3])
    assert (paddle.trunc(x).dtype, paddle.trunc(x).tolist()) == (paddle.int64, [2 ** 60 + 1, -3])
    assert (paddle.frac(x).dtype, paddle.frac(x).tolist()) == (paddle.int64, [0, 0])


def test_losses_of_whole_numbers_are_computed_as_floats():  # values of Paddle 2.6.2
    x, y = paddle.to_tensor([2, -1]), paddle.to_tensor([1, 1])
    out = paddle.nn.functional.soft_margin_loss(x, y)
    assert out.dtype == paddle.float32 and out.item() == pytest.approx((np.log1p(np.exp(-2)) + np.log1p(np.exp(1))) / 2)
    out = paddle.nn.functional.cosine_embedding_loss(paddle.to_tensor([[1, 2]]), paddle.to_tensor([[3, 1]]), paddle.to_tensor([1]))
    assert out.item() == pytest.approx(1 - 5 / 50 ** 0.5, rel=1e-5)
    assert paddle.nn.functional.smooth_l1_loss(x, y, delta=0.5).item() == pytest.approx((0.5 * (1 - 0.25) + 0.5 * (2 - 0.25)) / 2)
    out = paddle.nn.functional.poisson_nll_loss(x, y)
    assert out.dtype == paddle.float32 and out.item() == pytest.approx((np.exp(2) - 2 + np.exp(-1) + 1) / 2)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_results_of_16_bits_that_no_input_has(kind):  # the library that computes the others gives no such arrays
    x = paddle.to_tensor([True, False])
    made = [paddle.zeros_like(x, dtype=kind), paddle.full_like(x, 1.5, dtype=kind), paddle.ones_like(paddle.rand([2]), dtype=kind),
            paddle.eye(2, dtype=kind)[0], paddle.linspace(0, 1, 2, dtype=kind)]
    assert [str(t.dtype) for t in made] == ["paddle." + kind] * 5
    assert [t.astype("float32").tolist() for t in made] == [[0, 0], [1.5, 1.5], [1, 1], [1, 0], [0, 1]]
    fill = paddle.jit.to_static(lambda v, m: paddle.masked_fill(v, m, 2.0))
    for _ in range(3):
        assert fill(paddle.ones([2]).astype(kind), x).astype("float32").tolist() == [2.0, 1.0]


@pytest.mark.parametrize("masked", [False, True])
def test_attention_in_float16_hides_what_is_behind(masked):
    q = np.random.RandomState(0).uniform(-1, 1, [1, 3, 2, 4])
    seen = np.tril(np.ones([3, 3], bool))
    rows = q.transpose(0, 2, 1, 3)
    scores = np.where(seen, rows @ rows.swapaxes(-1, -2) / 2, -np.inf)
    shares = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    expected = (shares @ rows).transpose(0, 2, 1, 3)

    def attend(x):
        mask = {"attn_mask": paddle.to_tensor(seen)} if masked else {"is_causal": True}
        return paddle.nn.functional.scaled_dot_product_attention(x, x, x, **mask)
    for call in (attend, paddle.jit.to_static(attend)):
        np.testing.assert_allclose(call(paddle.to_tensor(q.astype("float16"))).numpy(), expected, atol=2e-3)
