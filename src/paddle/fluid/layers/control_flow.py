"""fluid.layers: branches and loops written as ``with`` blocks, over the control flow of paddle.static."""

import contextlib

from ... import tensor
from ...core.addresses import lookup as _lookup
from ...core.op import Symbolic
from ...ops.sequence.dynamic_rnn import step_reorder
from ...static.nn import control_flow as modern
from ...static.program import program
from ..state import fluid_call
from .sequence import lod_rank_table  # noqa: F401  (1.x had it here)

__all__ = ["While", "Switch", "IfElse", "is_empty"]


@contextlib.contextmanager
def _block(kind, inputs, scope_slot, attrs):
    """Ops inside go to a sub-block that an operator of that kind runs."""
    parent = program.default_main_program().current_block()
    with modern._SubBlock() as block:
        yield
    modern._close(parent, block, kind, inputs, scope_slot, attrs)


def _static_only(cond, who):
    if not isinstance(cond, Symbolic):
        raise TypeError(f"{who}(): cond must be a Variable of a static program; in a guard use Python's own statements")
    modern._check_condition(cond, who, "cond")


class While:
    """A loop of a static program: the ``with while_op.block():`` body runs as long as ``cond`` holds and must update it
    (1.x; successor: paddle.static.nn.while_loop)."""

    def __init__(self, cond, is_test=False, name=None):
        _static_only(cond, "While")
        self._cond, self._is_test = cond, bool(is_test)

    def block(self):
        """Context manager that records the body."""
        return _block("while", {"Condition": self._cond}, "StepScopes", {"is_test": self._is_test})


class Switch:
    """The first case whose condition holds runs, else the default (1.x; successor: paddle.static.nn.case)."""

    def __init__(self, name=None):
        self._before = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def case(self, condition):
        """Context manager that records what runs when ``condition`` is the first to hold."""
        _static_only(condition, "Switch.case")
        chosen = condition if self._before is None else tensor.logical_and(condition, tensor.logical_not(self._before))
        self._before = condition if self._before is None else tensor.logical_or(self._before, condition)
        return _block("conditional_block", {"Cond": chosen}, "Scope", {"is_scalar_condition": True})

    def default(self):
        """Context manager that records what runs when no case did."""
        if self._before is None:
            raise ValueError("Switch.default(): there must be a case before the default")
        return _block("conditional_block", {"Cond": tensor.logical_not(self._before)}, "Scope", {"is_scalar_condition": True})


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
