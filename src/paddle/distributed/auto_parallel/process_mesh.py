"""ProcessMesh: ranks arranged as a grid with named dimensions."""

import faulthandler
import zlib

import numpy as np

from ...core.errors import describe
from ..comm import SingleCommunicator
from ..env import read_timeout
from ..group import Group, adopt, get_rank, init_parallel_env

_mesh = None  # what set_mesh was given
_entered = []  # meshes of the with-statements that are open
_made = {}  # (tuple of member ranks) -> Group


class ProcessMesh:
    """Ranks as a grid.

    Args:
        mesh: nested list or array of ranks.
        dim_names: name of each dimension; "d0", "d1", ... by default.
        shape, process_ids: the same as sizes and a flat list, in the place of ``mesh``.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["dp", "mp"])
    >>> mesh.get_dim_size("mp"), mesh.process_ids
    (2, [0, 1, 2, 3])
    """

    def __init__(self, mesh=None, dim_names=None, shape=None, process_ids=None):
        if mesh is None:
            if shape is None or process_ids is None:
                raise ValueError("ProcessMesh(): give mesh, or shape and process_ids")
            mesh = np.array(process_ids).reshape(shape)
        if isinstance(mesh, ProcessMesh):
            mesh = mesh.mesh
        if not isinstance(mesh, (list, tuple, np.ndarray)):
            raise ValueError(f"ProcessMesh(): mesh must be a nested list or an array of ranks, got {describe(mesh)}")
        self._mesh = np.array(mesh)
        if self._mesh.dtype.kind not in "iu" or not self._mesh.size or self._mesh.min() < 0:
            raise ValueError(f"ProcessMesh(): mesh must hold ranks, ints of at least 0, got {describe(mesh)}")
        if np.unique(self._mesh).size != self._mesh.size:
            raise ValueError(f"ProcessMesh(): every rank may stand in the mesh once, got {self.process_ids}")
        names = [f"d{k}" for k in range(self._mesh.ndim)] if dim_names is None else list(dim_names)
        if len(names) != self._mesh.ndim or len(set(names)) != len(names) or not all(isinstance(n, str) for n in names):
            raise ValueError(f"ProcessMesh(): dim_names must be {self._mesh.ndim} different strings, got {describe(dim_names)}")
        self._dim_names = names

    @property
    def shape(self):
        """Sizes of the dimensions."""
        return list(self._mesh.shape)

    @property
    def ndim(self):
        """Number of dimensions."""
        return self._mesh.ndim

    @property
    def dim_names(self):
        """Names of the dimensions."""
        return list(self._dim_names)

    @property
    def process_ids(self):
        """The ranks, row after row."""
        return self._mesh.ravel().tolist()

    @property
    def mesh(self):
        """The ranks as an array."""
        return self._mesh

    @property
    def size(self):
        """Number of ranks."""
        return self._mesh.size

    @property
    def unique_id(self):
        """A number that equal meshes have in common."""
        return zlib.crc32(str(self).encode())

    def contains(self, rank):
        """Is a rank in the mesh?"""
        return bool((self._mesh == rank).any())

    def get_dim_size(self, dim_name):
        """Size of the dimension of this name."""
        return self._mesh.shape[self._dim(dim_name, "get_dim_size")]

    def _dim(self, name, function):
        if name not in self._dim_names:
            raise ValueError(f"ProcessMesh.{function}(): there is no dimension {name!r}; known: {', '.join(self._dim_names)}")
        return self._dim_names.index(name)

    def coordinates(self, rank=None):
        """Place of a rank (by default this one) in the grid, None if it is not there."""
        at = np.argwhere(self._mesh == (get_rank() if rank is None else rank))
        return None if not len(at) else tuple(at[0].tolist())

    def get_rank_by_dim_and_process_id(self, dim_name, process_id):
        """Place of a rank along a dimension, -1 if it is not in the mesh."""
        at = self.coordinates(process_id)
        return -1 if at is None else at[self._dim(dim_name, "get_rank_by_dim_and_process_id")]

    def get_mesh_with_dim(self, dim_name, index=None):
        """The mesh with one dimension first, or the part of it at a place along that dimension."""
        dim = self._dim(dim_name, "get_mesh_with_dim")
        moved = np.moveaxis(self._mesh, dim, 0)
        names = [dim_name, *[n for n in self._dim_names if n != dim_name]]
        if index is None:
            return ProcessMesh(moved, names)
        part = moved[index]
        return ProcessMesh(part, names[1:]) if part.ndim else ProcessMesh([int(part)])

    def get_submesh_with_dim(self, dim_name):
        """The ranks along one dimension that this rank stands among."""
        dim, at = self._dim(dim_name, "get_submesh_with_dim"), self.coordinates()
        if at is None:
            raise ValueError(f"ProcessMesh.get_submesh_with_dim(): rank {get_rank()} is not in the mesh {self}")
        return ProcessMesh(self._mesh[(*at[:dim], slice(None), *at[dim + 1:])], [dim_name])

    def group(self, dim):
        """The group of this rank's neighbours along a dimension, by number; made when it is first asked for."""
        at = self.coordinates()
        if at is None:
            raise ValueError(f"rank {get_rank()} is not in the mesh {self}")
        return _group([int(r) for r in self._mesh[(*at[:dim], slice(None), *at[dim + 1:])]])

    def get_group(self, dim_name=None):
        """The group of this rank's neighbours along the dimension of this name."""
        if dim_name is None and self.ndim > 1:
            raise ValueError("ProcessMesh.get_group(): dim_name must say which of the dimensions "
                             f"{', '.join(self._dim_names)} is meant")
        return self.group(0 if dim_name is None else self._dim(dim_name, "get_group"))

    def __getitem__(self, index):
        part = self._mesh[index]
        index = index if isinstance(index, tuple) else (index,)
        kept = [n for n, i in zip(self._dim_names, [*index, *[slice(None)] * (self.ndim - len(index))]) if not isinstance(i, int)]
        return ProcessMesh(part, kept) if kept else ProcessMesh([int(part)])

    def __eq__(self, other):
        return isinstance(other, ProcessMesh) and self.shape == other.shape and self.process_ids == other.process_ids

    def __hash__(self):
        return hash((tuple(self.shape), tuple(self.process_ids)))

    def __enter__(self):
        _entered.append(self)
        return self

    def __exit__(self, *error):
        _entered.pop()

    def __str__(self):
        return f"shape {self.shape}, process_ids {self.process_ids}, dim_names {self.dim_names}"


def _group(ranks):
    """The group of these ranks, of which this is one. Only they take part in making it."""
    key, whole = tuple(ranks), init_parallel_env()
    known = _made.get(key)
    if known is not None and known.whole is whole:
        return known.group
    outside = [r for r in ranks if r >= whole.nranks]
    if outside:
        raise ValueError(f"ProcessMesh: rank {outside[0]} is in the mesh, but only {whole.nranks} ranks run")
    number = 1_000_000 + zlib.crc32(str(key).encode()) % 1_000_000
    if len(ranks) == 1:
        comm = SingleCommunicator()
    else:
        faulthandler.dump_traceback_later(read_timeout(), exit=True)  # a rank that never comes would block the others in MPI
        try:
            comm = whole.comm.part(ranks, number)
        finally:
            faulthandler.cancel_dump_traceback_later()
    group = adopt(Group(number, ranks, comm, ranks.index(whole.rank)))
    _made[key] = _Made(whole, group)
    return group


class _Made:
    """A group and the world that it was made in."""

    def __init__(self, whole, group):
        self.whole, self.group = whole, group


def set_mesh(mesh):
    """Make a mesh the one that ``get_mesh`` gives."""
    global _mesh
    if not isinstance(mesh, ProcessMesh):
        raise TypeError(f"set_mesh(): mesh must be a ProcessMesh, got {describe(mesh)}")
    _mesh = mesh


def get_mesh():
    """What ``set_mesh`` was given, or None."""
    return _mesh


def get_current_process_mesh():
    """The mesh of the innermost ``with mesh:``, or None."""
    return _entered[-1] if _entered else None
