"""Activation functions."""

import numpy as np

from ..core.op import op
from .fast import native_call


@op("relu(X) -> Out", family="same")
def relu(x):
    """max(x, 0), element by element; its gradient at 0 is 0."""
    return np.maximum(x, x.dtype.type(0))


@op("relu_mask(G, Out) -> GX", family="same")
def relu_mask(grad, out_):
    """grad where out_ > 0, else 0: the gradient of relu."""
    return grad * (out_ > 0)


relu.kernel()(native_call(lambda n, x: n.unary("relu", x)))
relu_mask.kernel()(native_call(lambda n, grad, out_: n.unary_grad("relu", out_, grad)))
relu.grad(x=lambda g, out: relu_mask(g, out))
relu_mask.grad(grad=lambda g, out_: relu_mask(g, out_))
