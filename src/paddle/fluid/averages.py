"""Averages of parameters and the optimizer that looks ahead: they wrap training, and update nothing by themselves."""

from ..core.autograd import no_grad
from ..core.errors import check
from ..core.tensor import Tensor
from ..static import averaging
from . import layers, state


class ExponentialMovingAverage(averaging.ExponentialMovingAverage):
    """Averages that follow the parameters (1.x; successor: paddle.static.ExponentialMovingAverage).

    In a static program ``update()`` adds operators; in a guard it updates the averages of the guard's parameters at once.
    """

    def __new__(cls, *args, **kwargs):
        return super().__new__(_OfGuard if state.tracer() is not None else cls)


class _OfGuard(ExponentialMovingAverage):
    def __init__(self, decay=0.999, thres_steps=None, name=None):
        with state.era_mode():
            super().__init__(decay, None, name)
        check(thres_steps is None, "ExponentialMovingAverage(): thres_steps is for static programs")
        self._tensors, self._kept = {}, 1.0

    @no_grad()
    def update(self):
        """Update the averages from the parameters."""
        self._kept *= self._decay
        for p in state.tracer().parameters:
            if not p.stop_gradient and p.do_model_average is not False:
                self._tensors[p.name] = p
                before = self._averages.get(p.name)
                now = p * (1 - self._decay)
                self._averages[p.name] = now if before is None else before * self._decay + now

    def _values(self):
        return [(name, (average / (1 - self._kept))._data) for name, average in self._averages.items()]

    def _get(self, name):
        return self._tensors[name]._data

    def _set(self, name, array):
        self._tensors[name].replace(array)


class ModelAverage(averaging.ModelAverage):
    """Averages of the parameters over the last runs of a static program (1.x; successor: paddle.incubate.ModelAverage)."""

    def __init__(self, average_window_rate, min_average_window=10000, max_average_window=10000, regularization=None, name=None):
        if state.in_dygraph_mode():
            raise RuntimeError("In dygraph, don't support ModelAverage.")
        check(regularization is None, "ModelAverage(): there is nothing to regularise, got {}", regularization)
        with state.era_mode():
            super().__init__(average_window_rate, min_average_window, max_average_window, name)


class LookaheadOptimizer:
    """Every k steps of another optimizer go back to a point between where they began and where they ended, which is where
    the next k begin (1.x; successor: paddle.incubate.LookAhead).

    Args:
        inner_optimizer: the optimizer that makes the steps.
        alpha: how far towards the end that point is, in [0, 1].
        k: number of steps.
    """

    def __init__(self, inner_optimizer, alpha=0.5, k=5):
        check(hasattr(inner_optimizer, "minimize"), "LookaheadOptimizer(): inner_optimizer must be an optimizer, got {!r}",
              inner_optimizer)
        check(0.0 <= alpha <= 1.0, "LookaheadOptimizer(): alpha must be in [0, 1], got {}", alpha)
        check(isinstance(k, int) and k > 0, "LookaheadOptimizer(): k must be a positive int, got {!r}", k)
        self.inner_optimizer, self.alpha, self.k, self.type = inner_optimizer, float(alpha), k, "lookahead"
        self._done, self._slow = 0, {}

    def minimize(self, loss, startup_program=None):
        """One step of the inner optimizer, and the way back where it is due."""
        if isinstance(loss, Tensor):
            return self._step(loss, startup_program)
        return averaging.look_ahead(lambda: self.inner_optimizer.minimize(loss, startup_program), loss.block.program,
                                    startup_program, self.alpha, self.k, from_start=True)

    def _step(self, loss, startup_program):
        parameters = self.inner_optimizer._parameter_list if state.tracer() is None else state.tracer().parameters
        before = {p.name: p._data.copy() for p in parameters if p.name not in self._slow}
        result = self.inner_optimizer.minimize(loss, startup_program)
        self._done += 1
        with no_grad():
            for p, _ in result[1]:
                self._slow.setdefault(p.name, before.get(p.name))
                if self._done % self.k == 0:
                    slow = layers.assign(self._slow[p.name])
                    p.set_value(slow + (p - slow) * self.alpha)
                    self._slow[p.name] = p._data.copy()
        return result
