"""Activation functions."""

import numpy as np

from ..core.op import op


@op("relu(X) -> Out", family="same")
def relu(x):
    """max(x, 0), element by element; its gradient at 0 is 0."""
    return np.maximum(x, x.dtype.type(0))


@op("relu_mask(G, Out) -> GX", family="same")
def relu_mask(g, out):
    """g where out > 0, else 0: the gradient of relu."""
    return g * (out > 0)


relu.grad(x=lambda g, out: relu_mask(g, out))
relu_mask.grad(g=lambda g, out: relu_mask(g, out))
