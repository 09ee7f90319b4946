"""Decoding of tags."""

import itertools

import numpy as np
from opcase import OpCase, bad, const, f

V = "paddle.text.viterbi_decode"
TAKES = [f(2, 3, 3), f(3, 3), const([3, 1], "int64")]


def best_paths(x, transitions, lengths, include_bos_eos_tag=True):
    """The best path of each sequence, by trying all of them."""
    def score(row, path):
        inside = sum(row[t, tag] for t, tag in enumerate(path)) + sum(transitions[pair] for pair in itertools.pairwise(path))
        return inside + include_bos_eos_tag * (transitions[-1, path[0]] + transitions[-2, path[-1]])
    paths = [max(itertools.product(range(x.shape[2]), repeat=int(n)), key=lambda p, row=row: score(row, p))
             for row, n in zip(x, lengths)]
    scores = [score(row, path) for row, path in zip(x, paths)]
    return [np.array(scores), np.array([[*path, *[0] * (lengths.max() - len(path))] for path in paths])]


CASES = [
    OpCase(V, TAKES, ref=best_paths, grad=False, unknown=False, errors=[
        bad(ValueError, f(2, 3), f(3, 3), const([3, 1], "int64"), match="batch, steps, tags"),
        bad(ValueError, f(2, 3, 3), f(2, 3), const([3, 1], "int64"), match="transition_params"),
        bad(ValueError, f(2, 3, 3), f(3, 3), const([3, 4], "int64"), match="from 0 to 3"),
        bad(ValueError, f(2, 3, 1), f(1, 1), const([3, 1], "int64"), match="two tags")]),
    OpCase(V, TAKES, ref=best_paths, include_bos_eos_tag=False, grad=False, unknown=False),
]
