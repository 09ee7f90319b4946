"""``paddle.distributed.fleet`` for collective jobs: one object that knows the grid of ranks and wraps models for it."""

from ...core.addresses import lookup as _lookup
from . import meta_optimizers, meta_parallel, metrics, recompute, utils
from .fleet import Fleet
from .meta_optimizers import HybridParallelOptimizer
from .roles import PaddleCloudRoleMaker, Role, UserDefinedRoleMaker
from .strategy import DistributedStrategy
from .topology import CommunicateTopology, HybridCommunicateGroup
from .util import UtilBase

fleet = Fleet()

init = fleet.init
is_first_worker = fleet.is_first_worker
worker_index = fleet.worker_index
worker_num = fleet.worker_num
node_num = fleet.node_num
local_rank = fleet.local_rank
rank = fleet.worker_index
nranks = fleet.worker_num
world_size = fleet.worker_num
is_worker = fleet.is_worker
is_server = fleet.is_server
worker_endpoints = fleet.worker_endpoints
server_num = fleet.server_num
barrier_worker = fleet.barrier_worker
init_worker = fleet.init_worker
stop_worker = fleet.stop_worker
distributed_model = fleet.distributed_model
distributed_optimizer = fleet.distributed_optimizer
distributed_scaler = fleet.distributed_scaler
minimize = fleet.minimize
get_hybrid_communicate_group = fleet.get_hybrid_communicate_group
state_dict = fleet.state_dict
set_state_dict = fleet.set_state_dict
get_lr = fleet.get_lr
set_lr = fleet.set_lr
step = fleet.step
clear_grad = fleet.clear_grad
util = fleet.util
all_reduce = fleet.all_reduce
server_index = fleet.server_index
server_endpoints = fleet.server_endpoints


__getattr__ = _lookup(__name__)
