"""The earlier interface of quantization: the numbers of real Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle import quantization
from paddle.quantization.fuse_utils import fuse_conv_bn, fuse_layers

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
    with pytest.raises(ValueError, match="weight_quantize_type"):
        quantization.ImperativeQuantAware(weight_quantize_type="lsq_act")
    with pytest.raises(TypeError, match="act_quantize_layer"):
        quantization.ImperativeQuantAware(act_quantize_layer=paddle.nn.ReLU())
    with pytest.raises(TypeError, match="fuse_list"):
        quantization.ImperativePTQ().quantize(network(), fuse=True)
    with pytest.raises(RuntimeError, match="nothing passed"):
        task = quantization.ImperativePTQ()
        task._convert(task.quantize(network()))
    with pytest.raises(TypeError, match="activation_quantizer"):
        quantization.PTQConfig(quantization.PerChannelAbsmaxQuantizer(), quantization.AbsmaxQuantizer())


class Bounded(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.width = self.create_parameter([1], default_initializer=paddle.nn.initializer.Constant(2.0))

    def forward(self, x):
        return paddle.tanh(x) * self.width


class Halved(paddle.nn.Layer):
    def forward(self, x):
        return x * 0.5


class Mixed(paddle.nn.Layer):
    """Layers of all kinds, one of them not to be rounded."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.c, self.bn, self.r, self.t = nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Conv2DTranspose(4, 2, 3, stride=2)
        self.add, self.sk = nn.quant.add(), nn.Linear(13, 13)
        self.sk.skip_quant = True
        self.l, self.f, self.seq = nn.Linear(2 * 13 * 13, 3), nn.Flatten(), nn.Sequential(nn.Linear(3, 3), nn.Softmax())

    def forward(self, x):
        y = self.t(self.r(self.bn(self.c(x))))
        return self.seq(self.l(self.f(self.add(y, self.sk(y)))))


def train_mixed(**options):
    draw = np.random.RandomState(1)
    batches, labels = [draw.randn(5, 1, 8, 8).astype("float32") * (1 + k) for k in range(4)], draw.randint(0, 3, (5,))
    net, draw, losses = Mixed(), np.random.RandomState(0), []
    for p in net.parameters():
        p.set_value((draw.randn(*p.shape) * 0.2 + (0.5 if "batch" in p.name else 0)).astype("float32"))
    task = quantization.ImperativeQuantAware(**options)
    task.quantize(net)
    sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
    for batch in batches[:3]:
        loss = paddle.nn.functional.cross_entropy(net(paddle.to_tensor(batch)), paddle.to_tensor(labels))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(float(loss))
    net.eval()
    return task, net, losses, batches[3]


@pytest.mark.parametrize("options, losses", [
    ({"weight_preprocess_layer": Bounded, "act_preprocess_layer": Bounded}, [0.970725, 0.939363, 0.942967]),
    ({"weight_quantize_layer": Halved, "act_quantize_layer": Halved}, [1.063615, 1.062306, 1.061448])])
def test_layers_of_the_user_in_training(options, losses):
    np.testing.assert_allclose(train_mixed(**options)[2], losses, rtol=1e-4)


def test_all_kinds_of_layers_and_what_is_saved(tmp_path):
    with paddle.utils.unique_name.guard():
        task, net, losses, x = train_mixed(weight_quantize_type="channel_wise_abs_max", moving_rate=0.8, weight_bits=4,
                                           activation_bits=6)
    np.testing.assert_allclose(losses, [0.98524, 0.97851, 0.97467], rtol=1e-4)
    np.testing.assert_allclose(net(paddle.to_tensor(x))[0].numpy(), [0.2578, 0.6952, 0.0470], atol=1e-3)
    state = net.state_dict()
    for place, name, value in (("t._layer._fake_quant_weight._scale", "conv2d_transpose_0.w_0.scale_0", [0.38115, 0.3886]),
                               ("t._layer._fake_quant_input._scale", "conv2d_transpose_0.scale_0", [2.86934]),
                               ("add._fake_quant_output._scale", "add_0.scale_0", [1.60776]),
                               ("l._ma_output_scale._scale", "quantized_linear_0.scale_0", [3.25976]),
                               ("l._ma_output_scale._state", "quantized_linear_0.state_0", [2.44])):
        assert state[place].name == name
        np.testing.assert_allclose(state[place].numpy(), value, rtol=1e-4)
    task.save_quantized_model(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 1, 8, 8])])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(paddle.to_tensor(x)).numpy(),
                               net(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)
    program = paddle.static.load_inference_model(str(tmp_path / "net"), paddle.static.Executor())[0]
    ops = [op for op in program.global_block().ops if op.type != "feed"][:6]
    assert [op.type for op in ops] == ["fake_quantize_dequantize_moving_average_abs_max",
                                       "fake_channel_wise_quantize_dequantize_abs_max", "conv2d", "elementwise_add", "batch_norm",
                                       "relu"]
    np.testing.assert_allclose(ops[2].attr("Filter0_threshold"), [0.44902, 0.29877, 0.51045, 0.39758], rtol=1e-4)
    np.testing.assert_allclose([ops[2].attr("Input0_threshold"), ops[3].attr("out_threshold"), ops[4].attr("X0_threshold"),
                                ops[5].attr("Out0_threshold")], [6.3512, 4.59551, 4.59551, 3.2616], rtol=1e-4)


def test_the_format_of_onnx(tmp_path):
    """The result is 2.6.2's."""
    task, net, losses, x = train_mixed(weight_quantize_type="channel_wise_abs_max", onnx_format=True)
    task.save_quantized_model(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 1, 8, 8])])
    out = paddle.jit.load(str(tmp_path / "net"))(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(out[0], [0.28543147, 0.6517467, 0.06282184], atol=1e-5)
    program = paddle.static.Program.parse_from_string((tmp_path / "net.pdmodel").read_bytes())
    kinds = [op.type for op in program.global_block().ops]
    assert (kinds.count("quantize_linear"), kinds.count("dequantize_linear")) == (7, 11)
    assert not any(kind.startswith("fake") for kind in kinds)
    weights = [v for v in program.list_vars() if v.persistable and v.name.endswith(".w_0") and len(v.shape) == 4]
    assert {str(v.dtype) for v in weights} == {"paddle.int8"}


class Normed(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = paddle.nn.Conv2D(2, 3, 3, bias_attr=False), paddle.nn.BatchNorm2D(3)
        self.body = paddle.nn.Sequential(paddle.nn.Flatten(), paddle.nn.Linear(12, 4), paddle.nn.BatchNorm1D(4))

    def forward(self, x):
        return self.body(self.norm(self.conv(x)))


def normed():
    """A network whose statistics have seen something, and a batch."""
    paddle.seed(3)
    net, x = Normed(), paddle.randn([8, 2, 4, 4])
    for scale in (1, 3):
        net(x * scale + 1)
    return net, x


def test_batch_norms_are_folded():
    net, x = normed()
    net.eval()
    pairs = [["conv", "norm"], ["body.1", "body.2"]]
    fused = fuse_layers(net, pairs)
    assert [type(layer).__name__ for layer in (fused.conv, fused.norm, fused.body[2])] == ["Conv2D", "Identity", "Identity"]
    assert isinstance(net.norm, paddle.nn.BatchNorm2D)
    np.testing.assert_allclose(fused(x), net(x), rtol=1e-4, atol=1e-5)
    task = quantization.ImperativePTQ(quantization.PTQConfig(quantization.AbsmaxQuantizer(), quantization.AbsmaxQuantizer()))
    watched = task.quantize(net, fuse=True, fuse_list=pairs)
    np.testing.assert_allclose(watched(x), net(x), rtol=1e-4, atol=1e-5)
    for wrong in ([["conv"]], [["conv", "body.2"]], [["conv", "no_such"]]):
        with pytest.raises(ValueError, match="fuse_layers"):
            fuse_layers(net, wrong)
    net.train()
    with pytest.raises(ValueError, match="eval"):
        fuse_layers(net, pairs)


def test_folding_before_training():
    net, x = normed()
    net.eval()
    before = net(x).numpy()
    net.train()
    fuse_conv_bn(net)
    assert net.conv.training
    net.eval()
    np.testing.assert_allclose(net(x), before, rtol=1e-4, atol=1e-5)
    net, x = normed()
    quantization.ImperativeQuantAware(fuse_conv_bn=True).quantize(net)
    assert isinstance(net.norm._layer, paddle.nn.Identity)
    assert net.conv._layer.bias.shape == [3]


def test_scales_that_are_learnt_move_and_can_be_saved(tmp_path):
    task, net, losses, x = train_mixed(weight_quantize_type="channel_wise_lsq_weight", activation_quantize_type="lsq_act",
                                       weight_bits=4)
    assert losses[2] < losses[0]
    assert net.l._layer._fake_quant_weight.s.shape == [3]
    task.save_quantized_model(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 1, 8, 8])])
    saved = paddle.jit.load(str(tmp_path / "net"))(paddle.to_tensor(x))
    np.testing.assert_allclose(saved, net(paddle.to_tensor(x)), rtol=1e-5)
