"""Averages of a program's parameters: ExponentialMovingAverage, ModelAverage over a window, and the way back of LookAhead."""

import contextlib

from ..core.errors import describe
from ..core.op import Symbolic
from ..utils import unique_name
from .inference_io import value_of
from .optimize import persistable
from .program import program as program_module
from .program.record import assign_to
from .program.registry import find
from .scope import global_scope


class Averages:
    """What averages share: parameters are exchanged for averages, and back."""

    def __init__(self):
        self._program, self._saved = program_module.default_main_program(), {}

    @staticmethod
    def _averaged(program):
        return [p for p in program.all_parameters() if p.trainable and p.do_model_average is not False]

    @contextlib.contextmanager
    def apply(self, executor=None, need_restore=True):
        """Use the averages as parameters inside the ``with`` block (and afterwards, with need_restore False)."""
        self._saved = {}
        for name, average in self._values():
            before = self._saved[name] = self._get(name)
            self._set(name, average.astype(before.dtype))
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor=None):
        """Put back the parameters that ``apply`` replaced."""
        for name, value in self._saved.items():
            self._set(name, value)
        self._saved = {}

    def _get(self, name):
        return value_of(self._program, name)

    def _set(self, name, array):
        tensor = self._program.captured.get(name)
        if tensor is not None:
            tensor.replace(array)
        else:
            global_scope().values[name] = array

    def _values(self):
        """Pairs (name of a parameter, its average)."""
        raise NotImplementedError(f"{type(self).__name__} must define _values()")


class ExponentialMovingAverage(Averages):
    """Averages that follow the parameters: average = decay * average + (1 - decay) * parameter, corrected for its start.

    Args:
        decay: how much of the average is kept at each update.
        thres_steps: a step counter Variable; the decay is then at most (1 + steps) / (10 + steps).
        name: prefix of the averages' names.

    Call ``update()`` while the program is built, behind the optimizer's ``minimize``; then evaluate inside
    ``with ema.apply(exe):``.
    """

    def __init__(self, decay=0.999, thres_steps=None, name=None):
        if not isinstance(decay, (int, float)) or not 0 <= decay < 1:
            raise ValueError(f"ExponentialMovingAverage(): decay must be in [0, 1), got {describe(decay)}")
        if thres_steps is not None and not isinstance(thres_steps, Symbolic):
            raise TypeError(f"ExponentialMovingAverage(): thres_steps must be a Variable, got {describe(thres_steps)}")
        super().__init__()
        self._decay, self._steps, self._name = float(decay), thres_steps, name or ""
        self._averages, self._power = {}, None

    def update(self):
        """Add the operators that update the averages."""
        program = self._program = program_module.default_main_program()
        with program.with_role(program_module.OPTIMIZE):
            self._power = persistable(unique_name.generate(self._name + "ema_decay_pow"), [1], "float32", 1.0)
            decay = self._current()
            assign_to(self._power * decay, self._power)
            for p in self._averaged(program):
                name = unique_name.generate(f"{self._name}{p.name}_ema")
                average = persistable(name, p.shape, p.dtype, 0.0)
                assign_to(average * decay + p * (1 - decay), average)
                self._averages[p.name] = average.name

    def _current(self):
        if self._steps is None:
            return find("fill_constant")(None, None, None, [1], "float32", self._decay)
        steps = find("cast")(self._steps, "float32", self._steps.dtype)
        limit = find("fill_constant")(None, None, None, [1], "float32", self._decay)
        return find("elementwise_min")((steps + 1.0) / (steps + 10.0), limit)

    def _values(self):
        if self._power is None:
            raise RuntimeError("ExponentialMovingAverage.apply(): update() was not called while the program was built")
        scope = global_scope()
        done = float(scope.get(self._power.name).reshape(()))
        return [(name, scope.get(average) / (1 - done)) for name, average in self._averages.items()] if done < 1 else []


class ModelAverage(Averages):
    """Averages of the parameters' values over the last steps, kept up by every run of the program.

    Args:
        average_window_rate: length of the window, as a share of the number of updates so far.
        min_average_window: it is never shorter than this,
        max_average_window: nor longer than this.
        name: prefix of the names of the sums.

    Made behind the optimizer's ``minimize``; then evaluate inside ``with average.apply(exe):``.
    """

    _SUMS, _COUNTS = ("sum_1", "sum_2", "sum_3"), ("num_accumulates", "old_num_accumulates", "num_updates")

    def __init__(self, average_window_rate, min_average_window=10000, max_average_window=10000, name=None):
        super().__init__()
        attrs = {"average_window": float(average_window_rate), "min_average_window": int(min_average_window),
                 "max_average_window": int(max_average_window)}
        self._names = {}
        with self._program.with_role(program_module.OPTIMIZE):
            for p in self._averaged(self._program):
                kept = {s: self._state(name, p, s, p.shape, p.dtype) for s in self._SUMS}
                kept.update({c: self._state(name, p, c, [1], "int64") for c in self._COUNTS})
                self._program.global_block().append_op(
                    find("average_accumulates").type, {"param": p, **{"in_" + k: v for k, v in kept.items()}},
                    {"out_" + k: v for k, v in kept.items()}, attrs)
                self._names[p.name] = {k: v.name for k, v in kept.items()}

    @staticmethod
    def _state(prefix, p, kind, shape, dtype):
        return persistable(unique_name.generate(f"{prefix or ''}{p.name}_{kind}"), shape, dtype, 0)

    def _values(self):
        scope, found = global_scope(), []
        for name, kept in self._names.items():
            value = {k: scope.get(v) for k, v in kept.items()}
            count = int(value["num_accumulates"][0]) + int(value["old_num_accumulates"][0])
            if count:
                found.append((name, (value["sum_1"] + value["sum_2"] + value["sum_3"]) / count))
        return found


def look_ahead(minimize, program, startup_program, alpha, k, from_start):
    """Let ``minimize`` append an optimizer's step; every k-th step then goes back towards where the last way back ended.

    Args:
        minimize: appends the step and returns its result.
        alpha: how far that point lies towards the step's end, in [0, 1].
        from_start: the first way back leads towards where the first step began, not where it ended.
    Returns:
        What ``minimize`` returned.
    """
    with program_module.program_guard(program, startup_program), program.with_role(program_module.OPTIMIZE):
        params = [p for p in program.all_parameters() if p.trainable]
        done = persistable(unique_name.generate("lookahead_step"), [1], "float32", 0.0)
        slow = {p.name: persistable(unique_name.generate(f"{p.name}_slow"), p.shape, p.dtype, 0.0) for p in params}

        def where(condition, yes, no):
            # a product with 0 or 1 would turn an infinite parameter into NaN
            return find("where")(condition, yes, no)

        def begin(first):
            for p in params:
                assign_to(where(first, p, slow[p.name]), slow[p.name])

        if from_start:
            begin(find("equal")(done, done * 0.0))
        with program.with_role(program_module.FORWARD):
            result = minimize()
        assign_to(done + 1.0, done)
        one = find("fill_constant")(None, None, None, [1], "float32", 1.0)
        if not from_start:
            begin(find("equal")(done, one))
        due = find("equal")(find("elementwise_mod")(done, one * float(k)), one * 0.0)
        for p in params:
            between = slow[p.name] + (p - slow[p.name]) * alpha
            assign_to(where(due, between, slow[p.name]), slow[p.name])
            assign_to(where(due, between, p), p)
    return result
