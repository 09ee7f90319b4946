"""paddle.base.backward: gradients of static programs, and what names them."""

from ..core.addresses import lookup as _lookup
from ..static.backward import append_backward, gradients
from ..static.program.program import GRAD

__all__ = ["append_backward", "calc_gradient", "gradients"]

calc_gradient = gradients  # as releases before 2.0 call it


def _append_grad_suffix_(name):
    """The name of the variable that holds the gradient of the variable ``name``."""
    return name + GRAD


def _strip_grad_suffix_(name):
    """The name of the variable of whose gradient that is the name."""
    return name.partition(GRAD)[0]


def _as_list(x):
    """A list of what is one thing, several in a list or tuple, or None for nothing."""
    return [] if x is None else list(x) if isinstance(x, (list, tuple)) else [x]


def _get_stop_gradients_(program):
    """{number of a block: names of the gradients of its variables that stop gradients}."""
    return {block.idx: {_append_grad_suffix_(var.name) for var in block.vars.values() if var.stop_gradient}
            for block in program.blocks}


def _find_op_path_(block, targets, inputs, no_grad_set):
    """The operators of a block on the way from the inputs (from everything, if there are none) to the targets."""
    def on_the_way(operators, reached, begin, end):
        found = []
        for operator in operators:
            if reached & set(begin(operator)):
                found.append(operator)
                reached |= set(end(operator)) - set(no_grad_set or ())
        return found
    path = list(block.ops)
    if inputs:
        path = on_the_way(path, {var.name for var in inputs}, lambda op: op.input_arg_names, lambda op: op.output_arg_names)
    return on_the_way(reversed(path), {var.name for var in targets}, lambda op: op.output_arg_names,
                      lambda op: op.input_arg_names)[::-1]


def _find_no_grad_vars(block, op_path, targets, no_grad_set):
    """Names of what operators on the way to the targets compute without using it, so that no gradient comes to it."""
    used, unused = {var.name for var in targets}, set()
    for operator in reversed(op_path):
        unused |= {name for name in operator.output_arg_names
                   if name not in used and name not in operator.input_arg_names and not block.vars[name].stop_gradient}
        used |= set(operator.input_arg_names) - set(no_grad_set)
    return unused


__getattr__ = _lookup(__name__)
