"""Transfer learning: a network trained to tell four shapes keeps its convolutions and learns two new shapes from 32 pictures."""

import argparse
import os
import tempfile

import numpy as np

import paddle
from paddle import nn

SIZE = 12


def shape(kind, random):
    """A picture [1, SIZE, SIZE] of a shape at a random place: 0 bar, 1 column, 2 square, 3 frame, 4 cross, 5 diagonal."""
    glyph = np.zeros((5, 5), "float32")
    if kind in (0, 4):
        glyph[2] = 1
    if kind in (1, 4):
        glyph[:, 2] = 1
    if kind in (2, 3):
        glyph[:] = 1
    if kind == 3:
        glyph[1:4, 1:4] = 0
    if kind == 5:
        glyph[range(5), range(5)] = 1
    pixels = random.normal(0, 0.2, (1, SIZE, SIZE)).astype("float32")
    y, x = random.randint(0, SIZE - 5, 2)
    pixels[0, y:y + 5, x:x + 5] += glyph
    return pixels


class Shapes(paddle.io.Dataset):
    """So many pictures of some kinds."""

    def __init__(self, kinds, number, seed):
        random = np.random.RandomState(seed)
        self.labels = random.randint(0, len(kinds), number)
        self.pictures = [shape(kinds[label], random) for label in self.labels]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, k):
        return self.pictures[k], self.labels[k:k + 1].astype("int64")


def network(classes):
    """Convolutions ("0" to "5" of the sequence), then a linear layer ("6")."""
    return nn.Sequential(nn.Conv2D(1, 8, 3), nn.ReLU(), nn.Conv2D(8, 16, 3), nn.ReLU(), nn.AdaptiveMaxPool2D(2), nn.Flatten(),
                         nn.Linear(64, classes))


def fit(net, data, epochs, test):
    """Train what is not frozen; returns the accuracy on the test data."""
    model = paddle.Model(net)
    trained = [p for p in net.parameters() if not p.stop_gradient]
    model.prepare(paddle.optimizer.Adam(0.01, parameters=trained), nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    history = model.fit(data, batch_size=16, epochs=epochs, verbose=0)
    for epoch, loss in enumerate(history.loss):
        print(f"  epoch {epoch}  loss {loss:.4f}")
    print(f"  {sum(int(p.size) for p in trained)} parameters trained, loss {history.loss[0]:.3f} -> {history.loss[-1]:.3f}")
    return model.evaluate(test, batch_size=64, verbose=0)["acc"]


def main(epochs=6):
    """Returns the accuracies (four shapes, two new ones)."""
    paddle.seed(0)
    np.random.seed(0)
    first = network(4)
    print("four shapes:")
    before = fit(first, Shapes([0, 1, 2, 3], 400, 1), epochs, Shapes([0, 1, 2, 3], 200, 2))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shapes.pdparams")
        paddle.save(first.state_dict(), path)
        state = {name: value for name, value in paddle.load(path).items() if not name.startswith("6.")}
    second = network(2)
    second.set_state_dict({**second.state_dict(), **state})
    for layer in second[:6]:
        for parameter in layer.parameters():
            parameter.stop_gradient = True
    print("two new shapes from 32 pictures:")
    after = fit(second, Shapes([4, 5], 32, 3), 10 * epochs, Shapes([4, 5], 200, 4))
    print(f"accuracies: {before:.3f} and {after:.3f}")
    return before, after


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=6)
    main(parser.parse_args().epochs)
