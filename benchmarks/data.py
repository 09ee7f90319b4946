"""What the workloads of every framework are fed with."""

import gzip
import os

import numpy as np

MNIST = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "mnist")


def mnist():
    """The 60,000 training images [N, 1, 28, 28] in -1..1 and their labels [N]."""
    def read(name, header):
        with gzip.open(os.path.join(MNIST, name)) as f:
            return np.frombuffer(f.read(), np.uint8, offset=header)
    images = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28)
    return images.astype("float32") / 127.5 - 1, read("train-labels-idx1-ubyte.gz", 8).astype("int64")


def feeding(step, batch=64, steps=60):
    """(call, operations per call, unit) of an epoch over MNIST, batches cut from arrays: measured by the 60 steps."""
    images, labels = mnist()
    order = np.random.RandomState(0).permutation(len(images))
    position = [0]

    def call():
        for _ in range(steps):
            start = position[0]
            position[0] = (start + batch) % (len(images) - batch)
            index = order[start:start + batch]
            step(images[index], labels[index])
    return call, steps / (len(images) // batch) * 1e3, "s"


def iterating(loader):
    """(call, operations per call, unit) of going through all batches of a loader."""
    def call():
        for _ in loader:
            pass
    return call, 1e3, "s"


class Pairs:
    """(image, label) of MNIST, as a dataset of any framework."""

    def __init__(self):
        self.images, self.labels = mnist()

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.images)
