"""Checkpoints of parallel jobs that load on any number of ranks.

``save_state_dict`` writes, per rank, the tensors and parts of tensors that no rank before it has, and then the table of all of
them. A tensor whose ``split_axis`` says so is a part of a larger one (see ``fleet.meta_parallel``); whoever loads takes from the
files what overlaps with its own part. The table is written last and in one go, so a checkpoint is complete or not there.
"""

import json
import math
import os

import numpy as np

from ..core import dtype as dtypes
from ..core.tensor import Tensor
from ..framework.io import load, save
from ..serialization.atomic import write_bytes
from .auto_parallel.resharding import part_of
from .auto_parallel.tensor import local_of
from .fleet.topology import current
from .group import resolve
from .objects import all_gather_object

TABLE = "0.metadata.json"


def flat(state_dict, prefix=""):
    """{joined name: value} of nested dicts."""
    found = {}
    for key, value in state_dict.items():
        if isinstance(value, dict):
            found.update(flat(value, f"{prefix}{key}."))
        else:
            found[f"{prefix}{key}"] = value
    return found


def place_of(tensor):
    """(global shape, offset) of the part of a tensor that this rank has."""
    if tensor._placed:
        return part_of(tensor)
    shape, axis = list(tensor._data.shape), getattr(tensor, "split_axis", None)
    offset = [0] * len(shape)
    if axis is not None and getattr(tensor, "is_distributed", False):
        hybrid = current("save_state_dict()")
        offset[axis] = hybrid.get_model_parallel_rank() * shape[axis]
        shape[axis] *= hybrid.get_model_parallel_world_size()
    return shape, offset


def save_state_dict(state_dict, path, process_group=None, coordinator_rank=0):
    """Write a state dict into the folder ``path``; returns when the checkpoint is there for all. Every rank of the group calls it.

    Args:
        state_dict: Tensors by name, also in nested dicts; ranks may have different names (stages of a pipeline), and parts of one
            tensor under one name.
        coordinator_rank: the rank that writes the table.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paddle.distributed.save_state_dict({"w": paddle.ones([2])}, folder)
    ...     target = {"w": paddle.zeros([2])}
    ...     paddle.distributed.load_state_dict(target, folder)
    >>> target["w"].tolist()
    [1.0, 1.0]
    """
    group = resolve(process_group, "save_state_dict")
    if coordinator_rank not in group.ranks:
        raise ValueError(f"save_state_dict(): coordinator_rank={coordinator_rank} is not among the ranks {group.ranks}")
    tensors = _checked(state_dict, "save_state_dict")
    mine = {name: [*place_of(t), list(t._data.shape), dtypes.of(t._data).name] for name, t in tensors.items()}
    everybody, numbers = [], []
    all_gather_object(everybody, mine, group)
    os.makedirs(path, exist_ok=True)
    all_gather_object(numbers, _free_number(path), group)
    number = max(numbers)
    table = _assign(everybody, [f"{rank}_{number}.distcp" for rank in group.ranks])
    file = f"{group.ranks[group.rank]}_{number}.distcp"
    own = {name: local_of(tensors[name]) for name in tensors if any(part["file"] == file and part["offset"] == mine[name][1]
                                                         for part in table[name]["parts"])}
    if own:
        save(own, os.path.join(path, file))
    group.comm.barrier().wait()
    if group.ranks[group.rank] == coordinator_rank:
        write_bytes(os.path.join(path, TABLE), json.dumps({"version": 1, "tensors": table}, sort_keys=True).encode())
        _remove_older(path, {part["file"] for entry in table.values() for part in entry["parts"]})
    group.comm.barrier().wait()


def _checked(state_dict, function):
    if not isinstance(state_dict, dict):
        raise TypeError(f"{function}(): state_dict must be a dict, got {type(state_dict).__name__}")
    tensors = {name: t for name, t in flat(state_dict).items()  # those that this rank has a part of
               if not (isinstance(t, Tensor) and t._placed and t.process_mesh.coordinates() is None)}
    for name, value in tensors.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{function}(): state_dict[{name!r}] must be a Tensor, got {type(value).__name__}")
    return tensors


def _free_number(path):
    """A number that no file of the folder has, so that nothing of an older checkpoint is written over."""
    taken = [int(name.removesuffix(".distcp").rpartition("_")[2]) for name in os.listdir(path)
             if name.endswith(".distcp") and name.removesuffix(".distcp").rpartition("_")[2].isdigit()]
    return max(taken, default=-1) + 1


def _assign(everybody, files):
    """{name: {shape, dtype, parts}}: of ranks that have the same part the first writes it."""
    table = {}
    for mine, file in zip(everybody, files):
        for name, (shape, offset, local, dtype) in mine.items():
            entry = table.setdefault(name, {"shape": shape, "dtype": dtype, "parts": []})
            if entry["shape"] != shape or entry["dtype"] != dtype:
                raise ValueError(f"save_state_dict(): {name} is {dtype}{shape} in {file} and {entry['dtype']}{entry['shape']} "
                                 "before; ranks must agree on the whole tensor")
            if all(part["offset"] != offset for part in entry["parts"]):
                entry["parts"].append({"file": file, "offset": offset, "shape": local})
    for name, entry in table.items():
        if sum(math.prod(part["shape"]) for part in entry["parts"]) != math.prod(entry["shape"]):
            raise ValueError(f"save_state_dict(): the parts of {name} do not make up {entry['shape']}")
    return table


def _remove_older(path, kept):
    """Take away the files of checkpoints that the new one replaces."""
    for name in os.listdir(path):
        if name.endswith(".distcp") and name not in kept:
            os.remove(os.path.join(path, name))


def load_state_dict(state_dict, path, process_group=None, coordinator_rank=0):
    """Fill the tensors of ``state_dict`` in place with those of a folder that ``save_state_dict`` wrote, on any number of ranks.

    Every rank of the group reads the files itself, so the folder must be visible from all machines.
    """
    group = resolve(process_group, "load_state_dict")
    if coordinator_rank not in group.ranks:
        raise ValueError(f"load_state_dict(): coordinator_rank={coordinator_rank} is not among the ranks {group.ranks}")
    tensors, table, files = _checked(state_dict, "load_state_dict"), _read_table(path), _Files(path)
    missing = [name for name in tensors if name not in table]
    if missing:
        raise ValueError(f"load_state_dict(): {path} has no {', '.join(missing[:10])}")
    loaded = {name: _assembled(name, tensor, table[name], files) for name, tensor in tensors.items()}
    for name, array in loaded.items():  # all or nothing; of a tensor that is cut, this rank's part
        tensor = tensors[name]
        (Tensor.set_value if tensor._placed else type(tensor).set_value)(tensor, array)


def _read_table(path):
    file = os.path.join(path, TABLE)
    if not os.path.isfile(file):
        raise FileNotFoundError(f"load_state_dict(): {path} holds no complete checkpoint: there is no {TABLE}")
    with open(file, encoding="utf-8") as handle:
        content = json.load(handle)
    if content.get("version") != 1:
        raise ValueError(f"load_state_dict(): {file} has version {content.get('version')!r}, known is 1")
    return content["tensors"]


class _Files:
    """The files of a checkpoint, each read once."""

    def __init__(self, path):
        self.path, self.read = path, {}

    def part(self, name, about):
        """The array of one part."""
        file = os.path.join(self.path, os.path.basename(about["file"]))
        if file not in self.read:
            if not os.path.isfile(file):
                raise FileNotFoundError(f"load_state_dict(): {file}, which the checkpoint needs, is missing")
            self.read[file] = {key: value._data for key, value in load(file).items() if isinstance(value, Tensor)}
        array = self.read[file].get(name)
        if array is None or list(array.shape) != about["shape"]:
            raise ValueError(f"load_state_dict(): {file} does not hold {name} as {about['shape']}")
        return array


def _assembled(name, tensor, entry, files):
    """The values of this rank's part of a tensor, from the saved parts that overlap with it."""
    shape, offset = place_of(tensor)
    if shape != entry["shape"]:
        raise ValueError(f"load_state_dict(): {name} is {shape} here and {entry['shape']} in the checkpoint")
    local = tensor._data.shape
    array, filled = np.empty(local, dtypes.to_numpy(entry["dtype"])), 0
    for about in entry["parts"]:
        low = [max(a, b) for a, b in zip(offset, about["offset"])]
        high = [min(a + n, b + m) for a, n, b, m in zip(offset, local, about["offset"], about["shape"])]
        if any(a >= b for a, b in zip(low, high)):
            continue
        there = tuple(slice(a - o, b - o) for a, b, o in zip(low, high, about["offset"]))
        here = tuple(slice(a - o, b - o) for a, b, o in zip(low, high, offset))
        array[here] = files.part(name, about)[there]
        filled += math.prod(b - a for a, b in zip(low, high))
    if filled != array.size:
        raise ValueError(f"load_state_dict(): the checkpoint has {filled} of the {array.size} elements of {name}")
    return array


__path__ = []  # a package in Paddle: the paths below it are addresses
