"""Adagrad, Adadelta, RMSProp, Adamax, Lamb: steps scaled by statistics of the gradient."""

from ..core.errors import check
from .optimizer import Optimizer, State


class Adagrad(Optimizer):
    """Adagrad: s += g^2; p -= lr * g / (sqrt(s) + epsilon).

    >>> import paddle
    >>> opt = paddle.optimizer.Adagrad(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "adagrad"
    states = (State("Moment", "moment", lambda self: self._initial),)

    def __init__(self, learning_rate, epsilon=1e-6, parameters=None, weight_decay=None, grad_clip=None, name=None,
                 initial_accumulator_value=0.0):
        self._epsilon, self._initial = float(epsilon), float(initial_accumulator_value)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def attrs(self, param, group):
        return {"epsilon": group.get("epsilon", self._epsilon)}

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        k.adagrad_group(params, grads, *states, rates, self.attrs(None, group)["epsilon"], decays, scale)


class Adadelta(Optimizer):
    """Adadelta: step sizes follow the running sizes of gradients and of earlier steps.

    >>> import paddle
    >>> opt = paddle.optimizer.Adadelta(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "adadelta"
    states = (State("AvgSquaredGrad", "_avg_squared_grad"), State("AvgSquaredUpdate", "_avg_squared_update"))

    def __init__(self, learning_rate=0.001, epsilon=1e-6, rho=0.95, parameters=None, weight_decay=None, grad_clip=None,
                 name=None):
        self._epsilon, self._rho = float(epsilon), float(rho)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def attrs(self, param, group):
        return {"epsilon": group.get("epsilon", self._epsilon), "rho": group.get("rho", self._rho)}

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        a = self.attrs(None, group)
        k.adadelta_group(params, grads, *states, rates, a["rho"], a["epsilon"], decays, scale)


class RMSProp(Optimizer):
    """RMSProp: steps divided by the running root mean square of the gradient (centered: its deviation).

    >>> import paddle
    >>> opt = paddle.optimizer.RMSProp(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "rmsprop"
    states = (State("MeanSquare", "mean_square"), State("Moment", "momentum"), State("MeanGrad", "mean_grad"))

    def __init__(self, learning_rate, rho=0.95, epsilon=1e-6, momentum=0.0, centered=False, parameters=None,
                 weight_decay=None, grad_clip=None, name=None):
        for value, argument in ((rho, "rho"), (epsilon, "epsilon"), (momentum, "momentum")):
            check(value >= 0, "RMSProp(): {} must not be negative, got {}", argument, value)
        self._rho, self._epsilon = float(rho), float(epsilon)
        self._momentum, self._centered = float(momentum), bool(centered)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def attrs(self, param, group):
        return {"rho": group.get("rho", self._rho), "epsilon": group.get("epsilon", self._epsilon),
                "momentum": group.get("momentum", self._momentum), "centered": group.get("centered", self._centered)}

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        a = self.attrs(None, group)
        square, velocity, mean = states
        k.rmsprop_group(params, grads, square, velocity, rates, a["rho"], a["epsilon"], a["momentum"],
                        mean if a["centered"] else None, decays, scale)


class Adamax(Optimizer):
    """Adamax: Adam with the infinity norm in place of the second moment.

    >>> import paddle
    >>> opt = paddle.optimizer.Adamax(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "adamax_with_power"
    states = (State("Moment", "moment"), State("InfNorm", "inf_norm"),
              State("Beta1Pow", "beta1_pow_acc", lambda self: self._beta1, scalar=True))

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, parameters=None, weight_decay=None,
                 grad_clip=None, name=None):
        self._beta1, self._beta2, self._epsilon = float(beta1), float(beta2), float(epsilon)
        check(0 <= self._beta1 < 1 and 0 <= self._beta2 < 1, "Adamax(): beta1 and beta2 must be in [0, 1), got {} and {}",
              beta1, beta2)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def attrs(self, param, group):
        return {"beta1": group.get("beta1", self._beta1), "beta2": group.get("beta2", self._beta2),
                "epsilon": group.get("epsilon", self._epsilon)}

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        a = self.attrs(None, group)
        k.adamax_group(params, grads, *states, rates, a["beta1"], a["beta2"], a["epsilon"], decays, scale)


class Lamb(Optimizer):
    """LAMB: Adam's direction plus decay, scaled by the ratio of the parameter's norm to the direction's.

    >>> import paddle
    >>> opt = paddle.optimizer.Lamb(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "lamb"
    states = (State("Moment1", "moment1"), State("Moment2", "moment2"),
              State("Beta1Pow", "beta1_pow_acc", lambda self: self._beta1, scalar=True),
              State("Beta2Pow", "beta2_pow_acc", lambda self: self._beta2, scalar=True))

    def __init__(self, learning_rate=0.001, lamb_weight_decay=0.01, beta1=0.9, beta2=0.999, epsilon=1e-6, parameters=None,
                 grad_clip=None, exclude_from_weight_decay_fn=None, multi_precision=False, always_adapt=False, name=None):
        self._beta1, self._beta2, self._epsilon = float(beta1), float(beta2), float(epsilon)
        self._lamb_weight_decay, self._exclude = float(lamb_weight_decay), exclude_from_weight_decay_fn
        self._always_adapt = bool(always_adapt)
        super().__init__(learning_rate, parameters, None, grad_clip, name, multi_precision)

    def attrs(self, param, group):
        decay = group.get("lamb_weight_decay", self._lamb_weight_decay)
        if param is not None and self._exclude is not None and self._exclude(param):
            decay = 0.0
        return {"weight_decay": decay, "beta1": group.get("beta1", self._beta1), "beta2": group.get("beta2", self._beta2),
                "epsilon": group.get("epsilon", self._epsilon), "always_adapt": self._always_adapt}
