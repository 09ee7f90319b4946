"""Names of Paddle for what is not there: parameter servers, a few ways of 3.x. Using one says so; the datasets need no server."""

from ..static.slots import InMemoryDataset, QueueDataset  # noqa: F401  (part of this module's vocabulary)


class ParallelMode:
    """Kinds of parallel training: what ``HybridCommunicateGroup.get_parallel_mode`` answers."""

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


class _Beyond:
    """Base of what cannot be made here."""

    subject = ""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"paddle.distributed.{type(self).__name__}: {self.subject} is not supported; "
                                  "fleet's hybrid parallelism (data, tensor, pipeline, sharding) is")


def _class(name, subject):
    return type(name, (_Beyond,), {"subject": subject, "__doc__": f"Not supported: {subject}.", "__module__": __name__})


ContextParallel, PrepareContextParallel = [_class(name, "context parallelism (ring attention)")
                                           for name in ("ContextParallel", "PrepareContextParallel")]
ConvParallel = _class("ConvParallel", "cutting convolutions along the width of images")
_FLEX = "the flexible checkpoint of 3.3 (dist.save_state_dict and load_state_dict move between grids)"
ShardedWeight, build_sharded_state_dict, load_merged_state_dict, shard_weight = [
    _class(name, _FLEX) for name in ("ShardedWeight", "build_sharded_state_dict", "load_merged_state_dict", "shard_weight")]
restart_process_group, shutdown_process_group = [_class(name, "stopping the transport of a group for a while")
                                                 for name in ("restart_process_group", "shutdown_process_group")]
to_distributed = _class("to_distributed", "finding plans by itself (dist.parallelize takes them)")


def split(x, size, operation, axis=0, num_partitions=1, gather_out=True, weight_attr=None, bias_attr=None, name=None):
    """Not supported: layers of static programs that are cut over ranks. (Paddle refuses it in eager mode, too.)"""
    raise NotImplementedError(f"paddle.distributed.split(): {operation!r} cut over ranks in a static program is not supported; "
                              "fleet.meta_parallel has VocabParallelEmbedding, ColumnParallelLinear and RowParallelLinear")
