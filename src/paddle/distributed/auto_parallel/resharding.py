"""From one placement to another, dimension by dimension of the mesh."""

import numpy as np

from ..group import get_rank
from . import moves
from .placement_type import REDUCTIONS, ReduceType, Replicate
from .tensor import local_of, placed_over


def offsets(mesh, placements, sizes, coordinates):
    """(start, size) of the part of each axis that the rank at these coordinates has."""
    spans = [(0, n) for n in sizes]
    for dim, p in enumerate(placements):
        if p.is_shard():
            start, size = spans[p.dim]
            parts = moves.part_sizes(size, mesh.shape[dim])
            spans[p.dim] = start + sum(parts[:coordinates[dim]]), parts[coordinates[dim]]
    return spans


def cut(array, mesh, placements):
    """This rank's part of an array that every rank has whole, as an array of its own."""
    at = mesh.coordinates()
    if at is None:
        return np.empty((0,) * array.ndim, array.dtype)
    index = tuple(slice(start, start + size) for start, size in offsets(mesh, placements, array.shape, at))
    part = np.array(array[index], order="C")
    return part if all(not p.is_partial() or at[dim] == 0 or p.reduce_type() is not ReduceType.kRedSum
                       for dim, p in enumerate(placements)) else np.zeros_like(part)


def replicated(tensor, mesh):
    """A plain tensor, which every rank has whole, on a mesh."""
    if mesh.coordinates() is None:
        sizes, tensor = tensor._data.shape, moves.absent([tensor], (moves.nothing(tensor._data.ndim, tensor._data.dtype),))[0]
        return placed_over(tensor, mesh, [Replicate()] * mesh.ndim, sizes)
    return placed_over(tensor, mesh, [Replicate()] * mesh.ndim, tensor._data.shape)


def need_member(mesh, function):
    """Raise where this rank has no part of the mesh."""
    if mesh.coordinates() is None:
        raise ValueError(f"{function}(): rank {get_rank()} is not in the mesh ({mesh}) and has no part of the tensor")


def moved(tensor, placements):
    """The tensor with other placements on its mesh; gradients pass."""
    current, mesh = list(tensor.placements), tensor.process_mesh
    if current == list(placements):
        return tensor
    part, sizes = local_of(tensor), tensor._sizes
    if mesh.coordinates() is None:
        return placed_over(part, mesh, placements, sizes)
    crowded = _crowded(current, placements)
    for dim in reversed(range(mesh.ndim)):
        old, new = current[dim], placements[dim]
        if old == new and not (old.is_shard() and old.dim in crowded):
            continue
        direct = not any(p.is_shard() and p.dim in crowded for p in (old, new))
        whole = _whole(sizes, current, mesh, dim, old.dim) if old.is_shard() else 0
        target = new if direct else Replicate()
        part, current[dim] = step(part, old, target, mesh.group(dim).id, whole), target
    for dim, (old, new) in enumerate(zip(list(current), placements)):
        if old != new:
            part = step(part, old, new, mesh.group(dim).id, 0)
    return placed_over(part, mesh, placements, sizes)


def _crowded(old, new):
    """Axes that several dimensions of the mesh cut, before or after, and that change: they are made whole in between."""
    changed = {p.dim for a, b in zip(old, new) if a != b for p in (a, b) if p.is_shard()}
    return {axis for axis in changed if sum(a.is_shard(axis) or b.is_shard(axis) for a, b in zip(old, new)) > 1}


def _whole(sizes, placements, mesh, dim, axis):
    """Size of an axis for the ranks along a dimension together: what the dimensions before it leave of it."""
    return offsets(mesh, [p if k < dim and p.is_shard(axis) else Replicate() for k, p in enumerate(placements)], sizes,
                   mesh.coordinates())[axis][1]


def step(part, old, new, ring, whole):
    """This rank's part after one change along one dimension of the mesh; ``whole``: size of the axis that was cut."""
    if old == new:
        return part
    if old.is_partial():
        kind = old.reduce_type()
        if new.is_shard() and kind is ReduceType.kRedSum:
            return moves.summed_part(part, ring, new.dim)
        part, old = moves.all_sum(part, ring, REDUCTIONS[kind]), Replicate()
    if old.is_shard() and new.is_shard():
        return moves.exchange(part, ring, old.dim, new.dim, whole)
    if old.is_shard():
        part = moves.gather_parts(part, ring, old.dim, whole)
    if new.is_shard():
        return moves.own_part(part, ring, new.dim)
    if new.is_partial():
        kept = (ReduceType.kRedMax, ReduceType.kRedMin, ReduceType.kRedAvg, ReduceType.kRedAny, ReduceType.kRedAll)
        if new.reduce_type() in kept:  # the reduction of equal terms is each of them
            return part
        if new.reduce_type() is not ReduceType.kRedSum:
            raise NotImplementedError(f"reshard(): a whole tensor to {new}")
        return moves.first_term(part, ring)
    return part


def part_of(tensor):
    """(whole shape, offset) of this rank's part, for checkpoints."""
    at = tensor.process_mesh.coordinates()
    if at is None:
        raise ValueError(f"rank {get_rank()} has no part of a tensor on the mesh {tensor.process_mesh}")
    if any(p.is_partial() for p in tensor.placements):
        raise ValueError(f"a tensor placed as {tensor.placements} can't be saved; reshard it first")
    return list(tensor._sizes), [start for start, _ in offsets(tensor.process_mesh, tensor.placements, tensor._sizes, at)]
