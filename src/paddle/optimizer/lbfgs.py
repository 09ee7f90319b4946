"""L-BFGS with an optional strong-Wolfe line search."""

from ..core.autograd import enable_grad, no_grad
from ..core.errors import check_choice
from ..core.hooks import phase
from ..ops.math import reduction, unary
from ..tensor.functions import concat
from .optimizer import Optimizer


class LBFGS(Optimizer):
    """Limited-memory BFGS: ``step(closure)`` evaluates the closure (which clears gradients, computes the loss, calls
    backward and returns the loss) as often as it needs.

    Args:
        learning_rate: length of a step along the direction (the first trial length with a line search).
        max_iter, max_eval: iterations and evaluations per ``step``.
        tolerance_grad, tolerance_change: stop when the gradient or the progress is below.
        history_size: number of kept corrections.
        line_search_fn: None or 'strong_wolfe'.

    >>> w = paddle.create_parameter([1], 'float32')
    >>> opt = paddle.optimizer.LBFGS(parameters=[w], line_search_fn='strong_wolfe')
    >>> def closure():
    ...     opt.clear_grad()
    ...     loss = ((w - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = opt.step(closure)
    >>> round(float(w), 3)
    3.0
    """

    def __init__(self, learning_rate: float = 1.0, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None, parameters=None, weight_decay=None, grad_clip=None, name=None):
        if parameters is None:
            raise ValueError("LBFGS(): parameters must be given")
        if line_search_fn is not None:
            check_choice(line_search_fn, ("strong_wolfe",), "LBFGS", "line_search_fn")
        self.max_iter, self.max_eval = max_iter, max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.history_size, self.line_search_fn = history_size, line_search_fn
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._memory = {"old_sk": [], "old_yk": [], "d": None, "alpha": None, "prev_flat_grad": None, "func_evals": 0, "n_iter": 0}

    def state_dict(self):
        """The kept corrections and counters."""
        return {"state": dict(self._memory)}

    def set_state_dict(self, state_dict):
        """Continue from what ``state_dict`` returned."""
        self._memory = dict(state_dict["state"])

    # the parameters seen as one vector
    def _flat_grad(self):
        parts = []
        for group in self._groups:
            pairs = [(p, p._grad_ivar().detach() if p._grad is not None else p.detach() * 0) for p in _trained(group["params"])]
            for p, g in pairs if group["grad_clip"] is None else group["grad_clip"](pairs):
                decay = self.decay_of(p, group)
                parts.append((g if decay is None else g + decay(p.detach())).flatten())
        return concat(parts)

    def _move(self, step, direction):
        at = 0
        for p in _trained(self._parameter_list):
            n = p._data.size
            p.replace((p.detach() + direction[at:at + n].reshape(p.shape) * step)._data)
            at += n

    def _direction(self, g):
        """Two-loop recursion over the kept corrections."""
        s, y = self._memory["old_sk"], self._memory["old_yk"]
        q, alphas = -g, []
        for si, yi in zip(reversed(s), reversed(y)):
            alpha = reduction.sum(si * q) / reduction.sum(si * yi)
            alphas.append(alpha)
            q = q - yi * alpha
        if s:
            q = q * (reduction.sum(s[-1] * y[-1]) / reduction.sum(y[-1] * y[-1]))
        for si, yi, alpha in zip(s, y, reversed(alphas)):
            beta = reduction.sum(yi * q) / reduction.sum(si * yi)
            q = q + si * (alpha - beta)
        return q

    @phase("Optimization")
    def step(self, closure):
        """Minimise; returns the loss of the first evaluation."""
        def evaluate():
            with enable_grad():
                loss = closure()
            self._memory["func_evals"] += 1
            return float(loss), loss

        with no_grad():
            return self._run(evaluate)

    def _run(self, evaluate):
        value, first = evaluate()
        memory, evals = self._memory, 1
        g = self._flat_grad()
        if float(reduction.max(unary.abs(g))) <= self.tolerance_grad:
            return first
        for n in range(self.max_iter):
            memory["n_iter"] += 1
            if memory["prev_flat_grad"] is not None and memory["d"] is not None:
                y, s = g - memory["prev_flat_grad"], memory["d"] * memory["alpha"]
                if float(reduction.sum(y * s)) > 1e-10:
                    memory["old_sk"] = [*memory["old_sk"], s][-self.history_size:]
                    memory["old_yk"] = [*memory["old_yk"], y][-self.history_size:]
            d = self._direction(g)
            slope = float(reduction.sum(g * d))
            if slope > -self.tolerance_change:
                break
            rate = self.get_lr()
            t = min(1.0, 1.0 / max(float(reduction.sum(unary.abs(g))), 1e-30)) * rate if memory["n_iter"] == 1 else rate
            memory["prev_flat_grad"] = g
            if self.line_search_fn is None:
                self._move(t, d)
                new_value, used = (evaluate()[0], 1) if n != self.max_iter - 1 else (value, 0)
                g = self._flat_grad() if used else g
            else:
                new_value, g, t, used = self._strong_wolfe(evaluate, d, t, value, g, slope)
            memory["d"], memory["alpha"] = d, t
            evals += used
            small = float(reduction.max(unary.abs(d * t))) <= self.tolerance_change or abs(new_value
                                                                                           - value) < self.tolerance_change
            value = new_value
            if evals >= self.max_eval or float(reduction.max(unary.abs(g))) <= self.tolerance_grad or small:
                break
        return first

    def _strong_wolfe(self, evaluate, d, t, value, g, slope, c1=1e-4, c2=0.9, most=25):
        """A step length that satisfies the strong Wolfe conditions; the parameters end up there."""
        at = 0.0

        def probe(step):
            nonlocal at
            self._move(step - at, d)
            at = step
            f, _ = evaluate()
            grad = self._flat_grad()
            return f, grad, float(reduction.sum(grad * d))

        low, high = (0.0, value, g, slope), None
        used = 0
        best = low
        while used < most:
            f, grad, s = probe(t)
            used += 1
            here = (t, f, grad, s)
            if f > value + c1 * t * slope or f >= low[1] and used > 1:
                high = here
            elif abs(s) <= -c2 * slope:
                best = here
                break
            elif s >= 0:
                high, low = low, here
            else:
                low = here
            best = min((best, here), key=lambda point: point[1])
            if high is None:
                t *= 2.0
            else:
                t = 0.5 * (low[0] + high[0])
                if abs(high[0] - low[0]) * float(reduction.max(unary.abs(d))) < self.tolerance_change:
                    break
        if at != best[0]:
            self._move(best[0] - at, d)
        return best[1], best[2], best[0], used


def _trained(parameters):
    return [p for p in parameters if not p.stop_gradient]
