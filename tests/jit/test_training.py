"""to_static of whole training steps: every step gives what the eager one gives, and leaves the same things behind."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.static import InputSpec

from .steps import OPTIMIZERS_OF, LeNet, Run, batch, close, compare, lr, mlp, normalised, same

OPTIMIZERS = {
    "sgd": lambda p: paddle.optimizer.SGD(lr.StepDecay(0.5, 2, 0.5), p, weight_decay=0.01),
    "sgd clipped": lambda p: paddle.optimizer.SGD(0.5, p, grad_clip=nn.ClipGradByGlobalNorm(0.1)),
    "momentum": lambda p: paddle.optimizer.Momentum(lr.CosineAnnealingDecay(0.1, 3), 0.9, p, use_nesterov=True,
                                                    weight_decay=paddle.regularizer.L1Decay(0.01)),
    "momentum clipped": lambda p: paddle.optimizer.Momentum(0.1, 0.9, p, grad_clip=nn.ClipGradByValue(0.02), rescale_grad=0.5),
    "adam": lambda p: paddle.optimizer.Adam(lr.LinearWarmup(0.05, 3, 0.0, 0.05), parameters=p,
                                            grad_clip=nn.ClipGradByNorm(0.1)),
    "adam decayed": lambda p: paddle.optimizer.Adam(0.05, parameters=p, weight_decay=0.02),
    "adamw": lambda p: paddle.optimizer.AdamW(0.05, parameters=p, weight_decay=0.1,
                                              apply_decay_param_fun=lambda name: name.endswith("w_0")),
    "groups": lambda p: paddle.optimizer.Adam(0.05, parameters=[
        {"params": p[:2], "learning_rate": 0.1}, {"params": p[2:], "weight_decay": 0.1, "beta1": 0.5}]),
    "rmsprop": lambda p: paddle.optimizer.RMSProp(0.01, parameters=p, centered=True, momentum=0.5),
    "adagrad": lambda p: paddle.optimizer.Adagrad(0.1, parameters=p),
    "adamax": lambda p: paddle.optimizer.Adamax(0.01, parameters=p),
    "lamb": lambda p: paddle.optimizer.Lamb(0.01, parameters=p),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name):
    compare(mlp, lambda net: OPTIMIZERS[name](net.parameters()))


def test_batch_norm_and_dropout():
    compare(normalised, lambda net: paddle.optimizer.Adam(0.01, parameters=net.parameters()))


def test_lenet():
    compare(LeNet, lambda net: paddle.optimizer.Adam(0.001, parameters=net.parameters()),
            batches=[batch(k, (4, 1, 28, 28), 10) for k in range(3)], tolerance=2e-4)


def test_the_program_holds_the_whole_step():
    static = compare(mlp, OPTIMIZERS_OF["sgd"])
    types = [op.type for op in static.step.main_program.global_block().ops]
    assert types.count("matmul_v2_grad") == 2 and types.count("sgd") == 4
    assert sum("sgd" in node.type for node in static.step.program_cache.last()[1][1].plan.nodes) == 1


def test_any_batch_size_with_an_input_spec():
    compare(mlp, OPTIMIZERS_OF["adam"], batches=[batch(n, (n, 4)) for n in (2, 5, 3)],
            input_spec=[InputSpec([None, 4]), InputSpec([None], "int64")])


# ---- state is the eager one ----

def test_eager_and_translated_steps_take_turns():
    runs = [Run(mlp, lambda net: OPTIMIZERS["adam"](net.parameters()), translate=t) for t in (False, True)]
    static = runs[1].step
    for k in range(5):
        runs[1].step = static if k % 2 == 0 else runs[1].eager
        for run in runs:
            run.go(*batch(k))
        same(*runs)


def test_saved_and_loaded_state(tmp_path):
    run = Run(mlp, OPTIMIZERS_OF["adam"])
    for k in range(3):
        run.go(*batch(k))
    paddle.save(run.net.state_dict(), str(tmp_path / "n.pdparams"))
    paddle.save(run.optimizer.state_dict(), str(tmp_path / "n.pdopt"))
    run.go(*batch(3))
    after = run.left()
    run.net.set_state_dict(paddle.load(str(tmp_path / "n.pdparams")))
    run.optimizer.set_state_dict(paddle.load(str(tmp_path / "n.pdopt")))
    run.go(*batch(3))
    close(after, run.left(), 1e-6)
    assert run.traces() == 1


def test_held_values_do_not_change():
    run = Run(mlp, OPTIMIZERS_OF["adam"])
    held = run.net[0].weight.numpy()
    before = held.copy()
    run.go(*batch(0))
    np.testing.assert_array_equal(held, before)
    assert not np.array_equal(run.net[0].weight.numpy(), before)


# ---- gradients of arguments ----

def test_gradients_of_arguments():
    weight = paddle.to_tensor([1.0, 2.0], stop_gradient=False)

    def step(x, scale):
        x.stop_gradient = False
        loss = (x * weight * scale).sum()
        loss.backward()
        return loss, x.grad * 2
    for function in (step, paddle.jit.to_static(step, full_graph=True)):
        weight.clear_grad(set_to_zero=False)
        x, scale = paddle.to_tensor([3.0, 4.0]), paddle.to_tensor(2.0, stop_gradient=False)
        _, double = function(x, scale)
        assert not x.stop_gradient
        np.testing.assert_allclose(x.grad.numpy(), [2, 4])
        np.testing.assert_allclose(double.numpy(), [4, 8])
        np.testing.assert_allclose(weight.grad.numpy(), [6, 8])
        assert float(scale.grad) == 11


class _Scaled(paddle.autograd.PyLayer):
    """tanh(x) * factor, with three times its gradient: nothing but this backward gives it."""

    @staticmethod
    def forward(ctx, x, factor=1.0):
        y = paddle.tanh(x)
        ctx.save_for_backward(y)
        ctx.factor, ctx.square = factor, y * y
        return y * factor, "text", x + 0

    @staticmethod
    def backward(ctx, gradient, other):
        y, = ctx.saved_tensor()
        return gradient * 3 * ctx.factor * (1 - (y * y + ctx.square) / 2) + other


class _WithLayer(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(3, 2)

    def forward(self, x):
        y, text, z = _Scaled.apply(self.inner(x), factor=2.5)
        assert text == "text"
        return (y * y + z).sum()


def test_a_pylayer_is_part_of_the_program_with_its_own_gradient(tmp_path):
    net, x = _WithLayer(), paddle.to_tensor(np.linspace(-1, 1, 12).reshape(4, 3).astype("float32"), stop_gradient=False)
    loss = net(x)
    loss.backward()
    expected = [t.grad.numpy() for t in (x, *net.parameters())]
    for t in (x, *net.parameters()):
        t.clear_gradient(False)
    translated = paddle.jit.to_static(net, full_graph=True)
    again = translated(x)
    again.backward()
    np.testing.assert_allclose(again.numpy(), loss.numpy(), rtol=1e-6)
    for t, wanted in zip((x, *net.parameters()), expected):
        np.testing.assert_allclose(t.grad.numpy(), wanted, rtol=1e-5)
    paddle.jit.save(translated, str(tmp_path / "net"), [paddle.static.InputSpec([None, 3])])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x).numpy(), loss.numpy(), rtol=1e-6)


def test_a_pylayer_without_gradients_is_part_of_the_program():
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        with paddle.no_grad():
            return _Scaled.apply(x)[0] + 1
    assert function(paddle.zeros([2])).tolist() == [1, 1]
