"""A Transformer that translates: sequences of letters into the same letters backwards, shifted by one in the alphabet.

Encoder and decoder of paddle.nn.Transformer, teacher forcing in training, greedy decoding afterwards.
"""

import argparse

import numpy as np

import paddle
from paddle import nn

LETTERS, START, WORDS, LENGTH = 10, 10, 11, 6


def batch(random, size=64):
    """(source [size, LENGTH], target [size, LENGTH])."""
    source = random.randint(0, LETTERS, (size, LENGTH))
    return paddle.to_tensor(source), paddle.to_tensor((source[:, ::-1] + 1) % LETTERS)


def shifted(target):
    """What the decoder is given: the start sign, and all letters but the last."""
    return paddle.concat([paddle.full([target.shape[0], 1], START, target.dtype), target[:, :-1]], axis=1)


class Translator(nn.Layer):
    """Embeddings with positions, a Transformer, a linear layer to letters."""

    def __init__(self, width=32):
        super().__init__()
        self.letters, self.places = nn.Embedding(WORDS, width), nn.Embedding(LENGTH, width)
        self.transformer = nn.Transformer(width, 4, num_encoder_layers=2, num_decoder_layers=2, dim_feedforward=64, dropout=0.0)
        self.out = nn.Linear(width, LETTERS)

    def embed(self, words):
        return self.letters(words) + self.places(paddle.arange(words.shape[1]))

    def forward(self, source, given):
        mask = self.transformer.generate_square_subsequent_mask(given.shape[1])
        return self.out(self.transformer(self.embed(source), self.embed(given), tgt_mask=mask))

    def translate(self, source):
        """The most probable letters, one after the other."""
        given = paddle.full([source.shape[0], 1], START, source.dtype)
        for _ in range(LENGTH):
            given = paddle.concat([given, self(source, given[:, -LENGTH:])[:, -1:].argmax(-1)], axis=1)
        return given[:, 1:]


def main(steps=400):
    """Train; returns the share of letters that are right in translations of new sequences."""
    paddle.seed(0)
    random, model = np.random.RandomState(0), Translator()
    schedule = paddle.optimizer.lr.LinearWarmup(3e-3, warmup_steps=30, start_lr=1e-4, end_lr=3e-3)
    optimizer = paddle.optimizer.Adam(schedule, parameters=model.parameters())
    for step in range(steps):
        source, target = batch(random)
        loss = nn.functional.cross_entropy(model(source, shifted(target)), target)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        if step % 25 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")
    model.eval()
    source, target = batch(random, 200)
    with paddle.no_grad():
        share = float((model.translate(source) == target).astype("float32").mean())
    print(f"letters of new translations that are right: {share:.3f}")
    return share


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    main(parser.parse_args().steps)
