"""fluid.backward (1.x; successor: paddle.static.append_backward, paddle.static.gradients)."""

from ..core.addresses import lookup as _lookup
from ..static import append_backward, gradients
from ..static.program.variable import GRAD

__all__ = ["append_backward", "gradients"]

calc_gradient = gradients


def _append_grad_suffix_(name):
    """The name of the gradient of a variable of that name."""
    return name + GRAD


def _strip_grad_suffix_(name):
    """The name of the variable of whose gradient that is the name."""
    return name.partition(GRAD)[0]


def _as_list(value):
    """A list: of what a sequence holds, of the value itself, or of nothing for None."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


__getattr__ = _lookup(__name__)
