"""The world of this process and the groups made in it."""

import contextlib
import datetime
import faulthandler
import os

from .comm import SingleCommunicator
from .comm.control import Control
from .comm.mpi import MpiCommunicator
from .env import ParallelEnv, debug_enabled, read_timeout

INSTALL = "pip install 'dygraph[distributed]'"


class Group:
    """Some ranks of the world that communicate among themselves.

    Attributes:
        id: number of the group; the world is 0.
        ranks: world ranks of its members, in the order of their place.
        rank: place of this process in the group, -1 when it is no member.
        nranks, world_size: number of members.
    """

    def __init__(self, number, ranks, comm, rank):
        self.id, self.ranks, self.comm, self.rank = number, list(ranks), comm, rank

    @property
    def nranks(self):
        return len(self.ranks)

    @property
    def world_size(self):
        """Number of members, -1 for a process that is none of them."""
        return len(self.ranks) if self.is_member() else -1

    @property
    def name(self):
        return f"_default_pg{self.id}"

    @property
    def backend(self):
        """What carries the messages: MPI, or SINGLE where there is nobody else."""
        return "SINGLE" if isinstance(self.comm, SingleCommunicator) else "MPI"

    @property
    def process_group(self):
        """The communicator over arrays below this group."""
        return self.comm

    def is_member(self):
        """Does this process belong to the group?"""
        return self.rank >= 0

    def get_group_rank(self, rank):
        """Place of a world rank in the group, -1 when it is no member."""
        return self.ranks.index(rank) if rank in self.ranks else -1

    def get_global_rank(self, rank):
        """World rank of the member at a place in the group."""
        return self.ranks[rank]

    def __repr__(self):
        return (f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: {', '.join(map(str, self.ranks))}; "
                f"name: {self.name}")


_groups = {}  # number -> Group; empty until init_parallel_env
_next_number = 1


def connect():
    """The communicator of all ranks that were started together; imports MPI only when there are several."""
    env = ParallelEnv()
    if env.world_size == 1:
        return SingleCommunicator()
    try:
        # A rank that never comes blocks the others inside MPI's start, where only a watchdog outside Python helps.
        faulthandler.dump_traceback_later(read_timeout(), exit=True)
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError(f"{env.world_size} ranks need MPI, but mpi4py cannot be imported ({error}); "
                          f"run: {INSTALL}") from error
    finally:
        faulthandler.cancel_dump_traceback_later()

    world = MPI.COMM_WORLD
    if (world.Get_rank(), world.Get_size()) != (env.rank, env.world_size):
        raise RuntimeError(
            f"the environment says rank {env.rank} of {env.world_size} ranks, MPI says rank {world.Get_rank()} of "
            f"{world.Get_size()}; start the program with python -m paddle.distributed.launch (or with mpiexec of the "
            "same MPI that mpi4py uses)")
    control = Control(MPI, world.Dup(), read_timeout())
    control.install()
    comm = MpiCommunicator(MPI, world.Dup(), control, "the world", list(range(env.world_size)), shapes=debug_enabled())
    comm.barrier().wait()
    forget_segments()
    return comm


def forget_segments():
    """Take away the names of MPI's shared memory once every rank has it, so that a killed job leaves none behind."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            names = {line.split(maxsplit=5)[5].strip() for line in maps if "/mpich_shm_" in line}
    except OSError:  # no such list on this system: MPI removes its memory itself when it ends in order
        return
    for name in names:
        if not name.endswith("(deleted)"):
            with contextlib.suppress(FileNotFoundError):  # another rank was quicker
                os.unlink(name)


_connected = None  # (process id, communicator): MPI starts once per process, however often the world is made


def world_communicator():
    """The communicator of the world, made on first use."""
    global _connected
    if _connected is None or _connected[0] != os.getpid():
        if _connected is not None and not isinstance(_connected[1], SingleCommunicator):
            raise RuntimeError("collectives in a forked process: only the rank itself may communicate")
        _connected = (os.getpid(), connect())
    return _connected[1]


def init_parallel_env():
    """Join the other ranks; afterwards collectives work. Returns the group of all ranks.

    With one rank it needs no MPI, and every collective is the identity.

    Returns:
        Group of all ranks.

    >>> group = paddle.distributed.init_parallel_env()
    >>> group.nranks
    1
    """
    if 0 not in _groups:
        comm = world_communicator()
        _groups[0] = Group(0, range(comm.size), comm, comm.rank)
    return _groups[0]


def is_initialized():
    """Has init_parallel_env been called (and not taken back)?"""
    return 0 in _groups


def is_available():
    """Is this package complete enough for distributed training? Always: a world of one needs nothing more."""
    return True


def world():
    """The group of all ranks; joins them first when that has not happened yet and there is only one."""
    if 0 not in _groups:
        if ParallelEnv().world_size > 1:
            raise RuntimeError("collectives need paddle.distributed.init_parallel_env() first")
        return init_parallel_env()
    return _groups[0]


def resolve(group, function):
    """The Group that a ``group`` argument means; 2.3 and 2.4 give a group's ``process_group`` too."""
    if group is None:
        return world()
    if not isinstance(group, Group):
        group = next((known for known in _groups.values() if known.comm is group), group)
    if not isinstance(group, Group):
        raise TypeError(f"{function}(): group must come from new_group or be None, got {type(group).__name__}")
    if not is_open(group):
        raise RuntimeError(f"{function}(): group {group.id} was destroyed")
    return group


def is_open(group):
    """Can the group still be used, or was it destroyed?"""
    return group.comm is None or group.id in _groups


def new_group(ranks=None, backend=None, timeout=datetime.timedelta(seconds=1800)):
    """Make a group of some ranks. Every rank of the world calls it, in the same order, member or not.

    Args:
        ranks: world ranks of the members; None means all.
        backend: None, "mpi", or one of Paddle's CPU names ("gloo"), which all mean MPI here.
        timeout: how long waiting within the group may take; the shorter of it and PADDLE_DISTRIBUTED_TIMEOUT holds.
    """
    global _next_number
    if backend not in (None, "mpi", "gloo"):
        raise ValueError(f"new_group(): backend must be None, 'mpi' or 'gloo' (both MPI here), got {backend!r}")
    whole = world()
    members = sorted(range(whole.nranks) if ranks is None else ranks)
    wrong = [r for r in members if not isinstance(r, int) or not 0 <= r < whole.nranks]
    if wrong or len(set(members)) != len(members):
        raise ValueError(f"new_group(): ranks must be different numbers below {whole.nranks}, got {list(ranks)}")
    number, _next_number = _next_number, _next_number + 1
    if not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"new_group(): timeout must be a datetime.timedelta, got {type(timeout).__name__}")
    comm = whole.comm.split(members, number, timeout.total_seconds() or None)
    mine = members.index(whole.rank) if whole.rank in members else -1
    group = Group(number, members, comm, mine)
    if comm is not None:
        _groups[number] = group
    return group


def adopt(group):
    """Keep a group that was made elsewhere (see auto_parallel.process_mesh), so that it is found by its number and given back."""
    if group.id in _groups and _groups[group.id].ranks != group.ranks:
        group.id = max(_groups) + 1_000_000
    _groups[group.id] = group
    return group


def new_groups(partition, timeout=datetime.timedelta(seconds=1800)):
    """Make disjoint groups that cover the world, all in one step; returns the one that this process belongs to.

    Every rank calls it with the same lists. It costs one barrier however many groups there are, where ``new_group`` would cost
    one for each.
    """
    global _next_number
    whole = world()
    partition = [sorted(ranks) for ranks in partition]
    if sorted(rank for ranks in partition for rank in ranks) != list(range(whole.nranks)):
        raise ValueError(f"new_groups(): the groups must hold each of the {whole.nranks} ranks once, got {partition}")
    number, _next_number = _next_number, _next_number + 1
    members = next(ranks for ranks in partition if whole.rank in ranks)
    alone = all(len(ranks) == 1 for ranks in partition)
    comm = SingleCommunicator() if alone else whole.comm.split(members, number, timeout.total_seconds() or None, partition)
    _groups[number] = group = Group(number, members, comm, members.index(whole.rank))
    return group


def get_group(id=0):
    """The group with a number: 0 is the world."""
    if id == 0:
        return world()
    if id not in _groups:
        raise ValueError(f"get_group(): there is no group {id} in this process; known: {sorted(_groups)}")
    return _groups[id]


def destroy_process_group(group=None):
    """Give a group back, or all groups and the world when None."""
    if group is not None and group.id != 0:
        known = _groups.pop(group.id, None)
        if known is not None:
            known.comm.close()
        return
    for number in [n for n in _groups if n != 0]:
        _groups.pop(number).comm.close()
    _groups.pop(0, None)  # MPI itself stays: it can be started only once per process


def get_rank(group=None):
    """Number of this process in the world, or its place in a group (-1 when it is no member).

    Args:
        group (Group or None): the group; all processes for None.
    Returns:
        int, from 0.
    Raises:
        TypeError: ``group`` does not come from ``new_group``.

    >>> paddle.distributed.get_rank()
    0
    """
    if group is not None:
        return resolve(group, "get_rank").rank
    return _groups[0].rank if 0 in _groups else ParallelEnv().rank


def get_world_size(group=None):
    """Number of processes in the world or in a group (-1 when this process is no member).

    Args:
        group (Group or None): the group; all processes for None.
    Returns:
        int.
    Raises:
        TypeError: ``group`` does not come from ``new_group``.

    >>> paddle.distributed.get_world_size()
    1
    """
    if group is not None:
        return resolve(group, "get_world_size").world_size
    return _groups[0].nranks if 0 in _groups else ParallelEnv().world_size


def get_backend(group=None):
    """What carries the messages of a group: "MPI", or "SINGLE" in a world of one."""
    return resolve(group, "get_backend").backend
