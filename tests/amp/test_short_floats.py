"""float16 and bfloat16 hold numbers; their sums, norms and losses are made in float32 and rounded once.

Each case is compared with NumPy in double precision on the same (rounded) inputs; gradients with those of float64.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import kernels

pytest.importorskip("ml_dtypes")
LAST = {"bfloat16": 2.0 ** -8, "float16": 2.0 ** -11}  # half a unit in the last place, relative
shorts = pytest.mark.parametrize("dtype", LAST)


def data(*shape, seed=0, shift=0.0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32") + np.float32(shift)


X, IDS = data(3000, 6, shift=0.5), np.sort(np.random.default_rng(1).integers(0, 3, 3000))
LABELS = np.random.default_rng(2).integers(0, 6, (3000,))
IMAGES = data(4, 6, 20, 20, shift=3.0)
T = paddle.to_tensor

CASES = {
    "sum": (lambda x: x.sum(0), X), "sum of all": (lambda x: x.sum(), X), "mean": (lambda x: x.mean(0), X),
    "mean, keepdim": (lambda x: x.mean(0, keepdim=True), X), "logsumexp": (lambda x: paddle.logsumexp(x, 0), X),
    "p_norm": (lambda x: paddle.norm(x, 2, 0), X), "var": (lambda x: x.var(0), X), "std": (lambda x: x.std(0), X),
    "prod": (lambda x: paddle.prod(x, 0), 1 + data(300, 3) / 100),
    "cumsum": (lambda x: paddle.cumsum(x, 0)[-1], X),
    "softmax": (lambda x: F.softmax(x.t())[:, :50], X), "log_softmax": (lambda x: F.log_softmax(x.t())[:, :50], X),
    "cross_entropy": (lambda x: F.cross_entropy(x, T(LABELS)), X),
    "soft cross_entropy": (lambda x: F.cross_entropy(x, F.softmax(x.detach() * 2), soft_label=True), X),
    "nll_loss": (lambda x: F.nll_loss(F.log_softmax(x), T(LABELS)), X),
    "mse_loss": (lambda x: F.mse_loss(x, x.detach() * 0), X), "l1_loss": (lambda x: F.l1_loss(x, x.detach() * 0), X),
    "smooth_l1_loss": (lambda x: F.smooth_l1_loss(x, x.detach() * 0), X),
    "layer_norm": (lambda x: F.layer_norm(x.t(), [3000])[:, :50], X),
    "batch_norm": (lambda x: F.batch_norm(x, T(np.zeros(6, "f")), T(np.ones(6, "f")), training=True), IMAGES),
    "group_norm": (lambda x: F.group_norm(x, 2), IMAGES), "instance_norm": (lambda x: F.instance_norm(x), IMAGES),
    "segment_sum": (lambda x: paddle.geometric.segment_sum(x, T(IDS)), X),
    "segment_mean": (lambda x: paddle.geometric.segment_mean(x, T(IDS)), X),
    "index_add": (lambda x: paddle.index_add(x[:3], T(IDS[3:]), 0, x[3:]), X),
    "scatter_nd_add": (lambda x: paddle.scatter_nd_add(x[:3], T(IDS[3:, None]), x[3:]), X),
    "matmul": (lambda x: x.t() @ x, X), "dot": (lambda x: paddle.dot(x[:, 0], x[:, 1]), X),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 20), IMAGES), "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 1), IMAGES),
    "conv2d": (lambda x: F.conv2d(x, x[:3, :, :5, :5].detach() / 20), IMAGES),
}


def run(function, x, dtype, weights=None):
    """Value, and gradient of its product with ``weights``, in double precision."""
    x = paddle.to_tensor(x).astype(dtype)
    x.stop_gradient = False
    y = function(x)
    if dtype != "float64":
        assert y.dtype == x.dtype
    if weights is None:
        weights = data(*y.shape, seed=5, shift=1.0)
    (y * paddle.to_tensor(weights).astype(dtype)).sum().backward()
    return y.astype("float64").numpy(), x.grad.astype("float64").numpy(), weights


@shorts
@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient(name, dtype):
    function, x = CASES[name]
    rounded = paddle.to_tensor(x).astype(dtype).astype("float32").numpy()
    y, dx, weights = run(function, rounded, dtype)
    weights = paddle.to_tensor(weights).astype(dtype).astype("float32").numpy()
    expected, d_expected, _ = run(function, rounded, "float64", weights)
    limit = 6 * LAST[dtype]  # a few roundings, whatever the number of terms
    scale = max(np.abs(expected).max(), 1e-3)
    assert np.abs(y - expected).max() <= limit * scale
    assert np.abs(dx - d_expected).max() <= 2 * limit * max(np.abs(d_expected).max(), 1e-3)


@shorts
def test_without_fast_kernels(dtype):
    before = kernels.use(False)
    try:
        ones = paddle.full([100_000], 1, dtype)
        assert float(ones.mean()) == 1 and float(F.layer_norm(ones.reshape([2, 50_000]), [50_000]).abs().max()) == 0
        assert float(paddle.full([10_000], 1, dtype).sum()) == pytest.approx(10_000, rel=LAST[dtype])
    finally:
        kernels.use(before)


def test_layer_norm_of_large_float16():
    x = np.tile(np.array([200, -200], "float16"), (2, 32))
    np.testing.assert_allclose(F.layer_norm(paddle.to_tensor(x), [64]).numpy(), x / 200)


def test_statistics_of_a_norm_are_float32():
    norm = paddle.nn.BatchNorm2D(6)
    norm(paddle.to_tensor(IMAGES).astype("bfloat16"))
    assert norm._mean.dtype == paddle.float32
    expected = 0.1 * paddle.to_tensor(IMAGES).astype("bfloat16").astype("float64").numpy().mean((0, 2, 3))
    np.testing.assert_allclose(norm._mean.numpy(), expected, rtol=1e-5)


def test_bias_gradient_of_a_large_batch_in_o2():
    layer = paddle.nn.Linear(32, 8)
    layer = paddle.amp.decorate(layer, level="O2", dtype="bfloat16")
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16"):
        loss = (layer(paddle.randn([4096, 32])) * 8).mean()
    loss.backward()
    np.testing.assert_array_equal(layer.bias.grad.astype("float32").numpy(), np.ones(8, "f"))


@pytest.mark.parametrize("function", [paddle.matmul, paddle.add, paddle.maximum])
def test_two_short_types_meet_in_float32(function):
    """As in Paddle's table of promotions: neither type holds the other's numbers."""
    y = function(paddle.ones([2, 2], "float16"), paddle.ones([2, 2], "bfloat16"))
    assert y.dtype == paddle.float32


def test_training_in_bfloat16_follows_float32():
    losses = {}
    for level in ("O0", "O1", "O2"):
        paddle.seed(3)
        net = paddle.nn.Sequential(paddle.nn.Conv2D(6, 8, 3), paddle.nn.BatchNorm2D(8), paddle.nn.ReLU(), paddle.nn.MaxPool2D(2, 2),
                                   paddle.nn.Flatten(), paddle.nn.Linear(648, 3))
        optimizer = paddle.optimizer.SGD(0.05, parameters=net.parameters())
        if level == "O2":
            net, optimizer = paddle.amp.decorate(net, optimizer, level="O2", dtype="bfloat16")
        for _ in range(5):
            with paddle.amp.auto_cast(level != "O0", level=level if level != "O0" else "O1", dtype="bfloat16"):
                loss = F.cross_entropy(net(paddle.to_tensor(IMAGES)), paddle.to_tensor([0, 1, 2, 0]))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        losses[level] = float(loss)
    assert losses["O1"] == pytest.approx(losses["O0"], rel=0.1, abs=0.02)
    assert losses["O2"] == pytest.approx(losses["O0"], rel=0.1, abs=0.02)


# ---- long float32 sums ---------------------------------------------------------------------------------------------------

def test_long_float32_sums_keep_their_digits():
    tenths = paddle.full([1_000_000, 4], 0.1)
    exact = float(np.float32(0.1))
    for mean in (tenths.mean(0), tenths.mean(0, keepdim=True), tenths.mean()):
        np.testing.assert_allclose(mean.numpy(), exact, rtol=2e-6)
    assert float(paddle.cumsum(paddle.full([3_000_000], 0.1))[-1]) == pytest.approx(3_000_000 * exact, rel=1e-6)
    constant = paddle.full([1000, 1000], 1e6)
    for x in (constant.var(), constant.var(0).max(), constant.std(1).max(), paddle.full([777], 0.1).var()):
        assert float(x) <= 1e-14


def test_bias_gradient_of_a_long_float32_batch():
    bias = paddle.zeros([4])
    bias.stop_gradient = False
    (paddle.zeros([1_000_000, 4]) + bias).scale(0.1).sum().backward()
    np.testing.assert_allclose(bias.grad.numpy(), 1_000_000 * float(np.float32(0.1)), rtol=1e-6)


def test_references_keep_their_digits_too():
    before = kernels.use(False)
    try:
        assert float(paddle.full([300_000, 2], 0.1).mean(0)[0]) == pytest.approx(float(np.float32(0.1)), rel=1e-6)
        assert float(paddle.full([300_000, 2], 0.1).sum(0)[0]) == pytest.approx(30000, rel=1e-6)
    finally:
        kernels.use(before)


def test_arrays_of_bfloat16_are_its_bits():
    """As in Paddle 2.6.2, where 1.5 and 2 are 16320 and 16384; an explicit type asks for the values."""
    x = paddle.to_tensor([1.5, 2.0], dtype="bfloat16")
    assert x.numpy().dtype == np.uint16 and x.numpy().tolist() == np.asarray(x).tolist() == x.tolist() == [16320, 16384]
    assert x.numpy("float32").tolist() == np.asarray(x, "float32").tolist() == [1.5, 2.0] and x[0].item() == 1.5
    assert x.numpy(dtype="bfloat16").dtype.name == "bfloat16"
    again = paddle.to_tensor(x.numpy())
    assert again.dtype == paddle.bfloat16 and again.numpy("float32").tolist() == [1.5, 2.0]
    again.set_value(x.numpy()[::-1].copy())
    assert again.numpy("float32").tolist() == [2.0, 1.5]
    layer = paddle.nn.Linear(1, 1)
    layer.bfloat16()
    layer.set_state_dict({"weight": x.numpy()[:1].reshape(1, 1)})
    assert layer.weight.item() == 1.5
