"""Minima of functions: BFGS and L-BFGS with a strong-Wolfe line search."""

import functools
import inspect

from ...core import dtype as dtypes
from ...core.addresses import lookup as _lookup
from ...core.backward import grad
from ...core.context import changed, context
from ...core.errors import check_choice, describe
from ...core.op import Symbolic
from ...tensor.convert import as_tensor
from ...tensor.creation import eye, to_tensor
from ...utils import unique_name

__all__ = ["minimize_bfgs", "minimize_lbfgs"]
_C1, _C2 = 1e-4, 0.9  # of the two conditions of Wolfe


class _Objective:
    """Values and gradients of a function of one vector, counted."""

    def __init__(self, function, dtype):
        self.function, self.dtype, self.calls = function, dtype, 0

    def __call__(self, position):
        self.calls += 1
        at = position.detach()
        at.stop_gradient = False
        value = self.function(at)
        slope, = grad([value], [at])
        return value.detach(), slope.detach()


def _search(objective, position, direction, value, slope, length, most):
    """(length, value, gradient) where both conditions hold, or None where none is found within ``most`` evaluations."""
    start, falling = float(value), float((slope * direction).sum())
    low, high = (0.0, start, falling), None
    for _ in range(most):
        found, slope = objective(position + direction * length)
        here, steep = float(found), float((slope * direction).sum())
        if not here <= start + _C1 * length * falling or high is None and here >= low[1] and low[0] > 0 or \
                high is not None and here >= low[1]:
            high = length, here, steep
        elif abs(steep) <= -_C2 * falling:
            return length, found, slope
        else:
            if steep * ((high[0] if high else length + 1) - low[0]) >= 0:
                high = low
            low = length, here, steep
        length = 2 * length if high is None else _between(low, high)
        if high is not None and abs(high[0] - low[0]) < 1e-12:
            return None
    return None


def _between(low, high):
    """Where the parabola through both values and the slope at ``low`` is least, kept away from the ends."""
    width = high[0] - low[0]
    bend = high[1] - low[1] - low[2] * width
    step = -low[2] * width * width / (2 * bend) if bend > 0 else width / 2
    part = min(max(step / width, 0.1), 0.9) if step == step else 0.5
    return low[0] + part * width


def _checked(function, objective_func, initial_position, inverse, line_search_fn, dtype):
    if not callable(objective_func):
        raise TypeError(f"{function}(): objective_func must be callable, got {describe(objective_func)}")
    check_choice(dtype, ("float32", "float64"), function, "dtype")
    check_choice(line_search_fn, ("strong_wolfe",), function, "line_search_fn")
    position = as_tensor(initial_position, function, "initial_position").detach().astype(dtype)
    if len(position.shape) != 1:
        raise ValueError(f"{function}(): initial_position must be a vector, got shape {list(position.shape)}")
    size = position.shape[0]
    if inverse is None:
        return position, eye(size, dtype=dtype)
    inverse = as_tensor(inverse, function, "initial_inverse_hessian_estimate").astype(dtype)
    if list(inverse.shape) != [size, size] or not bool(inverse.allclose(inverse.t())):
        raise ValueError(f"{function}(): initial_inverse_hessian_estimate must be a symmetric [{size}, {size}], got shape "
                         f"{list(inverse.shape)}")
    if float(inverse.astype(dtypes.float64).eigvalsh().min()) <= 0:
        raise ValueError(f"{function}(): initial_inverse_hessian_estimate must be positive definite")
    return position, inverse


def _in_programs(function):
    """Decorator: given a Variable, the function is an operator of the program which calls Python (``py_func``)."""
    order = inspect.signature(function)

    @functools.wraps(function)
    def minimize(*args, **kwargs):
        given = order.bind(*args, **kwargs)
        given.apply_defaults()
        fed = [name for name, value in given.arguments.items() if isinstance(value, Symbolic)]
        if not fed or context.trace is not None:
            return function(*args, **kwargs)
        position, dtype, called = given.arguments["initial_position"], given.arguments["dtype"], function.__name__
        size = list(position.shape)
        made = [([1], "bool"), ([1], "int64"), (size, dtype), ([], dtype), (size, dtype), (size * 2, dtype)]
        results = made if function is minimize_bfgs.__wrapped__ else made[:-1]

        def run(*arrays):
            with changed(static_mode=False):
                found = function(**{**given.arguments, **dict(zip(fed, map(to_tensor, arrays)))})
                return [one.numpy() for one in found]

        from ...static.debug import py_func  # a room that dynamic code does without
        block = next(given.arguments[name] for name in fed).block
        return tuple(py_func(run, [given.arguments[name] for name in fed], [
            block.create_var(name=unique_name.generate(called), shape=shape, dtype=kind) for shape, kind in results]))
    return minimize


def _minimize(objective, position, direction_of, learn, most, tolerance_grad, tolerance_change, most_searches, first):
    """(converged, position, value, gradient): the iteration that both methods share."""
    value, slope = objective(position)
    converged = float(slope.abs().max()) <= tolerance_grad
    for _ in range(most):
        if converged:
            break
        direction = direction_of(slope)
        found = _search(objective, position, direction, value, slope, first, most_searches)
        if found is None:
            break
        step = direction * found[0]
        change = found[2] - slope
        learn(step, change)
        moved, position, value, slope = float(step.abs().max()), position + step, found[1], found[2]
        converged = float(slope.abs().max()) <= tolerance_grad or moved <= tolerance_change
    return converged, position, value, slope


@_in_programs
def minimize_bfgs(objective_func, initial_position, max_iters=50, tolerance_grad=1e-07, tolerance_change=1e-09,
                  initial_inverse_hessian_estimate=None, line_search_fn="strong_wolfe", max_line_search_iters=50,
                  initial_step_length=1.0, dtype="float32", name=None):
    """(converged, calls, position, value, gradient, estimate of the inverse Hessian) of a minimum, by BFGS.

    >>> done, _, x, *_ = paddle.incubate.optimizer.functional.minimize_bfgs(
    ...     lambda x: ((x - 2) ** 2).sum(), paddle.to_tensor([0.0, 5.0]))
    >>> bool(done), x.round().tolist()
    (True, [2.0, 2.0])
    """
    position, start = _checked("minimize_bfgs", objective_func, initial_position, initial_inverse_hessian_estimate, line_search_fn,
                               dtype)
    objective, known = _Objective(objective_func, dtype), {"inverse": start}

    def learn(step, change):
        curvature = float((step * change).sum())
        if curvature > 0:
            left = eye(position.shape[0], dtype=dtype) - step.unsqueeze(1) * change.unsqueeze(0) / curvature
            known["inverse"] = left @ known["inverse"] @ left.t() + step.unsqueeze(1) * step.unsqueeze(0) / curvature

    converged, *result = _minimize(objective, position, lambda slope: -(known["inverse"] @ slope), learn, max_iters, tolerance_grad,
                                   tolerance_change, max_line_search_iters, initial_step_length)
    return to_tensor([converged]), to_tensor([objective.calls]), *result, known["inverse"]


@_in_programs
def minimize_lbfgs(objective_func, initial_position, history_size=100, max_iters=50, tolerance_grad=1e-08, tolerance_change=1e-08,
                   initial_inverse_hessian_estimate=None, line_search_fn="strong_wolfe", max_line_search_iters=50,
                   initial_step_length=1.0, dtype="float32", name=None):
    """(converged, calls, position, value, gradient) of a minimum, by BFGS with the last ``history_size`` steps only.

    >>> done, _, x, *_ = paddle.incubate.optimizer.functional.minimize_lbfgs(
    ...     lambda x: ((x - 2) ** 2).sum(), paddle.to_tensor([0.0, 5.0]))
    >>> bool(done), x.round().tolist()
    (True, [2.0, 2.0])
    """
    position, start = _checked("minimize_lbfgs", objective_func, initial_position, initial_inverse_hessian_estimate, line_search_fn,
                               dtype)
    objective, kept = _Objective(objective_func, dtype), []

    def learn(step, change):
        curvature = (step * change).sum()
        if float(curvature) > 0:
            kept.append((step, change, curvature))
            del kept[:-history_size]

    def direction_of(slope):
        parts = []
        for step, change, curvature in reversed(kept):
            part = (step * slope).sum() / curvature
            parts.append(part)
            slope = slope - change * part
        along = start @ slope
        for (step, change, curvature), part in zip(kept, reversed(parts)):
            along = along + step * (part - (change * along).sum() / curvature)
        return -along

    converged, *result = _minimize(objective, position, direction_of, learn, max_iters, tolerance_grad, tolerance_change,
                                   max_line_search_iters, initial_step_length)
    return to_tensor([converged]), to_tensor([objective.calls]), *result


__path__ = []  # a package in Paddle: the paths below it are addresses
__getattr__ = _lookup(__name__)
