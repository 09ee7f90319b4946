"""Optimizer states, gradients and parameters shared out among ranks (``group_sharded_parallel``)."""

import os

import numpy as np

from ..core.autograd import no_grad
from ..core.tensor import Tensor, wrap
from .buckets import broadcast_tensors
from .collective import barrier
from .comm import ReduceOp
from .env import is_writer
from .group import resolve
from .objects import all_gather_object
from .parallel import DataParallel
from .reducer import gradient_of, gradient_type, set_gradient


def assign_owners(params, ranks):
    """Owner of each parameter: the largest first, each to the rank that holds least so far."""
    loads, owners = [0] * ranks, {}
    for p in sorted(params, key=lambda p: -p._data.size):  # a stable order, the same on every rank
        owner = loads.index(min(loads))
        loads[owner] += p._data.nbytes
        owners[id(p)] = owner
    return owners


class ShardedOptimizer:
    """An optimizer whose states lie on the ranks that own the parameters.

    Gradients must already be equal on all ranks (DataParallel sees to it). A step clips with all gradients, updates the
    parameters that this rank owns, and gives every rank the updated ones.
    """

    def __init__(self, optimizer, group=None):
        if not optimizer._parameter_list:
            raise ValueError("group_sharded_parallel(): the optimizer has no parameters")
        self._inner, self._group = optimizer, resolve(group, "group_sharded_parallel")
        self._owners = assign_owners(optimizer._parameter_list, self._group.nranks)

    def __getattr__(self, name):
        return getattr(self._inner, name)

    @property
    def group(self):
        """The ranks among which states are shared out."""
        return self._group

    def owned(self):
        """Parameters that this rank updates."""
        return [p for p in self._inner._parameter_list if self._owners[id(p)] == self._group.rank]

    @no_grad()
    def step(self):
        """Update all parameters, each on its owner, and share them."""
        inner = self._inner
        for settings in inner._groups:
            pairs = self._clipped(settings["grad_clip"], self._candidates(settings["params"]))
            mine = [(p, g) for p, g in pairs if self._owners[id(p)] == self._group.rank]
            if mine:
                inner._apply(mine, dict(settings, grad_clip=None))
        self._share()

    def _candidates(self, params):
        """Pairs of parameter and gradient that are clipped together."""
        return self._inner._with_gradients(params)

    def _clipped(self, clip, pairs):
        return clip(pairs) if clip is not None and pairs else pairs

    def reduce_to_owners(self, params, group):
        """Give each owner the mean of the gradients over a group; the other ranks' gradients are taken away."""
        params = [p for p in params if not p.stop_gradient]
        flags = np.array([gradient_of(p) is not None for p in params], np.uint8)
        group.comm.allreduce(flags, ReduceOp.MAX).wait()
        works = []
        for p, flag in zip(params, flags):
            if flag:
                g = gradient_of(p)
                array = np.zeros(p._data.shape, gradient_type(p))
                if g is not None:
                    np.multiply(g, g.dtype.type(1.0 / group.nranks), out=array)
                works.append((p, array, group.comm.reduce(array, ReduceOp.SUM, self._owners[id(p)])))
        for p, array, work in works:
            work.wait()
            set_gradient(p, array if self._owners[id(p)] == group.rank else None)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Update the parameters with the gradients that ``loss.backward()`` left."""
        pairs = self._inner.backward(loss, startup_program, parameters, no_grad_set)
        self.step()
        return [], pairs

    def _share(self):
        for owner in range(self._group.nranks):
            theirs = [p for p in self._inner._parameter_list if self._owners[id(p)] == owner and not p.stop_gradient]
            if theirs:  # what is not trained, such as the statistics of batch norm, is each rank's own
                broadcast_tensors(theirs, self._group.comm, owner)

    def state_dict(self):
        """The states of all parameters, collected from their owners. Every rank of the group must call it."""
        mine = {key: value._data if isinstance(value, Tensor) else value
                for key, value in self._inner.state_dict().items() if key != "master_weights"}
        masters = {name: t._data for name, t in self._inner._master_weights.items()}
        parts = []
        all_gather_object(parts, (mine, masters), self._group)
        whole, weights = {}, {}
        for states, part in parts:
            whole.update({k: wrap(v) if isinstance(v, np.ndarray) else v for k, v in states.items()})
            weights.update({k: wrap(v) for k, v in part.items()})
        if weights:
            whole["master_weights"] = weights
        return whole

    def set_state_dict(self, state_dict):
        """Load the whole state; each rank keeps the part of the parameters that it owns."""
        names = [p.name + "_" for p in self.owned()]
        kept = {k: v for k, v in state_dict.items()
                if k == "LR_Scheduler" or any(str(k).startswith(name) for name in names)}
        masters = state_dict.get("master_weights")
        if masters:
            own = {p.name for p in self.owned()}
            kept["master_weights"] = {k: v for k, v in masters.items() if k in own}
        self._inner.set_state_dict(kept)

    set_dict = set_state_dict


def group_sharded_parallel(model, optimizer, level, scaler=None, group=None, offload=False, sync_buffers=False,
                           buffer_max_size=2**23, segment_size=2**20, sync_comm=False, dp_group=None,
                           exclude_layer=None):
    """Wrap model and optimizer so that what they hold is shared out among ranks; returns (model, optimizer, scaler).

    Args:
        level: "os": optimizer states; "os_g": gradients too; "p_g_os": parameters too.
        scaler: an ``amp.GradScaler``; where ranks have different gradients, its decisions are made equal.
        group: ranks to share among, all by default.
        buffer_max_size: bytes of a fused gradient buffer.
        segment_size: parameters of fewer elements stay whole ("p_g_os").
        exclude_layer: class names or ids of layers whose parameters stay whole ("p_g_os").
        offload, dp_group: only their defaults are supported.
        sync_buffers: rank 0's buffers are given to all ranks at the start in any case.
        sync_comm: transfers of parameters are waited for in any case.
    """
    if level not in ("os", "os_g", "p_g_os"):
        raise ValueError(f"group_sharded_parallel(): level must be 'os', 'os_g' or 'p_g_os', got {level!r}")
    for name, value in (("offload", offload), ("dp_group", dp_group)):
        if value:
            raise NotImplementedError(f"group_sharded_parallel(): {name}={value!r} is not supported")
    megabytes = buffer_max_size / 2**20
    if level == "os":
        if not isinstance(model, DataParallel):
            model = DataParallel(model, comm_buffer_size=megabytes, group=group)
        return model, ShardedOptimizer(optimizer, group), scaler
    # these build on the classes of this module
    from .fleet.meta_parallel.sharding.group_sharded_stage2 import GroupShardedOptimizerStage2, GroupShardedStage2
    from .fleet.meta_parallel.sharding.group_sharded_stage3 import GroupShardedStage3  # likewise
    from .fleet.meta_parallel.sharding.group_sharded_utils import GroupShardedScaler  # likewise
    if level == "os_g":
        optimizer = GroupShardedOptimizerStage2(optimizer._parameter_list, optimizer, group)
        model = GroupShardedStage2(model, optimizer, group, megabytes)
    else:
        model = GroupShardedStage3(model, optimizer, group, segment_size, exclude_layer)
        optimizer = model.optimizer
    return model, optimizer, scaler if scaler is None else GroupShardedScaler(scaler, optimizer.group)


def save_group_sharded_model(model, output, optimizer=None):
    """Write ``model.pdmodel`` (and ``model.pdopt``) into the folder ``output``, by rank 0; all ranks call it.

    Both are whole, whatever was shared out, and load with any number of ranks.
    """
    from ..framework.io import save  # ranks that do not save need no files
    if os.path.isfile(output):
        raise ValueError(f"save_group_sharded_model(): output must be a folder, {output} is a file")
    values, states = model.state_dict(), optimizer.state_dict() if optimizer is not None else None
    if is_writer():
        os.makedirs(output, exist_ok=True)
        save(values, os.path.join(output, "model.pdmodel"))
        if states is not None:
            save(states, os.path.join(output, "model.pdopt"))
    barrier()


__path__ = []  # a package in Paddle: the paths below it are addresses
