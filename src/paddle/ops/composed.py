"""Ops written with other ops: their gradients, of every order, come from differentiating what they are made of.

    @composed("affine_grid(Theta, OutputShape?) -> Output", family="own")
    def affine_grid(theta, shape_tensor=None, ...):
        ...  # only ops and operators on what may need a gradient

The function runs on arrays when the op runs, and on Tensors when a gradient is wanted: backward runs it once more. Where that
is too slow, ``@my_op.first_order`` gives a function of (needs, gradients of the outputs, arguments) for gradients on arrays; it may
decline (``NotImplemented``).
"""

import inspect

import numpy as np

from ..core.autograd import enable_grad
from ..core.backward import grad
from ..core.op import op
from ..core.tensor import Tensor, wrap
from ..kernels import enabled
from .manipulation.creation import assign


def composed(signature, family, **options):
    """As ``op``, with a gradient that needs no rule."""
    def declare(fn):
        declared = op(signature, family, **options)(fn)
        count, arity = declared.n_in, declared.arity

        def rule(needs, g, *values):
            gs = g if isinstance(g, (tuple, list)) else (g,)
            again = any(isinstance(one, Tensor) for one in gs)
            if declared.quick_rule is not None and not again and enabled():
                found = declared.quick_rule(needs, gs, *values)
                if found is not NotImplemented:
                    return found
            values = list(values)
            with enable_grad():
                for i in range(count):
                    if isinstance(values[i], (list, tuple)):
                        values[i] = [_fresh(one, needs[i]) for one in values[i]]
                    elif values[i] is not None:
                        values[i] = _fresh(values[i], needs[i])
                outs = fn(*values)
                outs = outs if isinstance(outs, (tuple, list)) else (outs,)
                pairs = [(o, one) for o, one in zip(outs, gs)
                         if one is not None and isinstance(o, Tensor) and not o.stop_gradient]
                wanted = [i for i in range(count) if needs[i]]
                if not pairs:
                    return (None,) * count
                leaves = [leaf for i in wanted for leaf in (values[i] if isinstance(values[i], list) else [values[i]])]
                found = grad([o for o, _ in pairs], leaves,
                             [one if isinstance(one, Tensor) else wrap(one) for _, one in pairs], create_graph=again,
                             allow_unused=True)
            # where the result does not depend on an input its gradient is zero
            found = [wrap(np.zeros_like(leaf._data)) if one is None else one for leaf, one in zip(leaves, found)]
            found = iter(found if again else [one._data for one in found])
            results = [None] * count
            for i in wanted:
                results[i] = [next(found) for _ in values[i]] if isinstance(values[i], list) else next(found)
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
    tensor = wrap(np.asarray(value))
    tensor.stop_gradient = not needed
    return tensor
