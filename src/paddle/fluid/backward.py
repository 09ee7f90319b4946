"""fluid.backward (1.x; successor: paddle.static.append_backward, paddle.static.gradients)."""

from ..core.errors import typos as _typos
from ..static import append_backward, gradients

__all__ = ["append_backward", "gradients"]

__getattr__ = _typos(__name__)
