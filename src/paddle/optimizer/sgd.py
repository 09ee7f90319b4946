"""SGD and Momentum."""

from ..optimizer.optimizer import older_arguments
from .optimizer import Optimizer
from .state import Rate, State, as_number


@older_arguments("SGD")
class SGD(Optimizer):
    """Plain gradient descent: p -= learning_rate * gradient.

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        parameters (list or None): the parameters to update, or dicts with 'params' and their own settings; required in
            dynamic mode.
        weight_decay (float, L1Decay, L2Decay or None): decay that is added to the gradients.
        grad_clip (ClipGradBy... or None): clips gradients before a step.
        multi_precision (bool): keep float32 master copies of 16-bit parameters.
    Raises:
        AttributeError: no parameters were given in dynamic mode.
        TypeError: the rate is neither a number nor an LRScheduler, ``parameters`` is not a list, or ``grad_clip`` is not a
            ClipGradBy... object

    >>> net = paddle.nn.Linear(3, 1)
    >>> opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    >>> net(paddle.ones([2, 3])).sum().backward(); opt.step(); opt.clear_grad()
    """

    type = "sgd"

    def __init__(self, learning_rate: Rate = 0.001, parameters=None, weight_decay=None, grad_clip=None, multi_precision=False,
                 name=None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        k.sgd_group(params, grads, rates, decays, scale)


@older_arguments("Momentum")
class Momentum(Optimizer):
    """Gradient descent with momentum: v = momentum * v + gradient; p -= learning_rate * v, or with ``use_nesterov``
    p -= learning_rate * (gradient + momentum * v).

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        momentum (float): fraction of v that is kept.
        parameters (list or None): the parameters to update, or dicts with 'params' and their own settings; required in
            dynamic mode.
        weight_decay (float, L1Decay, L2Decay or None): decay that is added to the gradients.
        grad_clip (ClipGradBy... or None): clips gradients before a step.
        multi_precision (bool): keep float32 master copies of 16-bit parameters.
        use_nesterov (bool): look ahead by one step.
        rescale_grad (float): factor on all gradients.
        use_multi_tensor (bool): update all parameters at once, which this package does in any case.
    Raises:
        AttributeError: no parameters were given in dynamic mode.
        TypeError: the rate is neither a number nor an LRScheduler, ``parameters`` is not a list, or ``grad_clip`` is not a
            ClipGradBy... object

    >>> opt = paddle.optimizer.Momentum(0.1, 0.9, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "momentum"
    states = (State("Velocity", "velocity"),)
    options = ("momentum", "use_nesterov", "rescale_grad")

    def __init__(self, learning_rate: Rate = 0.001, momentum=0.9, parameters=None, use_nesterov=False, weight_decay=None,
                 grad_clip=None, multi_precision=False, rescale_grad=1.0, use_multi_tensor=False, name=None):
        self._momentum, self._use_nesterov, self._rescale_grad = momentum, bool(use_nesterov), rescale_grad
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        for name in ("momentum", "rescale_grad"):
            group[name] = as_number(group[name], who, name)

    def attrs(self, param, group):
        return {"mu": group["momentum"], "use_nesterov": group["use_nesterov"]}

    def _apply(self, pairs, group):
        if group["rescale_grad"] != 1.0:
            pairs = [(p, g * group["rescale_grad"]) for p, g in pairs]
        return super()._apply(pairs, group)

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        a = self.attrs(None, group)
        k.momentum_group(params, grads, *states, rates, a["mu"], a["use_nesterov"], decays, scale)
