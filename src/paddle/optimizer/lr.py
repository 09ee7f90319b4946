"""Learning-rate schedulers: functions of the number of ``step()`` calls (epochs or iterations, as the user steps them)."""

import math

from ..core.addresses import lookup as _lookup
from ..core.docstrings import documented_like
from ..core.errors import ArgumentError, check_type, describe
from .arguments import count as _count
from .arguments import number as _number

__all__ = ["LRScheduler", "NoamDecay", "PiecewiseDecay", "NaturalExpDecay", "InverseTimeDecay", "PolynomialDecay",
           "LinearWarmup", "ExponentialDecay", "MultiStepDecay", "StepDecay", "LambdaDecay", "ReduceOnPlateau",
           "CosineAnnealingDecay", "MultiplicativeDecay", "OneCycleLR", "CyclicLR", "LinearLR",
           "CosineAnnealingWarmRestarts"]


class LRScheduler:
    """Base of schedulers: a subclass defines ``get_lr()`` from ``self.last_epoch`` and ``self.base_lr``.

    Args:
        learning_rate (float): the initial rate.
        last_epoch (int): steps done so far; -1 to begin.
        verbose (bool): print each new rate.

    >>> class Halving(paddle.optimizer.lr.LRScheduler):
    ...     def get_lr(self):
    ...         return self.base_lr * 0.5 ** self.last_epoch
    >>> s = Halving(0.1); s.step(); s()
    0.05
    """

    def __init__(self, learning_rate=0.1, last_epoch=-1, verbose=False):
        self.base_lr = _number(learning_rate, type(self).__name__, "learning_rate")
        if self.base_lr < 0:
            raise ValueError(f"{type(self).__name__}(): learning_rate must not be negative, got {learning_rate}")
        self.last_lr = self.base_lr
        self.last_epoch, self.verbose, self._var_name = last_epoch, verbose, None
        self.step()

    def __call__(self):
        """The current learning rate."""
        return self.last_lr

    def step(self, epoch=None):
        """Advance by one step (or to the given epoch) and recompute the rate."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if epoch is not None and hasattr(self, "_get_closed_form_lr"):
            self.last_lr = self._get_closed_form_lr()
        else:
            self.last_lr = self.get_lr()
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self):
        """The rate at ``self.last_epoch``; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    _state_keys = ("last_epoch", "last_lr")

    def state_keys(self):
        """Set ``self.keys``: the attributes that ``state_dict`` keeps."""
        self.keys = list(self._state_keys)

    def state_dict(self):
        """What is needed to continue."""
        self.state_keys()
        state = {}
        for key in self.keys:
            value = getattr(self, key)
            if isinstance(value, (int, float, bool, str, type(None))) or key in ("LinearWarmup_LR",):
                state[key] = value
            elif hasattr(value, "numpy"):
                state[key] = float(value)
        return state

    def set_state_dict(self, state_dict):
        """Continue from what ``state_dict`` returned; a missing entry raises."""
        self.state_keys()
        for key in self.keys:
            if key not in state_dict:
                raise RuntimeError(f"{type(self).__name__}.set_state_dict(): the state has no entry {key!r}")
            setattr(self, key, state_dict[key])

    set_dict = set_state_dict


@documented_like(LRScheduler)
class NoamDecay(LRScheduler):
    """learning_rate * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5).

    Args:
        d_model (int): features of the model.
        warmup_steps (int): steps until the full rate.

    >>> s = paddle.optimizer.lr.NoamDecay(d_model=64, warmup_steps=10)
    """

    def __init__(self, d_model, warmup_steps, learning_rate=1.0, last_epoch=-1, verbose=False):
        self.d_model = _number(d_model, "NoamDecay", "d_model", low=0)
        if not self.d_model:
            raise ValueError("NoamDecay(): d_model must be above 0, got 0")
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        a = 1.0 if self.last_epoch == 0 else self.last_epoch ** -0.5
        return self.base_lr * self.d_model ** -0.5 * min(a, self.warmup_steps ** -1.5 * self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """values[i] until step boundaries[i], the last value afterwards.

    >>> s = paddle.optimizer.lr.PiecewiseDecay(boundaries=[3, 6], values=[0.1, 0.2, 0.3])
    """

    def __init__(self, boundaries, values, last_epoch=-1, verbose=False):
        if not boundaries or len(values) != len(boundaries) + 1:
            raise ValueError(f"PiecewiseDecay(): values must be one longer than boundaries, got {len(values)} values and "
                             f"{len(boundaries)} boundaries")
        self.boundaries, self.values = list(boundaries), list(values)
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self):
        for boundary, value in zip(self.boundaries, self.values):
            if self.last_epoch < boundary:
                return value
        return self.values[-1]


@documented_like(LRScheduler)
class NaturalExpDecay(LRScheduler):
    """learning_rate * exp(-gamma * epoch).

    Args:
        gamma (float): factor of each decay.

    >>> s = paddle.optimizer.lr.NaturalExpDecay(0.5, gamma=0.1)
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        self.gamma = _number(gamma, "NaturalExpDecay", "gamma", low=0)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


@documented_like(NaturalExpDecay)
class InverseTimeDecay(LRScheduler):
    """learning_rate / (1 + gamma * epoch).

    >>> s = paddle.optimizer.lr.InverseTimeDecay(0.5, gamma=0.1)
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        self.gamma = _number(gamma, "InverseTimeDecay", "gamma")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """From learning_rate to end_lr over decay_steps along (1 - epoch / decay_steps)^power; ``cycle`` restarts.

    >>> s = paddle.optimizer.lr.PolynomialDecay(0.5, decay_steps=20)
    """

    def __init__(self, learning_rate, decay_steps, end_lr=0.0001, power=1.0, cycle=False, last_epoch=-1, verbose=False):
        self.decay_steps = _count(decay_steps, "PolynomialDecay", "decay_steps")
        self.end_lr, self.power = _number(end_lr, "PolynomialDecay", "end_lr"), _number(power, "PolynomialDecay", "power")
        self.cycle = bool(cycle)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(epoch / self.decay_steps))
        else:
            epoch = min(epoch, steps)
        return (self.base_lr - self.end_lr) * (1 - epoch / steps) ** self.power + self.end_lr


@documented_like(NoamDecay)
class LinearWarmup(LRScheduler):
    """From start_lr to end_lr over warmup_steps, then the given rate or scheduler (stepped from its own beginning).

    Args:
        start_lr (float): the first rate.
        end_lr (float): the last rate.

    >>> s = paddle.optimizer.lr.LinearWarmup(0.5, warmup_steps=20, start_lr=0, end_lr=0.5)
    """

    def __init__(self, learning_rate, warmup_steps, start_lr, end_lr, last_epoch=-1, verbose=False):
        if not isinstance(learning_rate, (int, float, LRScheduler)):
            raise TypeError(f"LinearWarmup(): learning_rate must be a number or a scheduler, got {describe(learning_rate)}")
        self.warmup_steps = _count(warmup_steps, "LinearWarmup", "warmup_steps")
        self.learning_rate = learning_rate
        self.start_lr, self.end_lr = _number(start_lr, "LinearWarmup", "start_lr"), _number(end_lr, "LinearWarmup", "end_lr")
        if self.end_lr <= self.start_lr:
            raise ValueError(f"LinearWarmup(): end_lr {end_lr} must be above start_lr {start_lr}")
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch < self.warmup_steps:
            return (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate

    def state_dict(self):
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler) and "LinearWarmup_LR" in state_dict:
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict


@documented_like(NaturalExpDecay)
class ExponentialDecay(LRScheduler):
    """learning_rate * gamma^epoch, gamma in (0, 1).

    >>> s = paddle.optimizer.lr.ExponentialDecay(0.5, gamma=0.9)
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        if not 0 < gamma < 1:
            raise ValueError(f"ExponentialDecay(): gamma must be between 0 and 1, got {gamma}")
        self.gamma = float(gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.gamma ** self.last_epoch


@documented_like(NaturalExpDecay)
class MultiStepDecay(LRScheduler):
    """Multiply the rate by gamma at every milestone.

    Args:
        milestones (list of int): steps at which the rate decays.

    >>> s = paddle.optimizer.lr.MultiStepDecay(0.5, milestones=[2, 4], gamma=0.8)
    """

    def __init__(self, learning_rate, milestones, gamma=0.1, last_epoch=-1, verbose=False):
        check_type(milestones, (list, tuple), "MultiStepDecay", "milestones")
        if any(a >= b for a, b in zip(milestones, milestones[1:])):
            raise ValueError(f"MultiStepDecay(): milestones must be a list of rising ints, got {describe(milestones)}")
        if gamma >= 1:
            raise ValueError(f"MultiStepDecay(): gamma must be below 1, got {gamma}")
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.gamma ** sum(m <= self.last_epoch for m in self.milestones)


class StepDecay(LRScheduler):
    """Multiply the rate by gamma every step_size epochs.

    Args:
        learning_rate (float): the first rate.
        step_size (int): epochs between two changes.
        gamma (float): factor of a change, below 1.
        last_epoch (int): the epoch that was finished before; -1 starts from the beginning.
        verbose (bool): print every change.
    Raises:
        ValueError: ``step_size`` is below 1, or ``gamma`` not below 1.
        TypeError: ``learning_rate`` is not a number, or ``step_size`` is not an int.

    >>> s = paddle.optimizer.lr.StepDecay(0.5, step_size=5, gamma=0.8)
    """

    def __init__(self, learning_rate, step_size, gamma=0.1, last_epoch=-1, verbose=False):
        if isinstance(step_size, bool) or not isinstance(step_size, int):
            raise TypeError(f"StepDecay(): step_size must be an int, got {describe(step_size)}")
        if step_size < 1:
            raise ArgumentError(f"StepDecay(): step_size must be positive, got {step_size}")
        if gamma >= 1:
            raise ValueError(f"StepDecay(): gamma must be below 1, got {gamma}")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


@documented_like(LRScheduler)
class LambdaDecay(LRScheduler):
    """learning_rate * lr_lambda(epoch).

    Args:
        lr_lambda (function): factor as a function of the step.
    Raises:
        TypeError: ``learning_rate`` is not a number, or ``lr_lambda`` cannot be called.

    >>> s = paddle.optimizer.lr.LambdaDecay(0.5, lr_lambda=lambda e: 0.95 ** e)
    """

    def __init__(self, learning_rate, lr_lambda, last_epoch=-1, verbose=False):
        if not callable(lr_lambda):
            raise TypeError(f"LambdaDecay(): lr_lambda must be a function, got {describe(lr_lambda)}")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.lr_lambda(self.last_epoch)


@documented_like(LambdaDecay)
class MultiplicativeDecay(LRScheduler):
    """The product of lr_lambda(1) ... lr_lambda(epoch), times learning_rate.

    >>> s = paddle.optimizer.lr.MultiplicativeDecay(0.5, lr_lambda=lambda e: 0.95)
    """

    def __init__(self, learning_rate, lr_lambda, last_epoch=-1, verbose=False):
        if not callable(lr_lambda):
            raise TypeError(f"MultiplicativeDecay(): lr_lambda must be a function, got {describe(lr_lambda)}")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        rate = self.base_lr
        for epoch in range(1, self.last_epoch + 1):
            rate *= self.lr_lambda(epoch)
        return rate


@documented_like(LRScheduler)
class CosineAnnealingDecay(LRScheduler):
    """From learning_rate down to eta_min along a cosine over T_max epochs, and up again.

    Args:
        T_max (int): steps from the highest rate to the lowest.
        eta_min (float): the lowest rate.

    >>> s = paddle.optimizer.lr.CosineAnnealingDecay(0.5, T_max=10)
    """

    def __init__(self, learning_rate, T_max, eta_min=0, last_epoch=-1, verbose=False):
        self.T_max = _count(T_max, "CosineAnnealingDecay", "T_max")
        self.eta_min = _number(eta_min, "CosineAnnealingDecay", "eta_min")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self.base_lr
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return self.last_lr + (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        return ((1 + math.cos(math.pi * self.last_epoch / self.T_max))
                / (1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)) * (self.last_lr - self.eta_min) + self.eta_min)

    def _get_closed_form_lr(self):
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


@documented_like(CosineAnnealingDecay)
class CosineAnnealingWarmRestarts(LRScheduler):
    """A cosine from learning_rate to eta_min over T_0 epochs, restarted with a period T_mult times as long.

    Args:
        T_0 (int): steps of the first period.
        T_mult (int): factor from one period to the next.

    >>> s = paddle.optimizer.lr.CosineAnnealingWarmRestarts(0.5, T_0=1, T_mult=2)
    """

    def __init__(self, learning_rate, T_0, T_mult=1, eta_min=0, last_epoch=-1, verbose=False):
        self.T_0 = self.T_i = _count(T_0, "CosineAnnealingWarmRestarts", "T_0")
        self.T_mult = _count(T_mult, "CosineAnnealingWarmRestarts", "T_mult")
        self.eta_min, self.T_cur = eta_min, last_epoch
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2

    def step(self, epoch=None):
        epoch = self.last_epoch + 1 if epoch is None else epoch
        if epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts.step(): epoch must not be negative, got {epoch}")
        rest, period = epoch, self.T_0
        while rest >= period:
            rest -= period
            period *= self.T_mult
        self.T_cur, self.T_i = rest, period
        super().step(math.floor(epoch))


class ReduceOnPlateau(LRScheduler):
    """Multiply the rate by ``factor`` when ``step(metric)`` saw no improvement for more than patience steps.

    >>> s = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=5)
    """

    _state_keys = ("cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr")

    def __init__(self, learning_rate, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0, epsilon=1e-8, verbose=False):
        if mode.lower() not in ("min", "max"):
            raise ValueError(f"ReduceOnPlateau(): mode must be 'min' or 'max', got {mode!r}")
        if threshold_mode.lower() not in ("rel", "abs"):
            raise ValueError(f"ReduceOnPlateau(): threshold_mode must be 'rel' or 'abs', got {threshold_mode!r}")
        if factor >= 1:
            raise ValueError(f"ReduceOnPlateau(): factor must be below 1, got {factor}")
        self.base_lr = self.last_lr = _number(learning_rate, "ReduceOnPlateau", "learning_rate")
        self.mode, self.factor, self.patience = mode.lower(), factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode.lower()
        self.cooldown, self.min_lr, self.epsilon, self.verbose = cooldown, min_lr, epsilon, verbose
        self._var_name, self.best, self.cooldown_counter, self.num_bad_epochs, self.last_epoch = None, None, 0, 0, 0

    def _better(self, current):
        if self.threshold_mode == "rel":
            change = abs(self.best) * self.threshold if self.mode == "max" else self.best * self.threshold
        else:
            change = self.threshold
        return current < self.best - change if self.mode == "min" else current > self.best + change

    def step(self, metrics, epoch=None):
        """Record a metric (a number or one-element tensor) and lower the rate if it has not improved."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        current = float(metrics)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            rate = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - rate > self.epsilon:
                self.last_lr = rate
                if self.verbose:
                    print(f"Epoch {self.last_epoch}: ReduceOnPlateau set learning rate to {self.last_lr}.")


class OneCycleLR(LRScheduler):
    """Up from max_learning_rate / divide_factor and down to end_learning_rate in one cycle of total_steps.

    >>> s = paddle.optimizer.lr.OneCycleLR(1.0, total_steps=10)
    """

    def __init__(self, max_learning_rate, total_steps, divide_factor=25.0, end_learning_rate=0.0001, phase_pct=0.3,
                 anneal_strategy="cos", three_phase=False, last_epoch=-1, verbose=False):
        who = "OneCycleLR"
        top = _number(max_learning_rate, who, "max_learning_rate", low=0)
        self.total_steps = _count(total_steps, who, "total_steps")
        _number(end_learning_rate, who, "end_learning_rate", low=0)
        _number(phase_pct, who, "phase_pct", low=0, high=1)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"{who}(): anneal_strategy must be 'cos' or 'linear', got {anneal_strategy!r}")
        start = top / float(divide_factor)
        up = phase_pct * self.total_steps - 1
        if three_phase:
            if phase_pct >= 0.5:
                raise ValueError(f"{who}(): phase_pct must be below 0.5 with three phases, got {phase_pct}")
            self._steps = [0, up, 2 * up, self.total_steps - 1, self.total_steps - 1]
            self._rates = [start, top, start, end_learning_rate]
        else:
            self._steps = [0, up, self.total_steps - 1, self.total_steps - 1]
            self._rates = [start, top, end_learning_rate]
        self._cos = anneal_strategy == "cos"
        super().__init__(start, last_epoch, verbose)

    def _between(self, a, b, part):
        return b + (a - b) / 2 * (1 + math.cos(math.pi * part)) if self._cos else a + (b - a) * part

    def get_lr(self):
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"OneCycleLR.step(): called {step} times, but total_steps is {self.total_steps}")
        for i in range(len(self._rates) - 1):
            if step <= self._steps[i + 1] or i == len(self._rates) - 2:
                part = (step - self._steps[i]) / (self._steps[i + 1] - self._steps[i])
                return self._between(self._rates[i], self._rates[i + 1], part)
        return self._rates[-1]


class CyclicLR(LRScheduler):
    """Up and down between base_learning_rate and max_learning_rate, over step_size_up and step_size_down steps.

    >>> s = paddle.optimizer.lr.CyclicLR(0.5, 1.0, step_size_up=15, step_size_down=5)
    """

    def __init__(self, base_learning_rate, max_learning_rate, step_size_up, step_size_down=None, mode="triangular",
                 exp_gamma=1.0, scale_fn=None, scale_mode="cycle", last_epoch=-1, verbose=False):
        who = "CyclicLR"
        low, self.max_lr = _number(base_learning_rate, who, "base_learning_rate", low=0), _number(
            max_learning_rate, who, "max_learning_rate", low=0)
        up = _count(step_size_up, who, "step_size_up")
        down = up if step_size_down is None else _count(step_size_down, who, "step_size_down")
        self.cycle_size, self.step_up_pct = up + down, up / (up + down)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(f"{who}(): mode must be 'triangular', 'triangular2' or 'exp_range', got {mode!r}")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(f"{who}(): scale_mode must be 'cycle' or 'iterations', got {scale_mode!r}")
        if scale_fn is None:
            scale_fn, scale_mode = {"triangular": (lambda x: 1.0, "cycle"),
                                    "triangular2": (lambda x: 1 / 2.0 ** (x - 1), "cycle"),
                                    "exp_range": (lambda x: self.gamma ** x, "iterations")}[mode]
        self.scale_fn, self.scale_mode = scale_fn, scale_mode
        self.mode, self.gamma, self.amplitude = mode, exp_gamma, self.max_lr - low
        super().__init__(low, last_epoch, verbose)

    def get_lr(self):
        cycle = 1 + self.last_epoch // self.cycle_size
        part = 1 + self.last_epoch / self.cycle_size - cycle
        height = part / self.step_up_pct if part <= self.step_up_pct else (1 - part) / (1 - self.step_up_pct)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return self.base_lr + self.amplitude * height * scale


@documented_like(LRScheduler)
class LinearLR(LRScheduler):
    """learning_rate times a factor that goes from start_factor to end_factor over total_steps.

    Args:
        total_steps (int): steps of the whole schedule.
        start_factor (float): factor at the beginning.
        end_factor (float): factor at the end.

    >>> s = paddle.optimizer.lr.LinearLR(0.5, total_steps=5)
    """

    def __init__(self, learning_rate, total_steps, start_factor=1.0 / 3, end_factor=1.0, last_epoch=-1, verbose=False):
        if not 0 < start_factor <= 1:
            raise ValueError(f"LinearLR(): start_factor must be in (0, 1], got {start_factor}")
        if not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR(): end_factor must be in [0, 1], got {end_factor}")
        self.total_steps, self.start_factor, self.end_factor = _count(total_steps, "LinearLR", "total_steps"), start_factor, \
            end_factor
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0 or not math.isclose(self.last_lr, self._at(self.last_epoch - 1)):
            return self._at(self.last_epoch)
        if self.last_epoch > self.total_steps:
            return self.last_lr
        rise = self.end_factor - self.start_factor  # from the rate before, as Paddle rounds it
        return self.last_lr * (1.0 + rise / (self.total_steps * self.start_factor + (self.last_epoch - 1) * rise))

    def _at(self, epoch):
        part = min(epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * part)


__getattr__ = _lookup(__name__)
