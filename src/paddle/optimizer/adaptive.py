"""Adagrad, Adadelta, RMSProp, Adamax, Lamb: steps scaled by statistics of the gradient."""

from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import check
from ..ops.optim.updates import rounded_betas
from ..optimizer.optimizer import older_arguments
from .adam import check_betas
from .optimizer import Optimizer
from .state import Rate, State, as_number, from_option


@older_arguments("Adagrad")
class Adagrad(Optimizer):
    """Adagrad: s += g^2; p -= lr * g / (sqrt(s) + epsilon).

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        epsilon (float): avoids division by zero.
        parameters (list): the parameters to update, or dicts with 'params' and their own settings; required in dynamic mode.
        weight_decay (float, L1Decay, L2Decay or None): decay that is added to the gradients.
        grad_clip (ClipGradBy... or None): clips gradients before a step.
        initial_accumulator_value (float): sum of squares to begin with.

    >>> opt = paddle.optimizer.Adagrad(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "adagrad"
    states = (State("Moment", "moment", from_option("initial_accumulator_value")),)
    options = ("epsilon", "initial_accumulator_value")

    def __init__(self, learning_rate, epsilon=1e-6, parameters=None, weight_decay=None, grad_clip=None, name=None,
                 initial_accumulator_value=0.0):
        self._epsilon, self._initial_accumulator_value = epsilon, initial_accumulator_value
        self.initial_accumulator_value = initial_accumulator_value
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        _check_positive(group, who, *self.options)

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        k.adagrad_group(params, grads, *states, rates, self.attrs(None, group)["epsilon"], decays, scale)


@older_arguments("Adadelta")
@documented_like(Adagrad)
class Adadelta(Optimizer):
    """Adadelta: step sizes follow the running sizes of gradients and of earlier steps.

    Args:
        rho (float): decay rate of the running squares.

    >>> opt = paddle.optimizer.Adadelta(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "adadelta"
    states = (State("AvgSquaredGrad", "_avg_squared_grad"), State("AvgSquaredUpdate", "_avg_squared_update"))
    options = ("epsilon", "rho")

    def __init__(self, learning_rate: Rate = 0.001, epsilon=1e-6, rho=0.95, parameters=None, weight_decay=None, grad_clip=None,
                 name=None):
        self._epsilon, self._rho = epsilon, rho
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        _check_positive(group, who, *self.options)

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        a = self.attrs(None, group)
        k.adadelta_group(params, grads, *states, rates, a["rho"], a["epsilon"], decays, scale)


@older_arguments("RMSProp")
class RMSProp(Optimizer):
    """RMSProp: s = rho * s + (1 - rho) * gradient ** 2; v = momentum * v + learning_rate * gradient / sqrt(s + epsilon); p -= v.

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        rho (float): decay rate of s.
        epsilon (float): added under the root.
        momentum (float): fraction of v that is kept.
        centered (bool): divide by the deviation of the gradient instead: s minus the square of its running mean.
        parameters, weight_decay, grad_clip: as for SGD.

    >>> opt = paddle.optimizer.RMSProp(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "rmsprop"
    states = (State("Moment", "momentum"), State("MeanSquare", "mean_square"), State("MeanGrad", "mean_grad"))
    options = ("rho", "epsilon", "momentum", "centered")

    def __init__(self, learning_rate, rho=0.95, epsilon=1e-6, momentum=0.0, centered=False, parameters=None,
                 weight_decay=None, grad_clip=None, name=None):
        self._rho, self._epsilon, self._momentum, self._centered = rho, epsilon, momentum, bool(centered)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        _check_positive(group, who, "rho", "epsilon", "momentum")

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        a = self.attrs(None, group)
        velocity, square, mean = states
        k.rmsprop_group(params, grads, square, velocity, rates, a["rho"], a["epsilon"], a["momentum"],
                        mean if a["centered"] else None, decays, scale)


@older_arguments("Adamax")
@documented_like(Adagrad)
class Adamax(Optimizer):
    """Adamax: Adam with the infinity norm instead of the second moment.

    Args:
        beta1 (float): decay rate of the running mean.
        beta2 (float): decay rate of the running second moment.

    >>> opt = paddle.optimizer.Adamax(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type, of_programs, powers = "adamax_with_power", "adamax", (("Beta1Pow", "beta1"),)
    states = (State("Moment", "moment"), State("InfNorm", "inf_norm"),
              State("Beta1Pow", "beta1_pow_acc", from_option("beta1"), scalar=True))
    options = ("beta1", "beta2", "epsilon")

    def __init__(self, learning_rate: Rate = 0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, parameters=None, weight_decay=None,
                 grad_clip=None, name=None):
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        check_betas(group, who)

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        betas = rounded_betas(group, params[0].dtype)
        k.adamax_group(params, grads, *states, rates, *betas, group["epsilon"], decays, scale)


@older_arguments("Lamb")
@documented_like(Adamax)
class Lamb(Optimizer):
    """LAMB: Adam's direction plus decay, scaled by the ratio of the parameter's norm to the direction's.

    Args:
        lamb_weight_decay (float): decay, relative to the parameter.
        exclude_from_weight_decay_fn (function or None): of a parameter; where it is True there is no decay.
        multi_precision (bool): keep float32 master copies of 16-bit parameters.

    >>> opt = paddle.optimizer.Lamb(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "lamb"
    states = (State("Moment1", "moment1"), State("Moment2", "moment2"),
              State("Beta1Pow", "beta1_pow_acc", from_option("beta1"), scalar=True),
              State("Beta2Pow", "beta2_pow_acc", from_option("beta2"), scalar=True))
    options = ("beta1", "beta2", "epsilon", "lamb_weight_decay", "exclude_from_weight_decay_fn")

    def __init__(self, learning_rate: Rate = 0.001, lamb_weight_decay=0.01, beta1=0.9, beta2=0.999, epsilon=1e-6, parameters=None,
                 grad_clip=None, exclude_from_weight_decay_fn=None, multi_precision=False, always_adapt=False, name=None):
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        self._lamb_weight_decay, self._exclude_from_weight_decay_fn = lamb_weight_decay, exclude_from_weight_decay_fn
        self.always_adapt = bool(always_adapt)
        super().__init__(learning_rate, parameters, None, grad_clip, name, multi_precision)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        check_betas(group, who)
        _check_positive(group, who, "lamb_weight_decay")

    def attrs(self, param, group):
        exclude, decay = group["exclude_from_weight_decay_fn"], group["lamb_weight_decay"]
        if param is not None and exclude is not None and exclude(param):
            decay = 0.0
        return {"weight_decay": decay, "beta1": group["beta1"], "beta2": group["beta2"], "epsilon": group["epsilon"],
                "always_adapt": self.always_adapt}

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        coeffs = [self.attrs(p, group)["weight_decay"] for p, _ in pairs]
        if context.rules.raw_moments or any(decays) or not (self.always_adapt or all(coeffs)):
            return False  # the native step corrects the moments, always adapts and adds nothing to the gradient
        betas = rounded_betas(group, params[0].dtype)
        return k.lamb_group(params, grads, *states, rates, *betas, group["epsilon"], coeffs, scale)


def _check_positive(group, who, *names):
    for name in names:
        group[name] = value = as_number(group[name], who, name)
        check(value >= 0, "{}(): {} must not be negative, got {}", who, name, value)
