"""fluid.optimizer: the optimizers of 1.x over those of 2.x.

Without a parameter list they update every parameter of the guard.
"""

from .. import optimizer as modern
from ..core.tensor import Tensor
from ..nn.clip import ClipGradBase
from . import state
from .clip import clip_of
from .dygraph.learning_rate_scheduler import LearningRateDecay

__all__ = ["SGD", "Momentum", "Adagrad", "Adam", "Adamax", "Adadelta", "RMSProp", "Lamb", "SGDOptimizer", "MomentumOptimizer",
           "AdagradOptimizer", "AdamOptimizer", "AdamaxOptimizer", "AdadeltaOptimizer", "RMSPropOptimizer", "LambOptimizer"]


class _Fluid:
    """Mixin: parameters from the guard, decays that advance by themselves, ``load``, ``minimize(grad_clip=)``."""

    def _prepare(self, learning_rate, parameter_list, regularization, grad_clip, name, **settings):
        self._decay = learning_rate if isinstance(learning_rate, LearningRateDecay) else None
        self._whole_guard = parameter_list is None
        rate = self._decay.value() if self._decay is not None else learning_rate
        if isinstance(rate, Tensor):
            rate = float(rate)
        super().__init__(rate, parameters=parameter_list, grad_clip=grad_clip, name=name, **self._regular(regularization),
                         **settings)
        if self._parameter_list is None:
            self._parameter_list = []
        self._saved_name = name or type(self).__name__

    def _regular(self, regularization):
        return {"weight_decay": regularization}

    def get_lr(self):
        """The learning rate of the next step."""
        return self._decay.value() if self._decay is not None else super().get_lr()

    current_step_lr = get_lr

    def _refresh(self, parameter_list):
        if parameter_list is not None:
            chosen = list(parameter_list)
        elif self._whole_guard and state.tracer() is not None:
            if not state.tracer().whole:
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
            if not self._parameter_list:
                self._parameter_list = None
            if self._grad_clip is None:
                self._grad_clip = self._groups[0]["grad_clip"] = clip_of(loss.block.program)
            result = super().minimize(loss, startup_program, parameter_list, no_grad_set)
            if self._decay is not None:
                for schedule in loss.block.program.learning_rates.values():
                    if schedule.optimizer is self:
                        schedule.optimizer = _EveryRun(self._decay)
            return result
        self._refresh(parameter_list)
        result = super().minimize(loss, startup_program, None, no_grad_set)
        if self._decay is not None:
            self._decay.advance()
        return result

    def load(self, stat_dict):
        """Take over the learning-rate state that ``load_persistables`` returned for this optimizer."""
        if self._saved_name not in stat_dict:
            raise KeyError(f"Optimizer.load(): nothing was saved for {self._saved_name!r}; saved: {sorted(stat_dict)}")
        if self._decay is not None:
            self._decay.set_dict(stat_dict[self._saved_name])

    def set_dict(self, state_dict):
        """Load accumulators; those saved before they exist are kept until they do."""
        found = dict(state_dict)
        step = found.pop("global_step", None)
        if step is not None and self._decay is not None:
            self._decay.step_num = int(float(step if not hasattr(step, "numpy") else step.numpy().reshape(-1)[0]))
        super().set_state_dict(found)

    set_state_dict = set_dict

    def state_dict(self):
        """Accumulators by name, and the step of a decay."""
        import numpy as np
        found = super().state_dict()
        if self._decay is not None:
            found["global_step"] = np.array([self._decay.step_num], "int64")
        return found


class _EveryRun:
    """What a static program asks for its learning rate: a decay, which advances with every run."""

    def __init__(self, decay):
        self._decay = self._learning_rate = decay

    def get_lr(self):
        """The rate of the run that begins."""
        return self._decay()


_REFUSED = {
    **dict.fromkeys(("DGCMomentumOptimizer", "PipelineOptimizer", "RecomputeOptimizer", "Dpsgd", "DpsgdOptimizer"),
                    "it is not supported; use the plain optimizer (and paddle.distributed.fleet.utils.recompute)"),
    **dict.fromkeys(("Ftrl", "FtrlOptimizer", "DecayedAdagrad", "DecayedAdagradOptimizer"),
                    "it is not supported; use Adagrad or Adam"),
    **dict.fromkeys(("LarsMomentum", "LarsMomentumOptimizer"), "it is not supported; use Momentum or Lamb"),
    **dict.fromkeys(("ModelAverage", "LookaheadOptimizer", "ExponentialMovingAverage"),
                    "averaging of parameters is not supported; keep a second state dict and mix it by hand"),
}


def __getattr__(name):
    """Optimizers of 1.x that are refused say so when they are made."""
    if name not in _REFUSED:
        from ..core.errors import suggest
        raise AttributeError(f"module 'paddle.fluid.optimizer' has no attribute {name!r}{suggest(name, [*__all__, *_REFUSED])}")

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"fluid.optimizer.{name}(): {_REFUSED[name]}")
    return type(name, (), {"__init__": __init__, "__doc__": f"Refused (1.x; successor: see the reason): {_REFUSED[name]}."})


def _optimizer(base, names, doc, rename=None):
    """A fluid optimizer class: positional arguments in 1.x order (``names`` with defaults), then the common ones."""
    required = object()
    common = {"parameter_list": None, "regularization": None, "grad_clip": None, "name": None}

    def __init__(self, *args, **kwargs):
        newer = "parameter_list" in kwargs or len(args) > len(names) and isinstance(args[len(names)], (list, tuple))
        order = [*names, "parameter_list", "regularization", "grad_clip", "name"] if newer else [*names, "regularization", "name"]
        given = dict(zip(order, args), **kwargs)
        strange = set(given) - set(names) - set(common)
        if strange:
            raise TypeError(f"{type(self).__name__}() got unexpected arguments {sorted(strange)}")
        values = {n: given.get(n, d) for n, d in {**names, **common}.items()}
        missing = [n for n, v in values.items() if v is required]
        if missing:
            raise TypeError(f"{type(self).__name__}() misses its argument {missing[0]!r}")
        settings = {(rename or {}).get(n, n): values[n] for n in names if n != "learning_rate"}
        self._prepare(values["learning_rate"], values["parameter_list"], values["regularization"], values["grad_clip"],
                      values["name"], **settings)

    names = {n: required if d is Ellipsis else d for n, d in names.items()}
    return type(base.__name__ + "Optimizer", (_Fluid, base), {"__init__": __init__, "__doc__": doc})


SGD = SGDOptimizer = _optimizer(modern.SGD, {"learning_rate": ...},
                                 "Plain gradient descent (1.x; successor: paddle.optimizer.SGD).")
Momentum = MomentumOptimizer = _optimizer(
    modern.Momentum, {"learning_rate": ..., "momentum": ..., "use_nesterov": False},
    "Gradient descent with momentum (1.x; successor: paddle.optimizer.Momentum).")
Adam = AdamOptimizer = _optimizer(
    modern.Adam, {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "lazy_mode": False},
    "Adam (1.x; successor: paddle.optimizer.Adam).")
Adamax = AdamaxOptimizer = _optimizer(
    modern.Adamax, {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
    "Adamax (1.x; successor: paddle.optimizer.Adamax).")
Adagrad = AdagradOptimizer = _optimizer(
    modern.Adagrad, {"learning_rate": ..., "epsilon": 1e-6, "initial_accumulator_value": 0.0},
    "Adagrad (1.x; successor: paddle.optimizer.Adagrad).")
Adadelta = AdadeltaOptimizer = _optimizer(
    modern.Adadelta, {"learning_rate": ..., "epsilon": 1e-6, "rho": 0.95},
    "Adadelta (1.x; successor: paddle.optimizer.Adadelta).")
RMSProp = RMSPropOptimizer = _optimizer(
    modern.RMSProp, {"learning_rate": ..., "rho": 0.95, "epsilon": 1e-6, "momentum": 0.0, "centered": False},
    "RMSProp (1.x; successor: paddle.optimizer.RMSProp).")


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
