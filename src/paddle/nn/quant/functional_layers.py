"""Functions of tensors as layers, so that quantization finds them as it finds other layers: ``self.add(x, y)`` for ``x + y``."""

from ...tensor import joining, manipulation, math, product
from ..layer.layers import Layer

__all__ = []


class FloatFunctionalLayer(Layer):
    """Base of the layers that are one function, which a subclass is made with.

    >>> paddle.nn.quant.add()(paddle.ones([2]), paddle.ones([2])).tolist()
    [2.0, 2.0]
    """

    def __init_subclass__(cls, function=None, **more):
        super().__init_subclass__(**more)
        if function is not None:
            cls.forward, cls.__doc__ = staticmethod(function), function.__doc__


class add(FloatFunctionalLayer, function=math.add): ...
class subtract(FloatFunctionalLayer, function=math.subtract): ...
class multiply(FloatFunctionalLayer, function=math.multiply): ...
class divide(FloatFunctionalLayer, function=math.divide): ...
class reshape(FloatFunctionalLayer, function=manipulation.reshape): ...
class transpose(FloatFunctionalLayer, function=manipulation.transpose): ...
class concat(FloatFunctionalLayer, function=joining.concat): ...
class flatten(FloatFunctionalLayer, function=manipulation.flatten): ...
class matmul(FloatFunctionalLayer, function=product.matmul): ...
