"""Second derivatives of some 130 common functions and layers: Hessian times a direction, against differences.

In the released Paddle wheels 39 (2.6.2) and 51 (3.3.1) of these work; all of ours must.
"""

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

ELEMENTWISE = """
x + 2 * x; x - 1 / x; x * x; x / (x + 3); x ** 3; x ** -1; 2 ** x; paddle.pow(x, x); -x * x; paddle.exp(x)
paddle.expm1(x); paddle.log(x); paddle.log2(x); paddle.log10(x); paddle.log1p(x); paddle.sqrt(x); paddle.rsqrt(x)
paddle.square(x); paddle.reciprocal(x); paddle.abs(x) * x; paddle.sin(x); paddle.cos(x); paddle.tan(x)
paddle.asin(x / 4); paddle.acos(x / 4); paddle.atan(x); paddle.sinh(x); paddle.cosh(x); paddle.tanh(x)
paddle.asinh(x); paddle.acosh(x + 1); paddle.atanh(x / 4); paddle.erf(x); paddle.erfinv(x / 4); paddle.lgamma(x)
paddle.digamma(x); paddle.logit(x / 4); paddle.stanh(x); paddle.scale(x, 2.0, 1.0) * x; paddle.clip(x, 0.5, 1.5) * x
paddle.maximum(x, y) * x; paddle.minimum(x, y) * x; paddle.atan2(x, y); paddle.logaddexp(x, y); paddle.hypot(x, y)
paddle.lerp(x, x * x, 0.3); paddle.i0(x); paddle.fmax(x, y) * x; F.sigmoid(x); F.log_sigmoid(x); F.softplus(x)
F.softsign(x); F.silu(x); F.swish(x); F.mish(x); F.gelu(x); F.gelu(x, approximate=True); F.elu(-x); F.celu(-x)
F.selu(-x); F.relu(x) * x; F.relu6(x) * x; F.leaky_relu(x) * x; F.hardsigmoid(x) * x; F.hardswish(x)
F.hardtanh(x) * x; F.tanhshrink(x); F.softshrink(x) * x; F.thresholded_relu(x) * x; F.softmax(x); F.log_softmax(x)
F.softmax(x, axis=0); F.glu(x); F.normalize(x); F.maxout(x.reshape([1, 4, 3, 1]), 2) ** 2
"""
SHAPES = """
paddle.sum(x * x); paddle.mean(x * x); paddle.max(x) ** 2; paddle.min(x, axis=0) ** 2; paddle.prod(x)
paddle.amax(x) ** 2; paddle.logsumexp(x); paddle.std(x); paddle.var(x, axis=1); paddle.norm(x)
paddle.norm(x, p=3, axis=1); paddle.cumsum(x * x, 0); paddle.cumprod(x, 1); paddle.logcumsumexp(x, 1)
paddle.matmul(x, x.t()); paddle.bmm(z, z); paddle.dot(x[0], x[1]); paddle.einsum('ij,kj->ik', x, x); paddle.kron(x, x)
paddle.outer(x[0], x[1]); paddle.trace(x) ** 2; paddle.linalg.inv(s); paddle.linalg.det(s); paddle.linalg.cholesky(s)
paddle.linalg.solve(s, s[0]); paddle.linalg.slogdet(s)[1]; paddle.dist(x, y); paddle.cross(z[0], z[1])
paddle.reshape(x, [-1]) ** 2; paddle.transpose(x, [1, 0]) ** 2; paddle.concat([x, x * x]); paddle.stack([x, x * x])
paddle.split(x, 2, 1)[0] ** 2; paddle.flip(x, [0]) ** 2; paddle.roll(x, 1) ** 2; paddle.tile(x, [2, 1]) ** 2
paddle.expand(x, [2, 3, 4]) ** 2; paddle.gather(x, k) ** 2; paddle.index_select(x, k, 1) ** 2
paddle.scatter(x, k, y[:2] * x[:2]) ** 2; paddle.where(x > 1, x * x, x); paddle.masked_select(x, x > 1) ** 2
paddle.topk(x, 2)[0] ** 2; paddle.sort(x, axis=1) ** 2; x[1:, ::2] ** 2; x[k] ** 2; paddle.tril(x) ** 2
paddle.diag(x[0]) ** 2; F.pad(x, [1, 1, 0, 1]) ** 2; paddle.take_along_axis(x, k.reshape([1, 2]), 1) ** 2
paddle.median(x) ** 2; paddle.squeeze(x.unsqueeze(0)) ** 2
"""
NETWORKS = """
F.linear(x, y.t(), y[:, 0]) ** 2; F.mse_loss(x, y * x); F.l1_loss(x * x, y); F.smooth_l1_loss(x * x, y)
F.kl_div(F.log_softmax(x * y), F.softmax(y).detach()); F.cross_entropy(x * x, l); F.nll_loss(F.log_softmax(x), l)
F.binary_cross_entropy(F.sigmoid(x), y / 4); F.binary_cross_entropy_with_logits(x * x, y)
F.cosine_similarity(x, y * x); F.layer_norm(x, 4); F.embedding(k, x) ** 2; F.conv1d(z, z[:, :, :2])
F.conv2d(c, c[:, :, :2, :2]); F.conv2d_transpose(c, c[:, :, :2, :2].transpose([1, 0, 2, 3])); F.max_pool2d(c, 2) ** 2
F.avg_pool2d(c, 2) ** 2; F.adaptive_avg_pool2d(c, 2) ** 2; F.interpolate(c, scale_factor=2, mode='bilinear') ** 2
F.unfold(c, 2) ** 2; F.batch_norm(c, m, m + 1, training=True); F.instance_norm(c); F.local_response_norm(c, 3)
F.pixel_shuffle(x.reshape([1, 4, 3, 1]), 2) ** 2; layer(nn.BatchNorm2D(2), c); layer(nn.GroupNorm(1, 2), c)
layer(nn.LayerNorm(3), c); layer(nn.Conv2D(2, 3, 2), c); layer(nn.Linear(4, 2), x) ** 2; layer(nn.LSTM(3, 2), z)[0]
layer(nn.GRU(3, 2), z)[0]; layer(nn.SimpleRNN(3, 2), z)[0]; layer(nn.MultiHeadAttention(4, 2), x.unsqueeze(0))
layer(nn.TransformerEncoderLayer(4, 2, 8, 0.0), x.unsqueeze(0)); layer(nn.Embedding(5, 4), l) * x
layer(nn.Bilinear(4, 4, 2), x, x); layer(nn.PReLU(), x - 1) * x
"""


def expressions(text):
    return [item.strip() for line in text.strip().splitlines() for item in line.split(";")]


ALL = [*expressions(ELEMENTWISE), *expressions(SHAPES), *expressions(NETWORKS)]


def layer(module, *inputs):
    """The layer with weights that are neither random nor equal."""
    for number, parameter in enumerate(module.parameters()):
        count = int(np.prod(parameter.shape))
        parameter.set_value((np.sin(np.arange(count) + number) * 0.5).reshape(parameter.shape).astype("float64"))
    return module(*inputs)


def scope(values):
    """Names of the expressions, all made from the twelve numbers under differentiation (and constants)."""
    x = paddle.to_tensor(values, stop_gradient=False)
    square = x[:, :3]
    return x, {
        "paddle": paddle, "F": F, "nn": nn, "layer": layer, "x": x,
        "y": paddle.to_tensor(np.cos(np.arange(12.0)).reshape(3, 4) * 0.4 + 1.2),
        "z": paddle.stack([square, square * square]),
        "s": square.matmul(square.t()) + 3 * paddle.eye(3, dtype="float64"),
        "c": paddle.concat([x.flatten(), (x * x).flatten()])[:18].reshape([1, 2, 3, 3]),
        "k": paddle.to_tensor([2, 0]), "l": paddle.to_tensor([1, 3, 0]), "m": paddle.ones([2], dtype="float64"),
    }


def gradient(text, values, create_graph):
    x, names = scope(values)
    out = eval(text, names)  # noqa: S307, the expressions stand above
    weights = paddle.to_tensor(np.cos(np.arange(out.size)).reshape(out.shape))
    (first,) = paddle.grad([(out * weights).sum()], [x], create_graph=create_graph)
    return x, first


@pytest.fixture(autouse=True)
def float64():
    paddle.set_default_dtype("float64")
    yield
    paddle.set_default_dtype("float32")


@pytest.mark.parametrize("text", ALL)
def test_second_derivative(text):
    values = 0.6 + 1.5 * np.random.RandomState(3).permutation(12).reshape(3, 4) / 11
    direction = np.sin(np.arange(12.0) + 1).reshape(3, 4)
    x, first = gradient(text, values, create_graph=True)
    (second,) = paddle.grad([(first * paddle.to_tensor(direction)).sum()], [x], allow_unused=True)
    step = 1e-5
    ahead, behind = (gradient(text, values + sign * step * direction, False)[1].numpy() for sign in (1, -1))
    expected = (ahead - behind) / (2 * step)
    found = np.zeros_like(expected) if second is None else second.numpy()
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-7 * max(1.0, np.abs(ahead).max()))


def test_list_is_long_enough():
    assert len(ALL) >= 130
