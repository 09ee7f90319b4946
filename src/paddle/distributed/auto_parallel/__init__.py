"""Semi-automatic parallelism: say how tensors lie on a mesh of ranks, and every operator does the rest."""

from ...core.addresses import lookup as _lookup
from .placement_type import Partial, Placement, ReduceType, Replicate, Shard
from .process_mesh import ProcessMesh, get_mesh, set_mesh

__all__ = ["Partial", "Placement", "ProcessMesh", "ReduceType", "Replicate", "Shard", "get_mesh", "set_mesh"]
__getattr__ = _lookup(__name__)
