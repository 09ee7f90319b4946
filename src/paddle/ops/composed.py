"""Ops written with other ops: their gradients, of every order, come from differentiating what they are made of.

    @composed("affine_grid(Theta, OutputShape?) -> Output", family="probe")
    def affine_grid(theta, shape_tensor=None, ...):
        ...  # only ops and operators on what may need a gradient

The function runs on arrays when the op runs, and on Tensors when a gradient is wanted: backward runs it once more.
"""

import inspect

import numpy as np

from ..core.autograd import enable_grad
from ..core.backward import grad
from ..core.op import op
from ..core.tensor import Tensor, wrap
from .create import assign


def composed(signature, family, **options):
    """As ``op``, with a gradient that needs no rule."""
    def declare(fn):
        declared = op(signature, family, **options)(fn)
        count, arity = declared.n_in, declared.arity

        def rule(needs, g, *values):
            gs = g if isinstance(g, (tuple, list)) else (g,)
            again = any(isinstance(one, Tensor) for one in gs)
            values = list(values)
            with enable_grad():
                for i in range(count):
                    if values[i] is not None:
                        values[i] = _fresh(values[i], needs[i])
                outs = fn(*values)
                outs = outs if isinstance(outs, (tuple, list)) else (outs,)
                pairs = [(o, one) for o, one in zip(outs, gs)
                         if one is not None and isinstance(o, Tensor) and not o.stop_gradient]
                wanted = [i for i in range(count) if needs[i]]
                if not pairs:
                    return (None,) * count
                found = grad([o for o, _ in pairs], [values[i] for i in wanted],
                             [one if isinstance(one, Tensor) else wrap(one) for _, one in pairs], create_graph=again,
                             allow_unused=True)
            results = [None] * count
            for i, one in zip(wanted, found):
                if one is None:  # the result does not depend on this input
                    one = wrap(np.zeros_like(values[i]._data))
                results[i] = one if again else one._data
            return tuple(results)

        rule.__signature__ = inspect.Signature([
            inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("needs", "g", *declared.params[:arity])])
        declared.vjp(rule)
        return declared
    return declare


def _fresh(value, needed):
    """The value as a Tensor of its own, so that a gradient by it does not pass through what it was made from."""
    if isinstance(value, Tensor):
        return assign(value) if needed else value
    tensor = wrap(value)
    tensor.stop_gradient = not needed
    return tensor
