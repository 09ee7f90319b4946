"""Running an op on tensors that are cut over ranks.

The fact ``sharding`` of the op says which axes go together (core/sharding.py). For every dimension of the mesh one label is
chosen, that of the largest operand that is cut there; operands are moved to where that label wants them, the op runs on the parts,
and the outputs are placed as their labels say. An operand that stays whole while others are cut gets its gradient as a sum over
the ranks.
"""

import warnings

import numpy as np

from ...core.facts import Spec
from ...core.sharding import Part, travel_of
from ...core.tensor import Tensor, wrap
from ...static.program.infer import infer
from ..group import get_rank
from . import moves
from .placement_type import Partial, ReduceType, Replicate, Shard
from .resharding import moved, replicated
from .tensor import local_of, placed_over

_told = set()  # ops that were warned of


def run(op, args):
    """What a call gives whose bound arguments hold placed tensors."""
    mesh = _mesh_of(op, args)
    operands = [_operand(a, mesh, op.inputs[i].is_list) for i, a in enumerate(args[:op.n_in])]
    attrs = dict(zip(op.attr_names, args[op.n_in:]))
    travel = travel_of(op, [_spec(a) for a in operands], attrs)
    if travel is None:
        _tell(op)
        if mesh.coordinates() is None:
            return _absent(op, operands, args, mesh, lambda number, ndim: [Replicate()] * mesh.ndim)
        return _run_whole(op, operands, args, mesh)
    pairs = [(t, labels) for t, labels in _flat(operands, travel.inputs)]
    chosen = [_choose(pairs, dim, travel, mesh) for dim in range(mesh.ndim)]
    chosen = _allowed(chosen, pairs, travel, mesh)
    sums = [chosen[dim] is None and _stays_partial(pairs, dim, travel) for dim in range(mesh.ndim)]
    if mesh.coordinates() is None:
        return _absent(op, operands, args, mesh, lambda number, ndim: _output_places(travel, chosen, sums, number, ndim))
    parts = _parts(chosen, pairs, mesh)
    locals_ = [_map(a, labels, lambda t, axes: _local(t, axes, chosen, sums, mesh)) for a, labels in zip(operands, travel.inputs)]
    outs = (op._run if travel.run is None else lambda values: travel.run(op, values, parts))((*locals_, *args[op.n_in:]))
    return _placed_outputs(op, outs, travel, chosen, sums, parts, mesh)


def _mesh_of(op, args):
    meshes = [t.process_mesh for a in args[:op.n_in] for t in (a if isinstance(a, (list, tuple)) else [a])
              if isinstance(t, Tensor) and t._placed]
    for other in meshes[1:]:
        if other != meshes[0]:
            raise ValueError(f"{op.name}(): operands lie on different meshes, {meshes[0]} and {other}; dist.reshard moves one")
    return meshes[0]


def _operand(a, mesh, is_list):
    """An argument as a placed tensor; None stays None."""
    if a is None:
        return None
    if is_list and isinstance(a, (list, tuple)):
        return [_operand(t, mesh, False) for t in a]
    if not isinstance(a, Tensor):
        a = wrap(np.asarray(a))
    return a if a._placed else replicated(a, mesh)


def _spec(a):
    if a is None:
        return None
    return [_spec(t) for t in a] if isinstance(a, list) else Spec(a._sizes, a._data.dtype)


def _flat(operands, labels):
    """(tensor, labels of its axes) of all operands."""
    for a, axes in zip(operands, labels):
        if isinstance(a, list):
            yield from zip(a, axes)
        elif a is not None:
            yield a, axes if axes is not None else (None,) * len(a._sizes)


def _map(a, labels, function):
    if isinstance(a, list):
        return [function(t, axes) for t, axes in zip(a, labels)]
    return None if a is None else function(a, labels if labels is not None else (None,) * len(a._sizes))


def _choose(pairs, dim, travel, mesh):
    """The label that is cut along a dimension of the mesh: that of the largest operand that is cut there already."""
    best, most = None, -1
    for t, labels in pairs:
        p = t.placements[dim]
        if p.is_shard() and labels[p.dim] is not None and t.size > most:
            best, most = labels[p.dim], t.size
    return best


def _allowed(chosen, pairs, travel, mesh):
    """The chosen labels without those that would leave a rank with nothing, or whose axes can't be cut into so many parts."""
    kept = []
    for dim, label in enumerate(chosen):
        ranks = mesh.shape[dim]
        for before, other in enumerate(kept):
            ranks *= mesh.shape[before] if other == label else 1
        sizes = [t._sizes[k] for t, labels in pairs for k, name in enumerate(labels) if name == label]
        fits = label is not None and all((ranks - 1) * -(-n // ranks) < n for n in sizes)
        fits = fits and (label not in travel.units or travel.units[label] % ranks == 0)
        kept.append(label if fits else None)
    return kept


def _stays_partial(pairs, dim, travel):
    """May the terms of a sum along a dimension of the mesh go through, so that the outputs are terms?"""
    places = [t.placements[dim] for t, _ in pairs]
    terms = [p.is_partial() and p.reduce_type() is ReduceType.kRedSum for p in places]
    whole = all(term or p.is_replicated() for term, p in zip(terms, places))
    if not any(terms) or not whole or travel.linear is None:
        return False
    if travel.linear == "all":
        return all(terms)
    return sum(terms) == 1 and (travel.linear == "each" or terms[0])


def _parts(chosen, pairs, mesh):
    """{label: this rank's Part} of the labels that are cut."""
    at, found = mesh.coordinates(), {}
    for dim, label in enumerate(chosen):
        if label is None:
            continue
        if label not in found:
            size = next(t._sizes[labels.index(label)] for t, labels in pairs if label in labels)
            found[label] = Part(0, size, size)
        before = found[label]
        sizes = moves.part_sizes(before.size, mesh.shape[dim])
        found[label] = Part(before.start + sum(sizes[:at[dim]]), sizes[at[dim]], before.whole)
    return found


def _local(tensor, labels, chosen, sums, mesh):
    """This rank's part of an operand where the chosen labels want it."""
    target = []
    for dim, label in enumerate(chosen):
        if sums[dim]:
            target.append(tensor.placements[dim])
        elif label is not None and label in labels:
            target.append(Shard(labels.index(label)))
        else:
            target.append(Replicate())
    part = local_of(moved(tensor, target))
    if not part.stop_gradient:
        for dim, place in enumerate(target):
            if place.is_replicated() and (chosen[dim] is not None or sums[dim]) and mesh.shape[dim] > 1:
                part = moves.sum_back(part, mesh.group(dim).id)
    return part


def _placed_outputs(op, outs, travel, chosen, sums, parts, mesh):
    ranks = {label: int(np.prod([mesh.shape[d] for d, name in enumerate(chosen) if name == label])) for label in parts}

    def placed(out, number):
        places = _output_places(travel, chosen, sums, number, out.ndim)
        if places is None:
            return None
        labels = _output_labels(travel, number, out.ndim)
        sizes = [n if label not in parts else n * ranks[label] if label in travel.units else parts[label].whole
                 for n, label in zip(out._data.shape, labels)]
        return placed_over(out, mesh, places, sizes)

    if op.single:
        return placed(outs, 0)
    if len(op.outputs) == 1:
        return [placed(out, 0) for out in outs]
    return tuple(None if out is None else placed(out, k) for k, out in enumerate(outs))


def _output_labels(travel, number, ndim):
    labels = travel.outputs[min(number, len(travel.outputs) - 1)]
    return (None,) * ndim if labels is None else labels


def _output_places(travel, chosen, sums, number, ndim):
    """The placements of an output, or None for one that the cut call can't give."""
    if travel.outputs[min(number, len(travel.outputs) - 1)] is None and any(label is not None for label in chosen):
        return None
    labels = _output_labels(travel, number, ndim)
    return [Partial() if sums[dim] or label is not None and label not in labels
            else Shard(labels.index(label)) if label is not None else Replicate() for dim, label in enumerate(chosen)]


def _absent(op, operands, args, mesh, places):
    """What a call gives on a rank outside of the mesh: shapes and placements without elements, on the tape, so that gradients reach
    the transfers that this rank takes part in. ``places``: the placements of an output, by its number and number of axes."""
    specs = infer(op, [_spec(a) for a in operands], list(args[op.n_in:]))
    if any(s is not None and -1 in s.shape for s in specs):
        raise NotImplementedError(f"{op.name}(): the shape of its result depends on values, which rank {get_rank()} has not: it is "
                                  f"not in the mesh ({mesh})")
    sources = [t for i, a in enumerate(operands) if op.shared_rule or op.rules.get(i) for t in (a if isinstance(a, list) else [a])
               if t is not None]
    wanted = [s for s in specs if s is not None]
    empty = tuple(moves.nothing(len(s.shape), s.dtype) for s in wanted)
    found = iter(moves.absent([local_of(t) for t in sources], empty) if sources else [wrap(np.zeros(*spec)) for spec in empty])

    def made(number, spec):
        if spec is None:
            return None
        part, where = next(found), places(0 if len(op.outputs) == 1 else number, len(spec.shape))
        if spec.dtype.kind in "biu":
            part = wrap(part._data)
        return None if where is None else placed_over(part, mesh, where, spec.shape)

    outs = [made(number, spec) for number, spec in enumerate(specs)]
    return outs[0] if op.single else outs if len(op.outputs) == 1 else tuple(outs)


def _tell(op):
    if op.name not in _told:
        _told.add(op.name)
        warnings.warn(f"{op.name}(): how it acts on tensors that are cut over ranks is not known; every rank computes the whole",
                      stacklevel=5)


def _run_whole(op, operands, args, mesh):
    """The call on whole tensors, on every rank."""
    whole = [Replicate()] * mesh.ndim
    values = [_map(a, [()] * len(a) if isinstance(a, list) else (), lambda t, _: local_of(moved(t, whole))) for a in operands]
    outs = op._run((*values, *args[op.n_in:]))
    return op._map_outputs(outs, lambda out, _: replicated(out, mesh))
