"""``fleet.auto``: the older way of saying how tensors lie on a mesh, by the names of the mesh's dimensions."""

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...core.tensor import Parameter, Tensor
from ..env import ParallelEnv
from ..fleet.recompute import recompute as _recompute
from .api import shard_tensor as _placed
from .model import DistAttr
from .placement_type import Replicate, Shard
from .process_mesh import ProcessMesh, get_current_process_mesh, get_mesh, set_mesh

__all__ = ["create_mesh", "exclude_ops_in_recompute", "get_mesh", "recompute", "set_mesh", "shard_op", "shard_tensor"]


def create_mesh(mesh_dims):
    """A mesh of the first ranks, which ``get_mesh`` gives from now on.

    Args:
        mesh_dims: list of (name, size) of its dimensions.

    >>> from paddle.distributed.fleet import auto
    >>> mesh = auto.create_mesh([("dp", 1), ("mp", 1)])
    >>> mesh.dim_names, auto.get_mesh() is mesh
    (['dp', 'mp'], True)
    """
    names, sizes = zip(*mesh_dims)
    mesh = ProcessMesh(np.arange(np.prod(sizes)).reshape(sizes), list(names))
    set_mesh(mesh)
    return mesh


def _need_mesh(mesh, function):
    mesh = get_current_process_mesh() if mesh is None else mesh
    if not isinstance(mesh, ProcessMesh):
        raise TypeError(f"{function}(): process_mesh must be a ProcessMesh, or that of an open 'with mesh:', got {describe(mesh)}")
    return mesh


def placements_of(mesh, shard_spec, axes):
    """What lies along each dimension of a mesh, from the name of one (or None) for each axis of a tensor."""
    spec = [None] * axes if shard_spec is None else shard_spec
    if len(spec) != axes:
        raise ValueError(f"shard_tensor(): shard_spec {spec} has {len(spec)} entries, the tensor {axes} axes")
    found = [Replicate() for _ in mesh.dim_names]
    for axis, dim in enumerate(DistAttr(mesh, list(spec)).dims_mapping):
        if dim >= 0:
            found[dim] = Shard(axis)
    return found


def shard_tensor(x, process_mesh=None, shard_spec=None):
    """Say how a tensor lies on a mesh; the tensor itself is returned.

    A Parameter keeps the note until an ``Engine`` places its model. Other tensors are placed at once where several ranks run, and
    the result is the placed one.

    Args:
        x: the tensor.
        process_mesh: the mesh, by default that of the ``with mesh:`` which is open.
        shard_spec: for each axis the name of the dimension of the mesh that cuts it, or None; None for a whole tensor.

    >>> from paddle.distributed.fleet import auto
    >>> layer, mesh = paddle.nn.Linear(4, 2), auto.ProcessMesh([0], dim_names=["x"])
    >>> auto.shard_tensor(layer.weight, mesh, [None, "x"]) is layer.weight
    True
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"shard_tensor(): x must be a Tensor, got {describe(x)}")
    mesh = _need_mesh(process_mesh, "shard_tensor")
    places = placements_of(mesh, shard_spec, x.ndim)
    if isinstance(x, Parameter):
        x.shard_note = mesh, places
        return x
    return _placed(x, mesh, places) if x._placed or ParallelEnv().world_size > 1 else x


class _Placed:
    """A function whose inputs and results lie on a mesh as it was said."""

    def __init__(self, function, mesh, in_specs, out_specs, given):
        self._function, self._mesh, self._in_specs, self._out_specs, self._given = function, mesh, in_specs, out_specs, given

    def _put(self, values, specs, what):
        tensors = [k for k, v in enumerate(values) if isinstance(v, Tensor)]
        if specs is not None and len(specs) != len(tensors):
            raise ValueError(f"shard_op(): {len(specs)} specifications for {len(tensors)} {what}")
        values = list(values)
        for k, spec in zip(tensors, specs or [None] * len(tensors)):
            if spec is not None:
                values[k] = shard_tensor(values[k], self._mesh, spec)
        return values

    def __call__(self, *args, **kwargs):
        outputs = self._function(*self._put(args, self._in_specs, "inputs"), **{**self._given, **kwargs})
        if isinstance(outputs, (tuple, list)):
            return type(outputs)(self._put(outputs, self._out_specs, "results"))
        return self._put([outputs], self._out_specs, "results")[0]


def shard_op(op, process_mesh=None, in_shard_specs=None, out_shard_specs=None, **kwargs):
    """The function with inputs and results that lie on a mesh, as ``shard_tensor`` says it for each; None leaves one as it comes.

    >>> from paddle.distributed.fleet import auto
    >>> mesh = auto.ProcessMesh([0], dim_names=["x"])
    >>> add = auto.shard_op(paddle.add, mesh, in_shard_specs=[["x", None], None])
    >>> add(paddle.ones([2, 2]), paddle.ones([2, 2])).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    if not callable(op):
        raise TypeError(f"shard_op(): op must be callable, got {describe(op)}")
    return _Placed(op, _need_mesh(process_mesh, "shard_op"), in_shard_specs, out_shard_specs, kwargs)


def recompute(op):
    """The function, without keeping what it computes on the way: backward computes it again.

    >>> from paddle.distributed.fleet import auto
    >>> x = paddle.to_tensor([2.0], stop_gradient=False)
    >>> auto.recompute(lambda x: (x * x + 1.0).square())(x).backward()
    >>> x.grad.tolist()
    [40.0]
    """
    def recomputed(*args, **kwargs):
        return _recompute(op, *args, **kwargs)
    return recomputed


def exclude_ops_in_recompute(run_function):
    """The function itself: inside ``recompute`` it is computed again with the rest, which changes no value."""
    return run_function


__getattr__ = _lookup(__name__)
