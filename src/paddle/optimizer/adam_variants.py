"""NAdam and RAdam."""

from ..core.docstrings import documented_like
from .adam import Adam
from .state import Rate, State


class NAdam(Adam):
    """Adam with Nesterov momentum.

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        beta1 (float): decay rate of the running mean.
        beta2 (float): decay rate of the running second moment.
        epsilon (float): avoids division by zero.
        momentum_decay (float): how fast the momentum grows.
        parameters (list): the parameters to update, or dicts with 'params' and their own settings; required in dynamic mode.
        weight_decay (float, L1Decay, L2Decay or None): decay that is added to the gradients.
        grad_clip (ClipGradBy... or None): clips gradients before a step.

    >>> opt = paddle.optimizer.NAdam(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "nadam"
    native = None
    options = (*Adam.options, "momentum_decay")
    states = (State("MomentumDecayPow", "momentum_decay_pow", 1.0, scalar=True),
              State("Beta2Pow", "beta2_pow", 1.0, scalar=True),
              State("MuProduct", "mu_product", 1.0, scalar=True), State("Moment1", "moment1"), State("Moment2", "moment2"))

    def __init__(self, learning_rate: Rate = 0.002, beta1=0.9, beta2=0.999, epsilon=1e-8, momentum_decay=0.004, parameters=None,
                 weight_decay=None, grad_clip=None, name=None):
        self._momentum_decay = float(momentum_decay)
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, weight_decay, grad_clip, name=name)


@documented_like(NAdam)
class RAdam(Adam):
    """Adam whose adaptive step is rectified while the second moment is uncertain.

    >>> opt = paddle.optimizer.RAdam(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "radam"
    native = None
    states = (State("Beta1Pow", "beta1_pow", 1.0, scalar=True), State("Beta2Pow", "beta2_pow", 1.0, scalar=True),
              State("Rho", "rho", 0.0, scalar=True), State("Moment1", "moment1"), State("Moment2", "moment2"))

    def __init__(self, learning_rate: Rate = 0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, parameters=None, weight_decay=None,
                 grad_clip=None, name=None):
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, weight_decay, grad_clip, name=name)
