"""Functions of two (or three) tensors, element by element, beyond arithmetic."""

import numpy as np

from ...core.op import op
from ...core.steps import Step
from ..arguments import broadcast_shape, quiet, same_dtype
from ..families.elementwise import broadcast_dims
from ..families.sharding import elementwise
from ..library import by_library
from ..lines import by_lines
from .arithmetic import clip, multiply, subtract
from .logic import greater_equal, less_equal, logical_or
from .reduction import g_one
from .unary import isnan


@op("atan2(X1, X2) -> Out", family="broadcast", step=Step("atan2"))
@quiet
def atan2(x, y):
    """The angle of the point (y, x), in (-pi, pi]."""
    broadcast_shape(x.shape, y.shape, "atan2")
    return np.arctan2(x, y)


atan2.grad(x=lambda g, x, y: g * y / (x * x + y * y), y=lambda g, x, y: -(g * x / (x * x + y * y)))


def _extreme(name, function, picks_x, doc):
    """fmax/fmin: the gradient goes where the value came from; a tie, also of two NaN, gives it to x."""
    def kernel(x, y):
        broadcast_shape(x.shape, y.shape, name)
        return function(x, y)
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__
    declared = op(f"elementwise_{name}(X, Y) -> Out", family="broadcast", step=Step(name))(quiet(kernel))

    def to_x(g, x, y):
        return multiply(g, multiply(picks_x(x, y), g_one(g)))

    def to_y(g, x, y):
        return subtract(g, multiply(g, multiply(picks_x(x, y), g_one(g))))
    return declared.grad(x=to_x, y=to_y)


fmax = _extreme("fmax", np.fmax, lambda x, y: logical_or(greater_equal(x, y), isnan(y)),
                "The larger of x and y; a number beats NaN.")
fmin = _extreme("fmin", np.fmin, lambda x, y: logical_or(less_equal(x, y), isnan(y)),
                "The smaller of x and y; a number beats NaN.")


@op("bce_loss(X, Label) -> Out", family="same", sharding=elementwise)
@quiet
def bce_loss(x, label):
    """Cross entropy of probabilities x with targets in [0, 1]; logarithms count as -100 at the least."""
    low = x.dtype.type(-100)
    one = x.dtype.type(1)
    return (label - one) * np.maximum(np.log1p(-x), low) - label * np.maximum(np.log(x), low)


def _bce_slope(g, x, label):
    """The slope as Paddle has it: bounded at 0 and 1, where the loss itself no longer moves."""
    return g * (x - label) / clip(x * (1 - x), None, None, 1e-12, None)


bce_loss.grad(x=_bce_slope)


@op("elementwise_heaviside(X, Y) -> Out", family="broadcast")
@quiet
def heaviside(x, y):
    """0 where x < 0, 1 where x > 0, y where x is 0."""
    broadcast_shape(x.shape, y.shape, "heaviside")
    return np.where(x == 0, y, np.where(np.isnan(x), x, (x > 0).astype(x.dtype)))


@op("is_zero(X) -> Out", family="same", sharding=elementwise)
@quiet
def is_zero(x):
    """1 where x is 0, else 0, in the dtype of x."""
    return (x == 0).astype(x.dtype)


heaviside.grad(x=lambda g: g * 0, y=lambda g, x: multiply(g, is_zero(x)))


@op("nextafter(x, y) -> out", family="broadcast")
@quiet
def nextafter(x, y):
    """The next floating-point number after x in the direction of y."""
    same_dtype(x, y, "nextafter")
    broadcast_shape(x.shape, y.shape, "nextafter")
    return np.nextafter(x, y)


@op("lerp(X, Y, Weight) -> Out", family="broadcast")
@quiet
def lerp(x, y, weight):
    """x + weight * (y - x): from x to y as weight goes from 0 to 1."""
    broadcast_shape(broadcast_shape(x.shape, y.shape, "lerp"), weight.shape, "lerp")
    return x + weight * (y - x)


lerp.grad(x=lambda g, weight: g * (1 - weight), y=lambda g, weight: g * weight, weight=lambda g, x, y: g * (y - x))


def _tolerance(rtol, atol, rtol_tensor, atol_tensor):
    rtol = float(rtol) if rtol_tensor is None else float(rtol_tensor.reshape(()))
    atol = float(atol) if atol_tensor is None else float(atol_tensor.reshape(()))
    return rtol, atol


def _tolerance_text(attrs):
    return {"rtol": repr(float(attrs["rtol"])), "atol": repr(float(attrs["atol"])), "equal_nan": attrs["equal_nan"]}


def _tolerance_numbers(attrs):
    return {"rtol": float(attrs.get("rtol", 1e-5)), "atol": float(attrs.get("atol", 1e-8)),
            "equal_nan": bool(attrs.get("equal_nan", False))}


@op("isclose(Input, Other, Rtol?, Atol?) -> Out", family="own", to_desc=_tolerance_text, from_desc=_tolerance_numbers,
    shapes=lambda x, y: x.like(broadcast_dims(x.shape, y.shape, "isclose"), bool))
@quiet
def isclose(x, y, rtol_tensor=None, atol_tensor=None, rtol=1e-5, atol=1e-8, equal_nan=False):
    """True where |x - y| <= atol + rtol * |y|."""
    broadcast_shape(x.shape, y.shape, "isclose")
    return np.asarray(np.isclose(x, y, *_tolerance(rtol, atol, rtol_tensor, atol_tensor), equal_nan))


@op("allclose(Input, Other, Rtol?, Atol?) -> Out", family="own", to_desc=_tolerance_text, from_desc=_tolerance_numbers,
    shapes="_ -> :bool")
@quiet
def allclose(x, y, rtol_tensor=None, atol_tensor=None, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Is |x - y| <= atol + rtol * |y| everywhere?"""
    broadcast_shape(x.shape, y.shape, "allclose")
    return np.asarray(np.isclose(x, y, *_tolerance(rtol, atol, rtol_tensor, atol_tensor), equal_nan).all())


@op("equal_all(X, Y) -> Out", family="own", shapes="_ -> :bool")
@quiet
def equal_all(x, y):
    """Do x and y have one shape and equal elements?"""
    return np.asarray(x.shape == y.shape and bool(np.all(x == y)))


by_library(lerp, bce_loss, equal_all)
by_lines(fmax, name="max")  # of whole numbers
by_lines(fmin, name="min")
