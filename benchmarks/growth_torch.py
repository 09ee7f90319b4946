"""The curves of growth_paddle.py in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn
from workloads_torch import LeNet, classify, tensor, training


def batch(size):
    return training(LeNet(), tensor(size, 1, 28, 28), classify(10, size))


def depth(layers):
    net = nn.Sequential(*[layer for _ in range(layers) for layer in (nn.Linear(64, 64), nn.ReLU())])
    return training(net, tensor(32, 64), lambda y: y.mean())


def elements(count):
    x, y = torch.full([count], 0.5), torch.full([count], 0.25)
    return lambda: F.relu(x * y + x)


def ops(count):
    x, w = tensor(4), tensor(4, grad=True)

    def call():
        y = x
        for _ in range(count):
            y = y * w
        y.sum().backward()
        w.grad = None
    return call


CURVES = {"batch": batch, "depth": depth, "elements": elements, "ops": ops}
