"""What grows, on the 2.x API: each entry of CURVES takes a size and returns the call to time."""

from workloads_paddle import LeNet, classify, tensor, training

import paddle
import paddle.nn as nn
import paddle.nn.functional as F


def batch(size):
    return training(LeNet(), tensor(size, 1, 28, 28), classify(10, size))


def depth(layers):
    net = nn.Sequential(*[layer for _ in range(layers) for layer in (nn.Linear(64, 64), nn.ReLU())])
    return training(net, tensor(32, 64), lambda y: y.mean())


def elements(count):
    x, y = paddle.full([count], 0.5), paddle.full([count], 0.25)
    return lambda: F.relu(x * y + x)


def ops(count):
    x, w = tensor(4), tensor(4, grad=True)

    def call():
        y = x
        for _ in range(count):
            y = y * w
        y.sum().backward()
        w.clear_gradient()
    return call


CURVES = {"batch": batch, "depth": depth, "elements": elements, "ops": ops}
