"""``print`` and ``assert`` of tensors: operators of the program."""

import builtins

from ..core.context import context
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..static.program.open_ranks import extent
from ..static.program.program import default_main_program
from ..static.program.record import as_variable, user_line
from .errors import check_set


def print_(*args, sep=" ", end="\n", file=None, flush=False):
    """``print``: at every run of the program, if it prints tensors."""
    check_set(args)
    if not any(isinstance(a, Symbolic) or isinstance(a, Tensor) and context.trace is not None for a in args) or file is not None:
        return builtins.print(*args, sep=sep, end=end, file=file, flush=flush)
    block = default_main_program().current_block()
    text = []
    variables = [a for a in args if isinstance(a, (Symbolic, Tensor))]
    for a in args[:-1] if isinstance(args[-1], (Symbolic, Tensor)) else args:
        if not isinstance(a, (Symbolic, Tensor)):
            text.append(str(a))
    for k, a in enumerate(variables):
        var = as_variable(a, block)
        out = block.new_var(dtype=var.dtype, stop_gradient=True, **extent(var))
        block.append_op("print", {"In": var}, {"Out": out},
                        {"first_n": -1, "summarize": 20, "message": sep.join(text) if k == 0 else "", "print_phase": "FORWARD",
                         "print_tensor_name": False, "print_tensor_type": False, "print_tensor_shape": True,
                         "print_tensor_layout": False, "print_tensor_lod": False, "is_forward": True}, user_line())
    return None


def assert_(condition, message):
    """``assert``: checked at every run of the program."""
    block = default_main_program().current_block()
    op = block.append_op("assert", {"Cond": condition, "Data": []}, {}, {"summarize": -1}, user_line())
    op.attrs["__message__"] = "the condition is false" if message is None else str(message)
