"""Training in mixed precision: it follows the same training in float32, as closely as the short type allows."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn

pytest.importorskip("ml_dtypes", reason="bfloat16 needs the extra ml-dtypes")

RANDOM = np.random.RandomState(0)
LABELS = np.arange(32) % 4
IMAGES = (RANDOM.rand(32, 1, 8, 8) * 0.5 + np.eye(8)[LABELS * 2][:, None, None, :]).astype("float32")


def network():
    paddle.seed(3)
    return nn.Sequential(nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
                         nn.Linear(64, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4))


def train(level, make=paddle.optimizer.AdamW, steps=12, scaled=False, **decorations):
    """(losses, network, optimizer) of some steps."""
    net = network()
    opt = make(0.01, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0))
    if level == "O2":
        net, opt = paddle.amp.decorate(net, opt, level="O2", dtype="bfloat16", **decorations)
    scaler = paddle.amp.GradScaler(enable=scaled, init_loss_scaling=1024.0)
    x, label, losses = paddle.to_tensor(IMAGES), paddle.to_tensor(LABELS), []
    for _ in range(steps):
        with paddle.amp.auto_cast(enable=level != "O0", level=level, dtype="bfloat16"):
            loss = F.cross_entropy(net(x), label)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        opt.clear_grad()
        losses.append(float(loss))
    return np.array(losses), net, opt


@pytest.fixture(scope="module")
def wide():
    return train("O0")[0]


@pytest.mark.parametrize("level", ["O1", "O2"])
@pytest.mark.parametrize("scaled", [False, True])
def test_bfloat16_follows_float32(level, scaled, wide):
    losses, net, _ = train(level, scaled=scaled)
    assert losses[-1] < 0.5 * losses[0]
    np.testing.assert_allclose(losses, wide, atol=0.05)
    assert net[0].weight.dtype == (paddle.bfloat16 if level == "O2" else paddle.float32)
    assert net[1].weight.dtype == net[6].weight.dtype == net[1]._mean.dtype == paddle.float32


def test_master_weights_keep_what_the_short_type_loses():
    _, net, opt = train("O2", paddle.optimizer.SGD, steps=3)
    masters = opt.state_dict()["master_weights"]
    assert sorted(masters) == sorted(p.name for p in net.parameters() if p.dtype == paddle.bfloat16)
    weight = net[5].weight
    master = masters[weight.name]
    assert master.dtype == paddle.float32
    np.testing.assert_array_equal(master.astype("bfloat16").astype("float32").numpy(), weight.astype("float32").numpy())
    assert (master.numpy() != weight.astype("float32").numpy()).any()
    _, net, opt = train("O2", paddle.optimizer.SGD, steps=1, master_weight=False)
    assert "master_weights" not in opt.state_dict()


def test_small_steps_vanish_without_master_weights():
    def moved(master_weight):
        layer = nn.Linear(1, 1, nn.initializer.Constant(1.0), False)
        opt = paddle.optimizer.SGD(1e-3, parameters=layer.parameters())
        layer, opt = paddle.amp.decorate(layer, opt, "O2", "bfloat16", master_weight)
        for _ in range(100):
            layer(paddle.ones([1, 1], "bfloat16")).sum().backward()
            opt.step()
            opt.clear_grad()
        return 1.0 - float(layer.weight)
    assert moved(None) == pytest.approx(0.1, abs=4e-3) and moved(False) == 0.0


@pytest.mark.parametrize("master_grad, total", [(False, 256.0), (True, 300.0)])
def test_master_gradients_are_summed_in_float32(master_grad, total):
    layer = nn.Linear(1, 1, nn.initializer.Constant(1.0), False)
    opt = paddle.optimizer.SGD(1.0, parameters=layer.parameters())
    layer, opt = paddle.amp.decorate(layer, opt, "O2", "bfloat16", master_grad=master_grad)
    for _ in range(300):  # bfloat16 holds 8 bits: 256 + 1 is 256
        layer(paddle.ones([1, 1], "bfloat16")).sum().backward()
    grad = layer.weight.grad
    assert grad.dtype == (paddle.float32 if master_grad else paddle.bfloat16) and float(grad) == total
    opt.step()
    assert float(opt.state_dict()["master_weights"][layer.weight.name]) == 1.0 - total


def test_training_with_master_gradients(wide):
    losses, net, _ = train("O2", master_grad=True)
    np.testing.assert_allclose(losses, wide, atol=0.05)


def test_weight_decay_is_that_of_the_master_weight():
    layer = nn.Linear(1, 1, nn.initializer.Constant(1.0), False)
    opt = paddle.optimizer.SGD(1.0, parameters=layer.parameters(), weight_decay=1e-3)
    layer, opt = paddle.amp.decorate(layer, opt, "O2", "bfloat16")
    for _ in range(10):
        (layer.weight * 0).sum().backward()
        opt.step()
        opt.clear_grad()
    np.testing.assert_allclose(float(opt.state_dict()["master_weights"][layer.weight.name]), 0.999 ** 10, rtol=1e-6)


def test_save_dtype_is_that_of_the_state_only(tmp_path):
    net = paddle.amp.decorate(network(), level="O2", dtype="bfloat16", save_dtype="float32")
    state = net.state_dict()
    assert {t.dtype.name for t in state.values()} == {"float32"} and net[0].weight.dtype == paddle.bfloat16
    assert state["0.weight"].name == net[0].weight.name
    assert {t.dtype.name for t in net[5].state_dict().values()} == {"float32"}
    paddle.save(state, str(tmp_path / "net.pdparams"))
    plain = network()
    assert plain.set_state_dict(paddle.load(str(tmp_path / "net.pdparams"))) == ([], [])
    assert net.set_state_dict(plain.state_dict()) == ([], []) and net[0].weight.dtype == paddle.bfloat16
    with pytest.raises(ValueError, match="save_dtype"):
        paddle.amp.decorate(network(), save_dtype="int8")


def test_saving_for_inference_keeps_the_types_of_the_program(tmp_path):
    net = paddle.amp.decorate(nn.Linear(2, 2), level="O2", dtype="bfloat16", save_dtype="float32")
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 2], "bfloat16")])
    x = paddle.rand([3, 2]).astype("bfloat16")
    assert (paddle.jit.load(str(tmp_path / "net"))(x) == net(x)).all()


def test_layers_that_stay_in_float32():
    net = network()
    paddle.amp.decorate(net, level="O2", dtype="bfloat16", excluded_layers=[nn.Conv2D, net[8]])
    assert [net[k].weight.dtype.name for k in (0, 5, 8)] == ["float32", "bfloat16", "float32"]
    with pytest.raises(TypeError, match="excluded_layers"):
        paddle.amp.decorate(network(), level="O2", dtype="bfloat16", excluded_layers=["0"])
    with pytest.raises(TypeError, match=r"decorate\(\): models must be Layer"):
        paddle.amp.decorate("net")


def test_devices_are_checked():
    assert paddle.amp.is_bfloat16_supported("cpu") and not paddle.amp.is_float16_supported(paddle.CPUPlace())
    with pytest.raises(ValueError, match="is_bfloat16_supported"):
        paddle.amp.is_bfloat16_supported("abacus")
    with pytest.raises(ValueError, match="is_float16_supported"):
        paddle.amp.is_float16_supported(3)


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_a_model_trains_in_bfloat16(level, wide):
    model = paddle.Model(network())
    opt = paddle.optimizer.AdamW(0.01, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0))
    model.prepare(opt, nn.CrossEntropyLoss(), amp_configs={"level": level, "dtype": "bfloat16", "init_loss_scaling": 128.0})
    losses = [float(model.train_batch([IMAGES], [LABELS[:, None]])[0]) for _ in range(12)]
    np.testing.assert_allclose(losses, wide, atol=0.05)


def test_settings_that_a_model_does_not_know():
    model = paddle.Model(nn.Linear(2, 2))
    opt = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    with pytest.raises(ValueError, match="'use_fp16_guard'.* is for static programs"):
        model.prepare(opt, amp_configs={"level": "O1", "use_fp16_guard": True})
    with pytest.raises(ValueError, match="'incr'.* is unknown; known are level"):
        model.prepare(opt, amp_configs={"incr": 2.0})
