"""Draws from gamma-like distributions."""

import numpy as np

from ...core.op import op
from ..arguments import need_real, quiet
from . import draws


@op("dirichlet(Alpha) -> Out", family="same", random=True)
@quiet
def dirichlet(alpha):
    """Probabilities that add up to 1 along the last axis, drawn from Dirichlet distributions."""
    if alpha.ndim < 1:
        raise ValueError("dirichlet(): alpha must have at least one axis, got a 0-d tensor")
    if alpha.size and not np.all(alpha > 0):
        raise ValueError("dirichlet(): every element of alpha must be positive")
    kind = np.float64 if alpha.dtype == np.float64 else np.float32
    tiny = np.finfo(kind).tiny
    drawn = np.maximum(draws.gamma(0, alpha.astype(kind, copy=False)), kind(tiny))
    return (drawn / drawn.sum(-1, keepdims=True)).astype(alpha.dtype)


@op("standard_gamma(x) -> out", family="same", random=True)
@quiet
def standard_gamma(x):
    """Draws from gamma distributions of shape x and rate 1."""
    need_real(x, "standard_gamma")
    if x.size and not np.all(x > 0):
        raise ValueError("standard_gamma(): every element of x must be positive")
    kind = np.float64 if x.dtype == np.float64 else np.float32
    return np.asarray(draws.gamma(0, x.astype(kind, copy=False))).astype(x.dtype)
