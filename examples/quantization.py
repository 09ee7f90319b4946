"""Quantization to int8: train in float32, train on with simulated rounding (QAT), compare the accuracies.

Weights and activations are rounded to 8 bits in the forward pass; gradients pass through. The data are two interleaved spirals.
"""

import argparse

import numpy as np

import paddle
from paddle import nn
from paddle.quantization import QAT, QuantConfig
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver


def spirals(random, number=400):
    """(points [number, 2], which spiral)."""
    kinds = random.randint(0, 2, number)
    angles = 3 * np.pi * np.sqrt(random.rand(number))
    points = np.stack([np.cos(angles + np.pi * kinds), np.sin(angles + np.pi * kinds)], 1) * angles[:, None] / 6
    return paddle.to_tensor((points + 0.03 * random.randn(number, 2)).astype("float32")), paddle.to_tensor(kinds.astype("int64"))


def train(net, random, steps, rate):
    optimizer = paddle.optimizer.Adam(rate, parameters=net.parameters())
    for step in range(steps):
        points, kinds = spirals(random)
        loss = nn.functional.cross_entropy(net(points), kinds)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 50 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")


def accuracy(net, random):
    net.eval()
    points, kinds = spirals(random, 1000)
    with paddle.no_grad():
        share = float((net(points).argmax(-1) == kinds).astype("float32").mean())
    net.train()
    return share


def main(steps=400):
    """Returns the accuracies in float32 and with 8 bits."""
    paddle.seed(0)
    random = np.random.RandomState(0)
    net = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    train(net, random, steps, 0.01)
    plain = accuracy(net, random)
    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9, bit_length=8)
    qat = QAT(QuantConfig(activation=quanter, weight=quanter))
    rounded = qat.quantize(net)
    train(rounded, random, steps // 4, 0.001)
    small = accuracy(rounded, random)
    print(f"accuracy in float32 {plain:.3f}, with 8 bits {small:.3f}")
    return plain, small


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    main(parser.parse_args().steps)
