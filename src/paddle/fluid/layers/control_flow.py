"""fluid.layers: branches and loops written as ``with`` blocks, over the control flow of paddle.static."""

import contextlib

from ... import tensor
from ...core.addresses import lookup as _lookup
from ...ops.sequence.dynamic_rnn import step_reorder
from ...static.nn.control_flow import Switch, While
from ..state import fluid_call
from .sequence import lod_rank_table  # noqa: F401  (1.x had it here)

__all__ = ["While", "Switch", "IfElse", "is_empty"]


class IfElse:
    """Rows where ``cond`` [N, 1] holds go through one block, the others through another; calling it merges the outputs in
    the rows' order (1.x; successor: paddle.where, or paddle.static.nn.cond for a single condition)."""

    def __init__(self, cond, name=None):
        flat = cond.flatten()
        self._rows = {True: tensor.nonzero(flat).flatten(), False: tensor.nonzero(tensor.logical_not(flat)).flatten()}
        self._side, self._outs = None, {}

    @contextlib.contextmanager
    def _on(self, side):
        self._side = side
        try:
            yield
        finally:
            self._side = None

    def true_block(self):
        """Context manager for the rows where the condition holds."""
        return self._on(True)

    def false_block(self):
        """Context manager for the other rows."""
        return self._on(False)

    def input(self, x):
        """The rows of x (its sequences, if it has lengths) that belong to the current block."""
        if self._side is None:
            raise RuntimeError("IfElse.input(): must be called inside true_block() or false_block()")
        return step_reorder(x, self._rows[self._side])[0]

    def output(self, *outs):
        """The results of the current block."""
        if self._side is None:
            raise RuntimeError("IfElse.output(): must be called inside true_block() or false_block()")
        self._outs[self._side] = outs

    def __call__(self):
        if len(self._outs) != 2 or len(self._outs[True]) != len(self._outs[False]):
            raise ValueError("IfElse(): both blocks must give the same number of outputs")
        order = tensor.argsort(tensor.concat([self._rows[True], self._rows[False]]))
        return [tensor.gather(tensor.concat([a, b]), order) for a, b in zip(self._outs[True], self._outs[False])]


@fluid_call
def is_empty(x, cond=None, name=None):
    """Has x no elements? (1.x; successor: paddle.is_empty)"""
    from .tensor import _into
    return _into(tensor.is_empty(x), cond)


__getattr__ = _lookup(__name__)
