"""The earlier interface of quantization: the numbers of real Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle import quantization

DRAW = np.random.RandomState(1)
BATCHES = [DRAW.randn(5, 1, 8, 8).astype("float32") * (1 + k) for k in range(3)]
LABELS = DRAW.randint(0, 3, (5,))


def network():
    net, draw = paddle.nn.Sequential(paddle.nn.Conv2D(1, 4, 3), paddle.nn.ReLU(), paddle.nn.Flatten(),
                                     paddle.nn.Linear(144, 3)), np.random.RandomState(0)
    for parameter in net.parameters():
        parameter.set_value((draw.randn(*parameter.shape) * 0.2).astype("float32"))
    return net


@pytest.mark.parametrize("way, losses, row", [
    ("abs_max", [1.39101, 1.03318, 0.77315, 0.59839], [-1.2082, -0.2965, 0.3825]),
    ("channel_wise_abs_max", [1.39491, 1.03628, 0.78204, 0.5999], [-1.2088, -0.3134, 0.3915])])
def test_training(way, losses, row, tmp_path):
    net, x, y = network(), paddle.to_tensor(BATCHES[0]), paddle.to_tensor(LABELS)
    task = quantization.ImperativeQuantAware(weight_quantize_type=way)
    assert task.quantize(net) is net
    sgd, found = paddle.optimizer.SGD(0.05, parameters=net.parameters()), []
    for _ in range(4):
        loss = paddle.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        found.append(float(loss))
    np.testing.assert_allclose(found, losses, atol=2e-5)
    net.eval()
    np.testing.assert_allclose(net(x)[0].numpy(), row, atol=2e-4)
    task.save_quantized_model(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 1, 8, 8])])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x).numpy(), net(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("reads, weights, thresholds, row", [
    ("KLQuantizer", "AbsmaxQuantizer", [[9.9759, 6.005], [4.32347, 7.569]], [-0.8440, -0.4988, 0.6879]),
    ("KLQuantizer", "PerChannelAbsmaxQuantizer", [[9.9759, 6.005], [4.32347, 7.569]], [-0.8444, -0.4920, 0.6515]),
    ("HistQuantizer", "PerChannelAbsmaxQuantizer", [[9.95623, 6.91413], [6.91413, 9.52078]], [-0.7557, -0.4509, 0.6735]),
    ("AbsmaxQuantizer", "AbsmaxQuantizer", [[9.96324, 6.91839], [6.91839, 9.52873]], [-0.8225, -0.4324, 0.6161])])
def test_calibration(reads, weights, thresholds, row, tmp_path):
    net = network()
    net.eval()
    task = quantization.ImperativePTQ(quantization.PTQConfig(getattr(quantization, reads)(), getattr(quantization, weights)()))
    watched = task.quantize(net)
    for batch in BATCHES:
        watched(paddle.to_tensor(batch))
    configs = [layer._quant_config for layer in watched.sublayers() if hasattr(layer, "_quant_config")]
    task.save_quantized_model(watched, str(tmp_path / "net"), [paddle.static.InputSpec([None, 1, 8, 8])])
    found = [c.in_act_quantizer.thresholds + c.out_act_quantizer.thresholds for c in configs]
    np.testing.assert_allclose(found, thresholds, atol=2e-5)
    saved = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_allclose(saved(paddle.to_tensor(BATCHES[0]))[0].numpy(), row, atol=2e-4)
    assert not hasattr(net[0], "_quant_config")  # it was a copy


def test_what_is_not_supported_is_named():
    with pytest.raises(NotImplementedError, match="Conv2DTranspose"):
        quantization.ImperativeQuantAware().quantize(paddle.nn.Sequential(paddle.nn.Conv2DTranspose(1, 1, 2)))
    with pytest.raises(NotImplementedError, match="fuse"):
        quantization.ImperativePTQ().quantize(network(), fuse=True)
    with pytest.raises(RuntimeError, match="nothing passed"):
        task = quantization.ImperativePTQ()
        task._convert(task.quantize(network()))
    with pytest.raises(TypeError, match="activation_quantizer"):
        quantization.PTQConfig(quantization.PerChannelAbsmaxQuantizer(), quantization.AbsmaxQuantizer())
