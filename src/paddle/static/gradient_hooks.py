"""Hooks of Variables: functions of the user's that see, and may replace, the gradient of a variable of a program.

``register_hook`` is an operator without outputs: it marks the value that the variable has at that place. Where the gradient of a
marked value is complete, a ``gradient_hook`` operator calls the function.
"""

import uuid

import numpy as np

from ..core.autograd import HookHandle
from ..core.errors import describe
from ..core.tensor import Tensor, wrap
from .ir.lower import special
from .ir.nodes.op import Call
from .program import program
from .program.record import user_line

_tables = []  # hooks by the number that operators have: {key: function}, empty after remove()
_PROCESS = uuid.uuid4().hex  # whose numbers they are: programs go into files, functions don't


class HookCall(Call):
    """gradient_hook: what is left of a gradient when the hook has seen it."""

    type, pure, single, differentiable = "gradient_hook", False, True, True
    in_slots, out_slots = [("X", 1, False)], [("Out", 1, False)]

    def __init__(self, attrs):
        self.attrs = attrs

    def table(self):
        """The hooks to call."""
        if self.attrs.get("process") != _PROCESS:
            raise NotImplementedError("register_hook(): the function of a hook in a program from a file is not known here")
        return _tables[self.attrs["callable_id"]]

    def prepare(self):
        table = self.table()
        return lambda gradient: _seen(gradient, table)

    def on_tensor(self, gradient):
        """The hook on a Tensor that may lead back to others."""
        for hook in list(self.table().values()):
            result = hook(gradient)
            gradient = gradient if result is None else result
        return gradient


def _seen(gradient, table):
    for hook in list(table.values()):
        result = hook(wrap(gradient))
        if result is None:
            continue
        if not isinstance(result, (Tensor, np.ndarray, np.number)):
            raise TypeError(f"register_hook(): hook must return a Tensor, an array or None, got {describe(result)}")
        result = np.asarray(result._data if isinstance(result, Tensor) else result, gradient.dtype)
        if result.shape != gradient.shape:
            raise ValueError(f"register_hook(): hook must keep the gradient's shape {list(gradient.shape)}, got "
                             f"{list(result.shape)}")
        gradient = result
    return gradient


@special("register_hook")
def _mark(lowering, operator):
    value = lowering.read(operator.input("X")[0])
    value.hooks = (*value.hooks, HookCall(operator.attrs))


@special("gradient_hook")
def _call(lowering, operator):
    value = lowering.whole(lowering.read(operator.input("X")[0]))
    lowering.add(HookCall(operator.attrs), [value], operator.output("Out"), operator)


def register_hook(variable, hook):
    """See ``Variable.register_hook``."""
    if not callable(hook):
        raise TypeError(f"register_hook(): hook must be callable, got {describe(hook)}")
    if variable.stop_gradient:
        raise RuntimeError(f"register_hook(): {variable.name} has stop_gradient=True, so no gradient will pass it")
    block = program.default_main_program().current_block()
    if variable.block is not block:
        raise NotImplementedError(f"register_hook(): {variable.name} belongs to block {variable.block.idx}; its hook can't be "
                                  f"registered in block {block.idx}, which may run or not")
    table = {}
    _tables.append(table)
    block.append_op("register_hook", {"X": variable}, {}, {"callable_id": len(_tables) - 1, "process": _PROCESS}, user_line())
    return HookHandle(table, hook)
