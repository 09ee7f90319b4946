"""Sentences of different lengths through a bidirectional LSTM: does a sentence hold more good words than bad ones?

The sentences are made up: a batch is padded to its longest, and the lengths tell the LSTM where each one ends.
"""

import argparse

import numpy as np

import paddle
from paddle import nn

GOOD, BAD, OTHER = range(1, 11), range(11, 21), range(21, 60)  # word numbers; 0 pads
WORDS = 60


def batch(random, size=32):
    """(word numbers [size, longest], lengths, labels)."""
    lengths = random.randint(3, 15, size)
    words, labels = np.zeros((size, lengths.max()), "int64"), np.zeros(size, "int64")
    for row, length in enumerate(lengths):
        labels[row] = random.randint(2)
        kinds = random.choice(OTHER, length)
        kinds[random.permutation(length)[:3]] = random.choice(GOOD if labels[row] else BAD, 3)
        words[row, :length] = kinds
    return paddle.to_tensor(words), paddle.to_tensor(lengths), paddle.to_tensor(labels)


class Classifier(nn.Layer):
    """Embedding, bidirectional LSTM, and a linear layer on the two final states."""

    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, direction="bidirect")
        self.out = nn.Linear(2 * width, 2)

    def forward(self, words, lengths):
        _, (final, _) = self.lstm(self.embedding(words), sequence_length=lengths)
        return self.out(paddle.concat([final[0], final[1]], axis=-1))


def main(steps=150):
    """Train; returns the accuracy on new sentences."""
    paddle.seed(0)
    random, model = np.random.RandomState(0), Classifier()
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(1.0))
    for step in range(steps):
        words, lengths, labels = batch(random)
        loss = nn.functional.cross_entropy(model(words, lengths), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 25 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")
    words, lengths, labels = batch(random, 500)
    with paddle.no_grad():
        accuracy = float((model(words, lengths).argmax(-1) == labels).astype("float32").mean())
    print(f"accuracy on new sentences: {accuracy:.3f}")
    return accuracy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=150)
    main(parser.parse_args().steps)
