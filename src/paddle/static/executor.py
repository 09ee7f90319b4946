"""Executor: runs programs with fed values and returns fetched ones."""

import time
from collections import OrderedDict

import numpy as np

from ..core import place as places
from ..core.errors import describe, suggest
from ..core.folding import folded
from ..core.op import Symbolic
from ..core.tensor import Tensor
from . import feeds, shares
from .ir import passes
from .program import lod
from .program import program as program_module
from .program.transform import prune as prune_to
from .program.transform import updates
from .schedule.compile import Compiled
from .scope import Scope, global_scope

CACHE_SIZE = 64  # compiled plans that an Executor keeps


class Executor:
    """Runs Programs.

    Args:
        place (Place, str or None): device; there is only the CPU.
    Raises:
        ValueError: ``place`` names no device; ``run`` does not find what is to be fetched or fed.
        TypeError: ``run`` is given something else than a Program.

    >>> import numpy
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [None, 2])
    ...     y = paddle.sum(x)
    >>> paddle.static.Executor().run(main, feed={'x': numpy.ones([3, 2], 'float32')}, fetch_list=[y])
    [array(6., dtype=float32)]
    """

    def __init__(self, place=None):
        self.place = places.convert(place, "Executor")
        self._cache = OrderedDict()
        self._closed = False

    @folded
    def run(self, program=None, feed=None, fetch_list=None, feed_var_name="feed", fetch_var_name="fetch", scope=None,
            return_numpy=True, use_program_cache=False, return_merged=True, use_prune=False):
        """Run a program once and return the fetched values, in order.

        Args:
            program: a Program or CompiledProgram; the default main program for None.
            feed: dict of input name to array, Tensor or list; for a program on several places, which divide it, also a list of
                such dicts, one for each place.
            fetch_list: Variables or names; and what ``minimize`` of an optimizer returned, or operators of it: of all updates the
                program then makes these alone, as with ``use_prune``.
            scope: where persistable variables live; the global scope for None.
            return_numpy: NumPy arrays rather than LoDTensors.
            use_prune: leave out what neither the fetched values nor the updates need.
            return_merged: of a program on several places, one array with the rows of all; False gives a list of one value for
                each place.
            feed_var_name, fetch_var_name, use_program_cache: of no effect: values are fed and fetched by name, plans are always
                kept.
        """
        if self._closed:
            raise RuntimeError("Executor.run(): the executor was closed")
        whole, (program, skip) = program, self._program(program)
        scope = global_scope() if scope is None else scope
        if not isinstance(scope, Scope):
            raise TypeError(f"Executor.run(): scope must be a Scope, got {describe(scope)}")
        if whole is not program and hasattr(whole, "_compile"):
            whole._compile(scope, self.place)
        items = _flat_fetches(fetch_list)
        steps = [item for item in items if isinstance(item, program_module.Operator)]
        names = [self._fetch_name(item, program) for item in items if not isinstance(item, program_module.Operator)]
        kept = _numbers_of(steps, program) if steps or use_prune else None
        for schedule in program.learning_rates.values():
            schedule.refresh(scope)
        if getattr(whole, "place_count", 1) > 1:
            if steps:
                raise NotImplementedError("Executor.run(): operators in the fetch_list of a program on several places")
            return shares.run(self._compiled, whole, feed, names, scope, return_numpy, return_merged)
        feed = self._feed(feed)
        for loader in program.loaders:
            feed = loader.complete(feed)
        arrays = feeds.fed_arrays(program, feed)
        fetched = names if return_numpy else lod.with_companions(program.global_block(), names, arrays)
        compiled = self._compiled(program, list(arrays), fetched, kept, skip)
        outputs = compiled(list(arrays.values()), scope)
        for name, array in arrays.items():
            if program.global_block().vars[name].persistable and name not in compiled.stored:  # fed, and there afterwards
                scope.set(name, np.array(array))
        return feeds.results(program.global_block(), names, dict(zip(fetched, outputs)), return_numpy, compiled.stored)

    @property
    def _default_executor(self):
        return self

    def close(self):
        """Forget all plans; the executor can't run any more."""
        self._cache.clear()
        self._closed = True

    def train_from_dataset(self, program=None, dataset=None, scope=None, thread=0, debug=False, fetch_list=None, fetch_info=None,
                           print_period=100, fetch_handler=None):
        """Run a program on every batch of a dataset (paddle.distributed.QueueDataset, InMemoryDataset).

        Args:
            program, scope: as for ``run``.
            dataset: what the batches come from.
            thread, debug: of no effect: one thread runs the program, operators that are on all cores.
            fetch_list, fetch_info: Variables to print, and the words to print before their values.
            print_period: they are printed every so many batches.
            fetch_handler: an object with ``var_dict`` (name to Variable) whose ``handler({name: array})`` is called instead; every
                ``period_secs`` seconds if it has such a number.
        """
        if dataset is None or not hasattr(dataset, "batches"):
            raise RuntimeError(f"train_from_dataset(): dataset must be a QueueDataset or InMemoryDataset, got {describe(dataset)}")
        shown = list(fetch_list or []) if fetch_handler is None else list(fetch_handler.var_dict.values())
        words = fetch_info or [getattr(var, "name", var) for var in shown]
        period, since = getattr(fetch_handler, "period_secs", None), time.monotonic()
        for number, feed in enumerate(dataset.batches(), 1):
            due = bool(shown) and (number % print_period == 0 if period is None else time.monotonic() - since >= period)
            values = self.run(program, feed, shown if due else [], scope=scope)
            if due and fetch_handler is not None:
                since = time.monotonic()
                fetch_handler.handler(dict(zip(fetch_handler.var_dict, values)))
            elif due:
                print(f"batch {number}", *[f"{word}: {value}" for word, value in zip(words, values)], sep=", ")

    def infer_from_dataset(self, program=None, dataset=None, scope=None, thread=0, debug=False, fetch_list=None, fetch_info=None,
                           print_period=100, fetch_handler=None):
        """Run a program on every batch of a dataset, for its results; see ``train_from_dataset``."""
        self.train_from_dataset(program, dataset, scope, thread, debug, fetch_list, fetch_info, print_period, fetch_handler)

    def plan(self, program=None, feed=(), fetch_list=None):
        """The plan that ``run`` would use, to look at: ``print(exe.plan(main, ['x'], [y]))``."""
        program, skip = self._program(program)
        names = [self._fetch_name(item, program) for item in _flat_fetches(fetch_list)]
        return self._compiled(program, list(feed), names, None, skip).plan

    # ---- arguments ----
    def _program(self, program):
        if program is None:
            program = program_module.default_main_program()
        inner = getattr(program, "_program", None)
        if inner is not None:
            return inner, program.skipped_passes()
        if not isinstance(program, program_module.Program):
            raise TypeError(f"Executor.run(): program must be a Program or CompiledProgram, got {describe(program)}")
        return program, ()

    def _feed(self, feed):
        if isinstance(feed, (list, tuple)):
            if len(feed) > 1:
                raise ValueError(f"Executor.run(): the program runs on one place, feed is a list for {len(feed)}; "
                                 "CompiledProgram.with_data_parallel(places=...) makes a program for several")
            feed = feed[0] if feed else None
        if feed is None:
            return {}
        if not isinstance(feed, dict):
            raise TypeError(f"Executor.run(): feed must be a dict of name to value, got {describe(feed)}")
        return feed

    def _fetch_name(self, item, program):
        if isinstance(item, Symbolic):
            return item.name
        if isinstance(item, str):
            return item
        if isinstance(item, Tensor):
            return item.name
        hint = "; of a sparse tensor fetch its to_dense(), or its values() and indices()" if hasattr(item, "to_dense") else ""
        raise TypeError(f"Executor.run(): fetch_list must hold Variables or names, got {describe(item)}{hint}")

    def _compiled(self, program, feeds, names, steps, skip):
        """The plan for a program; ``steps``: the numbers of the updates that a pruned one makes, None to run the whole."""
        key = (program.id, program.version, tuple(feeds), tuple(names), steps, skip, passes.disabled())
        found = self._cache.get(key)
        if found is not None:
            self._cache.move_to_end(key)
            return found
        for name in names:
            if program.global_block().find(name) is None and name not in program.captured:
                raise ValueError(f"Executor.run(): the program has no variable {name!r} to be fetched"
                                 f"{suggest(name, program.global_block().vars)}")
        if steps is not None:
            program = prune_to(program, feeds, names, steps)
        found = self._cache[key] = Compiled(program, feeds, names, skip)
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return found


def _flat_fetches(fetch_list):
    if fetch_list is None:
        return []
    if isinstance(fetch_list, (Symbolic, str, Tensor)):
        return [fetch_list]
    found = []
    for entry in fetch_list:
        if isinstance(entry, tuple) and entry and isinstance(entry[0], list):  # (operators, pairs) of minimize
            entry = entry[0]
        found += entry if isinstance(entry, (list, tuple)) else [entry]
    return found


def _numbers_of(steps, program):
    """The numbers of the updates that a pruned program makes: those of the given operators, all for none."""
    if not steps:
        return tuple(updates(program))
    ops = program.global_block().ops
    known = {id(ops[k]): k for k in updates(program)}
    for op in steps:
        if id(op) not in known:
            raise TypeError(f"Executor.run(): {op.type} in fetch_list is no operator by which the program updates variables")
    return tuple(sorted(known[id(op)] for op in steps))
