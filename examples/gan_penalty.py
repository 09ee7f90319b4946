"""A Wasserstein GAN with gradient penalty learns points on a ring.

The penalty is a function of the critic's gradient, so training it takes second derivatives: create_graph=True.
"""

import argparse

import numpy as np

import paddle
from paddle import nn


def ring(random, size=128):
    """Points near the circle of radius 1."""
    angle, radius = random.uniform(0, 2 * np.pi, size), random.normal(1, 0.05, size)
    return paddle.to_tensor(np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype("float32"))


def network(inputs, outputs, width=64):
    """Three linear layers."""
    return nn.Sequential(nn.Linear(inputs, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2),
                         nn.Linear(width, outputs))


def penalty(critic, real, fake):
    """How far the length of the critic's gradient is from 1, between real and made points."""
    mix = paddle.rand([real.shape[0], 1])
    between = mix * real + (1 - mix) * fake
    between.stop_gradient = False
    gradient, = paddle.grad(critic(between).sum(), between, create_graph=True)
    return ((gradient.norm(axis=1) - 1) ** 2).mean()


def main(steps=600, critic_steps=3):
    """Train; returns the mean distance of made points from the circle."""
    paddle.seed(0)
    random, generator, critic = np.random.RandomState(0), network(4, 2), network(2, 1)
    makers = paddle.optimizer.Adam(2e-3, beta1=0.0, beta2=0.9, parameters=generator.parameters())
    judges = paddle.optimizer.Adam(2e-3, beta1=0.0, beta2=0.9, parameters=critic.parameters())
    for step in range(steps):
        for _ in range(critic_steps):
            real = ring(random)
            fake = generator(paddle.randn([real.shape[0], 4])).detach()
            loss = critic(fake).mean() - critic(real).mean() + penalty(critic, real, fake)
            loss.backward()
            judges.step()
            judges.clear_grad()
        (-critic(generator(paddle.randn([128, 4]))).mean()).backward()
        makers.step()
        makers.clear_grad()
        judges.clear_grad()
        if step % 100 == 0:
            print(f"step {step:4}  loss {float(loss):.4f} of the critic")
    with paddle.no_grad():
        distance = float((generator(paddle.randn([1000, 4])).norm(axis=1) - 1).abs().mean())
    print(f"mean distance of made points from the circle: {distance:.3f}")
    return distance


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=600)
    main(parser.parse_args().steps)
