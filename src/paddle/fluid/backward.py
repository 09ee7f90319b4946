"""fluid.backward (1.x; successor: paddle.static.append_backward, paddle.static.gradients)."""

from ..base.backward import (  # noqa: F401
    _append_grad_suffix_,
    _as_list,
    _find_no_grad_vars,
    _find_op_path_,
    _get_stop_gradients_,
    _strip_grad_suffix_,
    append_backward,
    calc_gradient,
    gradients,
    gradients_with_optimizer,
)
from ..core.addresses import lookup as _lookup

__all__ = ["append_backward", "gradients"]

__getattr__ = _lookup(__name__)
