"""Learning rates as functions of the number of updates, for fluid's optimizers in both modes.

Each gives a decay that the optimizer advances: once per ``minimize`` in a guard, once per run of a static program.
"""

from ..dygraph import learning_rate_scheduler as D

__all__ = ["noam_decay", "exponential_decay", "natural_exp_decay", "inverse_time_decay", "polynomial_decay", "piecewise_decay",
           "cosine_decay", "linear_lr_warmup"]


def noam_decay(d_model, warmup_steps, learning_rate=1.0):
    """learning_rate * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5) (1.x; successor:
    paddle.optimizer.lr.NoamDecay)."""
    return D.NoamDecay(d_model, warmup_steps, learning_rate=learning_rate)


def exponential_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * decay_rate^(step / decay_steps) (1.x; successor: paddle.optimizer.lr.ExponentialDecay)."""
    return D.ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase)


def natural_exp_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * exp(-decay_rate * step / decay_steps) (1.x; successor: paddle.optimizer.lr.NaturalExpDecay)."""
    return D.NaturalExpDecay(learning_rate, decay_steps, decay_rate, staircase)


def inverse_time_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate / (1 + decay_rate * step / decay_steps) (1.x; successor: paddle.optimizer.lr.InverseTimeDecay)."""
    return D.InverseTimeDecay(learning_rate, decay_steps, decay_rate, staircase)


def polynomial_decay(learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False):
    """From learning_rate to end_learning_rate over decay_steps (1.x; successor: paddle.optimizer.lr.PolynomialDecay)."""
    return D.PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)


def piecewise_decay(boundaries, values):
    """values[i] until boundaries[i] (1.x; successor: paddle.optimizer.lr.PiecewiseDecay)."""
    if len(values) != len(boundaries) + 1:
        raise ValueError(f"piecewise_decay(): values must be one more than boundaries, got {len(values)} and {len(boundaries)}")
    return D.PiecewiseDecay(boundaries, values, 0)


def cosine_decay(learning_rate, step_each_epoch, epochs):
    """A half cosine over the epochs (1.x; successor: paddle.optimizer.lr.CosineAnnealingDecay)."""
    return D.CosineDecay(learning_rate, step_each_epoch, epochs)


def linear_lr_warmup(learning_rate, warmup_steps, start_lr, end_lr):
    """From start_lr to end_lr in warmup_steps, then learning_rate (1.x; successor: paddle.optimizer.lr.LinearWarmup)."""
    return D.LinearLrWarmup(learning_rate, warmup_steps, start_lr, end_lr)
