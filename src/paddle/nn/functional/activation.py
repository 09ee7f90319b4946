"""Activation functions."""

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ...core.errors import check_choice, describe, own_errors
from ...core.generation import generation
from ...core.op import Symbolic
from ...ops.math import arithmetic, unary
from ...ops.nn import activation, gating
from ...ops.nn import softmax as softmax_ops
from ...ops.random import sampling
from ...tensor.convert import as_tensor, axis_arg, float_tensor, int_arg, real_arg, unary_function
from ...utils import naming

__all__ = ["relu", "relu_", "softmax", "softmax_", "log_softmax", "relu6", "leaky_relu", "elu", "celu", "gelu", "silu",
           "swish", "mish", "hardswish", "hardtanh", "softsign", "tanhshrink", "hardshrink", "log_sigmoid", "selu",
           "hardsigmoid", "softplus", "softshrink", "thresholded_relu", "sigmoid", "tanh", "prelu", "rrelu", "maxout",
           "glu", "gumbel_softmax", "elu_", "hardtanh_", "leaky_relu_", "tanh_", "thresholded_relu_"]


def own(x, function):
    """The tensor that a function changes in place; a number or a list has no place."""
    if not hasattr(x, "become"):
        raise TypeError(f"{function}(): x must be a Tensor, got {describe(x)}")
    return x


@unary_function(activation.relu)
def relu(x, name=None):
    """max(x, 0), elementwise.

    >>> paddle.nn.functional.relu(paddle.to_tensor([-1., 2.])).tolist()
    [0.0, 2.0]
    """


def relu_(x, name=None):
    """In-place version of ``relu``: the result is written into x.

    Args:
        x (Tensor): overwritten.
    Returns:
        Tensor: x itself.
    Raises:
        TypeError: x is not a Tensor.
        RuntimeError: x is a leaf that receives gradients, outside ``no_grad()``.

    >>> paddle.nn.functional.relu_(paddle.to_tensor([-1., 2.])).tolist()
    [0.0, 2.0]
    """
    out = own(x, "relu_").become(relu(x.snapshot()), "relu_")
    return out if name is None else naming.named(out, name)


@generation("paddle.nn.functional.softmax", alpha="paddle.fluid.layers.softmax", only_modern={"dtype", "x"})
def softmax(x, axis=-1, dtype=None, name=None):
    """exp(x) / sum of exp(x) along an axis.

    Args:
        x (Tensor): numbers of any size; the largest is subtracted first, so that nothing overflows.
        axis (int): along which the result adds up to 1.
        dtype (str or None): data type to convert x to first; None keeps its own.
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.softmax(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """
    x = float_tensor(x, dtype, "softmax")
    out = softmax_ops.softmax(x, int_arg(axis, "softmax", "axis", late=True))
    return out if name is None else naming.named(out, name)


def softmax_(x, axis=-1, dtype=None, name=None):
    """In-place version of ``softmax``: the result is written into x.

    >>> paddle.nn.functional.softmax_(paddle.to_tensor([0., 0.])).tolist()
    [0.5, 0.5]
    """
    out = own(x, "softmax_").become(softmax(x.snapshot(), axis, dtype), "softmax_")
    return out if name is None else naming.named(out, name)


@generation("paddle.nn.functional.log_softmax", alpha="paddle.fluid.layers.log_softmax", only_modern={"x"})
@documented_like(relu)
def log_softmax(x, axis=-1, dtype=None, name=None):
    """x - log of the sum of exp(x) along an axis.

    Args:
        axis (int): the axis it works along.
        dtype (str or None): data type to convert x to first; None keeps its own.
    Raises:
        ValueError: the axis is out of range.
        TypeError: x is not a Tensor, array, list or number.

    >>> round(float(paddle.nn.functional.log_softmax(paddle.to_tensor([0., 0.]))[0]), 4)
    -0.6931
    """
    x = float_tensor(x, dtype, "log_softmax")
    out = softmax_ops.log_softmax(x, int_arg(axis, "log_softmax", "axis", late=True))
    return out if name is None else naming.named(out, name)


@generation("paddle.nn.functional.relu6", alpha="paddle.fluid.layers.relu6")
@unary_function(activation.relu6)
def relu6(x, name=None):
    """min(max(x, 0), 6), elementwise.

    >>> paddle.nn.functional.relu6(paddle.to_tensor([-1., 3., 7.])).tolist()
    [0.0, 3.0, 6.0]
    """


@generation("paddle.nn.functional.leaky_relu", alpha="paddle.fluid.layers.leaky_relu", only_modern={"negative_slope"})
def leaky_relu(x, negative_slope=0.01, name=None):
    """x where positive, else negative_slope * x.

    Args:
        x (Tensor): of any shape.
        negative_slope (float): factor on negative elements.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or a constant is not a number.

    >>> paddle.nn.functional.leaky_relu(paddle.to_tensor([-100., 3.])).tolist()
    [-1.0, 3.0]
    """
    out = activation.leaky_relu(as_tensor(x, "leaky_relu"), real_arg(negative_slope, "leaky_relu", "negative_slope"))
    return out if name is None else naming.named(out, name)


@documented_like(relu)
def elu(x, alpha=1.0, name=None):
    """x where positive, else alpha * (exp(x) - 1).

    Args:
        alpha (float): see the formula.

    >>> paddle.nn.functional.elu(paddle.to_tensor([0., 3.])).tolist()
    [0.0, 3.0]
    """
    out = activation.elu(as_tensor(x, "elu"), real_arg(alpha, "elu", "alpha"))
    return out if name is None else naming.named(out, name)


@documented_like(elu)
def celu(x, alpha=1.0, name=None):
    """max(x, 0) + min(0, alpha * (exp(x / alpha) - 1)).

    Raises:
        TypeError: x is not a Tensor, array, list or number, or a constant is not a number.
        ZeroDivisionError: ``alpha`` is 0.

    >>> paddle.nn.functional.celu(paddle.to_tensor([0., 3.])).tolist()
    [0.0, 3.0]
    """
    x, alpha = as_tensor(x, "celu"), real_arg(alpha, "celu", "alpha")
    if alpha == 0:
        raise ZeroDivisionError("celu(): alpha must not be 0, x is divided by it")
    out = activation.celu(x, alpha)
    return out if name is None else naming.named(out, name)


@documented_like(relu)
def gelu(x, approximate=False, name=None):
    """x * Phi(x), with the normal distribution function or, for approximate=True or 'tanh', its tanh approximation.

    Args:
        approximate (bool or str): True or 'tanh' for the form with tanh, False or 'none' for the exact one.

    >>> paddle.nn.functional.gelu(paddle.to_tensor([0., 100.])).tolist()
    [0.0, 100.0]
    """
    if isinstance(approximate, str):  # as in Paddle 3
        check_choice(approximate, ("none", "tanh"), "gelu", "approximate")
        approximate = approximate == "tanh"
    out = activation.gelu(as_tensor(x, "gelu"), bool(approximate))
    return out if name is None else naming.named(out, name)


def silu(x, name=None):
    """x * sigmoid(x), elementwise.

    >>> paddle.nn.functional.silu(paddle.to_tensor([0., 100.])).tolist()
    [0.0, 100.0]
    """
    inplace, name = (name, None) if isinstance(name, bool) else (False, name)  # Paddle 3 has inplace in the second place
    out = activation.silu(as_tensor(x, "silu"))
    if inplace:
        return x.become(out, "silu")
    return out if name is None else naming.named(out, name)


@generation("paddle.nn.functional.swish", alpha="paddle.fluid.layers.swish")
@unary_function(activation.swish)
def swish(x, name=None):
    """x * sigmoid(x), elementwise.

    >>> paddle.nn.functional.swish(paddle.to_tensor([0., 100.])).tolist()
    [0.0, 100.0]
    """


@unary_function(activation.mish)
def mish(x, name=None):
    """x * tanh(softplus(x)), elementwise.

    >>> paddle.nn.functional.mish(paddle.to_tensor([0., 100.])).tolist()
    [0.0, 100.0]
    """


@unary_function(activation.hardswish)
def hardswish(x, name=None):
    """x * min(max(x + 3, 0), 6) / 6, elementwise.

    >>> paddle.nn.functional.hardswish(paddle.to_tensor([0., 4.])).tolist()
    [0.0, 4.0]
    """


@documented_like(relu)
def hardtanh(x, min=-1.0, max=1.0, name=None):
    """x limited to [min, max].

    Args:
        min (float): lower limit.
        max (float): upper limit.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or a constant is not a number.

    >>> paddle.nn.functional.hardtanh(paddle.to_tensor([-4., 0.5, 4.])).tolist()
    [-1.0, 0.5, 1.0]
    """
    min, max = real_arg(min, "hardtanh", "min"), real_arg(max, "hardtanh", "max")
    out = activation.hardtanh(as_tensor(x, "hardtanh"), min, max)
    return out if name is None else naming.named(out, name)


@unary_function(activation.softsign)
def softsign(x, name=None):
    """x / (1 + |x|), elementwise.

    >>> paddle.nn.functional.softsign(paddle.to_tensor([-1., 1.])).tolist()
    [-0.5, 0.5]
    """


@unary_function(activation.tanhshrink)
def tanhshrink(x, name=None):
    """x - tanh(x), elementwise.

    >>> paddle.nn.functional.tanhshrink(paddle.to_tensor([0.])).tolist()
    [0.0]
    """


@documented_like(relu)
def hardshrink(x, threshold=0.5, name=None):
    """x where |x| is above the threshold, else 0.

    Args:
        threshold (float): the threshold.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or a constant is not a number.

    >>> paddle.nn.functional.hardshrink(paddle.to_tensor([0.2, 2.])).tolist()
    [0.0, 2.0]
    """
    out = activation.hardshrink(as_tensor(x, "hardshrink"), real_arg(threshold, "hardshrink", "threshold"))
    return out if name is None else naming.named(out, name)


@unary_function(activation.log_sigmoid)
def log_sigmoid(x, name=None):
    """log(1 / (1 + exp(-x))), elementwise.

    >>> round(float(paddle.nn.functional.log_sigmoid(paddle.to_tensor([0.]))), 4)
    -0.6931
    """


@documented_like(elu)
def selu(x, scale=1.0507009873554805, alpha=1.6732632423543772, name=None):
    """scale * (x where positive, else alpha * (exp(x) - 1)).

    Args:
        scale (float): see the formula.
    Raises:
        TypeError: x is not a Tensor, array, list or number.
        ValueError: ``scale`` is not above 1, or ``alpha`` is negative.

    >>> paddle.nn.functional.selu(paddle.to_tensor([0.])).tolist()
    [0.0]
    """
    scale, alpha = real_arg(scale, "selu", "scale"), real_arg(alpha, "selu", "alpha")
    if scale <= 1.0:
        raise ValueError(f"selu(): scale must be above 1, got {scale}")
    if alpha < 0:
        raise ValueError(f"selu(): alpha must not be negative, got {alpha}")
    out = activation.selu(as_tensor(x, "selu"), scale, alpha)
    return out if name is None else naming.named(out, name)


@documented_like(relu)
def hardsigmoid(x, slope=0.1666667, offset=0.5, name=None):
    """slope * x + offset, limited to [0, 1].

    Args:
        slope (float): see the formula.
        offset (float): see the formula.

    >>> paddle.nn.functional.hardsigmoid(paddle.to_tensor([-4., 0., 4.])).tolist()
    [0.0, 0.5, 1.0]
    """
    slope, offset = real_arg(slope, "hardsigmoid", "slope"), real_arg(offset, "hardsigmoid", "offset")
    out = activation.hardsigmoid(as_tensor(x, "hardsigmoid"), slope, offset)
    return out if name is None else naming.named(out, name)


@documented_like(hardshrink)
def softplus(x, beta=1, threshold=20, name=None):
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold.

    Args:
        beta (float): see the formula.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or a constant is not a number.

    >>> paddle.nn.functional.softplus(paddle.to_tensor([30.])).tolist()
    [30.0]
    """
    beta, threshold = real_arg(beta, "softplus", "beta"), real_arg(threshold, "softplus", "threshold")
    out = activation.softplus(as_tensor(x, "softplus"), beta, threshold)
    return out if name is None else naming.named(out, name)


@documented_like(hardshrink)
def softshrink(x, threshold=0.5, name=None):
    """x moved towards 0 by the threshold, and 0 within it.

    >>> paddle.nn.functional.softshrink(paddle.to_tensor([0.2, 2., -2.])).tolist()
    [0.0, 1.5, -1.5]
    """
    if threshold < 0:
        raise ValueError(f"softshrink(): threshold must not be negative, got {threshold}")
    out = activation.softshrink(as_tensor(x, "softshrink"), real_arg(threshold, "softshrink", "threshold"))
    return out if name is None else naming.named(out, name)


@documented_like(hardshrink)
def thresholded_relu(x, threshold=1.0, value=0.0, name=None):
    """x where it is above the threshold, else ``value``.

    Args:
        value (float): result below the threshold.

    >>> paddle.nn.functional.thresholded_relu(paddle.to_tensor([0.5, 2.])).tolist()
    [0.0, 2.0]
    """
    threshold, value = real_arg(threshold, "thresholded_relu", "threshold"), real_arg(value, "thresholded_relu", "value")
    out = activation.thresholded_relu(as_tensor(x, "thresholded_relu"), threshold, value)
    return out if name is None else naming.named(out, name)


@unary_function(unary.sigmoid, floats=True)
def sigmoid(x, name=None):
    """1 / (1 + exp(-x)), elementwise.

    >>> paddle.nn.functional.sigmoid(paddle.to_tensor([0.])).tolist()
    [0.5]
    """


@unary_function(unary.tanh, floats=True)
def tanh(x, name=None):
    """Hyperbolic tangent, elementwise.

    >>> paddle.nn.functional.tanh(paddle.to_tensor([0.])).tolist()
    [0.0]
    """


def prelu(x, weight, data_format="NCHW", name=None):
    """x where positive, else weight * x, with one weight for all or one for each channel.

    Args:
        x (Tensor): of any shape.
        weight (Tensor): one slope, or one for each channel.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, array, list or number.
        ValueError: ``weight`` has neither 1 element nor one for each channel.

    >>> paddle.nn.functional.prelu(paddle.to_tensor([-4., 4.]), paddle.to_tensor([0.25])).tolist()
    [-1.0, 4.0]
    """
    x, weight = as_tensor(x, "prelu"), as_tensor(weight, "prelu", "weight")
    if len(weight.shape) > 1:
        raise ValueError(f"prelu(): weight must be 0-d or 1-d, got shape {list(weight.shape)}")
    mode = "all"
    if weight.shape and weight.shape[0] > 1:
        if len(x.shape) < 2:
            raise ValueError(f"prelu(): x must have a channel axis for {weight.shape[0]} weights, got shape {list(x.shape)}")
        channels = x.shape[-1] if data_format in ("NLC", "NHWC", "NDHWC") else x.shape[1]
        if channels != weight.shape[0]:
            raise ValueError(f"prelu(): weight has {weight.shape[0]} elements, x {list(x.shape)} has {channels} channels")
        mode = "channel"
    out = gating.prelu(x, weight, data_format, mode)
    return out if name is None else naming.named(out, name)


@own_errors
@documented_like(relu)
def rrelu(x, lower=1.0 / 8, upper=1.0 / 3, training=True, name=None):
    """Leaky ReLU whose slope is drawn from [lower, upper] for each element in training, and is their mean otherwise.

    Args:
        lower (float): smallest slope.
        upper (float): largest slope.
        training (bool): draw slopes; else take their mean.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or a constant is not a number.
        ValueError: 0 <= lower <= upper <= 1 does not hold.

    >>> paddle.nn.functional.rrelu(paddle.to_tensor([-4., 4.]), 0.25, 0.25).tolist()
    [-1.0, 4.0]
    """
    x, lower, upper = as_tensor(x, "rrelu"), real_arg(lower, "rrelu", "lower"), real_arg(upper, "rrelu", "upper")
    if not 0 <= lower <= upper <= 1:
        raise ValueError(f"rrelu(): 0 <= lower <= upper <= 1 must hold, got lower {lower} and upper {upper}")
    out = sampling.rrelu(x, lower, upper, not training)[0]
    return out if name is None else naming.named(out, name)


@own_errors
@documented_like(log_softmax)
def maxout(x, groups, axis=1, name=None):
    """The largest of each group of neighbouring channels.

    Args:
        groups (int): number of channels per group.

    >>> paddle.nn.functional.maxout(paddle.ones([1, 4, 2, 2]), 2).shape
    [1, 2, 2, 2]
    """
    if axis not in (1, -1, 3):
        raise ValueError(f"maxout(): axis must be 1, 3 or -1, got {axis}")
    out = activation.maxout(as_tensor(x, "maxout"), int(groups), axis)
    return out if name is None else naming.named(out, name)


@own_errors
@documented_like(log_softmax)
def glu(x, axis=-1, name=None):
    """a * sigmoid(b), with a and b the two halves of x along the axis.

    >>> paddle.nn.functional.glu(paddle.to_tensor([2., 0.])).tolist()
    [1.0]
    """
    x = as_tensor(x, "glu")
    if isinstance(x, Symbolic):  # files know it as the operators that it is made of
        a, b = x.split(2, axis)
        out = arithmetic.multiply(a, unary.sigmoid(b))
    else:
        out = gating.gated(x, axis_arg(axis, "glu"))
    return out if name is None else naming.named(out, name)


@own_errors
@documented_like(log_softmax)
def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1, name=None):
    """A sample of the Gumbel-softmax distribution with logits x; ``hard`` gives one-hot samples with the soft gradient.

    Args:
        temperature (float): how flat the distribution is.
        hard (bool): return 0 and 1, with the gradient of the soft values.

    >>> sample = paddle.nn.functional.gumbel_softmax(paddle.zeros([2, 3]), hard=True)
    >>> sample.sum(1).tolist()
    [1.0, 1.0]
    """
    x = as_tensor(x, "gumbel_softmax")
    if temperature <= 0:
        raise ValueError(f"gumbel_softmax(): temperature must be positive, got {temperature}")
    noise = -unary.log(-unary.log(sampling.uniform_random_inplace(x, 1e-5, 1.0)))
    soft = softmax_ops.softmax((x + noise) / temperature, axis_arg(axis, "gumbel_softmax"))
    if not hard:
        return soft if name is None else naming.named(soft, name)
    top = soft.detach().argmax(axis, keepdim=True)
    one_hot = (soft.detach() * 0).put_along_axis(top, 1.0, axis)
    out = one_hot - soft.detach() + soft
    return out if name is None else naming.named(out, name)


def elu_(x, alpha=1.0, name=None):
    """In-place version of ``elu``: the result is written into x.

    >>> paddle.nn.functional.elu_(paddle.to_tensor([0.])).tolist()
    [0.0]
    """
    out = own(x, "elu_").become(elu(x.snapshot(), alpha), "elu_")
    return out if name is None else naming.named(out, name)


def hardtanh_(x, min=-1.0, max=1.0, name=None):
    """In-place version of ``hardtanh``: the result is written into x.

    >>> paddle.nn.functional.hardtanh_(paddle.to_tensor([0.])).tolist()
    [0.0]
    """
    out = own(x, "hardtanh_").become(hardtanh(x.snapshot(), min, max), "hardtanh_")
    return out if name is None else naming.named(out, name)


def leaky_relu_(x, negative_slope=0.01, name=None):
    """In-place version of ``leaky_relu``: the result is written into x.

    >>> paddle.nn.functional.leaky_relu_(paddle.to_tensor([0.])).tolist()
    [0.0]
    """
    out = own(x, "leaky_relu_").become(leaky_relu(x.snapshot(), negative_slope), "leaky_relu_")
    return out if name is None else naming.named(out, name)


def tanh_(x, name=None):
    """In-place version of ``tanh``: the result is written into x.

    >>> paddle.nn.functional.tanh_(paddle.to_tensor([0.])).tolist()
    [0.0]
    """
    out = own(x, "tanh_").become(tanh(x.snapshot()), "tanh_")
    return out if name is None else naming.named(out, name)


def thresholded_relu_(x, threshold=1.0, value=0.0, name=None):
    """In-place version of ``thresholded_relu``: the result is written into x.

    >>> paddle.nn.functional.thresholded_relu_(paddle.to_tensor([0.])).tolist()
    [0.0]
    """
    out = own(x, "thresholded_relu_").become(thresholded_relu(x.snapshot(), threshold, value), "thresholded_relu_")
    return out if name is None else naming.named(out, name)


__getattr__ = _lookup(__name__)
