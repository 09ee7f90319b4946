"""paddle.base.dygraph: eager mode as programs of 2.5 and 2.6 switch it, with the meanings of 2.x."""

from ...core.addresses import lookup as _lookup
from .base import (  # noqa: F401
    Layer,
    disable_dygraph,
    enable_dygraph,
    enabled,
    grad,
    guard,
    in_dygraph_mode,
    is_compiled_with_cuda,
    no_grad,
    to_variable,
)

__all__ = ["guard", "to_variable", "grad", "no_grad", "enabled", "enable_dygraph", "disable_dygraph", "in_dygraph_mode",
           "is_compiled_with_cuda", "Layer"]
__getattr__ = _lookup(__name__)
