"""to_static of whole training steps: every step gives what the eager one gives, and leaves the same things behind."""

import warnings

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.static import InputSpec

lr = paddle.optimizer.lr


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))


def normalised():
    return nn.Sequential(nn.Linear(4, 8, bias_attr=False), nn.BatchNorm1D(8), nn.ReLU(), nn.Dropout(0.4), nn.Linear(8, 3))


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Conv2D(6, 16, 5),
                                      nn.ReLU(), nn.MaxPool2D(2, 2))
        self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10))

    def forward(self, x):
        return self.fc(paddle.flatten(self.features(x), 1))


def batch(k, shape=(6, 4), classes=3):
    data = np.random.RandomState(k)
    return (paddle.to_tensor(data.randn(*shape).astype("float32")),
            paddle.to_tensor(data.randint(0, classes, shape[:1])))


def plain(net, optimizer):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss
    return step


class Run:
    """A network, its optimizer, and some steps with them."""

    def __init__(self, make_net, make_optimizer, make_step=plain, translate=True, **options):
        paddle.seed(11)
        self.net = make_net()
        self.optimizer = make_optimizer(self.net)
        self.eager = make_step(self.net, self.optimizer)
        self.step = paddle.jit.to_static(self.eager, full_graph=True, **options) if translate else self.eager

    def go(self, *args):
        results = self.step(*args)
        self.results = [np.asarray(r) for r in (results if isinstance(results, tuple) else [results])]
        if isinstance(self.optimizer._learning_rate, lr.LRScheduler) and not getattr(self, "steps_itself", False):
            self.optimizer._learning_rate.step()
        return self

    def left(self):
        """What a step leaves behind, but gradients."""
        states = [v for name, v in self.optimizer.state_dict().items() if name != "LR_Scheduler"]
        return [*self.results, *[t.numpy().copy() for t in [*self.net.state_dict().values(), *states]],
                np.float64(self.optimizer.get_lr())]

    def gradients(self):
        """The gradients that a step leaves; to look at a cleared one makes zeros of it, which is another beginning."""
        return [np.zeros(0) if p.grad is None else p.grad.numpy() for p in self.net.parameters()]

    def traces(self):
        return sum(map(len, self.step.program_cache.values()))


def close(expected, got, tolerance=2e-5):
    assert len(expected) == len(got)
    for a, b in zip(expected, got):
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)


def same(a, b, tolerance=2e-5):
    close(a.left(), b.left(), tolerance)


def compare(make_net, make_optimizer, make_step=plain, batches=None, tolerance=2e-5, traces=1, steps_itself=False, **options):
    """Run eagerly and translated, step by step."""
    eager, static = [Run(make_net, make_optimizer, make_step, translate, **options) for translate in (False, True)]
    eager.steps_itself = static.steps_itself = steps_itself
    for k, args in enumerate(batches or [batch(k) for k in range(4)]):
        for run in (eager, static):
            paddle.seed(k)
            run.go(*args)
        same(eager, static, tolerance)
    assert static.traces() == traces
    close(eager.gradients(), static.gradients(), tolerance)
    return static


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


OPTIMIZERS_OF = {"sgd": lambda net: paddle.optimizer.SGD(0.2, net.parameters()),
                 "adam": lambda net: paddle.optimizer.Adam(0.02, parameters=net.parameters())}


def test_the_program_holds_the_whole_step():
    static = compare(mlp, OPTIMIZERS_OF["sgd"])
    types = [op.type for op in static.step.main_program.global_block().ops]
    assert types.count("matmul_v2_grad") == 2 and types.count("sgd") == 4
    assert sum("sgd" in node.type for node in static.step._own.latest.runner.function.compiled.plan.nodes) == 1


def test_any_batch_size_with_an_input_spec():
    compare(mlp, OPTIMIZERS_OF["adam"], batches=[batch(n, (n, 4)) for n in (2, 5, 3)],
            input_spec=[InputSpec([None, 4]), InputSpec([None], "int64")])


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
        net.weight.grad.numpy()
        return x
    (net(paddle.ones([1, 2])) * 5).backward()
    with pytest.raises(Exception, match="numpy"):
        paddle.jit.to_static(step, full_graph=True)(paddle.ones([1, 2]))
    np.testing.assert_allclose(net.weight.grad.numpy(), [[5], [5]])
