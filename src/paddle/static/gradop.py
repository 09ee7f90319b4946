"""Gradient ops: ``leaky_relu_grad`` runs the gradient rules of ``leaky_relu`` on arrays.

A gradient op has the forward op's input slots, its output slots, ``<Out>@GRAD`` slots, and gives ``<X>@GRAD``; there is
nothing to declare per op.
"""

import numpy as np

from ..core.backward import sum_to
from ..core.op import _meta
from .program import GRAD


class _Kept:
    """What a Plan reads of a node."""

    __slots__ = ("saved", "out", "tensors")

    def __init__(self, saved, out):
        self.saved, self.out, self.tensors = saved, out, ()


def plan_for(op, wanted):
    """The plan that computes the gradients of the wanted input positions."""
    mask = 0
    for i in wanted:
        mask |= 1 << i
    return op._plans.get(mask) or op._make_plan(mask)


def run(op, plan, values, outs, grads):
    """Gradients of the plan's active inputs; values: bound arguments as arrays, outs and grads: one entry per output."""
    saved = plan.saved(values)
    if plan.metas:
        saved += tuple([_meta(values[i], what) for i, what in plan.metas])
    filled = grads if op.partial else [np.zeros(np.shape(o), o.dtype) if g is None and o is not None and o.dtype.kind in "fc" else g
              for g, o in zip(grads, outs)]
    several = not op.single
    results = plan(_Kept(saved, (outs if several else outs[0]) if plan.saves_out else None),
                   tuple(filled) if several else filled[0], False)
    fixed = []
    for i, r in zip(plan.active, results):
        if r is not None and not isinstance(r, list) and op.family == "broadcast" and r.shape != values[i].shape:
            r = sum_to(r, values[i].shape)
        fixed.append(r if r is None or isinstance(r, list) else np.asarray(r))
    return fixed


def slots(op):
    """Input slots of the gradient op: forward inputs, forward outputs, gradients of the outputs."""
    return [s.name for s in op.inputs], [s.name for s in op.outputs], [s.name + GRAD for s in op.outputs]
