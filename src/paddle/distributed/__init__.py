"""Data-parallel training on one machine or many: launcher, collectives over MPI, DataParallel, fleet.

A world of one needs nothing but NumPy; more ranks need ``pip install 'dygraph[distributed]'``.
"""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from .launch import launch  # now, so that the name means the function and not the folder of the same name

_LAZY = _names_of({
    ".": ("auto_parallel", "fleet", "io", "passes", "rpc", "sharding", "stream", "utils"),
    ".collective": ("P2POp", "all_gather", "all_reduce", "alltoall", "alltoall_single", "barrier", "batch_isend_irecv",
                    "broadcast", "gather", "irecv", "isend", "recv", "reduce", "reduce_scatter", "scatter", "send"),
    ".objects": ("all_gather_object", "broadcast_object_list", "recv_object_list", "scatter_object_list", "send_object_list"),
    ".task": ("wait",),
    ".comm": ("CollectiveMismatch", "CollectiveTimeout", "PeerLost", "ReduceOp"),
    ".env": ("Env", "ParallelEnv", "is_writer", "warn_shared_path"),
    ".group": ("Group", "destroy_process_group", "get_backend", "get_group", "get_rank", "get_world_size",
               "init_parallel_env", "is_available", "is_initialized", "new_group"),
    ".parallel": ("DataParallel", "LegacyDataParallel", "ParallelStrategy", "prepare_context"),
    ".spawned": ("spawn",),
    ".reader": ("distributed_batch_reader",),
    ".checkpoint": ("load_state_dict", "save_state_dict"),
    ".gloo": ("gloo_barrier", "gloo_init_parallel_env", "gloo_release"),
    ".auto_parallel.placement_type": ("Partial", "Placement", "ReduceType", "Replicate", "Shard"),
    ".auto_parallel.process_mesh": ("ProcessMesh", "get_mesh", "set_mesh"),
    ".auto_parallel.api": ("ShardingStage1", "ShardingStage2", "ShardingStage3", "dtensor_from_fn", "reshard", "shard_dataloader",
                           "shard_layer", "shard_optimizer", "shard_scaler", "shard_tensor", "unshard_dtensor"),
    ".auto_parallel.local": ("LocalLayer", "local_map"),
    ".auto_parallel.parallelize": ("parallelize",),
    ".auto_parallel.plans": ("ColWiseParallel", "PrepareLayerInput", "PrepareLayerOutput", "RowWiseParallel",
                             "SequenceParallelBegin", "SequenceParallelDisable", "SequenceParallelEnable", "SequenceParallelEnd",
                             "SplitPoint"),
    ".auto_parallel.model": ("DistAttr", "DistModel", "Strategy", "to_static"),
    ".entry_attr": ("CountFilterEntry", "ProbabilityEntry", "ShowClickEntry"),
    ".beyond": ("ContextParallel", "ConvParallel", "InMemoryDataset", "ParallelMode", "PrepareContextParallel", "QueueDataset",
                "ShardedWeight", "build_sharded_state_dict",
                "load_merged_state_dict", "restart_process_group", "shard_weight", "shutdown_process_group", "split",
                "to_distributed"),
}, __name__)
__all__ = sorted(["launch", *_LAZY])

__getattr__, __dir__ = _late(__name__, _LAZY)
