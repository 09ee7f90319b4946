"""Trains LeNet on MNIST, saves it for deployment, and writes the test images and what Python predicts for them.

    python examples/deploy/train.py build/deploy            # then: make -C examples/deploy FOLDER=../../build/deploy
"""

import argparse
import pathlib

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle.static import InputSpec
from paddle.vision.datasets import MNIST
from paddle.vision.models import LeNet


def pictures(dataset, count):
    """The first `count` pictures as [n, 1, 28, 28] between -1 and 1, and their digits."""
    images = np.stack([np.asarray(dataset[i][0], "float32") for i in range(count)])
    labels = np.array([np.asarray(dataset[i][1]).item() for i in range(count)], "int64")
    return (images / 127.5 - 1).reshape(-1, 1, 28, 28).astype("float32"), labels


def train(net, images, labels, steps, batch=64):
    optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
    for step in range(steps):
        at = slice(step * batch % len(images), step * batch % len(images) + batch)
        loss = F.cross_entropy(net(paddle.to_tensor(images[at])), paddle.to_tensor(labels[at]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--steps", type=int, default=900)
    arguments.add_argument("--images", type=int, default=10000, help="how many of the test images")
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    paddle.seed(1)
    net = LeNet()
    train(net, *pictures(MNIST(mode="train"), min(60000, 64 * options.steps)), options.steps)
    net.eval()
    paddle.jit.save(net, str(options.folder / "lenet"), input_spec=[InputSpec([None, 1, 28, 28], "float32", "image")])
    images, labels = pictures(MNIST(mode="test"), options.images)
    config = paddle.inference.Config(str(options.folder / "lenet.pdmodel"), str(options.folder / "lenet.pdiparams"))
    scores = paddle.inference.create_predictor(config).run([images])[0]
    images.tofile(options.folder / "images.bin")
    labels.tofile(options.folder / "labels.bin")
    np.asarray(scores).tofile(options.folder / "scores.bin")
    print(f"accuracy {(np.argmax(scores, 1) == labels).mean():.4f}")


if __name__ == "__main__":
    main()
