"""Draws from gamma-like distributions."""

import numpy as np

from ..core.op import op
from ..core.random import numpy_generator
from .families import quiet


@op("dirichlet(Alpha) -> Out", family="same")
@quiet
def dirichlet(alpha):
    """Probabilities that add up to 1 along the last axis, drawn from Dirichlet distributions."""
    if alpha.ndim < 1:
        raise ValueError("dirichlet(): alpha must have at least one axis, got a 0-d tensor")
    if alpha.size and not np.all(alpha > 0):
        raise ValueError("dirichlet(): every element of alpha must be positive")
    tiny = np.finfo(alpha.dtype).tiny
    draws = np.maximum(numpy_generator(0).standard_gamma(alpha.astype(np.float64)), tiny)
    return (draws / draws.sum(-1, keepdims=True)).astype(alpha.dtype)
