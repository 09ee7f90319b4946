"""How many operations a call of one operator takes, from its type, the shapes of its inputs and its attributes.

A multiplication and its addition count as two here, as in Paddle's function of this name; ``paddle.flops`` counts them once.
"""

import math

__all__ = []

_RULES = {}  # type of an operator: function(shapes of its inputs, attributes)


def register_flops(op_type):
    """A decorator: the function(input_shapes, attrs) counts operators of a type."""
    def register(function):
        _RULES[op_type] = function
        return function
    return register


def flops(op_type, input_shapes, attrs):
    """Operations of one call.

    Args:
        op_type (str): as programs name it, such as ``conv2d``.
        input_shapes (dict): {name of the input: list of shapes}.
        attrs (dict): attributes of the operator.
    Returns:
        int: 0 for types without a rule, and where the shapes do not tell.

    >>> paddle.utils.flops.flops("matmul_v2", {"X": [[2, 3]], "Y": [[3, 4]]}, {})
    48
    """
    try:
        return _RULES[op_type](input_shapes, attrs) if op_type in _RULES else 0
    except (KeyError, IndexError, TypeError):
        return 0


def _per_element(times):
    return lambda shapes, attrs: times * math.prod(shapes["X"][0])


_RULES |= dict.fromkeys(["c_embedding", "dropout", "reshape2", "transpose2"], lambda shapes, attrs: 0)
_RULES |= dict.fromkeys(["elu", "leaky_relu", "prelu", "relu", "relu6", "silu", "pool"], _per_element(1))
_RULES |= {"gelu": _per_element(5), "softmax": _per_element(3)}


def _broadcast(x, y):
    """The larger of two sizes for every axis, from the last on."""
    rank = max(len(x), len(y))
    return [max(pair) for pair in zip(*([1] * (rank - len(shape)) + list(shape) for shape in (x, y)))]


@register_flops("elementwise_add")
@register_flops("elementwise_mul")
@register_flops("elementwise_div")
def _elementwise(shapes, attrs):
    return math.prod(_broadcast(shapes["X"][0], shapes["Y"][0]))


@register_flops("layer_norm")
def _layer_norm(shapes, attrs):
    return math.prod(shapes["X"][0]) * (8 if attrs.get("epsilon") else 7)


@register_flops("matmul")
@register_flops("matmul_v2")
def _product(shapes, attrs):
    def shape(name, *flags):
        found = list((shapes.get(name) or shapes[name.lower()])[0])
        return [*found[:-2], found[-1], found[-2]] if any(attrs.get(flag) for flag in flags) else found

    x, y = shape("X", "trans_x", "transpose_X", "transpose_x"), shape("Y", "trans_y", "transpose_Y", "transpose_y")
    return 2 * math.prod(_broadcast(x[:-2], y[:-2])) * x[-2] * x[-1] * y[-1]


@register_flops("conv2d")
def _convolution(shapes, attrs):
    (batch, channels, *sizes), (filters, _, *kernel) = shapes["Input"][0], shapes["Filter"][0]
    paddings, strides, dilations = (value if isinstance(value, list) else [value] * len(sizes)
                                    for value in (attrs["paddings"], attrs["strides"], attrs["dilations"]))
    places = batch * math.prod((n + 2 * pad - dilation * (k - 1) - 1) // stride + 1
                               for n, k, pad, stride, dilation in zip(sizes, kernel, paddings, strides, dilations))
    multiplications = math.prod(kernel) * channels * (filters // attrs["groups"])
    return places * (2 * multiplications + (filters if shapes.get("Bias") else 0))
