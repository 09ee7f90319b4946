"""Fleet: the ranks of a collective job, and models and optimizers wrapped for it."""

import math
import os
import warnings

from ...core.autograd import no_grad
from ...core.context import context
from ...core.tensor import ZERO
from ...nn import SyncBatchNorm
from ..beyond import ParallelMode
from ..collective import barrier
from ..env import ParallelEnv
from ..group import init_parallel_env
from ..parallel import DataParallel
from ..sharding import ShardedOptimizer
from .layers.mpu.random import model_parallel_random_seed
from .meta_optimizers import HybridParallelGradScaler, HybridParallelOptimizer
from .meta_parallel import (
    PipelineLayer,
    PipelineParallel,
    PipelineParallelWithInterleave,
    PipelineParallelWithInterleaveFthenB,
    SegmentParallel,
    ShardingParallel,
    TensorParallel,
)
from .programs import ProgramOptimizer
from .roles import PaddleCloudRoleMaker
from .strategy import OF_PROGRAMS, DistributedStrategy
from .topology import SHORT, CommunicateTopology, HybridCommunicateGroup, current, set_current
from .util import UtilBase

WRAPPERS = {ParallelMode.TENSOR_PARALLEL: TensorParallel, ParallelMode.SHARDING_PARALLEL: ShardingParallel,
            ParallelMode.SEGMENT_PARALLEL: SegmentParallel}


def grid(configs, workers):
    """The topology that hybrid_configs ask for; a dp_degree that is not given takes the workers that are left."""
    degrees = {axis: configs[f"{axis}_degree"] for axis in configs["order"]}
    others = math.prod(max(n, 1) for axis, n in degrees.items() if axis != "dp")
    if degrees["dp"] < 1:
        degrees["dp"] = max(workers // others, 1)
    sizes = [max(degrees[axis], 1) for axis in configs["order"]]
    if math.prod(sizes) != workers:
        text = " x ".join(f"{axis} {n}" for axis, n in zip(configs["order"], sizes))
        raise ValueError(f"fleet.init(): hybrid_configs ask for {text} = {math.prod(sizes)} workers, but {workers} run")
    return CommunicateTopology([SHORT[axis] for axis in configs["order"]], sizes)


def _supported(strategy, function):
    """The strategy, if nothing is switched on in it that there is not."""
    for name in strategy.unsupported():
        raise NotImplementedError(f"fleet.{function}(): DistributedStrategy.{name} is not supported")
    return strategy


class Fleet:
    """One job of workers that train the same model on different data."""

    def __init__(self):
        self._strategy, self._optimizer, self._hybrid = None, None, None
        self.util = UtilBase()

    def init(self, role_maker=None, is_collective=False, strategy=None, log_level="INFO"):
        """Join the other workers.

        Args:
            role_maker: a role maker; None makes one.
            is_collective: True for several workers. False is for parameter servers, which are not supported: a job of one.
            strategy: a DistributedStrategy, or None for the defaults.
            log_level: name or number of a logging level for the "paddle.distributed.fleet" logger.
        """
        import logging
        if role_maker is None:
            role_maker = PaddleCloudRoleMaker(is_collective=is_collective)
        elif not isinstance(role_maker, PaddleCloudRoleMaker):
            raise TypeError(f"fleet.init(): role_maker must be a role maker, got {type(role_maker).__name__}")
        if strategy is not None and not isinstance(strategy, DistributedStrategy):
            raise TypeError(f"fleet.init(): strategy must be a DistributedStrategy, got {type(strategy).__name__}")
        logging.getLogger("paddle.distributed.fleet").setLevel(log_level)
        self._strategy = _supported(strategy or DistributedStrategy(), "init")
        init_parallel_env()
        self._hybrid = set_current(HybridCommunicateGroup(grid(self._strategy.hybrid_configs, self.worker_num())))
        seed = self._strategy.tensor_parallel_configs["tensor_init_seed"]
        if self._hybrid.get_model_parallel_world_size() > 1:
            model_parallel_random_seed(None if seed == -1 else seed)
        return self

    def _ready(self, function):
        if self._strategy is None:
            raise RuntimeError(f"fleet.{function}(): call fleet.init(is_collective=True) first")
        return self._strategy

    # ---- who is who ----
    def is_first_worker(self):
        """Is this worker number 0?"""
        return self.worker_index() == 0

    def worker_index(self):
        """Number of this worker."""
        return ParallelEnv().rank

    def worker_num(self):
        """Number of workers."""
        return ParallelEnv().world_size

    def node_num(self):
        """Number of machines."""
        return int(os.environ.get("PADDLE_NNODES") or 1)

    def local_rank(self):
        """Number of this worker on its machine."""
        return int(os.environ.get("PADDLE_LOCAL_RANK") or 0)

    def is_worker(self):
        """Always True: there are only workers."""
        return True

    def is_server(self):
        """Always False: there is no parameter server."""
        return False

    def server_num(self):
        """Always 0: there is no parameter server."""
        return 0

    def server_index(self):
        """Always -1: this is no server."""
        return -1

    def server_endpoints(self, to_string=False):
        """Always none: there is no parameter server."""
        return "" if to_string else []

    def all_reduce(self, input, mode="sum"):
        """The reduction of a number or an array over all workers."""
        self._ready("all_reduce")
        return self.util.all_reduce(input, mode)

    def worker_endpoints(self, to_string=False):
        """Endpoints of all workers, as a list or joined by commas."""
        endpoints = ParallelEnv().trainer_endpoints
        return ",".join(endpoints) if to_string else endpoints

    def barrier_worker(self):
        """Wait until every worker has come here."""
        self._ready("barrier_worker")
        barrier()

    def init_worker(self, scopes=None):
        """Check that fleet.init was called; collective workers need nothing more before training."""
        self._ready("init_worker")

    def stop_worker(self):
        """Wait for the other workers after training."""
        self._ready("stop_worker")
        barrier()

    # ---- wrapping ----
    def distributed_model(self, model):
        """The model wrapped as the grid of ranks asks: DataParallel, TensorParallel, PipelineParallel, ...

        Unchanged where there is one worker, but for a PipelineLayer, which gets its ``train_batch``.
        """
        strategy, hybrid = self._ready("distributed_model"), self._hybrid
        if isinstance(model, PipelineLayer) and (self.worker_num() > 1 or model.get_loss_fn() is not None):
            if model.get_num_virtual_stages() == 1:
                return PipelineParallel(model, hybrid, strategy)
            later = strategy.pipeline_configs["schedule_mode"] == "F-then-B"
            return (PipelineParallelWithInterleaveFthenB if later else PipelineParallelWithInterleave)(model, hybrid, strategy)
        if self.worker_num() < 2:
            return model
        mode = hybrid.get_parallel_mode()
        if mode == ParallelMode.PIPELINE_PARALLEL:
            raise TypeError(f"fleet.distributed_model(): pp_degree above 1 needs a PipelineLayer, got {type(model).__name__}")
        if strategy.sync_batch_norm:
            model = SyncBatchNorm.convert_sync_batchnorm(model)
        if mode != ParallelMode.DATA_PARALLEL:
            return WRAPPERS[mode](model, hybrid, strategy)
        size = strategy.fuse_grad_size_in_MB if strategy.fuse_all_reduce_ops else 1e-6
        last = strategy.last_comm_group_size_MB if strategy.fuse_all_reduce_ops else 1e-6
        return DataParallel(model, comm_buffer_size=size, last_comm_buffer_size=last,
                            find_unused_parameters=strategy.find_unused_parameters,
                            compression="float16" if strategy.fp16_allreduce else None)

    def distributed_optimizer(self, optimizer, strategy=None):
        """The optimizer with what the strategy asks for: sharded states, merged gradients."""
        if strategy is not None:
            if not isinstance(strategy, DistributedStrategy):
                raise TypeError(f"fleet.distributed_optimizer(): strategy must be a DistributedStrategy, got "
                                f"{type(strategy).__name__}")
            self._strategy = strategy
        strategy = _supported(self._ready("distributed_optimizer"), "distributed_optimizer")
        if context.static_mode:
            self._optimizer = ProgramOptimizer(optimizer, strategy)
            return self._optimizer
        for name in OF_PROGRAMS:
            if getattr(strategy, name):
                warnings.warn(f"fleet.distributed_optimizer(): strategy.{name} acts on static programs, not on eager training",
                              stacklevel=2)
        if self._hybrid.get_parallel_mode() != ParallelMode.DATA_PARALLEL:
            if strategy.fp16_allreduce:
                raise NotImplementedError("fleet.distributed_optimizer(): fp16_allreduce is for jobs that cut only batches, not "
                                          "for hybrid_configs of other axes")
            optimizer = HybridParallelOptimizer(optimizer, self._hybrid, strategy)
        elif strategy.sharding and self.worker_num() > 1:
            optimizer = ShardedOptimizer(optimizer)
        if strategy.gradient_merge and strategy.gradient_merge_configs["k_steps"] > 1:
            optimizer = MergingOptimizer(optimizer, **strategy.gradient_merge_configs)
        self._optimizer = optimizer
        return optimizer

    def distributed_scaler(self, scaler):
        """The scaler with decisions that are equal on all workers."""
        self._ready("distributed_scaler")
        if self._hybrid.get_parallel_mode() == ParallelMode.DATA_PARALLEL:
            return scaler  # gradients are equal on all workers, so are its decisions
        return HybridParallelGradScaler(scaler, self._hybrid)

    def get_hybrid_communicate_group(self):
        """The grid of ranks."""
        return current("fleet.get_hybrid_communicate_group()")

    # ---- the optimizer, by way of fleet ----
    def _own_optimizer(self, function):
        if self._optimizer is None:
            raise RuntimeError(f"fleet.{function}(): call fleet.distributed_optimizer first")
        return self._optimizer

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """``minimize`` of the distributed optimizer."""
        return self._own_optimizer("minimize").minimize(loss, startup_program, parameter_list, no_grad_set)

    def step(self):
        """``step`` of the distributed optimizer."""
        self._own_optimizer("step").step()

    def clear_grad(self):
        """``clear_grad`` of the distributed optimizer."""
        self._own_optimizer("clear_grad").clear_grad()

    def get_lr(self):
        """Learning rate of the distributed optimizer."""
        return self._own_optimizer("get_lr").get_lr()

    def set_lr(self, value):
        """Set the learning rate of the distributed optimizer."""
        self._own_optimizer("set_lr").set_lr(value)

    def state_dict(self):
        """State of the distributed optimizer."""
        return self._own_optimizer("state_dict").state_dict()

    def set_state_dict(self, state_dict):
        """Load the state of the distributed optimizer."""
        self._own_optimizer("set_state_dict").set_state_dict(state_dict)


class MergingOptimizer:
    """An optimizer that steps once in ``k_steps`` calls, with the gradients of all of them.

    Args:
        optimizer: the optimizer that steps.
        k_steps: calls per step; gradients stay in the parameters between them.
        avg: step with the mean of the merged gradients instead of their sum.
    """

    def __init__(self, optimizer, k_steps, avg):
        self._inner, self._k_steps, self._avg, self._calls = optimizer, k_steps, avg, 0

    def __getattr__(self, name):
        return getattr(self._inner, name)

    @no_grad()
    def step(self):
        """Count a call, and step at every ``k_steps``-th."""
        self._calls += 1
        if self._calls % self._k_steps:
            return
        if self._avg:
            for p in self._inner._parameter_list:
                if p._grad is not None and p._grad is not ZERO:
                    p._grad.replace(p._grad._data * p._grad._data.dtype.type(1.0 / self._k_steps))
        self._inner.step()

    def clear_grad(self, set_to_zero=True):
        """Clear gradients only after a step; in between they are merged."""
        if self._calls % self._k_steps == 0:
            self._inner.clear_grad(set_to_zero)

    clear_gradients = clear_grad

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Count a call, and step at every ``k_steps``-th."""
        pairs = self._inner.backward(loss, startup_program, parameters, no_grad_set)
        self.step()
        return [], pairs
