"""Functions and layers that compute with the ranks' own parts of tensors."""

from ...core.errors import describe
from ...core.tensor import Tensor
from ...nn import Layer
from . import moves
from .api import dtensor_from_local, reshard
from .placement_type import checked
from .process_mesh import ProcessMesh
from .tensor import local_of


def local_map(func, out_placements, in_placements=None, process_mesh=None, reshard_inputs=False):
    """A function of whole tensors made of one that computes with parts.

    Args:
        func: called with this rank's parts of the tensors.
        out_placements: for each output how the parts lie on the mesh, None for an output that is no tensor.
        in_placements: for each argument how it has to lie, None for one that is no tensor or may lie in any way.
        process_mesh: the mesh; by default that of the arguments.
        reshard_inputs: move arguments that lie otherwise; else they raise.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> double = dist.local_map(lambda part: part * 2, [[dist.Shard(0)]], [[dist.Shard(0)]], mesh)
    >>> double(dist.shard_tensor(paddle.ones([2]), mesh, [dist.Shard(0)])).tolist()
    [2.0, 2.0]
    """
    if not callable(func):
        raise TypeError(f"local_map(): func must be callable, got {describe(func)}")

    def mapped(*args, **kwargs):
        mesh = process_mesh or next((a.process_mesh for a in args if isinstance(a, Tensor) and a._placed), None)
        if mesh is None:
            raise ValueError("local_map(): no argument lies on a mesh; give process_mesh")
        if in_placements is not None and len(in_placements) != len(args):
            raise ValueError(f"local_map(): in_placements for {len(in_placements)} arguments, {len(args)} came")
        parts = [_part(a, places, mesh, reshard_inputs) for a, places in zip(args, in_placements or [None] * len(args))]
        return _outputs(func(*parts, **kwargs), [(mesh, p) for p in out_placements], "local_map")

    return mapped


def _part(a, places, mesh, reshards):
    """This rank's part of an argument."""
    if not isinstance(a, Tensor) or not a._placed:
        if places is not None and isinstance(a, Tensor):
            raise ValueError(f"local_map(): an argument must lie on the mesh as {places}, got a plain Tensor")
        return a
    if places is not None:
        wanted = checked(places, mesh, a.ndim, "local_map")
        if (a.process_mesh, list(a.placements)) != (mesh, wanted):
            if not reshards:
                raise ValueError(f"local_map(): an argument must lie as {wanted}, but lies as {list(a.placements)}; "
                                 "reshard_inputs=True moves it")
            a = reshard(a, mesh, wanted)
    return local_of(a)


def _outputs(outs, attributes, who):
    """Parts that a function gave, as whole tensors; ``attributes``: (mesh, placements) of each."""
    several = isinstance(outs, (list, tuple))
    values = list(outs) if several else [outs]
    if len(values) != len(attributes):
        raise ValueError(f"{who}: placements for {len(attributes)} outputs, {len(values)} came")
    made = [dtensor_from_local(v, mesh, places) if isinstance(v, Tensor) and places is not None else v
            for v, (mesh, places) in zip(values, attributes)]
    return type(outs)(made) if several else made[0]


class LocalLayer(Layer):
    """Base of layers whose ``forward`` computes with this rank's parts.

    Args:
        out_dist_attrs: (mesh, placements) of each output.
        grad_dist_attrs: (mesh, placements) of the gradient of each input, None for those as the input lies; ``Partial`` where
            every rank has a term of it.
    """

    def __init__(self, out_dist_attrs, grad_dist_attrs=None):
        super().__init__()
        for mesh, _ in out_dist_attrs:
            if not isinstance(mesh, ProcessMesh):
                raise TypeError(f"LocalLayer(): out_dist_attrs must be pairs of a ProcessMesh and placements, got {describe(mesh)}")
        self.out_dist_attrs, self.grad_dist_attrs = out_dist_attrs, grad_dist_attrs

    def __call__(self, *inputs, **kwargs):
        """Forward on parts, outputs on the mesh."""
        given = self.grad_dist_attrs or [None] * len(inputs)
        if len(given) != len(inputs):
            raise ValueError(f"LocalLayer: grad_dist_attrs for {len(given)} inputs, {len(inputs)} came")
        parts = [_summed_back(x, attribute) for x, attribute in zip(inputs, given)]
        return _outputs(super().__call__(*parts, **kwargs), self.out_dist_attrs, "LocalLayer")


def _summed_back(x, attribute):
    """This rank's part of an input, whose gradient is summed where it comes in terms."""
    if not isinstance(x, Tensor) or not x._placed:
        return x
    part = local_of(x)
    if attribute is not None and not part.stop_gradient:
        mesh, places = attribute
        for dim, p in enumerate(places):
            if p.is_partial() and mesh.shape[dim] > 1:
                part = moves.sum_back(part, mesh.group(dim).id)
    return part
