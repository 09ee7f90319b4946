"""Random ops of the gamma family."""

import numpy as np
from opcase import OpCase, bad, pos

CASES = [
    OpCase("dirichlet", [pos(500, 3)], grad=False, small=False, errors=[bad(ValueError, -1.0 * np.ones((2, 2)))],
           check=lambda out, alpha: np.allclose(out.numpy().sum(-1), 1) and abs(
               out.numpy() - alpha / alpha.sum(-1, keepdims=True)).mean(0).max() < 0.4),
]
