"""Reading numbers of any length from strips of pixels with CTC, without knowing where each digit stands."""

import argparse

import numpy as np

import paddle
from paddle import nn

GLYPHS = ["757", "262", "717", "737", "571", "747", "647", "722", "767", "773"]  # three rows of three pixels for each digit
HEIGHT, CELL = 3, 4


def picture(random, size=32, most=4):
    """(pixels [size, width, HEIGHT], labels [size, most], lengths): digits at random gaps, with noise."""
    width = most * (CELL + 2)
    pixels, labels = np.zeros((size, width, HEIGHT), "float32"), np.zeros((size, most), "int32")
    lengths = random.randint(1, most + 1, size)
    for row, length in enumerate(lengths):
        at = 0
        for k in range(length):
            digit, at = random.randint(10), at + random.randint(0, 3)
            for y, bits in enumerate(GLYPHS[digit]):
                pixels[row, at:at + 3, y] = [int(bits) >> shift & 1 for shift in (2, 1, 0)]
            labels[row, k], at = digit + 1, at + CELL  # 0 is CTC's blank
    pixels += random.normal(0, 0.05, pixels.shape)
    return paddle.to_tensor(pixels.astype("float32")), paddle.to_tensor(labels), paddle.to_tensor(lengths.astype("int64"))


class Reader(nn.Layer):
    """A convolution over neighbouring columns, a bidirectional GRU, and scores of blank and digits for each column."""

    def __init__(self, width=48):
        super().__init__()
        self.columns = nn.Conv1D(HEIGHT, width, 3, padding=1)
        self.gru = nn.GRU(width, width, direction="bidirect")
        self.out = nn.Linear(2 * width, 11)

    def forward(self, pixels):
        columns = nn.functional.relu(self.columns(pixels.transpose([0, 2, 1])))
        return self.out(self.gru(columns.transpose([0, 2, 1]))[0])


def decode(scores):
    """The digits of each row: the best symbol of each column, repetitions and blanks taken out."""
    return [[int(b) for a, b in zip([0, *row], row) if b and b != a] for row in scores.argmax(-1).numpy()]


def main(steps=300):
    """Train; returns the share of new strips that are read without a mistake."""
    paddle.seed(0)
    random, model = np.random.RandomState(0), Reader()
    optimizer = paddle.optimizer.Adam(0.005, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0))
    for step in range(steps):
        pixels, labels, lengths = picture(random)
        scores = model(pixels).transpose([1, 0, 2])  # CTC takes time first
        columns = paddle.full([labels.shape[0]], scores.shape[0], "int64")
        loss = nn.functional.ctc_loss(scores, labels, columns, lengths)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 20 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")
    pixels, labels, lengths = picture(random, 200)
    with paddle.no_grad():
        found = decode(model(pixels))
    right = [read == list(row[:n]) for read, row, n in zip(found, labels.numpy(), lengths.numpy())]
    print(f"read without a mistake: {np.mean(right):.1%}")
    return float(np.mean(right))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    main(parser.parse_args().steps)
