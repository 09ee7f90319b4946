"""Places in a model where something is to be rounded that no layer does."""

from ..layer.layers import Layer

__all__ = ["QuanterStub", "Stub"]


class Stub(Layer):
    """Does nothing until a model is prepared for quantization; then it rounds, or observes, what passes.

    Args:
        observer: a factory of quanters; None takes the configuration's.

    >>> paddle.nn.quant.Stub()(paddle.ones([1])).tolist()
    [1.0]
    """

    def __init__(self, observer=None):
        super().__init__()
        self._observer = observer

    def forward(self, input):
        return input


class QuanterStub(Layer):
    """What a Stub becomes."""

    def __init__(self, layer, q_config):
        super().__init__()
        factory = layer._observer or q_config.activation
        self._observer = None if factory is None else factory._instance(layer)

    def forward(self, input):
        return input if self._observer is None else self._observer(input)
