"""ExponentialMovingAverage: running averages of a program's parameters."""

import contextlib

from ..core.errors import describe
from ..core.op import Symbolic
from ..utils import unique_name
from . import program as P
from .inference_io import value_of
from .optimize import persistable
from .record import assign_to
from .registry import find
from .scope import global_scope


class ExponentialMovingAverage:
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
        self._decay, self._steps, self._name = float(decay), thres_steps, name or ""
        self._program = P.default_main_program()
        self._averages, self._power, self._saved = {}, None, {}

    def update(self):
        """Add the operators that update the averages."""
        program = self._program = P.default_main_program()
        with program.with_role(P.OPTIMIZE):
            self._power = persistable(unique_name.generate(self._name + "ema_decay_pow"), [1], "float32", 1.0)
            decay = self._current()
            assign_to(self._power * decay, self._power)
            for p in program.all_parameters():
                if p.trainable and p.do_model_average is not None:
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

    @contextlib.contextmanager
    def apply(self, executor, need_restore=True):
        """Use the averages as parameters inside the ``with`` block (and afterwards, with need_restore False)."""
        scope = global_scope()
        if self._power is None:
            raise RuntimeError("ExponentialMovingAverage.apply(): update() was not called while the program was built")
        done = float(scope.get(self._power.name).reshape(()))
        self._saved = {}
        for name, average in self._averages.items():
            value = value_of(self._program, name, scope)
            self._saved[name] = value
            if done < 1:
                self._set(name, (scope.get(average) / value.dtype.type(1 - done)).astype(value.dtype))
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor):
        """Put back the parameters that ``apply`` replaced."""
        for name, value in self._saved.items():
            self._set(name, value)
        self._saved = {}

    def _set(self, name, array):
        tensor = self._program.captured.get(name)
        if tensor is not None:
            tensor.replace(array)
        else:
            global_scope().values[name] = array
