"""Word vectors by skip-gram with negative sampling, on sentences of a small made-up language.

Words that stand in the same places get similar vectors: the nearest neighbour of an animal is an animal.
"""

import argparse

import numpy as np

import paddle
from paddle import nn

KINDS = {"animal": "cat dog cow pig hen".split(), "food": "fish bread milk corn rice".split(),
         "verb": "eats likes wants finds".split(), "place": "barn yard house field".split()}
WORDS = [word for words in KINDS.values() for word in words] + ["the", "in"]
NUMBER = {word: number for number, word in enumerate(WORDS)}


def pairs(random, sentences):
    """Pairs (word, neighbour within two places) of sentences such as "the cat eats fish in the barn"."""
    found = []
    for _ in range(sentences):
        animal, food, verb, place = (random.choice(KINDS[kind]) for kind in ("animal", "food", "verb", "place"))
        line = [NUMBER[word] for word in ("the", animal, verb, food, "in", "the", place)]
        found += [(a, b) for i, a in enumerate(line) for b in line[max(i - 2, 0):i] + line[i + 1:i + 3]]
    return np.array(found)


class SkipGram(nn.Layer):
    """Two tables of vectors: of words, and of words as neighbours."""

    def __init__(self, width=16):
        super().__init__()
        self.words, self.neighbours = nn.Embedding(len(WORDS), width), nn.Embedding(len(WORDS), width)

    def forward(self, word, others):
        return (self.words(word).unsqueeze(1) * self.neighbours(others)).sum(-1)


def main(steps=400):
    """Train; returns the share of words whose nearest neighbour is of their kind."""
    paddle.seed(0)
    random, model = np.random.RandomState(0), SkipGram()
    data = pairs(random, 2000)
    optimizer = paddle.optimizer.Adam(0.02, parameters=model.parameters())
    for step in range(steps):
        rows = data[random.randint(0, len(data), 256)]
        others = np.concatenate([rows[:, 1:], random.randint(0, len(WORDS), (256, 5))], axis=1)  # one true, five drawn
        truth = paddle.to_tensor(np.tile([1.0] + [0.0] * 5, (256, 1)).astype("float32"))
        logits = model(paddle.to_tensor(rows[:, 0]), paddle.to_tensor(others))
        loss = nn.functional.binary_cross_entropy_with_logits(logits, truth)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 100 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")
    vectors = nn.functional.normalize(model.words.weight.detach(), axis=1)
    near = (vectors @ vectors.T - 2 * paddle.eye(len(WORDS))).argmax(-1).tolist()
    kind = {word: name for name, words in KINDS.items() for word in words}
    for word in ("cat", "milk", "barn", "likes"):
        print(f"{word:6} is near {WORDS[near[NUMBER[word]]]}")
    return float(np.mean([kind.get(WORDS[near[NUMBER[word]]]) == kind[word] for word in kind]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    print(f"nearest neighbours of the same kind: {main(parser.parse_args().steps):.0%}")
