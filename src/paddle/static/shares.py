"""Programs on several places of one process: each place runs its share of a batch, gradients meet between backward and updates.

A CompiledProgram for several places is cut in two: what every place computes on its share, and what is done once with the gradients
of all. Parameters are one memory for all places. What the first part writes (statistics of norms, counters) each place has for
itself; that of the first place is what the scope holds.
"""

import weakref

import numpy as np

from ..core.errors import describe
from . import feeds
from .program import lod
from .program.program import BACKWARD, LOSS, OPTIMIZE
from .program.transform import clone, reads, writes
from .scope import Scope


class Shares:
    """A program cut for a number of places.

    Args:
        program: the Program, backward and updates included if it trains.
        count: how many places there are.
        seed: name of the gradient that backward begins with, which counts ``1 / count``; None leaves it as it is.
        source: Shares of another program, to have its scopes too.
    """

    def __init__(self, program, count, seed=None, source=None):
        self.count, self.version = count, (program.id, program.version)
        self.each, self.once = clone(program), clone(program)
        first, late = set(), set()  # names that the first and the second part write
        gradients, parts = set(), ([], [])
        for k, op in enumerate(program.global_block().ops):
            role = op.attrs.get("op_role", 0) & ~LOSS
            second = role == OPTIMIZE or bool(reads(op) & late)
            parts[second].append(k)
            (late if second else first).update(writes(op))
            if role == BACKWARD:
                gradients.update(writes(op))
        wanted = set().union(*(reads(program.global_block().ops[k]) for k in parts[1]))
        block = program.global_block()
        self.passed = sorted(name for name in wanted & first if not block.vars[name].persistable)
        self.summed, self.late = gradients, late
        shared = source if source is not None and source.count == count else None
        self.own = set() if shared is None else shared.own  # what every place has for itself
        self.own |= first - late
        for part, chosen in ((self.each, parts[0]), (self.once, parts[1])):
            ops = part.global_block().ops
            part.global_block().ops = [ops[k] for k in chosen]
        ops = self.each.global_block().ops
        at = next((k for k, op in enumerate(ops) if op.output_arg_names == [seed]), None)
        if at is not None:
            self.each.global_block()._insert_op(at + 1, "scale", {"X": seed}, {"Out": seed}, {
                "scale": 1.0 / count, "bias": 0.0, "bias_after_scale": True, "op_role": BACKWARD})
        # scope -> the scopes of all places but the first
        self._others = weakref.WeakKeyDictionary() if shared is None else shared._others

    def scopes(self, scope):
        """The scopes of all places; those behind the first read what is not their own from the first."""
        if scope not in self._others:
            self._others[scope] = [Scope() for _ in range(self.count - 1)]
        for other in self._others[scope]:
            shared = {name: value for name, value in scope.values.items() if name not in self.own or name not in other.values}
            other.values.update({name: np.array(value) if name in self.own else value for name, value in shared.items()})
        return [scope, *self._others[scope]]


def run(compile, compiled, feed, names, scope, return_numpy, return_merged):
    """``Executor.run`` of a CompiledProgram for several places."""
    cut, skip = compiled.shares(), compiled.skipped_passes()
    trains = bool(cut.once.global_block().ops)
    parts = divided(compiled._program, feed, cut.count, trains)
    for loader in compiled._program.loaders:
        parts = loader.complete_all(parts, trains)
    fed = [feeds.fed_arrays(cut.each, part) for part in parts]
    fetched = names if return_numpy else lod.with_companions(cut.each.global_block(), names, fed[0])
    early = list(dict.fromkeys([name for name in fetched if name not in cut.late] + cut.passed))
    found = []
    for arrays, where in zip(fed, cut.scopes(scope)):
        found.append(dict(zip(early, compile(cut.each, list(arrays), early, None, skip)(list(arrays.values()), where))))
    for name in cut.summed.intersection(cut.passed):  # one gradient for all places
        total = sum(values[name] for values in found)
        for values in found:
            values[name] = total
    after = [name for name in fetched if name in cut.late]
    if trains:
        step = compile(cut.once, cut.passed, after, None, skip)
        done = dict(zip(after, step([found[0][name] for name in cut.passed], scope)))
        for values in found:
            values.update(done)
    results = [feeds.results(cut.each.global_block(), names, values, return_numpy, cut.own | cut.late) for values in found]
    each = [list(values) for values in zip(*results)]  # of every fetched variable, one value for each place
    return [merged(values, name) for values, name in zip(each, names)] if return_merged else each


def divided(program, feed, count, trains=True):
    """One feed for each place: a list has them, the values of a dict are divided along their first axis. A program that does not
    train may have less than one for each place; the others rest."""
    if isinstance(feed, (list, tuple)):
        enough = len(feed) == count if trains else 0 < len(feed) <= count
        if not enough or not all(isinstance(part, dict) for part in feed):
            raise ValueError(f"Executor.run(): the program runs on {count} places: feed must be a dict or a list of {count} dicts, "
                             f"got {[describe(part) for part in feed]}")
        return list(feed)
    if feed is not None and not isinstance(feed, dict):
        raise TypeError(f"Executor.run(): feed must be a dict of name to value, got {describe(feed)}")
    return _divided(program, feed, count, trains) if feed else [{} for _ in range(count)]


def _divided(program, feed, count, trains):
    """The values of a dict, divided."""
    values = {key if isinstance(key, str) else key.name: _with_rows(value) for key, value in feed.items()}
    whole = {name for name in values if name in program.global_block().vars and program.global_block().vars[name].persistable}
    shared = {name: rows for name, (_, _, rows) in values.items() if name not in whole}
    used = count if trains or not shared else min(count, *shared.values())
    parts = [{} for _ in range(used)]
    for name, (array, lengths, rows) in values.items():
        if name in whole and rows != used:  # every place gets the whole of it
            pieces = [array] * used
        else:
            if rows < used or not used:
                raise ValueError(f"Executor.run(): {name!r} has {rows} sample{'s' if rows != 1 else ''} for {count} places; every "
                                 "place needs one (a last, smaller batch can be left out: drop_last)")
            pieces = _pieces(array, lengths, rows, used)
        for part, piece in zip(parts, pieces):
            part[name] = piece
    return parts


def _with_rows(value):
    """(array, lengths of sequences, how many samples there are) of a fed value."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], (list, tuple)):
        value = lod.LoDTensor(np.asarray(value[0]), list(value[1]))
    lengths = value.recursive_sequence_lengths() if isinstance(value, lod.LoDTensor) else []
    array = np.asarray(value)
    return array, lengths, len(lengths[0]) if lengths else len(array) if array.ndim else 0


def _pieces(array, lengths, rows, count):
    """A value cut into as many pieces: rows, or whole sequences of the outermost level; the last one has what is left over."""
    ends = [rows // count * k for k in range(count)] + [rows]
    found = []
    for low, high in zip(ends, ends[1:]):
        levels = []
        for level in lengths:
            levels.append(list(level[low:high]))
            low, high = int(sum(level[:low])), int(sum(level[:high]))
        found.append(lod.LoDTensor(array[low:high], levels) if lengths else array[low:high])
    return found


def merged(values, name):
    """The values of all places as one: rows behind rows, sequences behind sequences."""
    if isinstance(values[0], list):  # arrays of tensors
        return type(values[0])(merged(list(items), name) for items in zip(*values))
    arrays = [np.atleast_1d(np.asarray(value)) for value in values]
    if len({array.shape[1:] for array in arrays}) > 1:
        raise ValueError(f"Executor.run(): the values of {name!r} have shapes {[list(array.shape) for array in arrays]} on the "
                         "places, which make no one array; return_merged=False gives them one by one")
    whole = np.concatenate(arrays)
    if not isinstance(values[0], lod.LoDTensor):
        return whole.view(type(values[0]))
    lengths = [value.recursive_sequence_lengths() for value in values]
    return lod.LoDTensor(whole, [sum(levels, []) for levels in zip(*lengths)])
