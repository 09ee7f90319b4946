"""fluid.contrib: any optimizer with a weight decay that does not go through its gradients."""

from ...core.errors import check_type, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...optimizer import Optimizer
from ...static.program.program import default_startup_program, program_guard
from ...static.program.record import assign_to
from ...tensor import functions as tensor

__all__ = ["extend_with_decoupled_weight_decay"]


class DecoupledWeightDecay:
    """Mixin: before each update a parameter loses ``coeff`` times itself. The optimizer that follows takes all other arguments, by
    name."""

    def __init__(self, coeff=0.0, apply_decay_param_fun=None, **kwargs):
        check_type(coeff, (float, Symbolic, Tensor), type(self).__name__, "weight_decay")
        if apply_decay_param_fun is not None and not callable(apply_decay_param_fun):
            raise TypeError(f"{type(self).__name__}(): apply_decay_param_fun must be a function of a parameter's name, got "
                            f"{describe(apply_decay_param_fun)}")
        self._coeff, self._apply_decay_param_fun, self._params_name = coeff, apply_decay_param_fun, set()
        super().__init__(**kwargs)

    def _decayed(self, parameters):
        """Those that lose a part of themselves."""
        if isinstance(self._coeff, float) and self._coeff == 0.0:
            return []
        chosen = [p for p in parameters if self._apply_decay_param_fun is None or self._apply_decay_param_fun(p.name)]
        self._params_name.update(p.name for p in chosen)
        return chosen

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """Decay, then update with the gradients that ``loss.backward()`` left (static: append backward, decay and updates)."""
        if isinstance(loss, Tensor):
            self._refresh(parameter_list)
            for p in self._decayed([p for p in self._parameter_list if p._grad_ivar() is not None]):
                p.set_value(p.detach() * (1 - self._coeff))
            return super().minimize(loss, startup_program, parameter_list, no_grad_set)
        self._for_program()
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            chosen = self._decayed([p for p, g in pairs if g is not None])
            for p, part in [(p, p * self._coeff) for p in chosen]:
                assign_to(tensor.subtract(p, part), p)
            return self.apply_gradients(pairs), pairs

    def __str__(self):
        return " ".join(["Weight Decay, params:", ",".join(sorted(self._params_name))])


def extend_with_decoupled_weight_decay(base_optimizer):
    """The class of an optimizer that also takes ``weight_decay`` (a float or a Variable) and ``apply_decay_param_fun`` (a function
    of a parameter's name): in each step a parameter becomes what the optimizer makes of parameter - weight_decay * parameter (1.x;
    successor: paddle.optimizer.AdamW).

    >>> import paddle.fluid as fluid
    >>> AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
    >>> decaying = AdamW(weight_decay=0.01, learning_rate=0.1)
    """
    if not (isinstance(base_optimizer, type) and issubclass(base_optimizer, Optimizer)):
        raise TypeError("extend_with_decoupled_weight_decay(): base_optimizer must be a class of optimizers, got "
                        f"{describe(base_optimizer)}")

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecay, base_optimizer):
        __doc__ = f"{base_optimizer.__name__} with a weight decay of its own."

        def __init__(self, weight_decay, apply_decay_param_fun=None, **kwargs):
            super().__init__(weight_decay, apply_decay_param_fun, **kwargs)

    return OptimizerWithDecoupledWeightDecay
