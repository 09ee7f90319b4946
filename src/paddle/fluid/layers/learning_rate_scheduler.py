"""Learning rates as functions of the number of updates.

In a guard each is a decay object that the optimizer advances; in a static program it is a Variable that counts the runs.
"""

import math

from ...static.program import program
from ...tensor import functions as tensor
from ..dygraph import learning_rate_scheduler
from ..state import fluid_call, in_dygraph_mode
from .misc import autoincreased_step_counter

__all__ = ["noam_decay", "exponential_decay", "natural_exp_decay", "inverse_time_decay", "polynomial_decay", "piecewise_decay",
           "cosine_decay", "linear_lr_warmup"]


def _steps(begin=0):
    """The number of runs of the program so far, as a float Variable; all decays share one counter."""
    return tensor.cast(autoincreased_step_counter("@LR_DECAY_COUNTER@", begin), "float32")


def _decay_step_counter(begin=0):
    """The number of runs of the program so far, as programs of 1.x ask for it when they make a decay of their own."""
    return _steps(begin)


def _decay(in_guard):
    """Decorator: a function that builds the rate from operators, or inside a guard is the given decay object."""
    def decorate(function):
        @fluid_call
        def chosen(*args, **kwargs):
            if in_dygraph_mode():
                return in_guard(*args, **kwargs)
            with program.default_main_program().with_role(program.SCHEDULE):
                return function(*args, **kwargs)
        chosen.__name__, chosen.__doc__, chosen.__wrapped__ = function.__name__, function.__doc__, function
        return chosen
    return decorate


def _part(decay_steps, staircase):
    part = _steps() / float(decay_steps)
    return tensor.floor(part) if staircase else part


def _constant(value):
    return tensor.full([1], float(value), "float32")


@_decay(lambda d_model, warmup_steps, learning_rate=1.0: learning_rate_scheduler.NoamDecay(d_model, warmup_steps,
                                                                                           learning_rate=learning_rate))
def noam_decay(d_model, warmup_steps, learning_rate=1.0):
    """learning_rate * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5) (1.x; successor:
    paddle.optimizer.lr.NoamDecay)."""
    at = _steps(begin=1)
    return tensor.minimum(tensor.rsqrt(at), at * float(warmup_steps) ** -1.5) * (learning_rate * float(d_model) ** -0.5)


@_decay(learning_rate_scheduler.ExponentialDecay)
def exponential_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * decay_rate^(step / decay_steps) (1.x; successor: paddle.optimizer.lr.ExponentialDecay)."""
    return tensor.pow(_constant(decay_rate), _part(decay_steps, staircase)) * learning_rate


@_decay(learning_rate_scheduler.NaturalExpDecay)
def natural_exp_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * exp(-decay_rate * step / decay_steps) (1.x; successor: paddle.optimizer.lr.NaturalExpDecay)."""
    return tensor.exp(_part(decay_steps, staircase) * -float(decay_rate)) * learning_rate


@_decay(learning_rate_scheduler.InverseTimeDecay)
def inverse_time_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate / (1 + decay_rate * step / decay_steps) (1.x; successor: paddle.optimizer.lr.InverseTimeDecay)."""
    return _constant(1.0) * learning_rate / (_part(decay_steps, staircase) * float(decay_rate) + 1.0)


@_decay(learning_rate_scheduler.PolynomialDecay)
def polynomial_decay(learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False):
    """From learning_rate to end_learning_rate over decay_steps (1.x; successor: paddle.optimizer.lr.PolynomialDecay)."""
    at, steps = _steps(), _constant(decay_steps)
    if cycle:
        steps = steps * tensor.maximum(tensor.ceil(at / float(decay_steps)), _constant(1.0))
    else:
        at = tensor.minimum(at, steps)
    return tensor.pow(1.0 - at / steps, float(power)) * (learning_rate - end_learning_rate) + end_learning_rate


def _piecewise_in_guard(boundaries, values):
    _check_pieces(boundaries, values)
    return learning_rate_scheduler.PiecewiseDecay(boundaries, values, 0)


def _check_pieces(boundaries, values):
    if len(values) != len(boundaries) + 1:
        raise ValueError(f"piecewise_decay(): values must be one more than boundaries, got {len(values)} and {len(boundaries)}")


@_decay(_piecewise_in_guard)
def piecewise_decay(boundaries, values):
    """values[i] until boundaries[i] (1.x; successor: paddle.optimizer.lr.PiecewiseDecay)."""
    _check_pieces(boundaries, values)
    at, rate = _steps(), _constant(values[-1])
    for boundary, value in reversed(list(zip(boundaries, values))):
        rate = tensor.where(tensor.less_than(at, _constant(boundary)), _constant(value), rate)
    return rate


@_decay(learning_rate_scheduler.CosineDecay)
def cosine_decay(learning_rate, step_each_epoch, epochs):
    """A half cosine over the epochs (1.x; successor: paddle.optimizer.lr.CosineAnnealingDecay)."""
    return (tensor.cos(tensor.floor(_steps() / float(step_each_epoch)) * (math.pi / epochs)) + 1.0) * (learning_rate * 0.5)


@_decay(learning_rate_scheduler.LinearLrWarmup)
def linear_lr_warmup(learning_rate, warmup_steps, start_lr, end_lr):
    """From start_lr to end_lr in warmup_steps, then learning_rate (1.x; successor: paddle.optimizer.lr.LinearWarmup)."""
    at = _steps()
    rising = at * ((end_lr - start_lr) / float(warmup_steps)) + float(start_lr)
    after = _constant(learning_rate) if isinstance(learning_rate, (int, float)) else learning_rate
    return tensor.where(tensor.less_than(at, _constant(warmup_steps)), rising, after)
