"""Functions of tensors as layers, so that quantization finds them as it finds other layers: ``self.add(x, y)`` for ``x + y``."""

from ...tensor import joining, manipulation, math, product
from ..layer.layers import Layer

__all__ = []


class FloatFunctionalLayer(Layer):
    """Base of the layers that are one function.

    >>> import paddle
    >>> paddle.nn.quant.add()(paddle.ones([2]), paddle.ones([2])).tolist()
    [2.0, 2.0]
    """


class add(FloatFunctionalLayer):
    """x + y."""

    def forward(self, x, y, name=None):
        return math.add(x, y, name)


class subtract(FloatFunctionalLayer):
    """x - y."""

    def forward(self, x, y, name=None):
        return math.subtract(x, y, name)


class multiply(FloatFunctionalLayer):
    """x * y."""

    def forward(self, x, y, name=None):
        return math.multiply(x, y, name)


class divide(FloatFunctionalLayer):
    """x / y."""

    def forward(self, x, y, name=None):
        return math.divide(x, y, name)


class reshape(FloatFunctionalLayer):
    """x in another shape."""

    def forward(self, x, shape, name=None):
        return manipulation.reshape(x, shape, name)


class transpose(FloatFunctionalLayer):
    """x with its axes in another order."""

    def forward(self, x, perm, name=None):
        return manipulation.transpose(x, perm, name)


class concat(FloatFunctionalLayer):
    """Tensors joined along an axis."""

    def forward(self, x, axis=0, name=None):
        return joining.concat(x, axis, name)


class flatten(FloatFunctionalLayer):
    """x with the axes from one to another made one."""

    def forward(self, x, start_axis=0, stop_axis=-1, name=None):
        return manipulation.flatten(x, start_axis, stop_axis, name)


class matmul(FloatFunctionalLayer):
    """The product of matrices."""

    def forward(self, x, y, transpose_x=False, transpose_y=False, name=None):
        return product.matmul(x, y, transpose_x, transpose_y, name)
