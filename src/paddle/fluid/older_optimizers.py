"""Optimizers that only 1.x had, in the form that fluid.optimizer builds its classes from: an op, its states, its options."""

from ..core.errors import check
from ..ops.optim import legacy_updates as older_optim  # noqa: F401  (declares the update ops)
from ..optimizer import Adadelta as ModernAdadelta
from ..optimizer.optimizer import Optimizer
from ..optimizer.state import State


class Adadelta(ModernAdadelta):
    """Adadelta whose steps have the size that the method itself finds: 1.x took a learning rate and did not use it."""

    def get_lr(self):
        """1, whatever was given."""
        return 1.0


class Ftrl(Optimizer):
    """Follow the regularised leader: weights whose summed gradient stays below ``l1`` are exactly 0."""

    type = "ftrl"
    states = (State("SquaredAccumulator", "squared"), State("LinearAccumulator", "linear"))
    options = ("l1", "l2", "lr_power")

    def __init__(self, learning_rate, l1=0.0, l2=0.0, lr_power=-0.5, **common):
        self._l1, self._l2, self._lr_power = float(l1), float(l2), float(lr_power)
        super().__init__(learning_rate, **common)


class LarsMomentum(Optimizer):
    """Momentum whose rate is in proportion to the parameter's norm over the gradient's."""

    type = "lars_momentum"
    states = (State("Velocity", "velocity"),)

    def __init__(self, learning_rate, momentum, lars_coeff=0.001, lars_weight_decay=0.0005, exclude_from_weight_decay=None,
                 epsilon=0.0, **common):
        self._attrs = {"mu": float(momentum), "lars_coeff": float(lars_coeff), "epsilon": float(epsilon)}
        self._lars_decay, self._excluded = float(lars_weight_decay), list(exclude_from_weight_decay or ())
        super().__init__(learning_rate, **common)

    def attrs(self, param, group):
        """Attributes of the op; parameters whose names contain an excluded part do not decay."""
        excluded = any(part in param.name for part in self._excluded)
        return {**self._attrs, "lars_weight_decay": 0.0 if excluded else self._lars_decay}


class DecayedAdagrad(Optimizer):
    """Adagrad that forgets: s = decay * s + (1 - decay) * g^2; p -= lr * g / (sqrt(s) + epsilon)."""

    type = "decayed_adagrad"
    states = (State("Moment", "moment"),)

    def __init__(self, learning_rate, decay=0.95, epsilon=1e-6, **common):
        self._decay_rate, self._epsilon = float(decay), float(epsilon)
        super().__init__(learning_rate, **common)

    def attrs(self, param, group):
        """Attributes of the op."""
        return {"decay": self._decay_rate, "epsilon": self._epsilon}


class Dpsgd(Optimizer):
    """Differentially private descent: gradients limited to the norm ``clip``, plus noise of clip * sigma / batch_size."""

    type = "dpsgd"

    def __init__(self, learning_rate=0.001, clip=0.9, batch_size=0.999, sigma=1e-8, **common):
        check(clip > 0 and batch_size > 0 and sigma >= 0,
              "Dpsgd(): clip and batch_size must be positive and sigma not negative, got {}, {}, {}", clip, batch_size, sigma)
        self._attrs = {"clip": float(clip), "batch_size": float(batch_size), "sigma": float(sigma)}
        super().__init__(learning_rate, **common)

    _seed = None  # of the noise, the same in every step; None draws on

    def attrs(self, param, group):
        """Attributes of the op."""
        return {**self._attrs, "seed": int(self._seed or 0)}
