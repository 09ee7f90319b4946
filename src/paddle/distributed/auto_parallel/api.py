"""Making tensors that are cut over ranks, moving them, and layers, optimizers and loaders of them."""

import numpy as np

from ...amp import GradScaler
from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...core.tensor import Parameter, Tensor, wrap
from ...nn import Layer
from ...tensor.creation import to_tensor
from ..fleet.meta_parallel.sharding.group_sharded_utils import GroupShardedScaler
from ..group import init_parallel_env
from .placement_type import Replicate, Shard, checked
from .process_mesh import ProcessMesh
from .resharding import cut, moved, need_member, replicated
from .tensor import local_of, made, parameter_like, placed_over
from .transfer import across


def _need_mesh(mesh, function):
    if not isinstance(mesh, ProcessMesh):
        raise TypeError(f"{function}(): mesh must be a ProcessMesh, got {describe(mesh)}")
    return mesh


def _need_placed(tensor, function):
    if not isinstance(tensor, Tensor) or not tensor._placed:
        raise TypeError(f"{function}(): dist_tensor must come from shard_tensor, got {describe(tensor)}")
    return tensor


def shard_tensor(data, mesh, placements, dtype=None, place=None, stop_gradient=None):
    """A tensor that is cut over the ranks of a mesh; all of them call it with the same data.

    Args:
        data: Tensor, Parameter, array or nested list. Of a Parameter a Parameter is made.
        mesh: the ranks.
        placements: for each dimension of the mesh ``Shard(axis)``, ``Replicate()`` or ``Partial()``.
        dtype, place: as in ``paddle.to_tensor``.
        stop_gradient: as the data have it by default.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> x = dist.shard_tensor(paddle.ones([4, 2]), mesh, [dist.Shard(0)])
    >>> x.shape, x.placements, (x + 1).placements
    ([4, 2], [Shard(dim=0)], [Shard(dim=0)])
    """
    _need_mesh(mesh, "shard_tensor")
    if not isinstance(data, Tensor) or dtype is not None and data.dtype != dtype:
        data = to_tensor(data, dtype, place)
    places = checked(placements, mesh, data.ndim, "shard_tensor")
    if data._placed:
        return reshard(data, mesh, places)
    if data._edge is not None:
        result = moved(replicated(data, mesh), places)
    else:
        result = made(cut(data._data, mesh, places), mesh, places, data._data.shape)
        result.stop_gradient = data.stop_gradient
        if isinstance(data, Parameter):
            result = parameter_like(data, result, data.name)
        elif data._meta is not None and data._meta.name is not None:
            result.name, result.persistable = data.name, data.persistable
    if stop_gradient is not None:
        result.stop_gradient = bool(stop_gradient)
    return result


def reshard(dist_tensor, mesh, placements):
    """The tensor placed in another way, also on other ranks; the ranks of both meshes call it, and gradients pass.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> x = dist.shard_tensor(paddle.arange(4), mesh, [dist.Shard(0)])
    >>> dist.reshard(x, mesh, [dist.Replicate()]).placements
    [Replicate()]
    """
    _need_placed(dist_tensor, "reshard")
    places = checked(placements, _need_mesh(mesh, "reshard"), dist_tensor.ndim, "reshard")
    if mesh == dist_tensor.process_mesh:
        result = moved(dist_tensor, places)
        return result if result is not dist_tensor else placed_over(local_of(dist_tensor), mesh, places, dist_tensor._sizes)
    return across(dist_tensor, mesh, places)


def dtensor_from_fn(fn, mesh, placements, *args, **kwargs):
    """``shard_tensor`` of what a function such as ``paddle.ones`` gives for the other arguments.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> dist.dtensor_from_fn(paddle.ones, mesh, [dist.Replicate()], shape=[2]).tolist()
    [1.0, 1.0]
    """
    return shard_tensor(fn(*args, **kwargs), mesh, placements)


def dtensor_from_local(local_tensor, mesh, placements):
    """The tensor of which every rank gives its part; parts of a cut axis have equal sizes.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> dist.auto_parallel.api.dtensor_from_local(paddle.ones([2]), mesh, [dist.Shard(0)]).shape
    [2]
    """
    if not isinstance(local_tensor, Tensor) or local_tensor._placed:
        raise TypeError(f"dtensor_from_local(): local_tensor must be a plain Tensor, got {describe(local_tensor)}")
    places = checked(placements, _need_mesh(mesh, "dtensor_from_local"), local_tensor.ndim, "dtensor_from_local")
    need_member(mesh, "dtensor_from_local")
    sizes = list(local_tensor._data.shape)
    for dim, p in enumerate(places):
        if p.is_shard():
            sizes[p.dim] *= mesh.shape[dim]
    return placed_over(local_tensor, mesh, places, sizes)


def dtensor_to_local(dist_tensor, mesh=None, placements=None):
    """This rank's part, as a plain tensor on the same tape; of the tensor placed in another way if ``placements`` says so."""
    _need_placed(dist_tensor, "dtensor_to_local")
    if placements is not None:
        dist_tensor = reshard(dist_tensor, mesh or dist_tensor.process_mesh, placements)
    return local_of(dist_tensor)


def unshard_dtensor(dist_tensor):
    """The whole tensor on every rank, as a plain one; of a Parameter a Parameter.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> dist.unshard_dtensor(dist.shard_tensor(paddle.ones([2]), mesh, [dist.Shard(0)])).tolist()
    [1.0, 1.0]
    """
    _need_placed(dist_tensor, "unshard_dtensor")
    if not isinstance(dist_tensor, Parameter):
        return dist_tensor.whole()
    whole = Parameter(np.array(dist_tensor.detach().whole()._data, order="C"), dist_tensor.name, not dist_tensor.stop_gradient)
    kept = {k: v for k, v in dist_tensor.__dict__.items() if k not in ("_mesh", "_places", "_sizes")}
    whole.__dict__.update(kept)
    return whole


def shard_layer(layer, process_mesh, shard_fn=None, input_fn=None, output_fn=None):
    """Put the parameters and buffers of a layer on a mesh; the layer itself is changed and returned.

    Args:
        shard_fn: called as ``shard_fn(name, sublayer, mesh)`` for every sublayer; it replaces parameters by what ``shard_tensor``
            gives. What it leaves is replicated.
        input_fn: called as ``input_fn(inputs, mesh)`` before each forward; gives the inputs to use.
        output_fn: called as ``output_fn(outputs, mesh)`` after each forward; gives the outputs.
    """
    if not isinstance(layer, Layer):
        raise TypeError(f"shard_layer(): layer must be a paddle.nn.Layer, got {describe(layer)}")
    _need_mesh(process_mesh, "shard_layer")
    shared = {}  # one parameter of two layers stays one
    for name, sublayer in layer.named_sublayers(include_self=True):
        if shard_fn is not None:
            shard_fn(name, sublayer, process_mesh)
        for table in (sublayer._parameters, sublayer._buffers):
            for key, value in table.items():
                if value is not None and not value._placed:
                    if id(value) not in shared:
                        shared[id(value)] = value, shard_tensor(value, process_mesh, [Replicate()] * process_mesh.ndim)
                    table[key] = shared[id(value)][1]
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, process_mesh))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, inputs, outputs: output_fn(outputs, process_mesh))
    return layer


class _Stage:
    """Optimizer states (and what belongs to them) cut along one dimension of a mesh: the ``shard_fn`` of ``shard_optimizer``.

    Args:
        sharding_mesh_dim: name or number of the dimension; in the older form, with the mesh alone, the first one.
        mesh: the mesh; by default that of each parameter.
    """

    keeps_parameters = True  # parameters are whole between two steps

    def __init__(self, sharding_mesh_dim=0, mesh=None):
        if isinstance(sharding_mesh_dim, ProcessMesh):
            sharding_mesh_dim, mesh = 0 if mesh is None else mesh, sharding_mesh_dim
        self._dim, self._mesh = sharding_mesh_dim, mesh

    def target(self, param):
        """The placements of the states of a parameter."""
        mesh = param.process_mesh
        dim = mesh.dim_names.index(self._dim) if isinstance(self._dim, str) else self._dim
        if not param.placements[dim].is_replicated():
            return list(param.placements)
        taken = {p.dim for p in param.placements if p.is_shard()}
        axis = next((k for k, n in enumerate(param._sizes) if k not in taken and n % mesh.shape[dim] == 0), None)
        places = list(param.placements)
        if axis is not None:
            places[dim] = Shard(axis)
        return places

    def __call__(self, key, param, accumulator):
        return shard_tensor(accumulator, param.process_mesh, self.target(param))


class ShardingStage1(_Stage):
    """Optimizer states are cut."""

    __doc__ += _Stage.__doc__.partition("\n")[2]


class ShardingStage2(_Stage):
    """Optimizer states are cut, and gradients while the optimizer steps."""

    __doc__ += _Stage.__doc__.partition("\n")[2]


class ShardingStage3(_Stage):
    """Optimizer states, gradients and parameters are cut."""

    __doc__ += _Stage.__doc__.partition("\n")[2]
    keeps_parameters = False


STAGES = {"1": ShardingStage1, "2": ShardingStage2, "3": ShardingStage3}


class ShardedStatesOptimizer:
    """An optimizer whose states may be placed in another way than its parameters: during a step the parameters lie where their
    states do."""

    def __init__(self, optimizer, shard_fn, batches=1):
        self._inner, self._shard_fn, self._targets, self._batches = optimizer, shard_fn, {}, batches
        if getattr(shard_fn, "keeps_parameters", True) is False:
            for p in optimizer._parameter_list:
                if p._placed:
                    _move(p, shard_fn.target(p))

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def _target(self, p):
        """The placements of a parameter's states, asked for once."""
        if self._shard_fn is None:
            return p.placements
        if p.name not in self._targets:
            key = self._inner.states[0].name if self._inner.states else "moment"
            state = self._shard_fn(key, p, wrap(np.zeros(p._sizes, p._data.dtype)))
            self._targets[p.name] = list(state.placements) if isinstance(state, Tensor) and state._placed else list(p.placements)
        return self._targets[p.name]

    def step(self):
        """Update every parameter that has a gradient."""
        before = []
        for p in self._inner._parameter_list:
            if self._batches > 1 and not p.stop_gradient and p._grad is not None:
                p.grad = p._grad_ivar().detach() * (1.0 / self._batches)
            if p._placed and not p.stop_gradient and p._grad is not None and self._target(p) != p.placements:
                before.append((p, list(p.placements), p._grad_ivar()))
                _move(p, self._target(p))
        self._inner.step()
        for p, places, gradient in before:
            _move(p, places)
            p._grad = gradient

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Step with the gradients that ``loss.backward()`` left."""
        pairs = self._inner.backward(loss, startup_program, parameters, no_grad_set)
        self.step()
        return [], pairs


def _move(p, places):
    """Place a parameter and its gradient in another way."""
    value, gradient = moved(p.detach(), places), None if p._grad is None else moved(p._grad_ivar().detach(), places)
    p.replace(np.array(value._data, order="C"))
    p.place(p.process_mesh, places, p._sizes)
    p._grad = gradient


def shard_optimizer(optimizer, shard_fn=None, gradient_accumulation_steps=1):
    """The optimizer with its states placed as ``shard_fn(name, parameter, state)`` says; as their parameters are, without one.

    ``dist.ShardingStage1`` to ``ShardingStage3`` are such functions. A step divides gradients, which were added up over several
    batches, by ``gradient_accumulation_steps``.
    """
    if shard_fn is not None and not callable(shard_fn):
        raise TypeError(f"shard_optimizer(): shard_fn must be callable, got {describe(shard_fn)}")
    if not isinstance(gradient_accumulation_steps, int) or gradient_accumulation_steps < 1:
        raise ValueError("shard_optimizer(): gradient_accumulation_steps must be a positive number, got "
                         f"{gradient_accumulation_steps!r}")
    if shard_fn is None and gradient_accumulation_steps == 1:
        return optimizer  # states are made beside the parts of parameters
    return ShardedStatesOptimizer(optimizer, shard_fn, gradient_accumulation_steps)


def shard_scaler(scaler):
    """The ``amp.GradScaler`` with decisions that are equal on all ranks, which have different parts of gradients.

    >>> import paddle.distributed as dist
    >>> dist.shard_scaler(paddle.amp.GradScaler(init_loss_scaling=8.0)).get_init_loss_scaling()
    8.0
    """
    if not isinstance(scaler, GradScaler):
        raise TypeError(f"shard_scaler(): scaler must be a paddle.amp.GradScaler, got {describe(scaler)}")
    return GroupShardedScaler(scaler, init_parallel_env())


class ShardDataloader:
    """A loader whose batches are cut over ranks; see ``shard_dataloader``."""

    def __init__(self, dataloader, meshes, shard_dims, input_keys):
        self._dataloader, self._meshes, self._dims, self._keys = dataloader, meshes, shard_dims, input_keys
        self._all = ProcessMesh(sorted({rank for mesh in meshes for rank in mesh.process_ids}))

    def __len__(self):
        return len(self._dataloader)

    def __iter__(self):
        for batch in self._dataloader:
            yield self._entries(batch)

    def _entries(self, batch):
        """A batch with each entry on its mesh: the only one, or that of the same number; further entries have the last one."""
        if isinstance(batch, dict):
            kept = {k: v for k, v in batch.items() if self._keys is None or k in self._keys}
            order = {k: n for n, k in enumerate(self._keys or kept)}
            return {k: self._placed(v, order[k]) for k, v in kept.items()}
        if isinstance(batch, (list, tuple)):
            return type(batch)(self._placed(v, n) for n, v in enumerate(batch))
        return self._placed(batch, 0)

    def _placed(self, item, number):
        if isinstance(item, dict):
            return {k: self._placed(v, number) for k, v in item.items()}
        if isinstance(item, (list, tuple)):
            return type(item)(self._placed(v, number) for v in item)
        if not isinstance(item, Tensor):
            return item
        number = min(number, len(self._meshes) - 1)
        mesh, dim = self._meshes[number], self._dims[number]
        places = [Shard(0) if n == dim and item.ndim else Replicate() for n in mesh.dim_names]
        return made(cut(_agreed(item._data, self._all), mesh, places), mesh, places, item._data.shape)


def _agreed(array, mesh):
    """The array of the first rank of a mesh: ranks may have shuffled in different orders."""
    array = np.array(array, order="C")
    for dim in range(mesh.ndim):
        mesh.group(dim).comm.broadcast(array, 0).wait()
    return array


def shard_dataloader(dataloader, meshes, input_keys=None, shard_dims=None, is_dataset_splitted=False):
    """A loader whose batches lie on a mesh, cut along the dimension ``shard_dims`` (its name or number; None: replicated).

    Every rank reads the batches; those of the first rank count. ``input_keys``: which entries of dicts are kept. With several
    meshes (and dimensions) each entry of a batch lies on the mesh of its number, entries beyond them on the last.
    """
    meshes = list(meshes) if isinstance(meshes, (list, tuple)) else [meshes]
    for mesh in meshes or [None]:
        _need_mesh(mesh, "shard_dataloader")
    if is_dataset_splitted:
        raise NotImplementedError("shard_dataloader(): is_dataset_splitted=True is not supported; give the loader of all data")
    dims = list(shard_dims) if isinstance(shard_dims, (list, tuple)) else [shard_dims] * len(meshes)
    dims += dims[-1:] * (len(meshes) - len(dims))
    if len(dims) != len(meshes):
        raise ValueError(f"shard_dataloader(): shard_dims for {len(dims)} meshes, there are {len(meshes)}")
    return ShardDataloader(dataloader, meshes, [_dimension(mesh, dim) for mesh, dim in zip(meshes, dims)], input_keys)


def _dimension(mesh, dim):
    """The name of a dimension of a mesh, given by name or number; None for None."""
    name = mesh.dim_names[dim] if isinstance(dim, int) and -mesh.ndim <= dim < mesh.ndim else dim
    if name is not None and name not in mesh.dim_names:
        raise ValueError(f"shard_dataloader(): there is no dimension {dim!r}; known: {', '.join(mesh.dim_names)}")
    return name


__getattr__ = _lookup(__name__)
