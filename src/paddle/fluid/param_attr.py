"""fluid.param_attr: ParamAttr of 1.x."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from ..nn.param_attr import ParamAttr as Modern

__all__ = ["ParamAttr"]


class ParamAttr(Modern):
    """How a parameter is named, initialised and trained (1.x; successor: paddle.ParamAttr).

    ``gradient_clip`` is for static programs; as in 1.5 it has no effect in a guard, where ``minimize`` takes ``grad_clip``.
    """

    def __init__(self, name=None, initializer=None, learning_rate=1.0, regularizer=None, trainable=True, gradient_clip=None,
                 do_model_average=True, need_clip=True):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip)
        self.gradient_clip = gradient_clip


__getattr__, __dir__ = _late(__name__, _names_of({"paddle.static": ["WeightNormParamAttr"]}))
