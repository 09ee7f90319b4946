"""fluid.backward (1.x; successor: paddle.static.append_backward, paddle.static.gradients)."""

from ..core.addresses import lookup as _lookup
from ..static import append_backward, gradients

__all__ = ["append_backward", "gradients"]

__getattr__ = _lookup(__name__)
