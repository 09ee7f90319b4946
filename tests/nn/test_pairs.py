"""A layer and the activation behind it in one call: the same numbers and gradients, and only where nobody can tell."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core.hooks import OpHook
from paddle.nn.layer import pairs

PAIRS = {"linear, relu": (lambda: (nn.Linear(6, 5), nn.ReLU()), (4, 6)),
         "linear without bias": (lambda: (nn.Linear(6, 5, bias_attr=False), nn.ReLU()), (4, 6)),
         "linear, gelu": (lambda: (nn.Linear(6, 5), nn.GELU()), (4, 3, 6)),
         "linear, gelu by tanh": (lambda: (nn.Linear(6, 5), nn.GELU(True)), (4, 6)),
         "norm, relu": (lambda: (nn.BatchNorm2D(5), nn.ReLU()), (4, 5, 3, 3)),
         "norm, relu6": (lambda: (nn.BatchNorm2D(5), nn.ReLU6()), (4, 5, 3, 3)),
         "norm of columns": (lambda: (nn.BatchNorm1D(5), nn.ReLU6()), (40, 5)),
         "channels last": (lambda: (nn.BatchNorm2D(5, data_format="NHWC"), nn.ReLU()), (4, 3, 3, 5)),
         "norm, tanh": (lambda: (nn.BatchNorm2D(5), nn.Tanh()), (4, 5, 3, 3))}


def apart(layers, x):
    for layer in layers:
        x = layer(x)
    return x


def made(name, scale=1.0):
    make, shape = PAIRS[name]
    paddle.seed(3)
    layers = make()
    x = paddle.to_tensor(np.random.RandomState(1).randn(*shape).astype("float32"), stop_gradient=False)
    for p in layers[0].parameters():
        p.set_value(p * scale + 0.3)
    return layers, x


def results(run, layers, x, training, grad):
    for layer in layers:
        layer.train() if training else layer.eval()
    with paddle.set_grad_enabled(grad):
        y = run(layers, x)
    found = [y, *(b for layer in layers for b in layer.buffers())]
    if grad:
        weights = paddle.to_tensor(np.random.RandomState(2).randn(*y.shape).astype("float32"))
        found += paddle.grad((y * y * weights).sum(), [x, *(p for p in layers[0].parameters() if not p.stop_gradient)])
    return [f.numpy() for f in found]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("name", PAIRS)
def test_as_one_by_one(name, training, grad):
    one = results(apart, *made(name, 4.0), training, grad)
    both = results(pairs.called, *made(name, 4.0), training, grad)
    for a, b in zip(one, both):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", ["norm, relu6", "linear, relu"])
def test_second_derivatives(name):
    found = []
    for run in (apart, pairs.called):
        layers, x = made(name)
        first, = paddle.grad((run(layers, x) ** 3).sum(), x, create_graph=True)
        found.append(paddle.grad((first * first).sum(), x)[0].numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-3, atol=1e-4)


class Counts(OpHook):
    def __init__(self):
        self.names = []

    def after(self, op, args, outs):
        self.names.append(op.name)


def test_who_looks_sees_both():
    layers, x = made("norm, relu")
    net, seen = nn.Sequential(*layers), []
    expected = net(x).numpy()
    handle = layers[0].register_forward_post_hook(lambda layer, given, out: seen.append(out.numpy().min()))
    np.testing.assert_allclose(net(x).numpy(), expected, rtol=1e-6, atol=1e-6)
    assert seen and seen[0] < 0
    handle.remove()
    layers[1].register_forward_pre_hook(lambda layer, given: seen.append(given[0].numpy().min()))
    net(x)
    assert len(seen) == 2 and seen[1] < 0
    layers[0].forward = lambda x: x * 0 - 1
    assert net(x).numpy().max() == 0


def test_a_hook_on_ops_sees_both():
    layers, x = made("linear, relu")
    counts = Counts()
    with counts:
        nn.Sequential(*layers)(x)
    assert "relu" in counts.names and "linear_act" not in counts.names


def test_another_forward():
    class Doubled(nn.Linear):
        def forward(self, x):
            return super().forward(x) * 2

    layers, x = made("linear, relu")
    other = Doubled(6, 5)
    other.set_state_dict(layers[0].state_dict())
    np.testing.assert_allclose(nn.Sequential(other, nn.ReLU())(x).numpy(), 2 * nn.Sequential(*layers)(x).numpy(), rtol=1e-5)


def test_errors_name_the_layer():
    layers, _ = made("norm, relu")
    with pytest.raises(ValueError) as caught:
        nn.Sequential(*layers)(paddle.ones([2, 4, 3, 3]))
    assert any("BatchNorm2D" in note for note in caught.value.__notes__)


def test_programs_have_both():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [4, 6])
        nn.Sequential(*made("linear, relu")[0])(x)
    assert [op.type for op in main.global_block().ops][-1] == "relu"


@pytest.mark.parametrize("grad", [True, False])
def test_queries_keys_and_values(grad):
    """Self-attention projects its input by one op; with other keys, hooks or layers by three."""
    paddle.seed(2)
    layer = nn.MultiHeadAttention(8, 2)
    x = paddle.to_tensor(np.random.RandomState(3).randn(2, 5, 8).astype("float32"), stop_gradient=False)
    found = []
    for given in ((x, x, x), (x, x * 1, x)):
        with paddle.set_grad_enabled(grad):
            y = layer(*given)
        parts = [y, *(paddle.grad((y * y).sum(), [x, *layer.parameters()]) if grad else ())]
        found.append([p.numpy() for p in parts])
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    seen = []
    layer.k_proj.register_forward_post_hook(lambda layer, given, out: seen.append(out.shape))
    layer(x)
    assert seen == [[2, 5, 8]]


def test_keys_of_a_subclass():
    class Shifted(nn.MultiHeadAttention):
        def compute_kv(self, key, value):
            k, v = super().compute_kv(key, value)
            return k, v + 1

    x = paddle.ones([1, 3, 8])
    layer = Shifted(8, 2, bias_attr=None)
    plain = nn.MultiHeadAttention(8, 2)
    plain.set_state_dict(layer.state_dict())
    assert abs((layer(x) - plain(x)).numpy()).max() > 1e-3
