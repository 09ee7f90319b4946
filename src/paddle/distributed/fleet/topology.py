"""The grid of ranks of a hybrid job: named axes (data, pipe, sharding, sep, model) and the groups along them."""

import collections
import itertools

from ..beyond import ParallelMode
from ..env import ParallelEnv
from ..group import is_open, new_groups, world

AXES = ("data", "pipe", "sharding", "sep", "model")
SHORT = {"dp": "data", "pp": "pipe", "sharding": "sharding", "sep": "sep", "mp": "model"}  # names of hybrid_configs


class CommunicateTopology:
    """Ranks in a grid of named axes, counted with the last axis fastest.

    >>> from paddle.distributed.fleet import CommunicateTopology
    >>> grid = CommunicateTopology(["data", "model"], [2, 2])
    >>> grid.get_rank(data=1, model=0)
    2
    >>> grid.get_comm_list("model")
    [[0, 1], [2, 3]]
    """

    def __init__(self, hybrid_group_names=AXES, dims=(1, 1, 1, 1, 1)):
        if len(hybrid_group_names) != len(dims):
            raise ValueError(f"CommunicateTopology(): {len(hybrid_group_names)} names but {len(dims)} sizes")
        self._parallel_names, self._dims = list(hybrid_group_names), list(dims)
        self.coordinate = collections.namedtuple("Coordinate", self._parallel_names)
        self._places = [self.coordinate(*place) for place in itertools.product(*(range(n) for n in dims))]
        self._ranks = {place: rank for rank, place in enumerate(self._places)}

    def get_hybrid_group_names(self):
        """Names of the axes."""
        return self._parallel_names

    def get_dim(self, axis_name):
        """Ranks along an axis."""
        return self._dims[self._axis(axis_name)]

    get_dim_size = get_dim

    def _axis(self, name):
        if name not in self._parallel_names:
            raise ValueError(f"CommunicateTopology: no axis {name!r}; there are {', '.join(self._parallel_names)}")
        return self._parallel_names.index(name)

    def world_size(self):
        """Number of ranks."""
        return len(self._places)

    def get_rank(self, **place):
        """Rank at a place that names every axis."""
        if sorted(place) != sorted(self._parallel_names):
            raise ValueError(f"get_rank(): name every axis of {self._parallel_names}, got {sorted(place)}")
        return self._ranks[self.coordinate(**place)]

    def get_coord(self, rank):
        """Place of a rank."""
        return self._places[rank]

    def get_axis_list(self, axis_name, index):
        """Ranks whose place along an axis is ``index``."""
        at = self._axis(axis_name)
        return [rank for rank, place in enumerate(self._places) if place[at] == index]

    def get_comm_list(self, axis_name):
        """Groups of ranks that differ only along an axis."""
        return self.get_fused_ranks([axis_name])

    def get_fused_ranks(self, fused_axis):
        """Groups of ranks that differ only along some axes."""
        inside = {self._axis(name) for name in fused_axis}
        groups = {}
        for rank, place in enumerate(self._places):
            groups.setdefault(tuple(i for at, i in enumerate(place) if at not in inside), []).append(rank)
        return list(groups.values())

    def get_rank_from_stage(self, global_rank, **kwargs):
        """The rank whose place is that of ``global_rank`` but for the axes named."""
        return self._ranks[self.get_coord(global_rank)._replace(**kwargs)]


def _along(axis):
    """What a grid is asked of one axis: (this process's place, the number of ranks, its group, the first rank of the group)."""
    def place(self):
        return self._place[axis]

    def size(self):
        return self._size(axis)

    def group(self):
        return self._groups[axis,]

    def first_rank(self):
        return self._groups[axis,].ranks[0]
    for question, told in ((place, "Place along"), (size, "Ranks along"), (group, "This process's group along"),
                           (first_rank, "First rank of the group along")):
        question.__doc__ = f"{told} the {axis} axis."
    return place, size, group, first_rank


class HybridCommunicateGroup:
    """Where this process stands on each axis of a hybrid job, and its groups along them."""

    def __init__(self, topology):
        self._topo, whole = topology, world()
        if topology.world_size() != whole.nranks:
            dims = " x ".join(f"{name} {topology.get_dim(name)}" for name in topology.get_hybrid_group_names())
            raise ValueError(f"HybridCommunicateGroup(): the grid {dims} has {topology.world_size()} places, but {whole.nranks} "
                             "ranks run")
        self.global_rank, self.nranks = whole.rank, whole.nranks
        self._place = dict.fromkeys(AXES, 0)
        self._place.update(topology.get_coord(self.global_rank)._asdict())
        present = [axis for axis in AXES if axis in topology.get_hybrid_group_names()]
        self._groups = {(axis,): new_groups(topology.get_comm_list(axis)) for axis in present}
        for axis in AXES:
            if axis not in present:
                self._groups[axis,] = new_groups([[rank] for rank in range(self.nranks)])
        self.stage_id = self._place["pipe"]

    def _fused(self, *axes):
        """The group along several axes, made when first asked for; all ranks ask in the same order."""
        if axes not in self._groups:
            named = [axis for axis in axes if axis in self._topo.get_hybrid_group_names()]
            self._groups[axes] = new_groups(self._topo.get_fused_ranks(named))
        return self._groups[axes]

    def _size(self, axis):
        return self._groups[axis,].nranks

    def topology(self):
        """The grid."""
        return self._topo

    def get_global_rank(self):
        """Rank of this process."""
        return self.global_rank

    def get_parallel_mode(self):
        """A member of ParallelMode: what decides how ``fleet.distributed_model`` wraps a model."""
        if self._size("pipe") > 1:
            return ParallelMode.PIPELINE_PARALLEL
        if self._size("model") > 1:
            return ParallelMode.TENSOR_PARALLEL
        if self._size("sep") > 1:
            return ParallelMode.SEGMENT_PARALLEL
        return ParallelMode.SHARDING_PARALLEL if self._size("sharding") > 1 else ParallelMode.DATA_PARALLEL

    # ---- what is asked of an axis ----
    get_data_parallel_rank, get_data_parallel_world_size, get_data_parallel_group, get_data_parallel_group_src_rank = _along("data")
    (get_model_parallel_rank, get_model_parallel_world_size, get_model_parallel_group,
     get_model_parallel_group_src_rank) = _along("model")
    (get_sharding_parallel_rank, get_sharding_parallel_world_size, get_sharding_parallel_group,
     get_sharding_parallel_group_src_rank) = _along("sharding")
    get_sep_parallel_rank, get_sep_parallel_world_size, get_sep_parallel_group, get_sep_parallel_group_src_rank = _along("sep")
    get_pipe_parallel_rank, get_pipe_parallel_world_size, get_pipe_parallel_group = _along("pipe")[:3]
    get_stage_id = get_pipe_parallel_rank

    # ---- stages ----
    @property
    def is_first_stage(self):
        """Does the first stage of the pipeline run here?"""
        return self.stage_id == 0

    @property
    def is_last_stage(self):
        """Does the last stage of the pipeline run here?"""
        return self.stage_id == self._size("pipe") - 1

    def get_p2p_groups(self):
        """Always the pipe group, four times: (to next, to previous, from next, from previous). MPI's messages need no pairs."""
        return (self._groups["pipe",],) * 4

    def get_rank_from_stage(self, stage_id, **kwargs):
        """The rank of another stage whose place on the other axes is this one's, but for those named."""
        return self._topo.get_rank_from_stage(self.global_rank, pipe=stage_id, **kwargs)

    # ---- several axes ----
    def get_dp_sep_parallel_group(self):
        """Ranks that hold the same parameters along data and sep."""
        return self._fused("data", "sep")

    def get_pp_mp_parallel_group(self):
        """Ranks that hold one copy of the model together."""
        return self._fused("pipe", "model")

    def get_check_parallel_group(self, sharding=False):
        """Ranks whose gradients together are all of the model: over pipe and model, and sharding where states are cut there."""
        return self._fused("pipe", "sharding", "model") if sharding else self._fused("pipe", "model")

    def create_fuse_group(self, fused_strategy_list):
        """(groups, ranks) of the group along some axes."""
        group = self._fused(*fused_strategy_list)
        return [group.ranks], [group]


_current = None  # the grid of this process; fleet.init makes it


def set_current(hybrid):
    """Make a grid the one that layers and optimizers of this process ask."""
    global _current
    _current = hybrid
    return hybrid


def current(who):
    """The grid of this process. Without ``fleet.init`` a process alone has the grid of one rank."""
    if _current is None or not is_open(_current.get_model_parallel_group()):  # destroying all groups destroys the grid
        if ParallelEnv().world_size > 1:
            raise RuntimeError(f"{who}: call fleet.init(is_collective=True, strategy=...) first")
        return set_current(HybridCommunicateGroup(CommunicateTopology()))
    return _current


class _Current:
    """The grid of this process, as the variable of Paddle's module shows it: asked for anew at each use."""

    def __getattr__(self, name):
        return getattr(current("fleet.base.topology._HYBRID_PARALLEL_GROUP"), name)


_HYBRID_PARALLEL_GROUP = _Current()
