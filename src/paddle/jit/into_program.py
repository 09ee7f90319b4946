"""A function translated into the program that is being built: control flow on Variables becomes operators of it (1.8's
``dygraph_to_static_func``)."""

import functools
import types
import warnings

from ..core.context import changed, context
from ..core.tensor import Tensor
from ..static.program.program import default_main_program
from ..static.program.record import as_variable
from ..utils.layers_utils import map_structure
from .arrays import TensorList
from .calls import convert_call as traced_call
from .journal import Frame
from .looping import trimmed
from .tracing import Trace, _Capture


class ProgramTrace(Trace):
    """A trace whose program is the current one, which may get parameters too. ``x.numpy()`` is x there, as it was in 1.8."""

    values_stay = True

    def __init__(self, convert):
        super().__init__(convert)
        self.program = default_main_program()

    def refuse_parameter(self, name):
        """Nothing: they belong to the program."""


def dygraph_to_static_func(dygraph_func):
    """Decorator: called while a static program is built, the function adds its operators to that program, control flow included;
    inside a guard it runs as it is, with a warning (1.8; successor: paddle.jit.to_static)."""
    @functools.wraps(dygraph_func)
    def translated(*args, **kwargs):
        if not context.static_mode and context.guard is not None:
            warnings.warn("dygraph_to_static_func: inside a dygraph guard the function runs as it is", stacklevel=2)
            return dygraph_func(*args, **kwargs)
        if context.trace is not None:
            return traced_call(dygraph_func)(*args, **kwargs)
        trace = ProgramTrace(traced_call)
        with changed(trace=trace, static_mode=True), _Capture(trace):
            trace.journal.frames.append(Frame())
            result = traced_call(dygraph_func)(*args, **kwargs)
        return trimmed(result) if isinstance(result, TensorList) else map_structure(_of_program, result)
    return translated


def convert_call(function):
    """What to call in place of a function: its translation while a program is traced or built, else the function itself."""
    building = context.trace is None and context.static_mode and isinstance(function, (types.FunctionType, types.MethodType))
    return dygraph_to_static_func(function) if building else traced_call(function)


def _of_program(value):
    """A result that was computed at once, as a Variable of the program like the others."""
    return as_variable(value, default_main_program().current_block()) if isinstance(value, Tensor) else value
