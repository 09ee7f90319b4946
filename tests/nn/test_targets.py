"""Losses take no gradient for what a prediction is compared with. All numbers were recorded from Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.nn import functional as F

LOSSES = {  # the gradient of the prediction, that of the target
    "binary_cross_entropy_with_logits": (F.binary_cross_entropy_with_logits, [0.13722125, -0.22491698], None),
    "weighed": (lambda x, y: F.binary_cross_entropy_with_logits(x, y, weight=paddle.to_tensor([2.0, 3.0])),
                [0.2744425, -0.6747509], None),
    "binary_cross_entropy": (lambda x, y: F.binary_cross_entropy(F.sigmoid(x), y), [0.13722125, -0.22491696], None),
    "kl_div": (F.kl_div, [-0.15, -0.45], None),
    "log_loss": (lambda x, y: F.log_loss(F.sigmoid(x).unsqueeze(1), y.unsqueeze(1)).sum(), [0.27437025, -0.44973227], None),
    "soft cross_entropy": (lambda x, y: F.cross_entropy(x.unsqueeze(0), y.unsqueeze(0), soft_label=True),
                           [0.32245934, -0.52245927], None),
    "softmax_with_cross_entropy": (lambda x, y: F.softmax_with_cross_entropy(x.unsqueeze(0), y.unsqueeze(0), soft_label=True).sum(),
                                   [0.32245934, -0.52245927], None),
    "sigmoid_focal_loss": (F.sigmoid_focal_loss, [0.09373102, -0.08924235], [-0.17961037, -0.08827502]),
    "mse_loss": (F.mse_loss, [0.0, -1.1], [0.0, 1.1]),
    "multi_label_soft_margin_loss": (lambda x, y: F.multi_label_soft_margin_loss(x.unsqueeze(0), y.unsqueeze(0)),
                                     [0.13722125, -0.22491696], [-0.15, 0.1]),
}


def check(gradient, expected):
    if expected is None:
        assert gradient is None
    else:
        np.testing.assert_allclose(gradient, expected, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("translated", [False, True])
@pytest.mark.parametrize("name", LOSSES)
def test_gradients_of_prediction_and_target(name, translated):
    loss, of_x, of_y = LOSSES[name]
    x, y = (paddle.to_tensor(v, stop_gradient=False) for v in ([0.3, -0.2], [0.3, 0.9]))
    (paddle.jit.to_static(loss) if translated else loss)(x, y).backward()
    check(x.grad, of_x)
    if translated and of_y is None:
        assert y.grad is None or not y.grad.any()
    else:
        check(y.grad, of_y)


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_in_programs(name):
    loss, of_x, of_y = LOSSES[name]
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x, y = (paddle.static.data(name, [2]) for name in "xy")
            x.stop_gradient = y.stop_gradient = False
            found = paddle.static.gradients(loss(x, y), [x, y])
        executor = paddle.static.Executor()
        feed = {"x": np.float32([0.3, -0.2]), "y": np.float32([0.3, 0.9])}
        results = iter(executor.run(main, feed, [g for g in found if g is not None]))
        for gradient, expected in zip(found, (of_x, of_y)):
            check(gradient if gradient is None else next(results), expected)
    finally:
        paddle.disable_static()


def test_the_old_batch_norm_starts_in_eval_mode():  # as in Paddle 3.3.1
    x = paddle.to_tensor(np.random.RandomState(0).randn(2, 3, 4, 5).astype("float32") * 3 + 1)
    norm = paddle.nn.BatchNorm(3, is_test=True)
    np.testing.assert_allclose(norm(x).mean(), 1.3978283, rtol=1e-6)
    assert not norm.training and not norm._mean.any()
    norm.train()
    np.testing.assert_allclose(norm(x).mean(), 0, atol=1e-6)
    np.testing.assert_allclose(norm._mean.sum(), 0.41935071, rtol=1e-6)


@pytest.mark.parametrize(("x", "weight", "given", "like"), [
    ([1, 4, 6, 6], [4, 4, 3, 3], {"padding": [1, 1], "padding_algorithm": "EXPLICIT"}, {"padding": 1}),
    ([1, 4, 6, 6], [4, 1, 3, 3], {"op_type": "depthwise_conv2d", "groups": 4, "stride": [2, 2]}, {"groups": 4, "stride": 2}),
    ([1, 6, 6, 4], [3, 4, 3, 3], {"padding_algorithm": "SAME", "data_format": "NHWC", "channel_dim": 3},
     {"padding": "SAME", "data_format": "NHWC"}),
    ([1, 2, 4, 4, 4], [2, 2, 3, 3, 3], {"op_type": "conv3d", "data_format": "NCDHW"}, {}),
])
def test_convolutions_under_paddles_own_name(x, weight, given, like):
    x, weight, bias = paddle.rand(x), paddle.rand(weight), paddle.rand(weight[:1])
    expected = (F.conv3d if x.ndim == 5 else F.conv2d)(x, weight, bias, **like)
    assert F.conv._conv_nd(x, weight, bias=bias, use_cudnn=True, **given).equal_all(expected)
