"""ParamAttr: how a parameter is named, initialised, trained."""

from ..core.errors import check_type
from ..regularizer import WeightDecayRegularizer
from .initializer import Initializer


class ParamAttr:
    """What a layer should know about a parameter it creates.

    Args:
        name (str or None): name of the parameter; made up for None.
        initializer (Initializer or None): an ``nn.initializer``; the layer's own default for None.
        learning_rate (float): factor on the optimizer's rate for this parameter.
        regularizer (L1Decay, L2Decay or None): weight decay of this parameter; it wins over the optimizer's.
        trainable (bool): does it receive gradients?
        do_model_average (bool): does it take part in model averaging?
        need_clip (bool): does gradient clipping apply to it?
    Raises:
        TypeError: ``name`` is not a str, or ``learning_rate`` is not a number.

    >>> layer = paddle.nn.Linear(2, 2, weight_attr=paddle.ParamAttr(name='w', trainable=False))
    >>> layer.weight.name, layer.weight.stop_gradient
    ('w', True)
    """

    def __init__(self, name=None, initializer=None, learning_rate=1.0, regularizer=None, trainable=True,
                 do_model_average=True, need_clip=True):
        if name is not None:
            check_type(name, str, "ParamAttr", "name")
        check_type(learning_rate, (int, float), "ParamAttr", "learning_rate")
        check_type(trainable, (bool, int), "ParamAttr", "trainable")
        check_type(need_clip, (bool, int), "ParamAttr", "need_clip")
        self.name, self.initializer, self.learning_rate = name, initializer, learning_rate
        self.regularizer, self.trainable = regularizer, bool(trainable)
        self.do_model_average, self.need_clip = do_model_average, bool(need_clip)

    @staticmethod
    def convert(attr):
        """What a layer's ``weight_attr``/``bias_attr`` argument means: False (no parameter) or a ParamAttr."""
        if attr is None or attr is True:
            return ParamAttr()
        if attr is False:
            return False
        if isinstance(attr, ParamAttr):
            return attr
        if isinstance(attr, str):
            return ParamAttr(name=attr)
        if isinstance(attr, Initializer):
            return ParamAttr(initializer=attr)
        if isinstance(attr, WeightDecayRegularizer):
            return ParamAttr(regularizer=attr)
        raise TypeError(f"ParamAttr: a parameter's attribute must be None, False, a name, an initializer or a ParamAttr, "
                        f"got {attr!r}")

    _to_attr = convert  # under the name of Paddle's own code
