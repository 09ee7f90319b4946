"""fluid.backward (1.x; successor: paddle.static.append_backward, paddle.static.gradients)."""

from ..core.addresses import lookup as _lookup
from ..static import append_backward, gradients
from ..static.program.variable import GRAD

__all__ = ["append_backward", "gradients"]

calc_gradient = gradients


def _append_grad_suffix_(name):
    """The name of the gradient of a variable of that name."""
    return name + GRAD


__getattr__ = _lookup(__name__)
