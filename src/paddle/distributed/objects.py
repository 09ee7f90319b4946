"""Collectives over Python objects.

Objects travel as pickles between the ranks of one job, which run the same program for the same user; a rank believes
what its peers send, as MPI itself does. Nothing is read from files or from strangers this way.
"""

import pickle

import numpy as np

from .collective import for_members, group_rank, peer_rank


def load(data):
    """The object of a peer's bytes."""
    return pickle.loads(data)  # noqa: S301  (from a rank of the same job, see above)


def dump(value, function):
    """An object as bytes."""
    try:
        return pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"{function}(): the object of type {type(value).__name__} can't be sent: {error}") from error


@for_members
def all_gather_object(object_list, obj, group=None):
    """Collect the objects of all ranks in ``object_list``, on every rank.

    >>> everybody = []
    >>> paddle.distributed.all_gather_object(everybody, {"rank": 0})
    >>> everybody
    [{'rank': 0}]
    """
    if not isinstance(object_list, list):
        raise TypeError(f"all_gather_object(): object_list must be a list, got {type(object_list).__name__}")
    parts = group.comm.allgather_bytes(dump(obj, "all_gather_object"))
    object_list[:] = [load(part) for part in parts]


def send_bytes(comm, data, root):
    """The root's bytes on every rank of a communicator."""
    size = np.array([len(data) if comm.rank == root else 0], np.int64)
    comm.broadcast(size, root).wait()
    buffer = np.frombuffer(data, np.uint8) if comm.rank == root else np.empty(int(size[0]), np.uint8)
    comm.broadcast(buffer, root).wait()
    return buffer.tobytes()


@for_members
def broadcast_object_list(object_list, src, group=None):
    """Replace the objects of the list on every rank by those of rank ``src``."""
    if not isinstance(object_list, list) or not object_list:
        raise TypeError("broadcast_object_list(): object_list must be a list that is not empty")
    root = group_rank(group, src, "broadcast_object_list", "src")
    mine = dump(list(object_list), "broadcast_object_list") if group.rank == root else b""
    objects = load(send_bytes(group.comm, mine, root))
    if group.rank != root:
        if len(objects) != len(object_list):
            raise ValueError(f"broadcast_object_list(): rank {src} has {len(objects)} objects, object_list here has "
                             f"{len(object_list)}")
        object_list[:] = objects


@for_members
def scatter_object_list(out_object_list, in_object_list=None, src=0, group=None):
    """Put the r-th object of the list on rank ``src`` into ``out_object_list`` of rank r."""
    if not isinstance(out_object_list, list):
        raise TypeError(f"scatter_object_list(): out_object_list must be a list, got {type(out_object_list).__name__}")
    root, parts = group_rank(group, src, "scatter_object_list", "src"), []
    if group.rank == root:
        if not isinstance(in_object_list, list) or len(in_object_list) != group.nranks:
            raise ValueError(f"scatter_object_list(): in_object_list must hold one object per rank, {group.nranks}")
        parts = in_object_list
    whole = load(send_bytes(group.comm, dump(parts, "scatter_object_list"), root))
    out_object_list[:] = [whole[group.rank]]


def _peer(group, whole, inside, function, argument):
    """The rank in the group of a peer that was named by its rank in the job, or by that in the group."""
    if (whole is None) == (inside is None):
        raise ValueError(f"{function}(): needs either {argument} or {argument}_in_group")
    if inside is not None:
        if not 0 <= inside < group.nranks:
            raise ValueError(f"{function}(): {argument}_in_group must be a rank of the group of {group.nranks}, got {inside}")
        whole = group.ranks[inside]
    return peer_rank(group, whole, function, argument)


@for_members
def send_object_list(object_list, dst=None, group=None, dst_in_group=None):
    """Send the objects of a list to rank ``dst`` of the job (or ``dst_in_group`` of the group), which calls recv_object_list."""
    if not isinstance(object_list, list) or not object_list:
        raise TypeError("send_object_list(): object_list must be a list that is not empty")
    peer = _peer(group, dst, dst_in_group, "send_object_list", "dst")
    data = np.frombuffer(dump(list(object_list), "send_object_list"), np.uint8)
    group.comm.send(np.array([data.size], np.int64), peer).wait()
    group.comm.send(data, peer).wait()


@for_members
def recv_object_list(object_list, src=None, group=None, src_in_group=None):
    """Replace the objects of the list by those that rank ``src`` of the job (or ``src_in_group`` of the group) sends."""
    if not isinstance(object_list, list) or not object_list:
        raise TypeError("recv_object_list(): object_list must be a list that is not empty")
    peer, size = _peer(group, src, src_in_group, "recv_object_list", "src"), np.empty(1, np.int64)
    group.comm.recv(size, peer).wait()
    data = np.empty(int(size[0]), np.uint8)
    group.comm.recv(data, peer).wait()
    objects = load(data.tobytes())
    if len(objects) != len(object_list):
        raise ValueError(f"recv_object_list(): {len(objects)} objects came, object_list here has {len(object_list)}")
    object_list[:] = objects
