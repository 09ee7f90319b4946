"""Image classification with Model.fit: a small convolutional network, metrics, callbacks, the best weights kept.

The images are made up: 12 x 12 pixels of noise with a bar that lies, stands, or runs along a diagonal.
"""

import argparse
import os
import tempfile

import numpy as np

import paddle
from paddle import nn
from paddle.callbacks import EarlyStopping, ModelCheckpoint, ReduceLROnPlateau

SIZE, KINDS = 12, 4


class Bars(paddle.io.Dataset):
    """(image [1, 12, 12], kind of bar)."""

    def __init__(self, number, seed):
        super().__init__()
        random = np.random.RandomState(seed)
        self.kinds = random.randint(0, KINDS, number).astype("int64")
        self.images = 0.4 * random.randn(number, 1, SIZE, SIZE).astype("float32")
        for image, kind in zip(self.images, self.kinds):
            row, column, steps = random.randint(3, SIZE - 3), random.randint(3, SIZE - 3), np.arange(-3, 4)
            rows = row + steps * (kind != 0)
            columns = column + steps * {0: 1, 1: 0, 2: 1, 3: -1}[int(kind)]
            inside = (rows >= 0) & (rows < SIZE) & (columns >= 0) & (columns < SIZE)
            image[0, rows[inside], columns[inside]] += 1.5

    def __getitem__(self, index):
        return self.images[index], self.kinds[index:index + 1]

    def __len__(self):
        return len(self.images)


def network():
    return nn.Sequential(
        nn.Conv2D(1, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2D(8, 16, 3, padding=1), nn.BatchNorm2D(16), nn.ReLU(), nn.AdaptiveMaxPool2D(1),
        nn.Flatten(), nn.Linear(16, KINDS))


def main(epochs=12, number=600):
    """Train; returns the accuracy of the best weights on new images."""
    paddle.seed(0)
    model = paddle.Model(network())
    model.prepare(paddle.optimizer.Adam(0.01, parameters=model.parameters()), nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    folder = tempfile.mkdtemp()
    history = model.fit(Bars(number, 0), Bars(200, 1), batch_size=50, epochs=epochs, verbose=0, callbacks=[
        ModelCheckpoint(save_dir=folder, save_best_only=True, monitor="acc"),
        ReduceLROnPlateau("loss", factor=0.5, patience=3, verbose=0),
        EarlyStopping("acc", mode="max", patience=6, verbose=0, save_best_model=False)])
    for epoch, loss in enumerate(history["loss"]):
        print(f"step {epoch:3}  loss {loss:.4f}")
    model.load(os.path.join(folder, "best"))
    accuracy = float(model.evaluate(Bars(300, 2), batch_size=100, verbose=0)["acc"])
    print(f"accuracy on new images: {accuracy:.3f}")
    return accuracy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=12)
    main(parser.parse_args().epochs)
