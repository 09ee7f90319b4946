"""paddle.autograd.ir_backward: gradients that become part of a program, with the arguments of ``paddle.grad``."""

__all__ = ["calc_gradient", "grad"]


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=False,
         no_grad_vars=None):
    """The gradients of a program's outputs by its inputs, as Variables; what is recorded can be differentiated again."""
    from ..static import gradients  # a room above, for programs only
    if not only_inputs:
        raise NotImplementedError("grad(): only_inputs=False is not supported")
    found = gradients(outputs, inputs, grad_outputs or None, no_grad_vars)
    unused = [v.name for v, g in zip(inputs, found) if g is None and not v.stop_gradient]
    if unused and not allow_unused:
        raise ValueError(f"grad(): {unused[0]} is not used for the outputs; allow_unused=True gives None for it")
    return found


def calc_gradient(outputs, inputs, grad_outputs=None, no_grad_set=None):
    """The same, with None for inputs that are not used."""
    return grad(outputs, inputs, grad_outputs, allow_unused=True, no_grad_vars=no_grad_set)
