"""Checkpoints of parallel jobs: one rank writes, all read."""

import os
import warnings

from .collective import barrier
from .env import rank_and_size
from .group import get_world_size, is_initialized, resolve

FILE = "0_0.distcp"


def is_writer():
    """Should this process write files that all ranks share? True for rank 0, and where there is only one."""
    return rank_and_size()[0] == 0


def warn_shared_path(path, function="save"):
    """Warn when a rank other than 0 writes a file under a name that looks the same on every rank.

    ``paddle.save`` calls it. The file itself is safe, because writing replaces it at once; but ranks overwrite each other.
    A path that holds the rank's number (as a word of its own) is taken for one of the rank's own.
    """
    rank, size = rank_and_size()
    if size < 2 or rank == 0:
        return
    words = "".join(c if c.isdigit() else " " for c in os.fspath(path)).split()
    if str(rank) in words:
        return
    warnings.warn(f"{function}(): rank {rank} of {size} writes {os.fspath(path)!r}; every rank that does so overwrites the "
                  "file of the others. Save on one rank (if paddle.distributed.get_rank() == 0) or put the rank into the "
                  "name", stacklevel=3)


def save_state_dict(state_dict, path, process_group=None, coordinator_rank=0):
    """Write a state dict into the folder ``path``, by the coordinator alone; returns when the file is there for all.

    In data-parallel training every rank holds the whole state, so one file is the checkpoint.
    """
    from ..framework.io import save
    group = resolve(process_group, "save_state_dict")
    if group.ranks[group.rank] == coordinator_rank:
        os.makedirs(path, exist_ok=True)
        save(state_dict, os.path.join(path, FILE))
    if is_initialized() and get_world_size() > 1:
        barrier(group)


def load_state_dict(state_dict, path, process_group=None, coordinator_rank=0):
    """Fill the tensors of ``state_dict`` in place with those of a folder that ``save_state_dict`` wrote.

    Every rank of the group reads the file itself, so the folder must be visible from all machines.
    """
    from ..framework.io import load
    group = resolve(process_group, "load_state_dict")
    if coordinator_rank not in group.ranks:
        raise ValueError(f"load_state_dict(): coordinator_rank={coordinator_rank} is not among the ranks {group.ranks}")
    saved = load(os.path.join(path, FILE))
    missing = [key for key in state_dict if key not in saved]
    if missing:
        raise ValueError(f"load_state_dict(): {path} has no {', '.join(map(str, missing[:10]))}")
    for key, tensor in state_dict.items():
        tensor.set_value(saved[key])


__path__ = []  # a package in Paddle: the paths below it are addresses
