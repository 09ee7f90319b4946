"""Written by scripts/stubs.py; change the functions, not this file."""

from typing import Any
from paddle.distributed.fleet.topology import CommunicateTopology as CommunicateTopology
from paddle.distributed.fleet.strategy import DistributedStrategy as DistributedStrategy
from paddle.distributed.fleet.fleet import Fleet as Fleet
from paddle.distributed.fleet.topology import HybridCommunicateGroup as HybridCommunicateGroup
from paddle.distributed.fleet.meta_optimizers.dygraph_optimizer.hybrid_parallel_optimizer import HybridParallelOptimizer as HybridParallelOptimizer
from paddle.distributed.fleet.roles import PaddleCloudRoleMaker as PaddleCloudRoleMaker
from paddle.distributed.fleet.roles import Role as Role
from paddle.distributed.fleet.roles import UserDefinedRoleMaker as UserDefinedRoleMaker
from paddle.distributed.fleet.util import UtilBase as UtilBase
from . import layers as layers
from . import meta_optimizers as meta_optimizers
from . import meta_parallel as meta_parallel
from . import metrics as metrics
from . import programs as programs
from . import recompute as recompute
from . import roles as roles
from . import strategy as strategy
from . import topology as topology
from . import utils as utils

all_reduce: Any
barrier_worker: Any
clear_grad: Any
distributed_model: Any
distributed_optimizer: Any
distributed_scaler: Any
fleet: Any
get_hybrid_communicate_group: Any
get_lr: Any
init: Any
init_worker: Any
is_first_worker: Any
is_server: Any
is_worker: Any
local_rank: Any
minimize: Any
node_num: Any
nranks: Any
rank: Any
server_endpoints: Any
server_index: Any
server_num: Any
set_lr: Any
set_state_dict: Any
state_dict: Any
step: Any
stop_worker: Any
util: Any
worker_endpoints: Any
worker_index: Any
worker_num: Any
world_size: Any
