"""Arithmetic of tensors: add, multiply, pow, operands of different types are promoted."""

import math

import numpy as np

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import changed, context
from ..core.docstrings import documented_like
from ..core.errors import describe, own_errors
from ..core.generation import generation
from ..core.op import BY_NAME, Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor
from ..ops.math import arithmetic
from ..utils import naming
from .convert import SCALARS, as_tensor, binary_function, cast, is_tensor_like, numpy_dtype, promote, real_arg, scalar_dtype

__all__ = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "mod", "floor_mod", "pow", "maximum",
           "minimum", "scale", "clip", "add_n", "increment"]
METHODS = __all__
INPLACE = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "mod", "floor_mod", "pow", "scale", "clip"]


@generation("paddle.add", alpha="paddle.imperative.functions.add")
@binary_function(arithmetic.add)
def add(x, y, name=None):
    """x + y, elementwise with broadcasting.

    >>> paddle.add(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [5.0, 8.0]
    """


@binary_function(arithmetic.subtract)
def subtract(x, y, name=None):
    """x - y, elementwise with broadcasting.

    >>> paddle.subtract(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [3.0, 4.0]
    """


@binary_function(arithmetic.multiply)
def multiply(x, y, name=None):
    """x * y, elementwise with broadcasting.

    >>> paddle.multiply(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [4.0, 12.0]
    """


def _with_axis(op):
    """The function of two tensors whose second is matched to the first from an axis on, for Paddle's own models."""
    def function(x, y, axis=-1, name=None):
        out = op(*promote(x, y, op.name), axis)
        return out if name is None else naming.named(out, name)
    return function


_add_with_axis, _subtract_with_axis, _multiply_with_axis, _divide_with_axis = map(_with_axis, (
    arithmetic.add, arithmetic.subtract, arithmetic.multiply, arithmetic.divide))


def are_truths(*operands):
    """Are all of the tensors and numbers truth values?"""
    return all(isinstance(one, (bool, np.bool_)) or is_tensor_like(one) and numpy_dtype(one).kind == "b" for one in operands)


def quotient_of_truths(x, y):
    """x / y of truth values as one: that of the integers 0 and 1."""
    x, y = (cast(operand, np.dtype(np.int32)) for operand in promote(x, y, "divide"))
    return cast(arithmetic.divide(x, y), np.dtype(np.bool_))


@documented_like(binary_function)
def divide(x, y, name=None):
    """x / y; integers truncate toward zero, elementwise with broadcasting.

    >>> paddle.divide(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [4.0, 3.0]
    """
    truths = context.rules.whole_truths and are_truths(x, y)
    out = quotient_of_truths(x, y) if truths else arithmetic.divide(*promote(x, y, "divide"))
    return out if name is None else naming.named(out, name)


@binary_function(arithmetic.floor_divide)
def floor_divide(x, y, name=None):
    """x / y rounded down, elementwise with broadcasting.

    >>> paddle.floor_divide(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [4.0, 3.0]
    """


@binary_function(arithmetic.remainder)
def remainder(x, y, name=None):
    """The remainder of x / y, with the sign of y, elementwise with broadcasting.

    >>> paddle.remainder(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [0.0, 0.0]
    """


def _halved(out, x, y):
    """The same values; where x and y are equal the gradient goes to both in halves."""
    if numpy_dtype(x).kind != "f":
        return out
    return BY_NAME["where"](BY_NAME["equal"](x, y), x * 0.5 + y * 0.5, out)


@documented_like(divide)
def maximum(x, y, name=None):
    """The larger of x and y, elementwise with broadcasting.

    >>> paddle.maximum(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [4.0, 6.0]
    """
    x, y = promote(x, y, "maximum")
    out = _halved(arithmetic.maximum(x, y), x, y) if context.rules.even_ties else arithmetic.maximum(x, y)
    return out if name is None else naming.named(out, name)


@documented_like(divide)
def minimum(x, y, name=None):
    """The smaller of x and y, elementwise with broadcasting.

    >>> paddle.minimum(paddle.to_tensor([4., 6.]), paddle.to_tensor([1., 2.])).tolist()
    [1.0, 2.0]
    """
    x, y = promote(x, y, "minimum")
    out = _halved(arithmetic.minimum(x, y), x, y) if context.rules.even_ties else arithmetic.minimum(x, y)
    return out if name is None else naming.named(out, name)


mod, floor_mod = own_errors(remainder, "mod"), own_errors(remainder, "floor_mod")


@generation("paddle.pow", alpha="paddle.imperative.functions.pow", only_modern={"x", "y"})
@own_errors
@documented_like(divide)
def pow(x, y, name=None):
    """x to the power y (a number or a tensor), elementwise; integers stay integers.

    >>> paddle.pow(paddle.to_tensor([1., 2., 3.]), 2).tolist()
    [1.0, 4.0, 9.0]
    """
    if isinstance(y, SCALARS):
        x = as_tensor(x, "pow")
        out = arithmetic.pow(cast(x, scalar_dtype(numpy_dtype(x), y)), y.item() if hasattr(y, "item") else y)
        return out if name is None else naming.named(out, name)
    out = arithmetic.elementwise_pow(*promote(x, y, "pow"))
    return out if name is None else naming.named(out, name)


@own_errors
def scale(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None):
    """scale * x + bias, or scale * (x + bias) when ``bias_after_scale`` is False, then an optional activation by name.

    Args:
        x: Tensor of any shape; the result has the same.
        scale: factor, a number or one-element Tensor.
        bias: what to add.
        bias_after_scale: add after multiplying.
        act: name of a function of paddle.nn.functional to apply last.

    >>> paddle.scale(paddle.to_tensor([1., 2.]), scale=2.0, bias=1.0).tolist()
    [3.0, 5.0]
    """
    x = as_tensor(x, "scale")
    if isinstance(scale, Tensor):
        scale = scale.item()
    bias = real_arg(bias, "scale", "bias")
    if isinstance(scale, Symbolic):
        out = _scaled_by_variable(x, scale, bias, bool(bias_after_scale))
    else:
        out = arithmetic.scale(x, real_arg(scale, "scale", "scale"), bias, bool(bias_after_scale))
    if act is not None:
        out = rooms.activate(out, act, "scale")
    return out if name is None else naming.named(out, name)


def _scaled_by_variable(x, factor, bias, bias_after_scale):
    """``scale`` by a number that only the running program knows; no gradient goes to the number."""
    factor = cast(factor.detach(), numpy_dtype(x))
    if math.prod(factor.shape) not in (1, -1):
        raise ValueError(f"scale(): scale must have one element, got shape {list(factor.shape)}")
    factor = factor.reshape([1] if x.shape else [])
    if bias_after_scale:
        return arithmetic.scale(arithmetic.multiply(x, factor), 1.0, bias, True)
    return arithmetic.multiply(arithmetic.scale(x, 1.0, bias, True), factor)


def _end(dtype, which):
    """What a program's clip of integers has for no bound: the last numbers of the type that its float32 attributes can hold."""
    ends = np.iinfo(dtype)
    return int(ends.min) if which == "min" else int(ends.max) - (int(ends.max) >> 24)


def clip(x, min=None, max=None, name=None):
    """x limited to [min, max]; a bound that is None does not limit.

    Args:
        x (Tensor): of any real type.
        min, max (number, one-element Tensor or None): the bounds, converted to the data type of x; None is no bound.
    Returns:
        a Tensor as x. Its gradient passes where x is strictly within the bounds, and is 0 elsewhere.
    Raises:
        TypeError: x is not a Tensor, or a bound is neither a number nor a Tensor.

    >>> paddle.clip(paddle.to_tensor([1., 5.]), max=3.).tolist()
    [1.0, 3.0]
    """
    x = as_tensor(x, "clip")
    bounds = {}
    for key, value in (("min", min), ("max", max)):
        if value is not None and not isinstance(value, SCALARS):
            bound = as_tensor(value, "clip", key)
            if -1 not in bound.shape and math.prod(bound.shape) != 1:
                raise ValueError(f"clip(): {key} must be one number, got {describe(bound)}")
            bounds[key + "_tensor"] = cast(bound, numpy_dtype(x))
        else:
            if value is not None:
                real_arg(value, "clip", key)
            elif isinstance(x, Symbolic) and numpy_dtype(x).kind in "iu":
                value = _end(numpy_dtype(x), key)
            bounds[key] = value
    if context.rules.kinds_promote and numpy_dtype(x).kind in "iu" and any(isinstance(v, float) for v in (min, max)):
        x = cast(x, dtypes.default_numpy())
    out = arithmetic.clip(x, **bounds)
    if context.rules.even_ties and numpy_dtype(x).kind == "f" and not x.stop_gradient:
        out = BY_NAME["where"](BY_NAME["equal"](out, x), x, out)  # a bound itself passes its gradient
    return out if name is None else naming.named(out, name)


def add_n(inputs, name=None):
    """The sum of a list of tensors of the same shape.

    Args:
        inputs: Tensor or list of Tensors of the same shape.

    >>> paddle.add_n([paddle.ones([2]), paddle.ones([2])]).tolist()
    [2.0, 2.0]
    """
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    if not inputs:
        raise ValueError("add_n(): inputs must hold at least one tensor, got an empty list")
    out = arithmetic.add_n([as_tensor(x, "add_n", "inputs") for x in inputs])
    return out if name is None else naming.named(out, name)


@generation("paddle.increment", alpha="paddle.fluid.layers.increment", only_modern={"name"})
@own_errors
def increment(x, value=1.0, name=None):
    """Add a number to a one-element tensor, in place, and return it.

    Args:
        x: one-element Tensor.
        value: what to add.

    >>> int(paddle.increment(paddle.to_tensor([1]), 2))
    3
    """
    x = as_tensor(x, "increment")
    if isinstance(x, Tensor) and x._data.size != 1:
        raise ValueError(f"increment(): x must have one element, its shape is {x.shape}")
    value = real_arg(value, "increment", "value")
    if isinstance(x, Symbolic) and context.trace is None:  # a program's operator writes into the variable itself
        x.block.program.current_block().append_op("increment", {"X": x}, {"Out": x}, {"step": value})
        x.known = None
        return x
    if isinstance(x, Tensor) and x._edge is None:  # a leaf stays one: the derivative by it is that of the sum
        with changed(grad=False):
            out = x.become(arithmetic.scale(x, 1.0, value), "increment")
    else:
        out = x.become(arithmetic.scale(x, 1.0, value), "increment")
    return out if name is None else naming.named(out, name)


def _with_axis(function):
    def call(x, y, axis=-1, name=None):
        """The operator on y that stands at an axis of x (2.x keeps it for programs of 1.x)."""
        out = function(x, y, axis)
        return out if name is None else naming.named(out, name)
    return call


_add_with_axis, _subtract_with_axis, _multiply_with_axis, _divide_with_axis = map(
    _with_axis, (arithmetic.add, arithmetic.subtract, arithmetic.multiply, arithmetic.divide))
__getattr__ = _lookup(__name__)
