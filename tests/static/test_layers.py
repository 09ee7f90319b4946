"""Layers in programs, with an unknown batch size: what they give eagerly, in training and in test mode."""

import numpy as np
import pytest

import paddle
from paddle import nn, static


def array(*shape, seed=0):
    return np.random.RandomState(seed).uniform(0.1, 1, shape).astype("float32")


IMAGE, ROWS, LINE = (2, 4, 8, 8), (3, 6), (2, 5, 6)
LAYERS = {
    "Linear": (lambda: nn.Linear(6, 3), ROWS), "Conv1D": (lambda: nn.Conv1D(5, 4, 3), LINE),
    "Conv2D": (lambda: nn.Conv2D(4, 6, 3, stride=2, padding=1, groups=2), IMAGE),
    "Conv2D_nhwc": (lambda: nn.Conv2D(8, 6, 3, data_format="NHWC"), IMAGE),
    "Conv2DTranspose": (lambda: nn.Conv2DTranspose(4, 3, 3, stride=2), IMAGE),
    "Conv3D": (lambda: nn.Conv3D(2, 3, 2), (2, 2, 4, 4, 4)),
    "MaxPool2D": (lambda: nn.MaxPool2D(3, 2, padding=1), IMAGE), "AvgPool2D": (lambda: nn.AvgPool2D(2, ceil_mode=True), IMAGE),
    "AdaptiveAvgPool2D": (lambda: nn.AdaptiveAvgPool2D((3, 5)), IMAGE),
    "AdaptiveMaxPool2D": (lambda: nn.AdaptiveMaxPool2D(2), IMAGE),
    "BatchNorm2D": (lambda: nn.BatchNorm2D(4), IMAGE), "BatchNorm1D": (lambda: nn.BatchNorm1D(6), ROWS),
    "LayerNorm": (lambda: nn.LayerNorm([8, 8]), IMAGE), "GroupNorm": (lambda: nn.GroupNorm(2, 4), IMAGE),
    "InstanceNorm2D": (lambda: nn.InstanceNorm2D(4), IMAGE), "LocalResponseNorm": (lambda: nn.LocalResponseNorm(3), IMAGE),
    "LSTM": (lambda: nn.LSTM(6, 4, 2, direction="bidirect"), LINE), "GRU": (lambda: nn.GRU(6, 4), LINE),
    "SimpleRNN": (lambda: nn.SimpleRNN(6, 4, time_major=True), LINE),
    "PReLU": (lambda: nn.PReLU(4), IMAGE), "ReLU": (nn.ReLU, IMAGE), "GELU": (nn.GELU, ROWS), "Hardswish": (nn.Hardswish, ROWS),
    "Softmax": (nn.Softmax, ROWS), "Flatten": (nn.Flatten, IMAGE), "Pad2D": (lambda: nn.Pad2D([1, 2, 0, 1], "reflect"), IMAGE),
    "Upsample": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE), "PixelShuffle": (lambda: nn.PixelShuffle(2), IMAGE),
    "Sequential": (lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)), ROWS),
    "MultiHeadAttention": (lambda: nn.MultiHeadAttention(6, 2), LINE),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(6, 2, 12, dropout=0.0), LINE),
}


def first(out):
    return out[0] if isinstance(out, (list, tuple)) else out


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("name", LAYERS)
def test_layer(name, mode):
    make, shape = LAYERS[name]
    paddle.seed(3)
    eager = make()
    getattr(eager, mode)()
    paddle.enable_static()
    x = static.data("x", [None, *shape[1:]])
    x.stop_gradient = False
    layer = make()
    getattr(layer, mode)()
    y = first(layer(x))
    parameters = [p for p in layer.parameters() if not p.stop_gradient]
    gradients = static.gradients(paddle.sum(y * y), [x, *parameters])
    exe = static.Executor()
    exe.run(static.default_startup_program())
    pairs = list(zip([*layer.parameters(), *layer.buffers()], [*eager.parameters(), *eager.buffers()]))
    for mine, other in pairs:
        if isinstance(mine, static.Variable):
            static.global_scope().set(mine.name, other.numpy().copy())
    a = array(*shape)
    fetched = [g for g in gradients if g is not None]
    got = exe.run(feed={"x": a}, fetch_list=[y, *fetched])
    assert len(y.shape) == got[0].ndim and all(n in (-1, m) for n, m in zip(y.shape, got[0].shape))
    paddle.disable_static()
    t = paddle.to_tensor(a, stop_gradient=False)
    out = first(eager(t))
    np.testing.assert_allclose(got[0], out.numpy(), rtol=1e-4, atol=1e-5)
    paddle.sum(out * out).backward()
    wanted = [t.grad, *[p.grad for p in eager.parameters() if not p.stop_gradient]]
    assert [g is None for g in gradients] == [g is None for g in wanted]
    for g, w in zip(got[1:], (w for w in wanted if w is not None)):
        np.testing.assert_allclose(g, w.numpy(), rtol=2e-3, atol=2e-4)
    for mine, other in pairs:  # running statistics
        if isinstance(mine, static.Variable) and not mine.trainable:
            np.testing.assert_allclose(static.global_scope().get(mine.name), other.numpy(), rtol=1e-5, atol=1e-6)


def test_losses_in_programs(static_mode):
    x, label = static.data("x", [None, 5]), static.data("label", [None], "int64")
    z = static.data("z", [None, 5])
    losses = [nn.CrossEntropyLoss()(x, label), nn.MSELoss()(x, z), nn.L1Loss()(x, z), nn.BCEWithLogitsLoss()(x, z),
              nn.SmoothL1Loss()(x, z), nn.KLDivLoss()(x, z), nn.NLLLoss()(x, label)]
    feed = {"x": array(4, 5), "z": array(4, 5, seed=1), "label": np.array([0, 1, 2, 4])}
    got = static.Executor().run(feed=feed, fetch_list=losses)
    paddle.disable_static()
    x, z, label = (paddle.to_tensor(feed[n]) for n in ("x", "z", "label"))
    expected = [nn.CrossEntropyLoss()(x, label), nn.MSELoss()(x, z), nn.L1Loss()(x, z), nn.BCEWithLogitsLoss()(x, z),
                nn.SmoothL1Loss()(x, z), nn.KLDivLoss()(x, z), nn.NLLLoss()(x, label)]
    for g, e in zip(got, expected):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-5, atol=1e-6)
