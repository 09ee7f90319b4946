"""fluid.contrib.slim.prune: which groups of a parameter are cut off."""

from .....core.addresses import lookup as _lookup
from .pruner import Pruner, StructurePruner

__all__ = ["Pruner", "StructurePruner"]

__getattr__ = _lookup(__name__)
