"""Activation layers: each hands its settings to the function of its name."""

from ...core.addresses import lookup as _lookup
from ...core.errors import ArgumentError
from .. import functional as F
from ..functional.activation import softmax
from ..initializer import Constant
from . import pairs
from .function_layer import FunctionLayer
from .layers import Layer

__all__ = ["CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
           "LogSigmoid", "LogSoftmax", "Maxout", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "Sigmoid", "Silu",
           "Softmax", "Softmax2D", "Softplus", "Softshrink", "Softsign", "Swish", "Tanh", "Tanhshrink",
           "ThresholdedReLU"]


class _Activation(FunctionLayer):
    prefix = "_"

    def forward(self, x):
        return getattr(F, self.function)(x, **self._given())

    def extra_repr(self):
        return ", ".join(f"{k}={v}" for k, v in self._given().items())


class _Elementwise(_Activation):
    """One that has no settings."""

    def __init__(self, name=None):
        super().__init__(name)


@pairs.activation(lambda layer: "relu")
class ReLU(_Elementwise, function="relu"):
    """max(x, 0), elementwise.

    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.ReLU()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Softmax(_Activation, function="softmax"):
    """exp(x) / sum of exp(x) along an axis.

    Args:
        axis (int, -1): along which the results add up to 1.
    Shape:
        Any shape gives the same shape.
    Raises:
        ValueError: the axis is out of range.
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Softmax()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, axis=-1, name=None):
        super().__init__(name, axis=axis)


@pairs.activation(lambda layer: "relu6")
class ReLU6(_Elementwise, function="relu6"):
    """min(max(x, 0), 6), elementwise.

    >>> paddle.nn.ReLU6()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class LeakyReLU(_Activation, function="leaky_relu"):
    """x where positive, else negative_slope * x.

    Args:
        negative_slope (float, 0.01): the slope below zero.
    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.LeakyReLU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, negative_slope=0.01, name=None):
        super().__init__(name, negative_slope=negative_slope)


class ELU(_Activation, function="elu"):
    """x where positive, else alpha * (exp(x) - 1).

    Args:
        alpha (float, 1): the limit below zero is -alpha.

    >>> paddle.nn.ELU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, alpha=1.0, name=None):
        super().__init__(name, alpha=alpha)


class CELU(_Activation, function="celu"):
    """max(x, 0) + min(0, alpha * (exp(x / alpha) - 1)).

    >>> paddle.nn.CELU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, alpha=1.0, name=None):
        super().__init__(name, alpha=alpha)


@pairs.activation(lambda layer: {False: "gelu", True: "gelu_tanh"}.get(layer._approximate))
class GELU(_Activation, function="gelu"):
    """x * Phi(x), with the normal distribution function or its tanh approximation.

    Args:
        approximate (bool, False): take x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.GELU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, approximate=False, name=None):
        super().__init__(name, approximate=approximate)


class Silu(_Activation, function="silu"):
    """x * sigmoid(x), elementwise.

    >>> paddle.nn.Silu()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, name=None, *, inplace=False):
        if isinstance(name, bool):  # the first argument of Paddle 3
            name, inplace = None, name
        super().__init__(name, **({"inplace": True} if inplace else {}))


class Swish(_Elementwise, function="swish"):
    """x * sigmoid(x), elementwise.

    >>> paddle.nn.Swish()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Mish(_Elementwise, function="mish"):
    """x * tanh(softplus(x)), elementwise.

    >>> paddle.nn.Mish()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Hardswish(_Elementwise, function="hardswish"):
    """x * min(max(x + 3, 0), 6) / 6, elementwise.

    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Hardswish()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Hardtanh(_Activation, function="hardtanh"):
    """x limited to [min, max].

    Args:
        min (float): lower limit.
        max (float): upper limit.
    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Hardtanh()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, min=-1.0, max=1.0, name=None):
        super().__init__(name, min=min, max=max)


class Softsign(_Elementwise, function="softsign"):
    """x / (1 + |x|), elementwise.

    >>> paddle.nn.Softsign()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Tanhshrink(_Elementwise, function="tanhshrink"):
    """x - tanh(x), elementwise.

    >>> paddle.nn.Tanhshrink()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Hardshrink(_Activation, function="hardshrink"):
    """x where |x| is above the threshold, else 0.

    >>> paddle.nn.Hardshrink()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, threshold=0.5, name=None):
        super().__init__(name, threshold=threshold)


class LogSigmoid(_Elementwise, function="log_sigmoid"):
    """log(1 / (1 + exp(-x))), elementwise.

    >>> paddle.nn.LogSigmoid()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class SELU(_Activation, function="selu"):
    """scale * (x where positive, else alpha * (exp(x) - 1)).

    Args:
        scale (float): see the formula.
        alpha (float): see the formula.

    >>> paddle.nn.SELU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, scale=1.0507009873554805, alpha=1.6732632423543772, name=None):
        super().__init__(name, scale=scale, alpha=alpha)


class Hardsigmoid(_Elementwise, function="hardsigmoid", renamed={"name": "name"}):
    """x / 6 + 0.5, limited to [0, 1].

    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Hardsigmoid()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Softplus(_Activation, function="softplus"):
    """log(1 + exp(beta * x)) / beta.

    Args:
        beta (float): see the formula.
        threshold (float): the threshold.

    >>> paddle.nn.Softplus()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, beta=1, threshold=20, name=None):
        super().__init__(name, beta=beta, threshold=threshold)


class Softshrink(_Activation, function="softshrink"):
    """x moved towards 0 by the threshold, and 0 within it.

    >>> paddle.nn.Softshrink()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, threshold=0.5, name=None):
        super().__init__(name, threshold=threshold)


class ThresholdedReLU(_Activation, function="thresholded_relu"):
    """x where it is above the threshold, else ``value``.

    Args:
        threshold (float): the threshold.
        value (float): result below the threshold.

    >>> paddle.nn.ThresholdedReLU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, threshold=1.0, value=0.0, name=None):
        super().__init__(name, threshold=threshold, **({"value": value} if value else {}))


class Sigmoid(_Elementwise, function="sigmoid", renamed={"name": "name"}):
    """1 / (1 + exp(-x)).

    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Sigmoid()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Tanh(_Elementwise, function="tanh"):
    """Hyperbolic tangent.

    Shape:
        Any shape gives the same shape.
    Raises:
        TypeError: the input is not a Tensor.

    >>> paddle.nn.Tanh()(paddle.ones([2, 2])).shape
    [2, 2]
    """


class Maxout(_Activation, function="maxout"):
    """The largest of each group of neighbouring channels.

    Args:
        groups (int): number of channels per group.
        axis (int): the axis it works along.

    >>> paddle.nn.Maxout(2)(paddle.ones([1, 4, 2, 2])).shape
    [1, 2, 2, 2]
    """

    def __init__(self, groups, axis=1, name=None):
        super().__init__(name, groups=groups, axis=axis)


class GLU(_Activation, function="glu"):
    """a * sigmoid(b) with a and b the halves of x.

    >>> paddle.nn.GLU()(paddle.ones([2, 2])).shape
    [2, 1]
    """

    def __init__(self, axis=-1, name=None):
        super().__init__(name, axis=axis)


class LogSoftmax(_Activation, function="log_softmax"):
    """x - log of the sum of exp(x) along an axis.

    Args:
        axis (int): along which the exponentials of the results add up to 1.
    Shape:
        Any shape gives the same shape.
    Raises:
        ValueError: the axis is out of range.
        TypeError: the input is not a Tensor.

    >>> paddle.nn.LogSoftmax()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, axis=-1, name=None):
        super().__init__(name, axis=axis)


class RReLU(_Activation, function="rrelu"):
    """Leaky ReLU with a random slope in training.

    Args:
        lower (float): smallest slope.
        upper (float): largest slope.

    >>> paddle.nn.RReLU()(paddle.ones([2, 2])).shape
    [2, 2]
    """

    def __init__(self, lower=1.0 / 8.0, upper=1.0 / 3.0, name=None):
        super().__init__(name, lower=lower, upper=upper)

    def forward(self, x):
        return F.rrelu(x, training=self.training, **self._given())

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        shown = ", ".join(f"{k}={v}" for k, v in self._given().items() if k != "name")
        return f"{shown}, training={self.training}, dtype={self._dtype}{name}"


class PReLU(Layer):
    """x where positive, else weight * x, with a learned weight for all or for each channel.

    Args:
        num_parameters: 1, or the number of channels.
        init: first value of the weights.

    >>> paddle.nn.PReLU()(paddle.to_tensor([-4., 4.])).tolist()
    [-1.0, 4.0]
    """

    def __init__(self, num_parameters=1, init=0.25, weight_attr=None, data_format="NCHW", name=None):
        super().__init__()
        self._num_parameters, self._init, self._data_format, self._name = num_parameters, init, data_format, name
        self._weight_attr = weight_attr
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(float(init)))

    def forward(self, x):
        return F.prelu(x, self._weight, self._data_format)

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        return (f"num_parameters={self._num_parameters}, data_format={self._data_format}, init={self._init}, "
                f"dtype={self._dtype}{name}")


class Softmax2D(Layer):
    """Softmax over the channels of [C, H, W] or [N, C, H, W].

    >>> paddle.nn.Softmax2D()(paddle.ones([1, 2, 2, 2])).shape
    [1, 2, 2, 2]
    """

    def __init__(self, name=None):
        super().__init__()
        self._name = name

    def forward(self, x):
        if len(x.shape) not in (3, 4):
            raise ArgumentError(f"Softmax2D(): x must have 3 or 4 dimensions, got shape {list(x.shape)}")
        return softmax(x, -3, name=self._name)

    def extra_repr(self):
        return f"name={self._name}" if self._name else ""


__getattr__ = _lookup(__name__)
