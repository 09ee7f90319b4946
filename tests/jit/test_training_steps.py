"""Ways of writing a training step that is translated, and steps that fall back to eager ones."""

import warnings

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn import functional as F

from .steps import OPTIMIZERS_OF, Run, batch, compare, lr, mlp, normalised, plain, same

# ---- ways of writing a step ----

def minimizes(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.minimize(loss)
        net.clear_gradients()
        return loss
    return step


def leaves_none(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        paddle.autograd.backward([loss, (net[0].weight ** 2).sum()], [None, paddle.full([], 0.1)])
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        return loss, net(x).detach()
    return step


def accumulates(net, optimizer):
    def step(x, y):
        total = 0.0
        for part in (slice(0, 3), slice(3, 6)):
            loss = F.cross_entropy(net(x[part]), y[part]) / 2
            loss.backward()
            total = total + loss
        optimizer.step()
        optimizer.clear_grad()
        return total
    return step


def two_updates(net, optimizer):
    def step(x, y):
        losses = []
        for _ in range(2):
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(loss)
        return losses[0], losses[1]
    return step


def schedules(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        optimizer._learning_rate.step()
        return loss
    return step


def penalises(net, optimizer):
    def step(x, y):
        point = x * 0.5
        point.stop_gradient = False
        slope, = paddle.grad(net(point).sum(), point, create_graph=True)
        loss = F.cross_entropy(net(x), y) + ((slope.norm() - 1) ** 2) * 0.1
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss, slope
    return step


def by_hand(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        grads = paddle.grad(loss, net.parameters())
        with paddle.no_grad():
            for p, g in zip(net.parameters(), grads):
                p.set_value(p - 0.3 * g)
        return loss
    return step


def reads_gradients(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        total = paddle.add_n([(p.grad ** 2).sum() for p in net.parameters()]).sqrt()
        for p in net.parameters():
            p.grad = p.grad / (total + 1)
        optimizer.step()
        optimizer.clear_grad()
        return loss, total
    return step


def guarded(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        if loss > 1.0:
            optimizer.step()
        optimizer.clear_grad()
        return loss
    return step


def partly(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net[0](x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss
    return step


@pytest.mark.parametrize("optimizer", OPTIMIZERS_OF)
@pytest.mark.parametrize("make_step", [minimizes, leaves_none, accumulates, two_updates, penalises, by_hand, reads_gradients,
                                       guarded, partly])
def test_ways_of_writing_a_step(make_step, optimizer):
    net = (lambda: nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 3))) if make_step is partly else \
        (lambda: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)))
    compare(net, OPTIMIZERS_OF[optimizer], make_step)


def test_a_scheduler_inside_the_step():
    compare(mlp, lambda net: paddle.optimizer.SGD(lr.ExponentialDecay(0.5, 0.7), net.parameters()), schedules,
            steps_itself=True)


def test_the_rate_can_be_set():
    runs = [Run(mlp, OPTIMIZERS_OF["sgd"], translate=t) for t in (False, True)]
    for k, rate in enumerate((0.3, 0.3, 0.01, 0.5)):
        for run in runs:
            run.optimizer.set_lr(rate)
            run.go(*batch(k))
        same(*runs)
    assert runs[1].traces() == 1


def test_gradients_from_call_to_call():
    def make(net, optimizer):
        def step(x, y, last):
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            if last:
                optimizer.step()
                optimizer.clear_grad()
            return loss
        return step
    compare(mlp, OPTIMIZERS_OF["adam"], make, [(*batch(k), k % 2 == 1) for k in range(6)], traces=2)


def test_clearing_first():
    def make(net, optimizer):
        def step(x, y):
            optimizer.clear_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return loss
        return step
    compare(mlp, OPTIMIZERS_OF["sgd"], make, traces=2)


def test_two_optimizers():
    def make(nets, optimizer):
        real, fake = nets
        other = paddle.optimizer.Adam(0.02, parameters=fake.parameters())

        def step(x, y):
            made = fake(x)
            loss_real = real(x).mean() - real(made.detach()).mean()
            loss_real.backward()
            optimizer.step()
            optimizer.clear_grad()
            loss_fake = real(made).mean()
            loss_fake.backward()
            other.step()
            other.clear_grad()
            optimizer.clear_grad()
            return loss_real, loss_fake
        return step
    compare(lambda: nn.LayerList([nn.Linear(4, 2), nn.Linear(4, 4)]),
            lambda nets: paddle.optimizer.Adam(0.02, parameters=nets[0].parameters()), make)


def test_hooks_of_parameters():
    def make(net, optimizer):
        net[0].weight.register_hook(lambda g: g * 0.5)
        return plain(net, optimizer)
    compare(mlp, OPTIMIZERS_OF["sgd"], make)


def test_freezing_traces_anew():
    runs = [Run(mlp, OPTIMIZERS_OF["sgd"], translate=t) for t in (False, True)]
    for k in range(4):
        for run in runs:
            run.net[0].weight.stop_gradient = k in (1, 2)
            run.go(*batch(k))
        same(*runs)
    assert runs[1].traces() == 2


def test_settings_of_the_optimizer_are_watched():
    runs = [Run(mlp, OPTIMIZERS_OF["adam"], translate=t) for t in (False, True)]
    for k in range(3):
        for run in runs:
            run.go(*batch(k))
            run.net[2].weight.optimize_attr["learning_rate"] = 0.1
            run.optimizer._groups[0]["grad_clip"] = nn.ClipGradByNorm(0.01 * (k + 1))
        same(*runs)


def test_training_and_evaluation_modes():
    runs = [Run(normalised, OPTIMIZERS_OF["sgd"], translate=t) for t in (False, True)]
    for k in range(4):
        for run in runs:
            paddle.seed(k)
            (run.net.train if k % 2 else run.net.eval)()
            run.go(*batch(k))
        same(*runs)


# ---- what a step can't do, or eager would not ----

def warned(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args)
    return result, [str(w.message) for w in caught]


def test_the_graph_of_a_result_is_gone():
    run = Run(mlp, OPTIMIZERS_OF["sgd"])
    loss = run.step(*batch(0))
    assert not loss.stop_gradient
    with pytest.raises(RuntimeError, match="freed"):
        loss.backward()
    with pytest.raises(RuntimeError, match="no_grad"), paddle.no_grad():
        run.step(*batch(0))


def test_a_result_that_could_be_differentiated_falls_back():
    net = nn.Linear(2, 1)
    optimizer = paddle.optimizer.SGD(0.1, net.parameters())

    def step(x):
        (net(x) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        return net(x)
    out, messages = warned(paddle.jit.to_static(step), paddle.ones([1, 2]))
    assert len(messages) == 1 and "gradients could be asked" in messages[0]
    out.backward()
    np.testing.assert_allclose(net.weight.grad.numpy(), [[1], [1]])


def test_an_argument_that_was_computed_falls_back():
    first, net = nn.Linear(2, 2), nn.Linear(2, 1)

    def step(h):
        loss = net(h).sum()
        loss.backward()
        return loss
    _, messages = warned(paddle.jit.to_static(step), first(paddle.ones([1, 2])))
    assert len(messages) == 1 and "computed" in messages[0]
    assert first.weight.grad is not None


@pytest.mark.parametrize("enable", [False, True])
def test_gradient_scaler(enable):
    def make(net, optimizer):
        scaler = paddle.amp.GradScaler(enable=enable, init_loss_scaling=8.0)

        def step(x, y):
            loss = F.cross_entropy(net(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
            return loss
        return step
    runs = [Run(mlp, OPTIMIZERS_OF["sgd"], make, translate=False) for _ in range(2)]
    runs[1].step = paddle.jit.to_static(runs[1].eager)
    for k in range(3):
        runs[0].go(*batch(k))
        _, messages = warned(runs[1].go, *batch(k))
        assert len(messages) == (enable and k == 0)
        same(*runs)


def test_a_plateau_scheduler_falls_back():
    def make(net, optimizer):
        step = plain(net, optimizer)

        def whole(x, y):
            loss = step(x, y)
            optimizer._learning_rate.step(loss)
            return loss
        return whole
    runs = [Run(mlp, lambda net: paddle.optimizer.SGD(lr.ReduceOnPlateau(0.1, patience=0), net.parameters()), make, False)
            for _ in range(2)]
    runs[1].step = paddle.jit.to_static(runs[1].eager)
    for k in range(4):
        for n, run in enumerate(runs):
            run.steps_itself = True
            _, messages = warned(run.go, *batch(k))
            assert len(messages) == (n == 1 and k == 0)
        same(*runs)


def test_a_failed_trace_leaves_gradients_alone():
    net = nn.Linear(2, 1)

    def step(x):
        net(x).sum().backward()
        net.weight.grad.tolist()
        return x
    (net(paddle.ones([1, 2])) * 5).backward()
    with pytest.raises(Exception, match="tolist"):
        paddle.jit.to_static(step, full_graph=True)(paddle.ones([1, 2]))
    np.testing.assert_allclose(net.weight.grad.numpy(), [[5], [5]])
