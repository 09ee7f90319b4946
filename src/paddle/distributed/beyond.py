"""Names of Paddle 2.6 for automatic parallelism and parameter servers. Using one says so, instead of doing something else."""


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


def _function(name, subject):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"paddle.distributed.{name}: {subject} is not supported; fleet's hybrid "
                                  "parallelism (data, tensor, pipeline, sharding) is")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not supported: {subject}."
    return refuse


_AUTO, _SERVER = "automatic parallelism", "the parameter server"

DistAttr, Partial, Placement, ProcessMesh, ReduceType, Replicate, Shard, Strategy = [
    _class(name, _AUTO) for name in
    ("DistAttr", "Partial", "Placement", "ProcessMesh", "ReduceType", "Replicate", "Shard", "Strategy")]
CountFilterEntry, InMemoryDataset, ProbabilityEntry, QueueDataset, ShowClickEntry = [
    _class(name, _SERVER) for name in
    ("CountFilterEntry", "InMemoryDataset", "ProbabilityEntry", "QueueDataset", "ShowClickEntry")]
dtensor_from_fn, reshard, shard_layer, shard_optimizer, shard_tensor, split, to_static = [
    _function(name, _AUTO) for name in
    ("dtensor_from_fn", "reshard", "shard_layer", "shard_optimizer", "shard_tensor", "split", "to_static")]
