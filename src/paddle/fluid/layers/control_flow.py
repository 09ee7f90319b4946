"""fluid.layers: branches and loops written as ``with`` blocks, over the control flow of paddle.static."""

import contextlib

from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.errors import check_type, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.sequence.dynamic_rnn import step_reorder
from ...static.nn import control_flow as modern
from ...static.nn.control_flow import Switch, While
from ...static.program.program import default_main_program
from ...static.program.record import user_line
from ...tensor import functions as tensor
from ...utils import unique_name
from ..state import fluid_call
from .rank_table import (  # noqa: F401  (1.x had them here)
    array_to_lod_tensor,
    lod_rank_table,
    lod_tensor_to_array,
    max_sequence_len,
    merge_lod_tensor,
    rows_where,
    shrink_memory,
    split_lod_tensor,
)
from .tensor import _into

__all__ = ["While", "Switch", "IfElse", "ConditionalBlock", "is_empty"]


class ConditionalBlock:
    """A ``with block():`` body that runs if none of the inputs is empty, or, with ``is_scalar_condition``, if the one input is
    true (1.x; successor: paddle.static.nn.cond)."""

    def __init__(self, inputs, is_scalar_condition=False, name=None):
        for each in inputs:
            check_type(each, Symbolic, "ConditionalBlock", "inputs")
        if is_scalar_condition and len(inputs) != 1:
            raise ValueError(f"ConditionalBlock(): a scalar condition is one variable, got {len(inputs)}")
        self._inputs, self._scalar = list(inputs), bool(is_scalar_condition)

    def _condition(self):
        if self._scalar:
            return self._inputs[0]
        filled = [tensor.logical_not(tensor.is_empty(x)).reshape([1]) for x in self._inputs]
        return filled[0] if len(filled) == 1 else tensor.all(tensor.concat(filled)).reshape([1])

    def block(self):
        """Context manager that records the body."""
        return modern._block("conditional_block", {"Cond": self._condition()}, "Scope", {"is_scalar_condition": True})


def _mask(mask, who):
    """The number of the value that is chosen: one integer of a program."""
    check_type(mask, Symbolic, who, "mask")
    if mask.dtype.name not in ("int32", "int64"):
        raise TypeError(f"{who}(): mask must be int32 or int64, got {mask.dtype}")
    return mask


def _several(values, who, argument):
    """The values among which is chosen; 1.7 took a single one too."""
    if isinstance(values, Symbolic) and not context.rules.checks:
        return [values]
    check_type(values, (list, tuple), who, argument)
    return list(values)


def select_output(input, outputs, mask):
    """Write input into the one of the outputs that the mask numbers; the others stay without a value (1.7, 1.8; successor:
    paddle.static.nn.cond)."""
    check_type(input, Symbolic, "select_output", "input")
    chosen = _several(outputs, "select_output", "outputs")
    default_main_program().current_block().append_op("select_output", {"X": input, "Mask": _mask(mask, "select_output")},
                                                     {"Out": chosen}, {}, user_line())
    for out in chosen:
        out.shape = tuple(input.shape)
        out.stop_gradient = input.stop_gradient
    return outputs


def select_input(inputs, mask):
    """The one of the inputs that the mask numbers (1.7, 1.8; successor: paddle.static.nn.cond)."""
    inputs = _several(inputs, "select_input", "inputs")
    block = default_main_program().current_block()
    out = block.new_var(name=unique_name.generate("select_input"), shape=inputs[0].shape, dtype=inputs[0].dtype,
                        kind=inputs[0].kind, stop_gradient=all(x.stop_gradient for x in inputs))
    block.append_op("select_input", {"X": inputs, "Mask": _mask(mask, "select_input")}, {"Out": out}, {}, user_line())
    return out


class IfElse:
    """Rows where ``cond`` [N, 1] holds go through one block, the others through another; calling it merges the outputs in
    the rows' order (1.x; successor: paddle.where, or paddle.static.nn.cond for a single condition)."""

    def __init__(self, cond, name=None):
        check_type(cond, (Symbolic, Tensor), "IfElse", "cond")
        if name is not None:
            check_type(name, str, "IfElse", "name")
        self._rows = dict(zip((True, False), rows_where(cond)))
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
        for out in outs:
            if not isinstance(out, (Symbolic, Tensor)):
                raise TypeError(f"IfElse.output(): outputs must be Variables, got {describe(out)}")
        self._outs[self._side] = outs

    def __call__(self):
        if len(self._outs) != 2 or len(self._outs[True]) != len(self._outs[False]):
            raise ValueError("IfElse(): both blocks must give the same number of outputs")
        order = tensor.argsort(tensor.concat([self._rows[True], self._rows[False]]))
        return [tensor.gather(tensor.concat([a, b]), order) for a, b in zip(self._outs[True], self._outs[False])]


@fluid_call
def is_empty(x, cond=None, name=None):
    """Has x no elements? (1.x; successor: paddle.is_empty)"""
    return _into(tensor.is_empty(x), cond)


__getattr__ = _lookup(__name__)
