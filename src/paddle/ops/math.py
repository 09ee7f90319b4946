"""Arithmetic, element by element, with broadcasting."""

import numpy as np

from ..core.op import op
from .families import broadcast_shape


def align(x, y, axis):
    """y reshaped as files with ``axis`` >= 0 mean it: its dimensions matched to x's from that axis on."""
    if axis == -1 or x.ndim == y.ndim:
        return y
    shape = y.shape
    while shape and shape[-1] == 1 and axis + len(shape) > x.ndim:
        shape = shape[:-1]
    return y.reshape(shape + (1,) * (x.ndim - axis - len(shape)))


def _fails(x, y, function):
    broadcast_shape(x.shape, y.shape, function)  # raises with both shapes


@op("elementwise_add(X, Y) -> Out", family="broadcast")
def add(x, y, axis=-1):
    """x + y, element by element."""
    return np.add(x, y if axis == -1 else align(x, y, axis))


add.grad(x=lambda g: g, y=lambda g: g)


@op("elementwise_sub(X, Y) -> Out", family="broadcast")
def subtract(x, y, axis=-1):
    """x - y, element by element."""
    return np.subtract(x, y if axis == -1 else align(x, y, axis))


subtract.grad(x=lambda g: g, y=lambda g: -g)


@op("elementwise_mul(X, Y) -> Out", family="broadcast")
def multiply(x, y, axis=-1):
    """x * y, element by element."""
    return np.multiply(x, y if axis == -1 else align(x, y, axis))


multiply.grad(x=lambda g, y: multiply(g, y), y=lambda g, x: multiply(g, x))


@op("elementwise_div(X, Y) -> Out", family="broadcast")
def divide(x, y, axis=-1):
    """x / y, element by element; integers truncate toward zero."""
    y = y if axis == -1 else align(x, y, axis)
    if x.dtype.kind in "iu":
        if not np.all(y):
            raise ZeroDivisionError("integer division by zero")
        return np.trunc(np.true_divide(x, y)).astype(x.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(x, y)


divide.grad(x=lambda g, y: divide(g, y), y=lambda g, x, y: -(g * (x / (y * y))))


@op("scale(X) -> Out", family="same")
def scale(x, scale=1.0, bias=0.0, bias_after_scale=True):
    """scale * x + bias, or scale * (x + bias) when the bias goes first; the dtype of x is kept."""
    kind = x.dtype.type
    if bias_after_scale:
        y = x * kind(scale) if scale != 1 else x
        return y + kind(bias) if bias != 0 else (y if y is not x else x.copy())
    return (x + kind(bias)) * kind(scale)


scale.grad(x=lambda g, scale: globals()["scale"](g, scale))


@op("sum_to(X) -> Out", family="reduce")
def sum_to(x, shape):
    """x summed over the axes that broadcasting from ``shape`` had added or stretched."""
    extra = x.ndim - len(shape)
    if extra:
        x = x.sum(axis=tuple(range(extra)))
    axes = tuple([i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1])
    return x.sum(axis=axes, keepdims=True) if axes else x


@op("broadcast_to_shape(X) -> Out", family="reshape")
def broadcast_to_shape(x, shape):
    """x repeated to ``shape`` as NumPy broadcasts it (a fresh array: results are never read-only views)."""
    return np.array(np.broadcast_to(x, shape))


sum_to.grad(x=lambda g, x_shape: broadcast_to_shape(g, x_shape))
broadcast_to_shape.grad(x=lambda g, x_shape: sum_to(g, x_shape))
