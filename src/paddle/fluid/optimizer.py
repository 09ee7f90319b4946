"""fluid.optimizer: the optimizers of 1.x over those of 2.x.

Without a parameter list they update every parameter of the guard.
"""

import numpy as np

from .. import optimizer as modern
from ..core.addresses import find as _find_address
from ..core.context import context
from ..core.hooks import phase
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn.clip import ClipGradBase
from ..optimizer.refused import REASONS as _REFUSED
from ..optimizer.refused import refused
from ..static import append_backward, program_guard
from ..utils import unique_name
from . import older_optimizers as older
from . import state
from .averages import ExponentialMovingAverage, LookaheadOptimizer, ModelAverage  # noqa: F401
from .dygraph.base import to_variable
from .dygraph.learning_rate_scheduler import LearningRateDecay
from .regularizer import append_regularization_ops  # noqa: F401

_NAMES = ("SGD", "Momentum", "Adagrad", "Adam", "Adamax", "Adadelta", "RMSProp", "Lamb", "Ftrl", "DecayedAdagrad",
          "LarsMomentum", "Dpsgd")
__all__ = [*_NAMES, *(name + "Optimizer" for name in _NAMES), "ExponentialMovingAverage", "ModelAverage", "LookaheadOptimizer",
           "RecomputeOptimizer"]


class _Fluid:
    """Mixin: parameters from the guard, decays that advance by themselves, ``load``, ``minimize(grad_clip=)``."""

    needs_parameters = False

    def _prepare(self, learning_rate, parameter_list, regularization, grad_clip, name, **settings):
        self._decay = learning_rate if isinstance(learning_rate, LearningRateDecay) else None
        self._whole_guard = parameter_list is None
        symbolic = isinstance(learning_rate, Symbolic)  # a decay of a static program: a Variable like others
        rate = self._decay.value() if self._decay is not None else 0.0 if symbolic else learning_rate
        if isinstance(rate, Tensor):
            rate = float(rate)
        super().__init__(rate, parameters=parameter_list, grad_clip=grad_clip, name=name, **self._regular(regularization),
                         **settings)
        if symbolic or self._decay is not None:
            self._learning_rate = learning_rate
        if self._parameter_list is None:
            self._parameter_list = []
        kind = name or type(self).__name__
        self._saved_name = kind if context.static_mode else unique_name.generate(kind)

    def _regular(self, regularization):
        return {"weight_decay": regularization}

    def get_lr(self):
        """The learning rate of the next step."""
        return self._decay.value() if self._decay is not None else super().get_lr()

    def set_lr(self, value):
        """Set the learning rate to a number or to that of a tensor; not allowed while a decay decides it."""
        super().set_lr(float(value) if isinstance(value, Tensor) and value.size == 1 else value)

    _last_rate = None  # of the last step in a guard

    def current_step_lr(self):
        """The learning rate of the last step; before the first one that of the next."""
        return self.get_lr() if self._last_rate is None else self._last_rate

    def _global_learning_rate(self, program=None):
        """The learning rate as a Variable of a program that ``minimize`` was called for, or as a Tensor in a guard."""
        if state.in_dygraph_mode():
            return to_variable(np.array([self.get_lr()], "float32"))
        return self._learning_rate_of(program)

    def _refresh(self, parameter_list):
        if parameter_list is not None:
            chosen = list(parameter_list)
        elif self._whole_guard and state.tracer() is not None:
            if not context.rules.whole_guard:
                raise AttributeError(f"{type(self).__name__}.minimize(): parameter_list must be given in imperative mode")
            chosen = [p for p in state.tracer().parameters if not p.stop_gradient]
        else:
            return
        self._groups[0]["params"] = self._parameter_list = chosen

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None, grad_clip=None):
        """Apply the gradients that ``loss.backward()`` left (static: append backward and updates)."""
        if grad_clip is not None:
            if not isinstance(grad_clip, ClipGradBase):
                raise TypeError(f"minimize(): grad_clip must be a gradient clip, got {grad_clip!r}")
            self._grad_clip = self._groups[0]["grad_clip"] = grad_clip
        if not isinstance(loss, Tensor):
            self._for_program()
            return super().minimize(loss, startup_program, parameter_list, no_grad_set)
        self._refresh(parameter_list)
        result = super().minimize(loss, startup_program, None, no_grad_set)
        if self._decay is not None:
            self._last_rate = None if self._decay.by_epochs else self.get_lr()
            self._decay.advance()
        return result

    def _for_program(self):
        """Refuse what is for guards."""
        if not self._parameter_list:
            self._parameter_list = None
        if self._decay is not None:
            raise TypeError(f"{type(self).__name__}.minimize(): fluid.dygraph's decays work inside a guard; for a static program "
                            "use those of fluid.layers (exponential_decay ...)")

    def load(self, stat_dict):
        """Take over the learning-rate state that ``load_persistables`` returned for this optimizer."""
        if self._saved_name not in stat_dict:
            raise KeyError(f"Optimizer.load(): nothing was saved for {self._saved_name!r}; saved: {sorted(stat_dict)}")
        if self._decay is not None:
            self._decay.set_dict(stat_dict[self._saved_name])

    def set_dict(self, state_dict):
        """Load accumulators; those saved before they exist are kept until they do."""
        found = dict(state_dict)
        step, decay = found.pop("global_step", None), found.pop("LR_Scheduler", None)
        if decay is not None and self._decay is not None:
            self._decay.set_dict(decay)
        elif step is not None and self._decay is not None:
            self._decay.step_num = int(np.asarray(step.numpy() if hasattr(step, "numpy") else step).reshape(-1)[0])
        super().set_state_dict(found)

    set_state_dict = set_dict

    def state_dict(self):
        """Accumulators by name, and the step of a decay, or all of the state of one that goes by epochs."""
        found = super().state_dict()
        if self._decay is not None and self._decay.by_epochs:
            found["LR_Scheduler"] = self._decay.state_dict()
        elif self._decay is not None:
            found["global_step"] = Tensor(np.array([self._decay.step_num], "int32"))
            found["global_step"].name = "global_step"
        return found


def __getattr__(name):
    """Optimizers of 1.x that are refused say so when they are made."""
    if name not in _REFUSED:
        return _find_address(__name__, name, [*__all__, *_REFUSED])
    return refused(name, state.in_dygraph_mode)


_REQUIRED = object()
_COMMON = {"parameter_list": None, "regularization": None, "grad_clip": None, "name": None}


def _optimizer(base, name, names, last=(), what=None):
    """A fluid optimizer class: ``names`` with their defaults in the order of 1.x, then the common arguments (from 1.6 on with
    parameter_list and grad_clip among them), then those named in ``last``."""
    names = {n: _REQUIRED if d is Ellipsis else d for n, d in names.items()}
    first = [n for n in names if n not in last]

    def __init__(self, *args, **kwargs):
        newer = "parameter_list" in kwargs or len(args) > len(first) and isinstance(args[len(first)], (list, tuple))
        common = _COMMON if newer else ("regularization", "name")
        order = [*first, *common, *last]
        if len(args) > len(order):
            raise TypeError(f"{name}Optimizer() takes {len(order)} arguments but {len(args)} were given")
        given = dict(zip(order, args), **kwargs)
        strange = set(given) - set(names) - set(_COMMON)
        if strange:
            raise TypeError(f"{name}Optimizer() got unexpected arguments {sorted(strange)}")
        values = {n: given.get(n, d) for n, d in {**names, **_COMMON}.items()}
        missing = [n for n, v in values.items() if v is _REQUIRED]
        if missing:
            raise TypeError(f"{name}Optimizer() misses its argument {missing[0]!r}")
        self._prepare(**values)

    successor = f"paddle.optimizer.{name}" if hasattr(modern, name) else "none of that name; " + what
    doc = f"{base.__doc__.splitlines()[0].rstrip('.')} (1.x; successor: {successor})."
    return type(name + "Optimizer", (_Fluid, base), {"__init__": __init__, "__doc__": doc})


SGD = SGDOptimizer = _optimizer(modern.SGD, "SGD", {"learning_rate": ...})
Momentum = MomentumOptimizer = _optimizer(
    modern.Momentum, "Momentum", {"learning_rate": ..., "momentum": ..., "use_nesterov": False})
Adam = AdamOptimizer = _optimizer(
    modern.Adam, "Adam", {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "lazy_mode": False},
    ("lazy_mode",))
Adamax = AdamaxOptimizer = _optimizer(
    modern.Adamax, "Adamax", {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8})
Adagrad = AdagradOptimizer = _optimizer(
    modern.Adagrad, "Adagrad", {"learning_rate": ..., "epsilon": 1e-6, "initial_accumulator_value": 0.0},
    ("initial_accumulator_value",))
Adadelta = AdadeltaOptimizer = _optimizer(older.Adadelta, "Adadelta", {"learning_rate": ..., "epsilon": 1e-6, "rho": 0.95})
RMSProp = RMSPropOptimizer = _optimizer(
    modern.RMSProp, "RMSProp", {"learning_rate": ..., "rho": 0.95, "epsilon": 1e-6, "momentum": 0.0, "centered": False})
Ftrl = FtrlOptimizer = _optimizer(older.Ftrl, "Ftrl", {"learning_rate": ..., "l1": 0.0, "l2": 0.0, "lr_power": -0.5},
                                  what="paddle.optimizer.Adagrad is the nearest")
DecayedAdagrad = DecayedAdagradOptimizer = _optimizer(
    older.DecayedAdagrad, "DecayedAdagrad", {"learning_rate": ..., "decay": 0.95, "epsilon": 1e-6},
    what="paddle.optimizer.RMSProp is the nearest")
LarsMomentum = LarsMomentumOptimizer = _optimizer(
    older.LarsMomentum, "LarsMomentum",
    {"learning_rate": ..., "momentum": ..., "lars_coeff": 0.001, "lars_weight_decay": 0.0005, "exclude_from_weight_decay": None,
     "epsilon": 0.0}, ("exclude_from_weight_decay", "epsilon"), what="paddle.optimizer.Lamb is the nearest")
Dpsgd = DpsgdOptimizer = _optimizer(
    older.Dpsgd, "Dpsgd", {"learning_rate": 0.001, "clip": 0.9, "batch_size": 0.999, "sigma": 1e-8},
    what="add noise to the gradients before paddle.optimizer.SGD")


class LambOptimizer(_Fluid, modern.Lamb):
    """LAMB (1.x; successor: paddle.optimizer.Lamb)."""

    def __init__(self, learning_rate=0.001, lamb_weight_decay=0.01, beta1=0.9, beta2=0.999, epsilon=1e-6, parameter_list=None,
                 regularization=None, grad_clip=None, exclude_from_weight_decay_fn=None, name=None):
        if regularization is not None:
            raise ValueError("LambOptimizer(): regularization does not apply; use lamb_weight_decay")
        self._prepare(learning_rate, parameter_list, None, grad_clip, name, lamb_weight_decay=lamb_weight_decay, beta1=beta1,
                      beta2=beta2, epsilon=epsilon, exclude_from_weight_decay_fn=exclude_from_weight_decay_fn)

    def _regular(self, regularization):
        return {}


Lamb = LambOptimizer


class RecomputeOptimizer:
    """Keeps only chosen results of a static program for the gradients and computes the others again, then lets another
    optimizer update (1.x; successor: paddle.static.append_backward with checkpoints, or
    paddle.distributed.fleet.utils.recompute)."""

    def __init__(self, optimizer):
        self._optimizer, self._checkpoints = optimizer, None

    def _set_checkpoints(self, checkpoints):
        """Choose the results (Variables or names) to keep."""
        self._checkpoints = list(checkpoints)

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None, callbacks=None, checkpoints=None):
        """Add the gradients of the loss; returns pairs (parameter, gradient). 1.6 and 1.7 take checkpoints here, too."""
        if isinstance(loss, Tensor):
            raise RuntimeError("RecomputeOptimizer.backward(): it works on static programs; in a guard use "
                               "paddle.distributed.fleet.utils.recompute")
        if checkpoints is not None:
            self._set_checkpoints(checkpoints)
        if self._checkpoints is None:
            raise RuntimeError("RecomputeOptimizer.backward(): call _set_checkpoints([...]) before")
        return append_backward(loss, parameter_list, no_grad_set, callbacks, self._checkpoints)

    @phase("Optimization")
    def apply_gradients(self, params_grads):
        """Let the optimizer add its updates; returns them."""
        if isinstance(self._optimizer, _Fluid):
            self._optimizer._for_program()
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(self, loss, startup_program, params_grads):
        """Let the optimizer add its updates to the programs of a loss; returns them."""
        with program_guard(loss.block.program, startup_program):
            return self.apply_gradients(params_grads)

    def load(self, state_dict):
        """Refused, as in Paddle: the state is that of the optimizer within."""
        raise NotImplementedError("RecomputeOptimizer.load(): it has no state of its own; load that of the optimizer it holds")

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """Add gradients and updates; returns (update operators, pairs of parameter and gradient)."""
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        with program_guard(loss.block.program, startup_program):
            return self.apply_gradients(pairs), pairs
