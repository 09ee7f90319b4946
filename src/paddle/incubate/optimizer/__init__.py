"""Optimizers around optimizers: LookAhead, and averages of parameters. LBFGS has moved to paddle.optimizer."""

import contextlib

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.autograd import no_grad
from ...core.context import in_dynamic_mode
from ...core.errors import describe
from ...core.hooks import phase
from ...core.tensor import wrap
from ...ops.optim.legacy_updates import average_accumulates
from ...optimizer import LBFGS
from ...optimizer.optimizer import Optimizer, in_program
from ...optimizer.refused import refused
from ...optimizer.state import State
from . import functional  # noqa: F401

__all__ = ["LBFGS", "LookAhead", "ModelAverage"]
PipelineOptimizer = refused("PipelineOptimizer")


class LookAhead(Optimizer):
    """Lets another optimizer make k steps, then goes back to a point on the way from where the last such point was.

    Args:
        inner_optimizer: the optimizer that makes the steps.
        alpha: how far on that way, in [0, 1].
        k: number of steps.

    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(8.0))
    >>> optimizer = paddle.incubate.LookAhead(paddle.optimizer.SGD(1.0, parameters=[w]), alpha=0.5, k=2)
    >>> for _ in range(2):
    ...     w.sum().backward(); optimizer.step(); optimizer.clear_grad()
    >>> w.tolist()  # 7 after the first step, 6 after the second
    [6.5]
    """

    states = (State("Slow", "slow"),)

    def __init__(self, inner_optimizer, alpha=0.5, k=5, name=None):
        if not isinstance(inner_optimizer, Optimizer) or inner_optimizer._parameter_list is None and in_dynamic_mode():
            raise TypeError(f"LookAhead(): inner_optimizer must be an optimizer with parameters, got {describe(inner_optimizer)}")
        if not isinstance(alpha, (int, float)) or not 0 <= alpha <= 1:
            raise ValueError(f"LookAhead(): alpha must be in [0, 1], got {describe(alpha)}")
        if not isinstance(k, int) or k < 1:
            raise ValueError(f"LookAhead(): k must be an int of at least 1, got {describe(k)}")
        super().__init__(float(alpha), inner_optimizer._parameter_list, name=name)
        self.inner_optimizer, self.alpha, self.k, self._done = inner_optimizer, float(alpha), k, 0

    def _new_state(self, p, s, group):
        known = f"{p.name}_{s.name}_0" in self._pending_state
        slow = super()._new_state(p, s, group)
        if not known:  # the first point is where the first step ends
            slow.replace(p._data.astype(slow._data.dtype))
        return slow

    @no_grad()
    @phase("Optimization")
    def step(self):
        """One step of the inner optimizer, and the way back when it is due."""
        self.inner_optimizer.step()
        self._done += 1
        for group in self._groups:
            for p, _ in self._with_gradients(group["params"]):
                slow, = self._states_of(p, group)
                if self._done % self.k == 0:
                    slow.replace((slow + (p.astype(slow.dtype) - slow) * self.alpha)._data)
                    p.replace(slow._data.astype(p._data.dtype))

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """One step after ``loss.backward()``; a static program gets the operators of the steps and of the way back."""
        if in_program(loss):
            from ...static.averaging import look_ahead  # a room above, for programs only
            return look_ahead(lambda: self.inner_optimizer.minimize(loss, startup_program, parameters, no_grad_set),
                              loss.block.program, startup_program, self.alpha, self.k, from_start=False)
        self.step()
        return [], self._with_gradients(self._parameter_list)

    def state_dict(self):
        """The points to go back to, the number of steps, and the inner optimizer's state."""
        return {**super().state_dict(), "lookahead_step": self._done, "inner_optimizer": self.inner_optimizer.state_dict()}

    def set_state_dict(self, state_dict):
        """Continue from what ``state_dict`` returned."""
        state = dict(state_dict)
        self._done = int(state.pop("lookahead_step", self._done))
        self.inner_optimizer.set_state_dict(state.pop("inner_optimizer", {}))
        super().set_state_dict(state)


class ModelAverage(Optimizer):
    """Keeps averages of parameters over a window of steps, and puts them in the parameters' place for evaluation.

    Args:
        average_window_rate: length of the window, as a fraction of the number of updates so far.
        parameters: whose averages; in static mode all of the program's.
        min_average_window: the window is never shorter than this,
        max_average_window: nor longer than this.

    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(8.0))
    >>> sgd, average = paddle.optimizer.SGD(1.0, parameters=[w]), paddle.incubate.ModelAverage(0.15, parameters=[w])
    >>> for _ in range(3):
    ...     w.sum().backward(); sgd.step(); average.step(); sgd.clear_grad()
    >>> with average.apply():
    ...     print(w.tolist())
    [6.0]
    >>> w.tolist()
    [5.0]
    """

    states = (State("sum_1", "sum_1"), State("sum_2", "sum_2"), State("sum_3", "sum_3"),
              State("num_accumulates", "num_accumulates", scalar=True),
              State("old_num_accumulates", "old_num_accumulates", scalar=True), State("num_updates", "num_updates", scalar=True))

    def __init__(self, average_window_rate, parameters=None, min_average_window=10000, max_average_window=10000, name=None):
        self._static, self._saved = None, {}
        if in_dynamic_mode():
            if parameters is None:
                raise ValueError("ModelAverage(): parameters must be given")
        else:
            from ...static.averaging import ModelAverage as OfPrograms  # a room above, for programs only
            self._static = OfPrograms(average_window_rate, min_average_window, max_average_window, name)
        super().__init__(0.0, parameters, name=name)
        self._window = float(average_window_rate), int(max_average_window), int(min_average_window)

    def _new_state(self, p, s, group):
        state = super()._new_state(p, s, group)
        if s.scalar:
            state.replace(state._data.astype(np.int64))
        return state

    @no_grad()
    @phase("Optimization")
    def step(self):
        """Add the values of the parameters that have a gradient to the averages."""
        for group in self._groups:
            for p, _ in self._with_gradients(group["params"]):
                states = self._states_of(p, group)
                for state, value in zip(states, average_accumulates(p._data, *(s._data for s in states), *self._window)):
                    state.replace(np.asarray(value))

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """The same as ``step``; a static program has its operators already."""
        if self._static is None:
            self.step()

    @contextlib.contextmanager
    def apply(self, executor=None, need_restore=True):
        """Use the averages as parameters inside the ``with`` block (and afterwards, with need_restore False)."""
        if self._static is not None:
            with self._static.apply(executor, need_restore):
                yield
            return
        self._saved = {}
        for p in self._parameter_list:
            row = {s.name: self._accumulators[s.name].get(p.name) for s in self.states}
            if row["sum_1"] is not None:
                self._saved[p.name] = p, wrap(p._data)
                count = row["num_accumulates"]._data + row["old_num_accumulates"]._data
                total = row["sum_1"]._data + row["sum_2"]._data + row["sum_3"]._data
                p.replace((total / count).astype(p._data.dtype))
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor=None):
        """Put back the parameters that ``apply`` replaced."""
        if self._static is not None:
            self._static.restore(executor)
        for p, value in self._saved.values():
            p.replace(value._data)
        self._saved = {}


__getattr__ = _lookup(__name__)
