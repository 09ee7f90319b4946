"""Adam and AdamW."""

from ..core.context import context
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops.optim.updates import rounded_betas
from ..optimizer.optimizer import older_arguments
from .optimizer import Optimizer
from .state import Number, Rate, State, as_number, from_option


def check_betas(group, who, live=False):
    """Raise an error for a group whose beta1, beta2 or epsilon is out of range; afterwards they are floats, or Tensors and
    Variables of a program where the optimizer reads them at every step (live)."""
    for name in ("beta1", "beta2", "epsilon"):
        if live and isinstance(group[name], Symbolic):
            continue
        value = as_number(group[name], who, name)
        if not (live and isinstance(group[name], Tensor)):
            group[name] = value
        if name == "epsilon" and value < 0:
            raise ValueError(f"{who}(): epsilon must be at least 0, got {value}")
        if name != "epsilon" and not 0 <= value < 1:
            raise ValueError(f"{who}(): {name} must be in [0, 1), got {value}")


@older_arguments("Adam")
class Adam(Optimizer):
    """Adam: steps scaled by bias-corrected running moments of the gradient.

    Args:
        learning_rate (float or LRScheduler): the learning rate.
        beta1, beta2 (float, Tensor or Variable): decay of the first and second moment; a Tensor, or a Variable of a program, is
            read at every step.
        epsilon (float, Tensor or Variable): added to the root of the second moment; read in the same way.
        parameters (list or None): the parameters to update, or dicts with 'params' and their own settings; required in
            dynamic mode.
        weight_decay (float, L1Decay, L2Decay or None): decay that is added to the gradients, and so goes through the moments.
        grad_clip (ClipGradBy... or None): clips gradients before a step.
        lazy_mode (bool): of a parameter with gradients of selected rows (``Embedding(sparse=True)``), update these rows and
            their moments only; else the moments of all rows fade, and all rows move.
        multi_precision (bool): keep float32 master copies of 16-bit parameters.
        amsgrad (bool): divide by the largest second moment so far, rather than by the present one.
        use_multi_tensor (bool): update all parameters at once, which this package does in any case.
    Raises:
        AttributeError: no parameters were given in dynamic mode.
        TypeError: the rate is neither a number nor an LRScheduler, ``parameters`` is not a list, or ``grad_clip`` is not a
            ClipGradBy... object
        ValueError: a beta is outside [0, 1).

    >>> net = paddle.nn.Linear(3, 1)
    >>> opt = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    >>> net(paddle.ones([2, 3])).sum().backward(); opt.step(); opt.clear_grad()
    """

    type = "adam"
    options = ("beta1", "beta2", "epsilon", "lazy_mode")
    states = (State("Moment1", "moment1"), State("Moment2", "moment2"),
              State("Beta1Pow", "beta1_pow_acc", from_option("beta1", 0.9), scalar=True),
              State("Beta2Pow", "beta2_pow_acc", from_option("beta2", 0.999), scalar=True))

    def __init__(self, learning_rate: Rate = 0.001, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-8,
                 parameters=None, weight_decay=None, grad_clip=None, lazy_mode=False, multi_precision=False, use_multi_tensor=False,
                 name=None, *, amsgrad=False):
        if not isinstance(amsgrad, bool):
            raise TypeError(f"{type(self).__name__}(): amsgrad must be a bool, got {describe(amsgrad)}")
        if amsgrad:
            self.type, self.native = f"{self.type}_amsgrad", None
            self.states = (*self.states[:2], State("Moment2Max", "moment2_max"), *self.states[2:])
        self._beta1, self._beta2, self._epsilon, self._lazy_mode = beta1, beta2, epsilon, lazy_mode
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def _check_group(self, group, who):
        super()._check_group(group, who)
        check_betas(group, who, live=True)

    def attrs(self, param, group):
        return {name: float(value) if isinstance(value, Tensor) else value for name, value in super().attrs(param, group).items()}

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        attrs = self.attrs(None, group)
        betas = rounded_betas(attrs, params[0].dtype)
        k.adam_group(params, grads, *states, rates, *betas, attrs["epsilon"], 0.0, decays, scale, context.rules.raw_moments)


class AdamW(Adam):
    """AdamW: Adam with the weight decay taken from the parameter itself, before the step.

    Args:
        weight_decay (float or Tensor): the decay coefficient, a number.
        lr_ratio (callable or None): function of a parameter giving a factor on its learning rate.
        apply_decay_param_fun (callable or None): function of a parameter's name; where it is False there is no decay.
        use_lowprecision_moment (bool): keep the moments of 16-bit parameters in their type rather than in float32.
        Others as for Adam.
        learning_rate (float or LRScheduler): the learning rate.
        beta1, beta2 (float, Tensor or Variable): decay of the first and second moment; a Tensor, or a Variable of a program, is
            read at every step.
        epsilon (float, Tensor or Variable): added to the root of the second moment; read in the same way.
        parameters (list of Parameter or None): what to update; dicts of them are groups with their own settings.
        grad_clip (ClipGradByGlobalNorm or another, None): how gradients are limited first.
        lazy_mode (bool): of gradients of selected rows, update these rows only.
        multi_precision (bool): keep float32 master copies of 16-bit parameters.
        amsgrad (bool): divide by the largest second moment so far.
    Raises:
        AttributeError: no parameters were given in dynamic mode.
        TypeError: the rate is neither a number nor an LRScheduler, ``parameters`` is not a list, or ``grad_clip`` is not a
            ClipGradBy... object
        ValueError: a beta is outside [0, 1).

    >>> opt = paddle.optimizer.AdamW(0.01, parameters=paddle.nn.Linear(3, 1).parameters(), weight_decay=0.1)
    """

    type = "adamw"

    def __init__(self, learning_rate: Rate = 0.001, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-8,
                 parameters=None, weight_decay=0.01, lr_ratio=None, apply_decay_param_fun=None, grad_clip=None, lazy_mode=False,
                 multi_precision=False, name=None, *, amsgrad=False, use_lowprecision_moment=False):
        if not isinstance(weight_decay, (int, float)):
            raise TypeError(f"AdamW(): weight_decay must be a number, got {describe(weight_decay)}")
        for value, argument in ((lr_ratio, "lr_ratio"), (apply_decay_param_fun, "apply_decay_param_fun")):
            if value is not None and not callable(value):
                raise TypeError(f"AdamW(): {argument} must be a function, got {describe(value)}")
        self._coeff, self._lr_ratio, self._apply_decay_param_fun = float(weight_decay), lr_ratio, apply_decay_param_fun
        self._use_lowprecision_moment = bool(use_lowprecision_moment)
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, lazy_mode, multi_precision,
                         False, name, amsgrad=amsgrad)

    def _group(self, given):
        coeff = given.get("weight_decay", self._coeff)
        group = super()._group({name: value for name, value in given.items() if name != "weight_decay"})
        group["coeff"] = as_number(coeff, "AdamW", "weight_decay")
        return group

    def decay_of(self, param, group):
        return getattr(param, "regularizer", None)  # the optimizer's decay does not pass through the gradient

    def _state_type(self, p, s):
        return p._data.dtype if self._use_lowprecision_moment and not s.scalar else super()._state_type(p, s)

    def _coeff_of(self, p, group):
        return group["coeff"] if self._apply_decay_param_fun is None or self._apply_decay_param_fun(p.name) else 0.0

    def attrs(self, param, group):
        attrs = super().attrs(param, group)
        if param is not None:
            coeff = self._coeff_of(param, group)
            attrs.update(coeff=coeff, with_decay=bool(coeff), lr_ratio=self._lr_ratio(param) if self._lr_ratio else 1.0)
        return attrs

    def native(self, k, params, grads, states, rates, decays, scale, pairs, group):
        if states[0][0].dtype != params[0].dtype:
            return False  # moments of 16 bits
        attrs = self.attrs(None, group)
        betas = rounded_betas(attrs, params[0].dtype)
        if self._lr_ratio is not None:
            rates = [rate * self._lr_ratio(p) for rate, (p, _) in zip(rates, pairs)]
        coeffs = [self._coeff_of(p, group) for p, _ in pairs]
        return k.adam_group(params, grads, *states, rates, *betas, attrs["epsilon"], coeffs, decays, scale,
                            context.rules.raw_moments)
