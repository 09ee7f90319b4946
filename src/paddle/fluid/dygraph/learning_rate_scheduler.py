"""Learning-rate decays of fluid's dygraph: they advance by themselves, once per ``minimize``."""

import math

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.errors import check_choice, describe
from ...core.tensor import Tensor
from .base import to_variable

__all__ = ["NoamDecay", "PiecewiseDecay", "NaturalExpDecay", "ExponentialDecay", "InverseTimeDecay", "PolynomialDecay",
           "CosineDecay", "LinearLrWarmup", "LearningRateDecay", "StepDecay", "MultiStepDecay", "LambdaDecay",
           "ReduceLROnPlateau"]


class LearningRateDecay:
    """Base of decays: a rate as a function of the number of updates (1.x; successor: paddle.optimizer.lr.LRScheduler)."""

    by_epochs = False  # do epochs count, rather than updates?

    def __init__(self, begin=0, step=1, dtype="float32"):
        self.begin, self.step_size, self.step_num, self.dtype = begin, step, begin, dtype

    def value(self):
        """The current rate, a number."""
        rate = self.step()
        return float(rate) if isinstance(rate, Tensor) else rate

    def __call__(self):
        """The current rate; the decay advances."""
        rate = self.step()
        self.advance()
        if isinstance(rate, Tensor) or not context.rules.decay_gives_tensor:
            return rate
        return self.create_lr_var(rate)

    def create_lr_var(self, lr):
        """A rate as a variable of shape [1], for ``step`` of a program's own decay."""
        return to_variable(np.array([lr], self.dtype))

    def advance(self):
        """Go on by one update."""
        self.step_num += self.step_size

    def step(self):
        """The rate at ``self.step_num``; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define step()")

    def state_dict(self):
        """The number of updates so far."""
        return {"step_num": self.step_num}

    def set_dict(self, state_dict):
        """Continue from what ``state_dict`` returned."""
        self.step_num = state_dict["step_num"]


class PiecewiseDecay(LearningRateDecay):
    """values[i] until boundaries[i] (1.x; successor: paddle.optimizer.lr.PiecewiseDecay)."""

    def __init__(self, boundaries, values, begin, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        self.boundaries, self.values = list(boundaries), list(values)

    def step(self):
        for boundary, value in zip(self.boundaries, self.values):
            if self.step_num < boundary:
                return value
        return self.values[-1]


class _Exponential(LearningRateDecay):
    def __init__(self, learning_rate, decay_steps, decay_rate, staircase=False, begin=0, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps = learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def _part(self):
        part = self.step_num / self.decay_steps
        return math.floor(part) if self.staircase else part


class NaturalExpDecay(_Exponential):
    """learning_rate * exp(-decay_rate * step / decay_steps) (1.x; successor: paddle.optimizer.lr.NaturalExpDecay)."""

    def step(self):
        return self.learning_rate * math.exp(-self.decay_rate * self._part())


class ExponentialDecay(_Exponential):
    """learning_rate * decay_rate^(step / decay_steps) (1.x; successor: paddle.optimizer.lr.ExponentialDecay)."""

    def step(self):
        return self.learning_rate * self.decay_rate ** self._part()


class InverseTimeDecay(_Exponential):
    """learning_rate / (1 + decay_rate * step / decay_steps) (1.x; successor: paddle.optimizer.lr.InverseTimeDecay)."""

    def step(self):
        return self.learning_rate / (1 + self.decay_rate * self._part())


class PolynomialDecay(LearningRateDecay):
    """From learning_rate to end_learning_rate over decay_steps (1.x; successor: paddle.optimizer.lr.PolynomialDecay)."""

    def __init__(self, learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, begin=0, step=1,
                 dtype="float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.end_learning_rate = learning_rate, decay_steps, end_learning_rate
        self.power, self.cycle = power, cycle

    def step(self):
        at, steps = self.step_num, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(at / steps))
        else:
            at = min(at, steps)
        return (self.learning_rate - self.end_learning_rate) * (1 - at / steps) ** self.power + self.end_learning_rate


class CosineDecay(LearningRateDecay):
    """A half cosine over the epochs (1.x; successor: paddle.optimizer.lr.CosineAnnealingDecay)."""

    def __init__(self, learning_rate, step_each_epoch, epochs, begin=0, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.step_each_epoch, self.epochs = learning_rate, step_each_epoch, epochs

    def step(self):
        epoch = math.floor(self.step_num / self.step_each_epoch)
        return self.learning_rate * 0.5 * (math.cos(epoch * math.pi / self.epochs) + 1)


class NoamDecay(LearningRateDecay):
    """d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5) (1.x; successor: paddle.optimizer.lr.NoamDecay)."""

    def __init__(self, d_model, warmup_steps, begin=1, step=1, dtype="float32", learning_rate=1.0):
        super().__init__(begin, step, dtype)
        self.d_model, self.warmup_steps, self.learning_rate = d_model, warmup_steps, learning_rate

    def step(self):
        at = max(self.step_num, 1e-9)
        return self.learning_rate * self.d_model ** -0.5 * min(at ** -0.5, at * self.warmup_steps ** -1.5)


class LinearLrWarmup(LearningRateDecay):
    """From start_lr to end_lr in warmup_steps, then a rate or another decay (1.x; successor:
    paddle.optimizer.lr.LinearWarmup)."""

    def __init__(self, learning_rate, warmup_steps, start_lr, end_lr, begin=1, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        if not isinstance(learning_rate, (int, float, LearningRateDecay, Tensor)):
            raise TypeError("LinearLrWarmup(): learning_rate must be a number, a Variable or a decay, got "
                            f"{describe(learning_rate)}")
        if start_lr > end_lr:
            raise ValueError(f"LinearLrWarmup(): start_lr {start_lr} is greater than end_lr {end_lr}")
        self.learning_rate, self.warmup_steps, self.start_lr, self.end_lr = learning_rate, warmup_steps, start_lr, end_lr

    def step(self):
        if self.step_num < self.warmup_steps:
            return self.start_lr + (self.end_lr - self.start_lr) * self.step_num / self.warmup_steps
        return self.learning_rate.value() if isinstance(self.learning_rate, LearningRateDecay) else self.learning_rate

    def advance(self):
        super().advance()
        if isinstance(self.learning_rate, LearningRateDecay):
            self.learning_rate.advance()


class _EpochDecay(LearningRateDecay):
    """Base of decays by epochs: ``epoch()`` goes on to the next one, updates alone change nothing."""

    by_epochs = True

    def __init__(self, learning_rate, dtype="float32"):
        if not isinstance(learning_rate, (int, float)):
            raise TypeError(f"{type(self).__name__}(): learning_rate must be a number, got {describe(learning_rate)}")
        if learning_rate < 0:
            raise ValueError(f"{type(self).__name__}(): learning_rate must not be negative, got {learning_rate}")
        super().__init__(dtype=dtype)
        self.base_lr, self.epoch_num = float(learning_rate), 0

    def advance(self):
        """Nothing: epochs count."""

    def epoch(self, epoch=None):
        """Go on to the next epoch, or to the given one."""
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch

    def state_dict(self):
        """The epoch."""
        return {"epoch_num": self.epoch_num}

    def set_dict(self, state_dict):
        """Continue from what ``state_dict`` returned."""
        self.epoch_num = state_dict["epoch_num"]


class StepDecay(_EpochDecay):
    """learning_rate * decay_rate^(epoch // step_size) (1.x; successor: paddle.optimizer.lr.StepDecay)."""

    def __init__(self, learning_rate, step_size, decay_rate=0.1):
        if not isinstance(step_size, int):
            raise TypeError(f"StepDecay(): step_size must be an int, got {describe(step_size)}")
        if decay_rate >= 1.0:
            raise ValueError(f"StepDecay(): decay_rate must be less than 1.0, got {decay_rate}")
        super().__init__(learning_rate)
        self.epoch_size, self.decay_rate = step_size, decay_rate

    def step(self):
        return self.base_lr * self.decay_rate ** (self.epoch_num // self.epoch_size)


class MultiStepDecay(_EpochDecay):
    """learning_rate, times decay_rate at each milestone that the epoch has reached (1.x; successor:
    paddle.optimizer.lr.MultiStepDecay)."""

    def __init__(self, learning_rate, milestones, decay_rate=0.1):
        if not isinstance(milestones, (tuple, list)):
            raise TypeError(f"MultiStepDecay(): milestones must be a list, got {describe(milestones)}")
        if any(a >= b for a, b in zip(milestones, milestones[1:])):
            raise ValueError(f"MultiStepDecay(): milestones must increase, got {list(milestones)}")
        if decay_rate >= 1.0:
            raise ValueError(f"MultiStepDecay(): decay_rate must be less than 1.0, got {decay_rate}")
        super().__init__(learning_rate)
        self.milestones, self.decay_rate = list(milestones), decay_rate

    def step(self):
        return self.base_lr * self.decay_rate ** sum(self.epoch_num >= milestone for milestone in self.milestones)


class LambdaDecay(_EpochDecay):
    """learning_rate * lr_lambda(epoch) (1.x; successor: paddle.optimizer.lr.LambdaDecay)."""

    def __init__(self, learning_rate, lr_lambda):
        if not callable(lr_lambda):
            raise TypeError(f"LambdaDecay(): lr_lambda must be a function, got {describe(lr_lambda)}")
        super().__init__(learning_rate)
        self.lr_lambda = lr_lambda

    def step(self):
        return self.base_lr * self.lr_lambda(self.epoch_num)


class ReduceLROnPlateau(LearningRateDecay):
    """A rate that is multiplied by decay_rate when a loss has not improved for more than ``patience`` epochs (1.x; successor:
    paddle.optimizer.lr.ReduceOnPlateau).

    Args:
        threshold: how much better a loss must be to count, as a share of the best one or, if ``threshold_mode`` is 'abs', itself.
        cooldown: epochs after a reduction in which losses are not looked at.
        eps: a smaller reduction is not made.
    """

    by_epochs = True
    _STATE = ("cooldown_counter", "best_loss", "num_bad_epochs", "epoch_num", "learning_rate")

    def __init__(self, learning_rate, mode="min", decay_rate=0.1, patience=10, verbose=False, threshold=1e-4,
                 threshold_mode="rel", cooldown=0, min_lr=0, eps=1e-8, dtype="float32"):
        if not isinstance(learning_rate, (int, float, Tensor)):
            raise TypeError(f"ReduceLROnPlateau(): learning_rate must be a number or a Variable, got {describe(learning_rate)}")
        if decay_rate >= 1.0:
            raise ValueError(f"ReduceLROnPlateau(): decay_rate must be less than 1.0, got {decay_rate}")
        super().__init__(dtype=dtype)
        self.mode, self.threshold_mode = mode.lower(), threshold_mode.lower()
        check_choice(self.mode, ("min", "max"), "ReduceLROnPlateau", "mode")
        check_choice(self.threshold_mode, ("rel", "abs"), "ReduceLROnPlateau", "threshold_mode")
        self.learning_rate, self.decay_rate, self.min_lr, self.eps = float(learning_rate), decay_rate, float(min_lr), eps
        self.patience, self.threshold, self.cooldown, self.verbose = patience, threshold, cooldown, verbose
        self.cooldown_counter, self.best_loss, self.num_bad_epochs, self.epoch_num = 0, None, 0, 0

    def value(self):
        """The current rate."""
        return self.learning_rate

    def __call__(self):
        """The current rate as a Variable."""
        return to_variable(np.array([self.learning_rate], self.dtype))

    def advance(self):
        """Nothing: epochs count."""

    def step(self, loss):
        """Take the loss of an epoch, of shape [1], in; the rate may be reduced."""
        if not isinstance(loss, Tensor):
            raise TypeError(f"ReduceLROnPlateau.step(): loss must be a Variable, got {describe(loss)}")
        if list(loss.shape) != [1]:
            raise ValueError(f"ReduceLROnPlateau.step(): loss must have shape [1], got {list(loss.shape)}; take its mean first")
        self.epoch_num += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
        elif self.best_loss is None or self._is_better(float(loss), float(self.best_loss)):
            self.best_loss, self.num_bad_epochs = loss, 0
        else:
            self.num_bad_epochs += 1
            if self.num_bad_epochs > self.patience:
                self._reduce()

    def _is_better(self, loss, best):
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return loss < best - margin if self.mode == "min" else loss > best + margin

    def _reduce(self):
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        rate = max(self.learning_rate * self.decay_rate, self.min_lr)
        if self.learning_rate - rate > self.eps:
            if self.verbose:
                print(f"Epoch {self.epoch_num}: reducing learning rate from {self.learning_rate} to {rate}.")
            self.learning_rate = rate

    def state_dict(self):
        """The counters, the best loss and the rate, as numbers."""
        return {key: float(value) if isinstance(value, Tensor) else value
                for key, value in ((key, getattr(self, key)) for key in self._STATE)}

    def set_dict(self, state_dict):
        """Continue from what ``state_dict`` returned."""
        for key in self._STATE:
            setattr(self, key, state_dict[key])


__getattr__ = _lookup(__name__)
