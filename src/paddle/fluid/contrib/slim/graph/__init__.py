"""fluid.contrib.slim.graph: views of a program for those who prune it, and an executor of them."""

from .....core.addresses import lookup as _lookup
from .executor import SlimGraphExecutor
from .graph_wrapper import GraphWrapper, OpWrapper, VarWrapper

__all__ = ["GraphWrapper", "OpWrapper", "SlimGraphExecutor", "VarWrapper"]

__getattr__ = _lookup(__name__)
