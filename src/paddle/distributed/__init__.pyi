"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import DType
from paddle.core.tensor import Tensor as Tensor
from paddle.distributed.auto_parallel.plans import ColWiseParallel as ColWiseParallel
from paddle.distributed.comm.errors import CollectiveMismatch as CollectiveMismatch
from paddle.distributed.comm.errors import CollectiveTimeout as CollectiveTimeout
from paddle.distributed.beyond import ContextParallel as ContextParallel
from paddle.distributed.beyond import ConvParallel as ConvParallel
from paddle.distributed.beyond import CountFilterEntry as CountFilterEntry
from paddle.distributed.parallel import DataParallel as DataParallel
from paddle.distributed.auto_parallel.model import DistAttr as DistAttr
from paddle.distributed.auto_parallel.model import DistModel as DistModel
from paddle.distributed.env import ParallelEnv as Env
from paddle.distributed.group import Group as Group
from paddle.static.slots import InMemoryDataset as InMemoryDataset
from paddle.distributed.parallel import LegacyDataParallel as LegacyDataParallel
from paddle.distributed.auto_parallel.local import LocalLayer as LocalLayer
from paddle.distributed.collective import P2POp as P2POp
from paddle.distributed.env import ParallelEnv as ParallelEnv
from paddle.distributed.beyond import ParallelMode as ParallelMode
from paddle.distributed.parallel import ParallelStrategy as ParallelStrategy
from paddle.distributed.auto_parallel.placement_type import Partial as Partial
from paddle.distributed.comm.errors import PeerLost as PeerLost
from paddle.distributed.auto_parallel.placement_type import Placement as Placement
from paddle.distributed.beyond import PrepareContextParallel as PrepareContextParallel
from paddle.distributed.auto_parallel.plans import PrepareLayerInput as PrepareLayerInput
from paddle.distributed.auto_parallel.plans import PrepareLayerOutput as PrepareLayerOutput
from paddle.distributed.beyond import ProbabilityEntry as ProbabilityEntry
from paddle.distributed.auto_parallel.process_mesh import ProcessMesh as ProcessMesh
from paddle.static.slots import QueueDataset as QueueDataset
from paddle.distributed.comm.base import ReduceOp as ReduceOp
from paddle.distributed.auto_parallel.placement_type import ReduceType as ReduceType
from paddle.distributed.auto_parallel.placement_type import Replicate as Replicate
from paddle.distributed.auto_parallel.plans import RowWiseParallel as RowWiseParallel
from paddle.distributed.auto_parallel.plans import SequenceParallelBegin as SequenceParallelBegin
from paddle.distributed.auto_parallel.plans import SequenceParallelDisable as SequenceParallelDisable
from paddle.distributed.auto_parallel.plans import SequenceParallelEnable as SequenceParallelEnable
from paddle.distributed.auto_parallel.plans import SequenceParallelEnd as SequenceParallelEnd
from paddle.distributed.auto_parallel.placement_type import Shard as Shard
from paddle.distributed.beyond import ShardedWeight as ShardedWeight
from paddle.distributed.auto_parallel.api import ShardingStage1 as ShardingStage1
from paddle.distributed.auto_parallel.api import ShardingStage2 as ShardingStage2
from paddle.distributed.auto_parallel.api import ShardingStage3 as ShardingStage3
from paddle.distributed.beyond import ShowClickEntry as ShowClickEntry
from paddle.distributed.auto_parallel.plans import SplitPoint as SplitPoint
from paddle.distributed.auto_parallel.model import Strategy as Strategy
from paddle.distributed.collective import all_gather as all_gather
from paddle.distributed.objects import all_gather_object as all_gather_object
from paddle.distributed.collective import all_reduce as all_reduce
from paddle.distributed.collective import alltoall as alltoall
from paddle.distributed.collective import alltoall_single as alltoall_single
from . import auto_parallel as auto_parallel
from paddle.distributed.collective import barrier as barrier
from paddle.distributed.collective import batch_isend_irecv as batch_isend_irecv
from paddle.distributed.collective import broadcast as broadcast
from paddle.distributed.objects import broadcast_object_list as broadcast_object_list
from paddle.distributed.beyond import build_sharded_state_dict as build_sharded_state_dict
from paddle.distributed.group import destroy_process_group as destroy_process_group
from paddle.distributed.reader import distributed_batch_reader as distributed_batch_reader
from paddle.distributed.auto_parallel.api import dtensor_from_fn as dtensor_from_fn
from . import fleet as fleet
from paddle.distributed.collective import gather as gather
from paddle.distributed.group import get_backend as get_backend
from paddle.distributed.group import get_group as get_group
from paddle.distributed.auto_parallel.process_mesh import get_mesh as get_mesh
from paddle.distributed.group import get_rank as get_rank
from paddle.distributed.group import get_world_size as get_world_size
from paddle.distributed.gloo import gloo_barrier as gloo_barrier
from paddle.distributed.gloo import gloo_init_parallel_env as gloo_init_parallel_env
from paddle.distributed.gloo import gloo_release as gloo_release
from paddle.distributed.group import init_parallel_env as init_parallel_env
from . import io as io
from paddle.distributed.collective import irecv as irecv
from paddle.distributed.group import is_available as is_available
from paddle.distributed.group import is_initialized as is_initialized
from paddle.distributed.env import is_writer as is_writer
from paddle.distributed.collective import isend as isend
from paddle.distributed.launch import launch as launch
from paddle.distributed.beyond import load_merged_state_dict as load_merged_state_dict
from paddle.distributed.checkpoint import load_state_dict as load_state_dict
from paddle.distributed.auto_parallel.local import local_map as local_map
from paddle.distributed.group import new_group as new_group
from paddle.distributed.auto_parallel.parallelize import parallelize as parallelize
from . import passes as passes
from paddle.distributed.parallel import prepare_context as prepare_context
from paddle.distributed.collective import recv as recv
from paddle.distributed.objects import recv_object_list as recv_object_list
from paddle.distributed.collective import reduce as reduce
from paddle.distributed.collective import reduce_scatter as reduce_scatter
from paddle.distributed.auto_parallel.api import reshard as reshard
from paddle.distributed.beyond import restart_process_group as restart_process_group
from . import rpc as rpc
from paddle.distributed.checkpoint import save_state_dict as save_state_dict
from paddle.distributed.collective import scatter as scatter
from paddle.distributed.objects import scatter_object_list as scatter_object_list
from paddle.distributed.collective import send as send
from paddle.distributed.objects import send_object_list as send_object_list
from paddle.distributed.auto_parallel.process_mesh import set_mesh as set_mesh
from paddle.distributed.auto_parallel.api import shard_dataloader as shard_dataloader
from paddle.distributed.auto_parallel.api import shard_layer as shard_layer
from paddle.distributed.auto_parallel.api import shard_optimizer as shard_optimizer
from paddle.distributed.auto_parallel.api import shard_scaler as shard_scaler
from paddle.distributed.auto_parallel.api import shard_tensor as shard_tensor
from paddle.distributed.beyond import shard_weight as shard_weight
from . import sharding as sharding
from paddle.distributed.beyond import shutdown_process_group as shutdown_process_group
from paddle.distributed.spawned import spawn as spawn
from paddle.distributed.beyond import split as split
from . import stream as stream
from paddle.distributed.beyond import to_distributed as to_distributed
from paddle.distributed.auto_parallel.model import to_static as to_static
from paddle.distributed.auto_parallel.api import unshard_dtensor as unshard_dtensor
from . import utils as utils
from paddle.distributed.task import wait as wait
from paddle.distributed.env import warn_shared_path as warn_shared_path

TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor


