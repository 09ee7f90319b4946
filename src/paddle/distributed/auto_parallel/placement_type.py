"""Placements: what the ranks along one dimension of a mesh have of a tensor."""

import enum

from ...core.errors import describe
from ..comm import ReduceOp


class ReduceType(enum.IntEnum):
    """How the parts of a Partial tensor make up its value."""

    kRedSum = 0
    kRedMax = 1
    kRedMin = 2
    kRedProd = 3
    kRedAvg = 4
    kRedAny = 5
    kRedAll = 6


REDUCTIONS = {ReduceType.kRedSum: ReduceOp.SUM, ReduceType.kRedMax: ReduceOp.MAX, ReduceType.kRedMin: ReduceOp.MIN,
              ReduceType.kRedProd: ReduceOp.PROD, ReduceType.kRedAvg: ReduceOp.AVG, ReduceType.kRedAny: ReduceOp.MAX,
              ReduceType.kRedAll: ReduceOp.MIN}


class Placement:
    """Base of placements."""

    __slots__ = ()

    def is_shard(self, dim=None):
        """Has every rank a part of an axis (of this one, if ``dim`` is given)?"""
        return False

    def is_replicated(self):
        """Has every rank the whole?"""
        return False

    def is_partial(self):
        """Has every rank a term of a reduction?"""
        return False

    def __eq__(self, other):
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self):
        return hash(repr(self))


class Replicate(Placement):
    """Every rank has the whole tensor.

    >>> import paddle.distributed as dist
    >>> dist.Replicate()
    Replicate()
    """

    __slots__ = ()

    def is_replicated(self):
        return True

    def __repr__(self):
        return "Replicate()"


class Shard(Placement):
    """Every rank has a part of axis ``dim``.

    >>> import paddle.distributed as dist
    >>> dist.Shard(0)
    Shard(dim=0)
    """

    __slots__ = ("dim",)

    def __init__(self, dim):
        if not isinstance(dim, int) or isinstance(dim, bool):
            raise TypeError(f"Shard(): dim must be an int, got {describe(dim)}")
        self.dim = dim

    def is_shard(self, dim=None):
        return dim is None or dim == self.dim

    def get_dim(self):
        """The axis that is cut."""
        return self.dim

    def __repr__(self):
        return f"Shard(dim={self.dim})"


class Partial(Placement):
    """Every rank has a term; the tensor is their reduction.

    >>> import paddle.distributed as dist
    >>> dist.Partial()
    Partial(reduce_type=SUM)
    """

    __slots__ = ("type",)

    def __init__(self, reduce_type=ReduceType.kRedSum):
        self.type = ReduceType(reduce_type)

    def is_partial(self):
        return True

    def reduce_type(self):
        """How the terms make up the value."""
        return self.type

    def __repr__(self):
        return f"Partial(reduce_type={self.type.name[4:].upper()})"


def checked(placements, mesh, ndim, function):
    """One placement per dimension of a mesh for a tensor of so many axes; dimensions that are not given replicate."""
    if not isinstance(placements, (list, tuple)) or not all(isinstance(p, Placement) for p in placements):
        raise TypeError(f"{function}(): placements must be a list of Shard, Replicate and Partial, got {describe(placements)}")
    if any(not p.is_replicated() for p in placements[mesh.ndim:]):
        raise ValueError(f"{function}(): {len(placements)} placements for a mesh of {mesh.ndim} dimensions")
    found = []
    for p in [*placements[:mesh.ndim], *[Replicate()] * (mesh.ndim - len(placements))]:
        if p.is_shard():
            if not -ndim <= p.dim < ndim:
                raise ValueError(f"{function}(): {p} of a tensor of {ndim} axes")
            p = Shard(p.dim % ndim)
        found.append(p)
    return found


def to_placements(dims_mapping, mesh, partial_idx=()):
    """Placements for a list that says, for each axis, which dimension of the mesh cuts it (-1: none); ``partial_idx``: dimensions
    along which there are terms of a sum.

    >>> import paddle.distributed as dist
    >>> dist.auto_parallel.placement_type.to_placements([-1, 0], dist.ProcessMesh([[0, 1]]))
    [Shard(dim=1), Replicate()]
    """
    found = [Replicate()] * mesh.ndim
    for axis, dim in enumerate(dims_mapping):
        if dim >= 0:
            if found[dim].is_shard():
                raise ValueError(f"to_placements(): dimension {dim} of the mesh cuts two axes in {list(dims_mapping)}")
            found[dim] = Shard(axis)
    for dim in partial_idx:
        if not found[dim].is_replicated():
            raise ValueError(f"to_placements(): dimension {dim} of the mesh can't both cut and hold terms of a sum")
        found[dim] = Partial()
    return found


def get_shard_spec(mesh, placements, tensor_dim):
    """For each axis the name of the dimension of the mesh that cuts it, or None."""
    found = [None] * tensor_dim
    for dim, placement in enumerate(placements):
        if placement.is_shard():
            found[placement.get_dim()] = mesh.dim_names[dim]
    return found


def check_placements_equal(this, that):
    """Do two lists of placements mean the same? What is not given replicates."""
    short, long = sorted((list(this), list(that)), key=len)
    return long[:len(short)] == short and all(p.is_replicated() for p in long[len(short):])
