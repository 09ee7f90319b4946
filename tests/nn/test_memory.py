"""Training needs no garbage collector: a thousand steps leave as much memory in use as the first ones did."""

import gc
import os
import tracemalloc

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn

STEPS, WARM = 1000, 50


def lenet():
    return nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Conv2D(6, 8, 3), nn.BatchNorm2D(8),
                         nn.ReLU(), nn.MaxPool2D(2, 2), nn.Flatten(), nn.Linear(32, 16), nn.Dropout(0.1), nn.Linear(16, 4))


def recurrent():
    class Last(nn.Layer):
        def __init__(self):
            super().__init__()
            self.lstm, self.attend, self.out = nn.LSTM(8, 8), nn.TransformerEncoderLayer(8, 2, 16), nn.Linear(8, 4)

        def forward(self, x):
            return self.out(self.attend(self.lstm(x[:, 0])[0])[:, -1])
    return Last()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc to see the memory of the process")
@pytest.mark.parametrize("network, size", [(lenet, 12), (recurrent, 8)])
def test_memory_stays_flat(network, size):
    paddle.seed(0)
    net = network()
    opt = paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(1e-3, 100), parameters=net.parameters(), weight_decay=1e-4,
                                grad_clip=nn.ClipGradByGlobalNorm(1.0))
    metric = paddle.metric.Accuracy()
    random = np.random.RandomState(0)
    x, y = random.rand(4, 1, size, size).astype("float32"), random.randint(0, 4, (4, 1))

    def step():
        images, labels = paddle.to_tensor(x), paddle.to_tensor(y)
        out = net(images)
        loss = F.cross_entropy(out, labels)
        loss.backward()
        opt.step()
        opt.clear_grad()
        opt._learning_rate.step()
        metric.update(metric.compute(out, labels))

    gc.collect()
    gc.disable()
    try:
        for _ in range(WARM):
            step()
        before = resident()
        for _ in range(STEPS - 2 * WARM):
            step()
        grown = resident() - before
        tracemalloc.start()
        step()
        traced = tracemalloc.get_traced_memory()[0]
        for _ in range(WARM):
            step()
        kept = tracemalloc.get_traced_memory()[0] - traced
    finally:
        tracemalloc.stop()
        gc.enable()
    assert grown < 2_000_000, f"{STEPS - 2 * WARM} steps kept {grown} bytes"
    assert kept < 20_000, f"{WARM} steps kept {kept} bytes of objects"
