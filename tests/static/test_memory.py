"""Static steps hold less memory than eager ones, and no more after many of them."""

import gc
import tracemalloc

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.core.context import process

pytestmark = pytest.mark.skipif(process.native is None, reason="references make more copies than the kernels")


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Conv2D(6, 16, 5),
                                      nn.ReLU(), nn.MaxPool2D(2, 2))
        self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10))

    def forward(self, x):
        return self.fc(paddle.flatten(self.features(x), 1))


class Loop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(8, 16)

    def forward(self, x):
        h, c = paddle.zeros([16, 16]), paddle.zeros([16, 16])
        for t in range(12):
            _, (h, c) = self.cell(x[:, t], (h, c))
        return h


class Norms(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2D(4, 8, 3), nn.BatchNorm2D(8), nn.ReLU(),
                                    nn.Conv2D(8, 8, 3), nn.BatchNorm2D(8), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


CASES = {"lenet": (LeNet, [16, 1, 28, 28]), "cells": (Loop, [16, 12, 8]), "norms": (Norms, [4, 4, 16, 16])}


def eager_step(make, shape, translate=False):
    net = make()
    net = paddle.jit.to_static(net, full_graph=True) if translate else net
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    x = paddle.to_tensor(np.random.RandomState(0).rand(*shape).astype("float32"))

    def step():
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    return step


def program_step(make, shape):
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        loss = (make()(static.data("x", shape)) ** 2).mean()
        paddle.optimizer.SGD(0.01).minimize(loss)
    exe, feed = static.Executor(), {"x": np.random.RandomState(0).rand(*shape).astype("float32")}
    exe.run(startup)
    paddle.disable_static()
    return lambda: exe.run(main, feed=feed, fetch_list=[loss])


def measured(step):
    """(bytes held at the highest point of a step, bytes that ten steps leave behind)."""
    for _ in range(4):
        step()
    gc.collect()
    tracemalloc.start()
    try:
        step()
        gc.collect()
        base, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        step()
        _, peak = tracemalloc.get_traced_memory()
        for _ in range(10):
            step()
        gc.collect()
        return peak - base, tracemalloc.get_traced_memory()[0] - base
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", CASES)
def test_a_static_step_holds_less_than_an_eager_one(name):
    make, shape = CASES[name]
    eager, _ = measured(eager_step(make, shape))
    for step in (program_step(make, shape), eager_step(make, shape, translate=True)):
        peak, growth = measured(step)
        assert peak < eager * (0.5 if name == "lenet" else 1.0)
        assert growth < 4096
