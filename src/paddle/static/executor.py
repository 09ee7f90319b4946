"""Executor: runs programs with fed values and returns fetched ones."""

import warnings
from collections import OrderedDict

import numpy as np

from ..core import dtype as dtypes
from ..core import lenient
from ..core import place as places
from ..core.context import context
from ..core.dtype import of_bits
from ..core.errors import describe, suggest
from ..core.folding import folded
from ..core.op import Symbolic
from ..core.tensor import Tensor
from .ir import passes
from .program import lod, lod_files
from .program import program as program_module
from .program.transform import prune as prune_to
from .schedule.compile import Compiled
from .scope import Scope, global_scope

CACHE_SIZE = 64  # compiled plans that an Executor keeps


class Executor:
    """Runs Programs.

    Args:
        place: device; there is only the CPU.

    >>> import numpy, paddle
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
            feed: dict of input name to array, Tensor or list.
            fetch_list: Variables or names.
            scope: where persistable variables live; the global scope for None.
            return_numpy: NumPy arrays rather than LoDTensors.
            use_prune: leave out what the fetched values do not need, updates of parameters included.
            feed_var_name, fetch_var_name, use_program_cache, return_merged: of no effect: values are fed and fetched by
                name, plans are always kept, and one device has nothing to merge.
        """
        if self._closed:
            raise RuntimeError("Executor.run(): the executor was closed")
        program, skip = self._program(program)
        scope = global_scope() if scope is None else scope
        if not isinstance(scope, Scope):
            raise TypeError(f"Executor.run(): scope must be a Scope, got {describe(scope)}")
        feed = self._feed(feed)
        for loader in program.loaders:
            feed = loader.complete(feed)
        names = [self._fetch_name(item, program) for item in _flat_fetches(fetch_list)]
        arrays = self._fed_arrays(program, feed)
        more, companions = ([], None) if return_numpy else lod.with_companions(program.global_block(), names)
        compiled = self._compiled(program, list(arrays), names + more, use_prune, skip)
        for schedule in program.learning_rates.values():
            schedule.refresh(scope)
        outputs = compiled(list(arrays.values()), scope)
        for name, array in arrays.items():
            if program.global_block().vars[name].persistable:  # fed, and there afterwards like all that is persistable
                scope.set(name, np.array(array))
        results = [_result(name, out, return_numpy, name in compiled.stored) for name, out in zip(names, outputs)]
        if more:
            results = [r if of is None else lod.fetched(np.asarray(r), [outputs[k] for k in of])
                       for r, of in zip(results, companions)]
        return results

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
            fetch_handler: an object with ``var_dict`` (name to Variable) whose ``handler({name: array})`` is called instead.
        """
        if dataset is None or not hasattr(dataset, "batches"):
            raise RuntimeError(f"train_from_dataset(): dataset must be a QueueDataset or InMemoryDataset, got {describe(dataset)}")
        shown = list(fetch_list or []) if fetch_handler is None else list(fetch_handler.var_dict.values())
        words = fetch_info or [getattr(var, "name", var) for var in shown]
        for number, feed in enumerate(dataset.batches(), 1):
            due = bool(shown) and number % print_period == 0
            values = self.run(program, feed, shown if due else [], scope=scope)
            if due and fetch_handler is not None:
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
        return self._compiled(program, list(feed), names, False, skip).plan

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
            feed = _together(feed) if len(feed) > 1 else feed[0] if feed else None
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
        raise TypeError(f"Executor.run(): fetch_list must hold Variables or names, got {describe(item)}")

    def _fed_arrays(self, program, feed):
        block, arrays = program.global_block(), {}
        lengths = [(name, value) for name, value in feed.items() if isinstance(value, lod.LoDTensor) and value._lengths]
        if lengths:
            _begin_lengths(program, lengths)
        for name, value in feed.items():
            name = name.name if isinstance(name, Symbolic) else name
            var = block.vars.get(name)
            if var is None:
                warnings.warn(f"Executor.run(): the program has no variable {name!r} to be fed{suggest(str(name), block.vars)}",
                              stacklevel=3)
                continue
            if var.lod:
                value, offsets = lod.fed(var, value)
                arrays.update(offsets)
            arrays[name] = feed_array(var, value)
        return arrays

    def _compiled(self, program, feeds, names, prune, skip):
        key = (program.id, program.version, tuple(feeds), tuple(names), prune, skip, passes.disabled())
        found = self._cache.get(key)
        if found is not None:
            self._cache.move_to_end(key)
            return found
        for name in names:
            if program.global_block().find(name) is None and name not in program.captured:
                raise ValueError(f"Executor.run(): the program has no variable {name!r} to be fetched"
                                 f"{suggest(name, program.global_block().vars)}")
        if prune:
            program = prune_to(program, feeds, names)
        found = self._cache[key] = Compiled(program, feeds, names, skip)
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return found


def _together(feeds):
    """The parts of a batch that several devices would get, one behind the other: there is one device."""
    for part in feeds:
        if not isinstance(part, dict) or set(part) != set(feeds[0]):
            raise ValueError("Executor.run(): feed must be a list of dicts with the same names, one for each place, got "
                             f"{[describe(part) for part in feeds]}")
    found = {}
    for name in feeds[0]:
        values = [part[name] for part in feeds]
        array = np.concatenate([np.asarray(value) for value in values])
        lengths = [value.recursive_sequence_lengths() if isinstance(value, lod.LoDTensor) else [] for value in values]
        found[name] = lod.LoDTensor(array, [sum(levels, []) for levels in zip(*lengths)]) if all(lengths) else array
    return found


def _flat_fetches(fetch_list):
    if fetch_list is None:
        return []
    if isinstance(fetch_list, (Symbolic, str, Tensor)):
        return [fetch_list]
    return [item for entry in fetch_list for item in (entry if isinstance(entry, (list, tuple)) else [entry])]


def _begin_lengths(program, fed):
    """Let sequence lengths pass through a program that did not know of them: one put together operator by operator."""
    vars = program.global_block().vars
    named = ((vars.get(name.name if isinstance(name, Symbolic) else name), value) for name, value in fed)
    new = {var: len(value.recursive_sequence_lengths()) for var, value in named if var is not None and not var.lod}
    if new:
        lod_files.begin(program, new)


def _as_lodtensor(data, place, dtype=None):
    """A LoDTensor of numbers, lists and arrays; ``dtype`` is that of what is no array yet."""
    if not isinstance(data, np.ndarray):
        if dtype is None:
            raise AssertionError("_as_lodtensor(): dtype must be given for what is no array")
        if not isinstance(data, (bool, int, float, complex, list, tuple, np.generic)):
            raise TypeError(f"_as_lodtensor(): data must be an array, a number or a list of numbers, got {describe(data)}")
        data = np.asarray(data, dtypes.to_numpy(dtype, "_as_lodtensor"))
        if data.dtype == object:
            raise TypeError(f"_as_lodtensor(): data must be a regular array, got {describe(data)}")
    tensor = lod.LoDTensor()
    tensor.set(data, place)
    return tensor


def feed_array(var, value):
    """The array of a fed value; ValueError if its shape or dtype is not the variable's."""
    if isinstance(value, Tensor):
        array = value._data
    elif isinstance(value, lod.LoDTensor):
        array = of_bits(np.asarray(value))
    elif isinstance(value, np.ndarray):
        array = of_bits(value if value.flags.aligned else value.copy())  # kernels read whole elements
    elif isinstance(value, Symbolic):
        raise TypeError(f"Executor.run(): the value fed to {var.name!r} is a static Variable; feed arrays")
    else:
        array = np.asarray(value)
        if array.dtype == object:
            raise ValueError(f"Executor.run(): the value fed to {var.name!r} is not a regular array: {describe(value)}")
        if var.dtype is not None and array.dtype.kind in "fiub":
            array = array.astype(var.dtype.dtype)
    checks = context.rules.feed_checks
    if not var.feeds_are_checked or checks == "none" or not (var.need_check_feed or var.is_data and checks == "all"):
        return array
    if var.dtype is not None and array.dtype != var.dtype.dtype:
        raise ValueError(f"Executor.run(): {var.name!r} is {var.dtype.name}, the fed value {array.dtype.name}")
    shape = var.shape
    if len(shape) == array.ndim + 1 and shape[-1] == 1:  # labels [N] for [N, 1] pass, as in Paddle
        shape = shape[:-1]
    if len(shape) != array.ndim or any(n not in (-1, m) for n, m in zip(shape, array.shape)):
        raise ValueError(f"Executor.run(): {var.name!r} has shape {list(shape)}, the fed value {list(array.shape)}")
    return array


def _result(name, value, as_numpy, shared=False):
    """A fetched value as the caller gets it: memory of its own, so that later runs and callers do not meet in it."""
    if value is None:
        raise RuntimeError(f"Executor.run(): {name!r} got no value in this run (the branch that makes it was not taken)")
    if isinstance(value, list):  # a tensor array
        return (list if as_numpy else lod.LoDTensorArray)(_result(name, v, as_numpy) for v in value)
    if shared or value.base is not None:
        value = np.array(value, order="C")
    if not value.ndim and context.rules.element_ndim:
        value = value.reshape(1)  # older generations have no shape []
    if as_numpy:
        value = value.view(np.uint16) if value.dtype.char == "E" else value  # the bits of bfloat16, as numpy() gives them
        return lenient.view(value) if context.rules.lenient_arrays else value
    return lod.LoDTensor(value)
