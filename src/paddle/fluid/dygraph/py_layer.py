"""PyLayer of 1.4: forward and backward on lists of NumPy arrays."""

import itertools

import numpy as np

from ...autograd import PyLayer as Modern
from ...core.tensor import Tensor, wrap
from .layers import Layer

__all__ = ["PyLayer"]


class PyLayer(Layer):
    """An operation whose ``forward(inputs)`` and ``backward(inputs)`` are static methods on lists of arrays (1.x; successor:
    paddle.autograd.PyLayer). Backward receives the inputs, the outputs and the outputs' gradients, in this order."""

    _numbers = itertools.count(1)  # of functions that were called

    def __init__(self):
        super().__init__()
        self.forward_id = self.backward_id = None  # known from the first call on

    @staticmethod
    def forward(inputs):
        """Arrays in, an array or list of arrays out; every subclass defines it."""
        raise NotImplementedError("a PyLayer must define forward(inputs)")

    @staticmethod
    def backward(inputs):
        """Gradients of the inputs; every subclass defines it."""
        raise NotImplementedError("a PyLayer must define backward(inputs)")

    def __call__(self, *inputs):
        kind = type(self)
        if self.forward_id is None:
            self.forward_id, self.backward_id = next(PyLayer._numbers), next(PyLayer._numbers)

        class Step(Modern):
            @staticmethod
            def forward(ctx, *tensors):
                arrays = [t.numpy() for t in tensors]
                outs = kind.forward(arrays)
                outs = [np.asarray(o) for o in (outs if isinstance(outs, (list, tuple)) else [outs])]
                ctx.arrays = [*arrays, *outs]
                return [wrap(o) for o in outs]

            @staticmethod
            def backward(ctx, *grads):
                results = kind.backward([*ctx.arrays, *[g.numpy() for g in grads]])
                results = results if isinstance(results, (list, tuple)) else [results]
                return tuple(None if r is None else wrap(np.asarray(r)) for r in results)

        return Step.apply(*[t if isinstance(t, Tensor) else wrap(np.asarray(t)) for t in inputs])
