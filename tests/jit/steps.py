"""Training steps to be run eagerly and translated, and compared."""

import numpy as np

import paddle
from paddle import nn
from paddle.nn import functional as F

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


OPTIMIZERS_OF = {"sgd": lambda net: paddle.optimizer.SGD(0.2, net.parameters()),
                 "adam": lambda net: paddle.optimizer.Adam(0.02, parameters=net.parameters())}
