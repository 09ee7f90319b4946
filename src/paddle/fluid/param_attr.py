"""fluid.param_attr: ParamAttr of 1.x."""

from ..core.addresses import lookup as _lookup
from ..nn.param_attr import ParamAttr as Modern
from ..static.weight_norm import WeightNormParamAttr as ModernWeightNorm

__all__ = ["ParamAttr", "WeightNormParamAttr"]


class ParamAttr(Modern):
    """How a parameter is named, initialised and trained (1.x; successor: paddle.ParamAttr).

    ``gradient_clip`` is for static programs; as in 1.5 it has no effect in a guard, where ``minimize`` takes ``grad_clip``.
    """

    def __init__(self, name=None, initializer=None, learning_rate=1.0, regularizer=None, trainable=True, gradient_clip=None,
                 do_model_average=True, need_clip=True):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip)
        self.gradient_clip = gradient_clip


class WeightNormParamAttr(ModernWeightNorm):
    """A weight that is trained as a length and a direction (1.x; successor: paddle.static.WeightNormParamAttr)."""

    def __init__(self, dim=None, name=None, initializer=None, learning_rate=1.0, regularizer=None, trainable=True,
                 gradient_clip=None, do_model_average=False, need_clip=True):
        super().__init__(dim, name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip)
        self.gradient_clip = gradient_clip


__getattr__ = _lookup(__name__)
