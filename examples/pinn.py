"""A physics-informed network: y'' = -y with y(0) = 0 and y'(0) = 1 is solved by training on the equation alone; y is the sine."""

import argparse

import numpy as np

import paddle
from paddle import nn


def residual(net, x):
    """y'' + y at the points x, by differentiating the network twice."""
    y = net(x)
    first, = paddle.grad(y.sum(), x, create_graph=True)
    second, = paddle.grad(first.sum(), x, create_graph=True)
    return second + y


def main(steps=800):
    """Train; returns the largest difference from the sine on [0, 3]."""
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
    rate = paddle.optimizer.lr.CosineAnnealingDecay(0.01, steps)
    optimizer = paddle.optimizer.Adam(rate, parameters=net.parameters())
    inside = paddle.linspace(0, 3, 40).reshape([-1, 1])
    inside.stop_gradient = False
    start = paddle.zeros([1, 1])
    start.stop_gradient = False
    for step in range(steps):
        y = net(start)
        slope, = paddle.grad(y, start, create_graph=True)
        loss = (residual(net, inside) ** 2).mean() + (y ** 2).sum() + ((slope - 1) ** 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        rate.step()
        if step % 200 == 0:
            print(f"step {step:4}  loss {float(loss):.6f}")
    with paddle.no_grad():
        error = float(np.abs(net(inside).numpy() - np.sin(inside.numpy())).max())
    print(f"largest difference from the sine: {error:.4f}")
    return error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=800)
    main(parser.parse_args().steps)
