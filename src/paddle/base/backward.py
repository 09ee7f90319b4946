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


__getattr__ = _lookup(__name__)
