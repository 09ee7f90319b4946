"""Optimizer states shared out among ranks: each rank keeps and updates only its part of the parameters (stage 1)."""

import os

import numpy as np

from ..core.autograd import no_grad
from ..core.tensor import Tensor, wrap
from .buckets import broadcast_tensors
from .checkpoint import is_writer
from .collective import barrier
from .group import resolve
from .objects import all_gather_object
from .parallel import DataParallel


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

    def owned(self):
        """Parameters that this rank updates."""
        return [p for p in self._inner._parameter_list if self._owners[id(p)] == self._group.rank]

    @no_grad()
    def step(self):
        """Update all parameters, each on its owner, and share them."""
        inner = self._inner
        for settings in inner._groups:
            pairs = [(p, p.grad) for p in settings["params"] if not p.stop_gradient and p._grad is not None]
            if pairs and settings["grad_clip"] is not None:
                pairs = settings["grad_clip"](pairs)
            mine = [(p, g) for p, g in pairs if self._owners[id(p)] == self._group.rank]
            if mine:
                inner._apply(mine, dict(settings, grad_clip=None))
        self._share()

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
    """Wrap model and optimizer so that optimizer states are shared out among ranks; returns (model, optimizer, scaler).

    Args:
        level: "os", optimizer states. "os_g" and "p_g_os" (gradients, parameters) are not supported.
        scaler: an ``amp.GradScaler``, returned unchanged: gradients are equal on all ranks, so are its decisions.
        group: ranks to share among, all by default.
        buffer_max_size: bytes of a fused gradient buffer.
        offload, sync_comm, dp_group, exclude_layer: only their defaults are supported.
        sync_buffers: rank 0's buffers are given to all ranks at the start in any case.
        segment_size: parameters are never cut here, so any size is the same.
    """
    if level in ("os_g", "p_g_os"):
        raise NotImplementedError(f"group_sharded_parallel(): level {level!r} is not supported, 'os' is")
    if level != "os":
        raise ValueError(f"group_sharded_parallel(): level must be 'os', 'os_g' or 'p_g_os', got {level!r}")
    for name, value in (("offload", offload), ("sync_comm", sync_comm), ("dp_group", dp_group),
                        ("exclude_layer", exclude_layer)):
        if value:
            raise NotImplementedError(f"group_sharded_parallel(): {name}={value!r} is not supported")
    if not isinstance(model, DataParallel):
        model = DataParallel(model, comm_buffer_size=buffer_max_size / 2**20, group=group)
    return model, ShardedOptimizer(optimizer, group), scaler


def save_group_sharded_model(model, output, optimizer=None):
    """Write ``model.pdparams`` (and ``model.pdopt``) into the folder ``output``, by rank 0; all ranks call it."""
    from ..framework.io import save
    if os.path.isfile(output):
        raise ValueError(f"save_group_sharded_model(): output must be a folder, {output} is a file")
    states = optimizer.state_dict() if optimizer is not None else None
    if is_writer():
        os.makedirs(output, exist_ok=True)
        save(model.state_dict(), os.path.join(output, "model.pdparams"))
        if states is not None:
            save(states, os.path.join(output, "model.pdopt"))
    barrier()


__path__ = []  # a package in Paddle: the paths below it are addresses
