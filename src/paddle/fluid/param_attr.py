"""fluid.param_attr: ParamAttr of 1.x."""

from ..core.errors import suggest as _suggest
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


def __getattr__(name):
    if name == "WeightNormParamAttr":
        from ..static import WeightNormParamAttr
        return WeightNormParamAttr
    raise AttributeError(f"module 'paddle.fluid.param_attr' has no attribute {name!r}"
                         f"{_suggest(name, [*__all__, 'WeightNormParamAttr'])}")
