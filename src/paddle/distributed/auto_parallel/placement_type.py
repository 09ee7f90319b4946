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
    if len(placements) > mesh.ndim:
        raise ValueError(f"{function}(): {len(placements)} placements for a mesh of {mesh.ndim} dimensions")
    found = []
    for p in [*placements, *[Replicate()] * (mesh.ndim - len(placements))]:
        if p.is_shard():
            if not -ndim <= p.dim < ndim:
                raise ValueError(f"{function}(): {p} of a tensor of {ndim} axes")
            p = Shard(p.dim % ndim)
        found.append(p)
    return found
