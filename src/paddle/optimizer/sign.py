"""Rprop and averaged SGD."""

from ..core.docstrings import documented_like
from ..core.errors import check
from .optimizer import Optimizer
from .state import Rate, State


class Rprop(Optimizer):
    """Resilient propagation: steps by the sign of the gradient, of a size that adapts per element. For whole batches.

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        learning_rate_range (tuple): smallest and largest step size.
        parameters (list): the parameters to update, or dicts with 'params' and their own settings; required in dynamic mode.
        etas (tuple): factors by which step sizes shrink and grow.
        grad_clip (ClipGradBy... or None): clips gradients before a step.
        multi_precision (bool): keep float32 master copies of 16-bit parameters.

    >>> opt = paddle.optimizer.Rprop(0.1, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "rprop"
    states = (State("Prev", "prevs"), State("LearningRateStep", "learning_rates", lambda optimizer, group: optimizer.get_lr()))

    def __init__(self, learning_rate: Rate = 0.001, learning_rate_range=(1e-5, 50), parameters=None, etas=(0.5, 1.2),
                 grad_clip=None, name=None, multi_precision=False):
        low, high = learning_rate_range
        check(0 < low <= high, "Rprop(): learning_rate_range must be (low, high) with 0 < low <= high, got {}",
              learning_rate_range)
        check(0 < etas[0] < 1 < etas[1], "Rprop(): etas must be (below 1, above 1), got {}", etas)
        self._range, self._etas = (float(low), float(high)), (float(etas[0]), float(etas[1]))
        super().__init__(learning_rate, parameters, None, grad_clip, name, multi_precision)

    def attrs(self, param, group):
        return {"low": self._range[0], "high": self._range[1], "eta_negative": self._etas[0], "eta_positive": self._etas[1]}


@documented_like(Rprop)
class ASGD(Optimizer):
    """Averaged SGD: steps along the mean of the last gradients of ``batch_num`` batches.

    Args:
        batch_num (int): gradients that are averaged.
        weight_decay (float, L1Decay, L2Decay or None): decay that is added to the gradients.

    >>> opt = paddle.optimizer.ASGD(0.1, batch_num=4, parameters=paddle.nn.Linear(3, 1).parameters())
    """

    type = "asgd"
    states = (State("D", "d"), State("Y", "ys", copies=lambda self: self._batch_num), State("N", "m", scalar=True))

    def __init__(self, learning_rate: Rate = 0.001, batch_num=1, parameters=None, weight_decay=None, grad_clip=None, name=None,
                 multi_precision=False):
        check(isinstance(batch_num, int) and batch_num > 0, "ASGD(): batch_num must be a positive int, got {}", batch_num)
        self._batch_num = batch_num
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def attrs(self, param, group):
        return {"batch_num": self._batch_num}
