"""paddle.base.backward: gradients of static programs, and what names them."""

from ..core.addresses import lookup as _lookup
from ..static.backward import append_backward, gradients
from ..static.program.program import GRAD, program_guard

__all__ = ["append_backward", "calc_gradient", "gradients", "gradients_with_optimizer"]

calc_gradient = gradients  # as releases before 2.0 call it


def gradients_with_optimizer(program, optimizer, inputs=None, outputs=None):
    """Let an optimizer update the parameters among the inputs of a program by the gradients of its outputs; (operators,
    [(parameter, gradient)]).

    Args:
        inputs: Variables; None takes what operators read and none writes.
        outputs: Variables; None takes what operators write and none reads.

    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     loss = paddle.mean(paddle.static.nn.fc(paddle.static.data('x', [None, 3]), 2))
    ...     _, pairs = paddle.base.backward.gradients_with_optimizer(loss.block.program, paddle.optimizer.SGD(0.1))
    >>> [list(parameter.shape) for parameter, _ in pairs]
    [[3, 2], [2]]
    >>> paddle.disable_static()
    """
    ends = ((block, op.input_arg_names, op.output_arg_names) for block in program.blocks for op in block.ops)
    read, written = {}, {}
    for block, reads, writes in ends:
        read.update((name, block._var_recursive(name)) for name in reads)
        written.update((name, block._var_recursive(name)) for name in writes)
    inputs = [var for name, var in read.items() if name not in written] if inputs is None else _as_list(inputs)
    outputs = [var for name, var in written.items() if name not in read] if outputs is None else _as_list(outputs)
    found = zip(inputs, gradients(outputs, inputs))
    with program_guard(program):
        pairs = [(var, gradient) for var, gradient in found if var.is_parameter and gradient is not None]
        return optimizer.apply_gradients(pairs), pairs


def _append_grad_suffix_(name):
    """The name of the variable that holds the gradient of the variable ``name``."""
    return name + GRAD


def _strip_grad_suffix_(name):
    """The name of the variable of whose gradient, of any order or in several parts, that is the name.

    >>> from paddle.base import backward
    >>> [backward._strip_grad_suffix_(name) for name in ("x@GRAD@GRAD", "x@GRAD@RENAME@1", "x@GRAD_slice_0@GRAD")]
    ['x', 'x', 'x@GRAD_slice_0']
    """
    name = name.rpartition("grad/")[2]
    return name.partition(GRAD + "@")[0].removesuffix(GRAD)


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
