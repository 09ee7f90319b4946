"""What the recordings of tests/oracle/cases/quantization.py leave out."""

import pathlib

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn.quant import Stub
from paddle.nn.quant.qat import QuantedConv2D, QuantedLinear
from paddle.quantization import PTQ, QAT, BaseQuanter, QuantConfig, quanter
from paddle.quantization.observers import AbsmaxObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver

FAKE = FakeQuanterWithAbsMaxObserver()


def test_gradients_pass_as_if_nothing_were_rounded():
    layer = FAKE._instance(None)
    x = paddle.to_tensor([[0.3, -0.8]], stop_gradient=False)
    out = layer(x)
    (out * paddle.to_tensor([[2.0, 5.0]])).sum().backward()
    assert x.grad.tolist() == [[2.0, 5.0]]
    steps = out.numpy() / layer.scales().numpy() * 127
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-4)
    assert not any(p.trainable for p in layer.parameters())


def test_evaluation_leaves_the_scale():
    layer = FAKE._instance(None)
    layer(paddle.ones([2]) * 3)
    layer.eval()
    before = layer.scales().numpy().copy()
    layer(paddle.ones([2]) * 100)
    np.testing.assert_array_equal(layer.scales().numpy(), before)


def test_a_model_learns_while_it_is_rounded():
    paddle.seed(3)
    x = paddle.rand([64, 4])
    y = (x.sum(1, keepdim=True) > 2).astype("float32")
    net = QAT(QuantConfig(FAKE, FAKE)).quantize(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)))
    adam = paddle.optimizer.Adam(0.02, parameters=net.parameters())
    losses = []
    for _ in range(60):
        loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_converted_models_are_near_and_can_be_saved(tmp_path):
    net = nn.Sequential(nn.Conv2D(1, 4, 3, padding=1, padding_mode="reflect"), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
    net.eval()
    ptq = PTQ(QuantConfig(AbsmaxObserver(), AbsmaxObserver()))
    prepared = ptq.quantize(net)
    x = paddle.rand([8, 1, 4, 4])
    np.testing.assert_array_equal(prepared(x).numpy(), net(x).numpy())  # observers change nothing
    converted = ptq.convert(prepared)
    weight = converted[0].weight.numpy()
    np.testing.assert_array_equal(weight, np.round(weight))  # numbers of steps
    assert np.abs(weight).max() == 127
    near, exact = converted(x).numpy(), net(x).numpy()
    assert 0 < np.abs(near - exact).max() < 0.05 * np.abs(exact).max()
    paddle.jit.save(converted, str(tmp_path / "m"), [paddle.static.InputSpec([None, 1, 4, 4], "float32")])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), near, rtol=1e-5, atol=1e-6)
    with pytest.raises(RuntimeError, match="converted already"):
        converted[0]._convert()


@pytest.mark.parametrize("name", ["calibrated", "trained"])
def test_quantized_models_of_real_paddle(name):
    """Models that Paddle 2.6.2 exported, and what it computed with them (record_quantized.py)."""
    data = pathlib.Path(__file__).parent / "data"
    recorded = np.load(data / "outputs.npz")
    found = paddle.jit.load(str(data / name))(paddle.to_tensor(recorded["x"]))
    np.testing.assert_allclose(found.numpy(), recorded[name], rtol=1e-5, atol=1e-6)


def test_models_still_in_training_can_be_saved(tmp_path):
    net = QAT(QuantConfig(FAKE, FAKE)).quantize(nn.Sequential(nn.Linear(4, 3)))
    x = paddle.rand([2, 4])
    net(x)
    net.eval()
    paddle.jit.save(net, str(tmp_path / "m"), [paddle.static.InputSpec([None, 4], "float32")])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), net(x).numpy(), rtol=1e-6)


def test_the_given_model_is_left_alone_unless_in_place():
    net = nn.Sequential(nn.Linear(2, 2))
    qat = QAT(QuantConfig(FAKE, FAKE))
    assert type(qat.quantize(net)[0]) is QuantedLinear and type(net[0]) is nn.Linear
    assert qat.quantize(net, inplace=True) is net and type(net[0]) is QuantedLinear
    converted = qat.convert(net)
    assert converted is not net and not net[0].converted and converted[0].converted


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(1, 2, 1)
        self.stub, self.own = Stub(), Stub(AbsmaxObserver())
        self.block = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))

    def forward(self, x):
        return self.block(self.own(self.stub(self.conv(x).mean([2, 3])) * 2))


def kinds(net):
    return {name: type(layer).__name__ for name, layer in net.named_sublayers()}


def test_stubs():
    net = QAT(QuantConfig(FAKE, None)).quantize(Net())
    found = kinds(net)
    assert found["stub"] == "QuanterStub" and found["stub._observer"] == "FakeQuanterWithAbsMaxObserverLayer"
    assert found["own._observer"] == "AbsmaxObserverLayer" and "conv.weight_quanter" not in found
    assert net(paddle.ones([1, 1, 2, 2])).shape == [1, 2]
    assert kinds(QAT(QuantConfig(None, None)).quantize(Net())) == kinds(Net())


def test_what_is_said_of_parents_leaves_and_classes():
    net, config = Net(), QuantConfig(None, None)
    config.add_layer_config(net.block, FAKE, FAKE)
    found = kinds(QAT(config).quantize(net))
    assert found["conv"] == "Conv2D" and found["block.0"] == found["block.1"] == "QuantedLinear"
    config = QuantConfig(FAKE, FAKE)
    config.add_customized_leaf(nn.Sequential)
    found = kinds(QAT(config).quantize(Net()))
    assert found["block"] == "ObserveWrapper" and found["block._observed.0"] == "Linear"

    class Other(QuantedConv2D):
        pass

    config.add_qat_layer_mapping(nn.Conv2D, Other)
    assert kinds(QAT(config).quantize(Net()))["conv"] == "Other"
    assert config.default_qat_layer_mapping[nn.Conv2D] is QuantedConv2D


@quanter("Halves")
class HalvesLayer(BaseQuanter):
    """Rounds to halves."""

    def __init__(self, layer, factor=2.0):
        super().__init__()
        self.factor = factor

    def forward(self, input):
        return (input * self.factor).round() / self.factor

    def scales(self):
        return None


def test_quanters_of_ones_own():
    net = QAT(QuantConfig(None, Halves(factor=4.0))).quantize(nn.Sequential(nn.Linear(2, 2)))  # noqa: F821, declared above
    assert net[0].weight_quanter.factor == 4.0
    x = paddle.eye(2)
    np.testing.assert_allclose(net(x).numpy(), np.round(net[0].weight.numpy() * 4) / 4 + net[0].bias.numpy(), rtol=1e-6)
    with pytest.raises(NotImplementedError, match=r"HalvesLayer must define bit_length\(\)"):
        net[0].weight_quanter.bit_length()
    with pytest.raises(TypeError, match=r"quanter\(\): it declares subclasses of BaseQuanter"):
        quanter("X")(nn.Linear)
    with pytest.raises(ValueError, match="class_name"):
        quanter("no name")


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: QuantConfig(3, None), TypeError, "activation must be a factory"),
    (lambda: QAT(3), TypeError, r"QAT\(\): config"),
    (lambda: QAT(QuantConfig(FAKE, FAKE)).quantize(nn.Sequential().eval()), ValueError, "training mode"),
    (lambda: PTQ(QuantConfig(FAKE, FAKE)).quantize(nn.Sequential()), ValueError, "evaluation mode"),
    (lambda: QuantConfig(None, None).add_layer_config("conv"), TypeError, "must be a Layer"),
    (lambda: QuantConfig(None, None).add_name_config(3), TypeError, "must be a name"),
    (lambda: QuantConfig(None, None).add_type_config(nn.ReLU()), TypeError, "class of layers"),
    (lambda: QuantConfig(None, None).add_qat_layer_mapping(nn.ReLU, 3), TypeError, "target must be a class"),
])
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_details_of_a_configuration():  # the text of 2.6.2
    class Model(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.Sequential(paddle.nn.ReLU()))
            self.other = paddle.nn.ReLU()

    model, quanter = Model(), FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    config = QuantConfig(activation=None, weight=None)
    config.add_layer_config(model.fc, activation=quanter, weight=None)
    assert config.details() == str(config)
    config._specify(model)
    on = "FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.9,bit_length=8,dtype=float32)"
    assert config.details().splitlines() == [
        "Model(", "  (fc): Sequential(", f"    (0): Linear(), activation: {on}", "  weight: None", "    (1): Sequential(",
        f"      (0): ReLU(), activation: {on}", "    weight: None", f"    ), activation: {on}", "  weight: None",
        f"  ), activation: {on}", "weight: None", ")"]
    assert [config._need_observe(layer) for layer in model.sublayers()] == [False, True, False, True, False]
    assert config._get_observer(model.other) is None and not config._is_quantifiable(model.other)


def test_groups_of_rows_have_a_scale_each():
    from paddle.quantization.observers import GroupWiseWeightObserver
    weight = np.random.default_rng(1).normal(size=[128, 3]).astype("float32")
    weight[64:, 1] = 0
    observer = GroupWiseWeightObserver(quant_bits=4, group_size=64)._instance(None)
    w = paddle.to_tensor(weight)
    assert observer(w) is w and observer.bit_length() == 4 and observer.quant_axis() == -1
    wanted = np.abs(weight).reshape(2, 64, 3).max(1)
    wanted[wanted == 0] = 1e-8
    np.testing.assert_array_equal(observer.scales().numpy(), wanted)
    assert observer.zero_points().numpy().tolist() == [[0.0] * 3] * 2 and observer.max_value() is observer.scales()
    with pytest.raises(ValueError, match="group_size"):
        GroupWiseWeightObserver(group_size=32)._instance(None)
    with pytest.raises(ValueError, match="multiple of 64"):
        observer(paddle.ones([100, 3]))
