"""The grid of ranks that hybrid parallelism talks about, with data parallelism as its only axis."""

import itertools

from ..group import world


class CommunicateTopology:
    """Ranks in a grid of named axes, counted with the last axis fastest.

    >>> from paddle.distributed.fleet import CommunicateTopology
    >>> grid = CommunicateTopology(["data", "model"], [2, 2])
    >>> grid.get_rank(data=1, model=0)
    2
    >>> grid.get_comm_list("model")
    [[0, 1], [2, 3]]
    """

    def __init__(self, hybrid_group_names=("data", "pipe", "sharding", "sep", "model"), dims=(1, 1, 1, 1, 1)):
        if len(hybrid_group_names) != len(dims):
            raise ValueError(f"CommunicateTopology(): {len(hybrid_group_names)} names but {len(dims)} sizes")
        self._names, self._dims = list(hybrid_group_names), list(dims)
        self._places = list(itertools.product(*(range(n) for n in dims)))

    def get_hybrid_group_names(self):
        """Names of the axes."""
        return self._names

    def get_dim(self, axis_name):
        """Ranks along an axis."""
        return self._dims[self._names.index(axis_name)]

    get_dim_size = get_dim

    def world_size(self):
        """Number of ranks."""
        return len(self._places)

    def get_rank(self, **place):
        """Rank at a place that names every axis."""
        if sorted(place) != sorted(self._names):
            raise ValueError(f"get_rank(): name every axis of {self._names}, got {sorted(place)}")
        return self._places.index(tuple(place[name] for name in self._names))

    def get_coord(self, rank):
        """Place of a rank."""
        return self._places[rank]

    def get_axis_list(self, axis_name, index):
        """Ranks whose place along an axis is ``index``."""
        at = self._names.index(axis_name)
        return [rank for rank, place in enumerate(self._places) if place[at] == index]

    def get_comm_list(self, axis_name):
        """Groups of ranks that differ only along an axis."""
        at = self._names.index(axis_name)
        groups = {}
        for rank, place in enumerate(self._places):
            groups.setdefault(place[:at] + place[at + 1:], []).append(rank)
        return list(groups.values())


class HybridCommunicateGroup:
    """What model code asks about its place in a hybrid job: here all ranks lie along the data axis."""

    def __init__(self, topology):
        self._topo = topology
        whole = world()
        if topology.world_size() != whole.nranks or topology.get_dim("data") != whole.nranks:
            raise NotImplementedError("HybridCommunicateGroup(): only the data axis may have more than one rank")
        self.global_rank, self.nranks = whole.rank, whole.nranks

    def topology(self):
        """The grid."""
        return self._topo

    def get_global_rank(self):
        """Rank of this process."""
        return self.global_rank

    def get_parallel_mode(self):
        """DATA_PARALLEL."""
        from ..beyond import ParallelMode
        return ParallelMode.DATA_PARALLEL

    def get_data_parallel_rank(self):
        """Place along the data axis."""
        return self.global_rank

    def get_data_parallel_world_size(self):
        """Ranks along the data axis."""
        return self.nranks

    def get_data_parallel_group(self):
        """All ranks."""
        return world()

    def get_data_parallel_group_src_rank(self):
        """First rank of the data axis."""
        return 0

    def get_model_parallel_rank(self):
        """Always 0."""
        return 0

    def get_model_parallel_world_size(self):
        """Always 1."""
        return 1

    get_stage_id = get_sharding_parallel_rank = get_sep_parallel_rank = get_model_parallel_rank
    get_pipe_parallel_world_size = get_sharding_parallel_world_size = get_model_parallel_world_size
    get_sep_parallel_world_size = get_model_parallel_world_size
