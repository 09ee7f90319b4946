"""Trains a small convolutional network on MNIST for one epoch and prints its accuracy on the test images.

    make demo                               # or, with the package installed:
    python examples/mnist.py --epochs 2 --batch-size 128
"""

import argparse
import sys
import time

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.vision.datasets import MNIST


class Net(nn.Layer):
    """Two blocks of convolution, ReLU and pooling, then ten scores."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(1, 20, 5)
        self.conv2 = nn.Conv2D(20, 50, 5)
        self.pool = nn.MaxPool2D(2, 2)
        scale = (2.0 / (800**2 * 10)) ** 0.5
        self.fc = nn.Linear(800, 10, weight_attr=nn.initializer.Normal(0.0, scale))

    def forward(self, pixels):
        x = (pixels / 127.5 - 1.0).unsqueeze(1)  # [n, 28, 28] of 0 to 255 -> [n, 1, 28, 28] of -1 to 1
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc(paddle.flatten(x, 1))


class Progress:
    """One line that moves in a terminal; ten lines in a file or a pipe."""

    def __init__(self, steps):
        self.steps, self.start, self.drawn, self.tenth = steps, time.perf_counter(), 0.0, 0
        self.terminal = sys.stdout.isatty()

    def show(self, step, images, loss):
        now = time.perf_counter()
        tenth, last = step * 10 // self.steps, step == self.steps
        if not last and (now - self.drawn < 0.1 if self.terminal else tenth == self.tenth):
            return
        self.drawn, self.tenth = now, tenth
        spent = now - self.start
        left = spent / step * (self.steps - step)
        bar = "=" * (20 * step // self.steps)
        text = (f"step {step:4d}/{self.steps} [{bar:20}] loss {float(loss):.4f}  {images / spent:6.0f} images/s  "
                f"{left:3.0f} s left")
        print("\r" + text if self.terminal else text, end="" if self.terminal and not last else "\n", flush=True)


def train(net, loader, optimizer):
    net.train()
    progress, seen = Progress(len(loader)), 0
    for step, (images, labels) in enumerate(loader, 1):
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        seen += len(images)
        progress.show(step, seen, loss)


@paddle.no_grad()
def accuracy(net, loader):
    net.eval()
    right = sum(int((net(images).argmax(1) == labels.flatten()).sum()) for images, labels in loader)
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    paddle.seed(options.seed)
    print("reading MNIST", flush=True)
    train_set, test_set = (MNIST(mode=mode, backend="cv2") for mode in ("train", "test"))
    train_loader = paddle.io.DataLoader(train_set, batch_size=options.batch_size, shuffle=True)
    test_loader = paddle.io.DataLoader(test_set, batch_size=500)

    net = Net()
    optimizer = paddle.optimizer.Adam(learning_rate=1e-3, parameters=net.parameters())
    start = time.perf_counter()
    for epoch in range(options.epochs):
        print(f"epoch {epoch + 1} of {options.epochs}", flush=True)
        train(net, train_loader, optimizer)
    print(f"trained in {time.perf_counter() - start:.1f} s; test accuracy {accuracy(net, test_loader):.4f}")


if __name__ == "__main__":
    main()
