"""Activations with a second operand: slopes that are learned, and halves that open or close each other."""

import numpy as np

from ...core.op import op
from ...core.steps import Formula, dense, interpreter
from ...core.walk import sum_to
from ..arguments import one_axis
from ..manipulation.joining import concat
from ..manipulation.slicing import basic_get
from ..math.unary import sigmoid
from .activation import rising


@op("prelu(X, Alpha) -> Out", family="same")
def prelu(x, alpha, data_format="NCHW", mode="all"):
    """x where positive, else alpha * x; alpha is one number, one per channel, or one per element."""
    return np.where(x > 0, x, x * _wide_alpha(x, alpha, data_format, mode))


def _wide_alpha(x, alpha, data_format, mode):
    n = len(x.shape)
    if mode == "all":
        return alpha.reshape([1] * n)
    if mode == "channel":
        return alpha.reshape([1] * (n - 1) + [-1] if data_format[-1] == "C" and n > 2 else [1, -1] + [1] * (n - 2))
    return alpha.reshape([1, *x.shape[1:]])


_LEAKY, _LEAKY_GRAD, _SLOPE_GRAD = (Formula(write) for write in (
    lambda emit, x, alpha: emit("leaky_relu", x, alpha), lambda emit, x, g, alpha: emit("leaky_relu_grad", x, g, alpha),
    lambda emit, x, g: emit("select", x, 0.0, emit("mul", g, x))))


@prelu.kernel(when=lambda x, alpha, data_format, mode: x.dtype == alpha.dtype and x.size and x.ndim)
def _(k, x, alpha, data_format, mode):
    return _LEAKY.run(k, dense(x), _wide_alpha(x, dense(alpha), data_format, mode))


def _prelu_fast(k, needs, g, x, alpha, data_format, mode):
    """The gradients in a pass each, and the sum of the slopes'."""
    wide = _wide_alpha(x, dense(alpha), data_format, mode)
    dx = _LEAKY_GRAD.run(k, dense(x), g, wide) if needs[0] else None
    each = _SLOPE_GRAD.run(k, dense(x), g) if needs[1] else None
    if dx is NotImplemented or each is NotImplemented:
        return NotImplemented
    return dx, None if each is None else sum_to(each, tuple(wide.shape)).reshape(list(alpha.shape))


@prelu.vjp
def _prelu_gradients(needs, g, x, alpha, data_format, mode):
    if not len(x.shape):  # Python's numbers would widen a 0-d array under NumPy 1
        dx, da = _prelu_gradients(needs, g.reshape([1]), x.reshape([1]), alpha, data_format, mode)
        return None if dx is None else dx.reshape([]), da
    k = interpreter(g)
    found = NotImplemented if k is None else _prelu_fast(k, needs, dense(g), x, alpha, data_format, mode)
    if found is not NotImplemented:
        return found
    negative = 1 - rising(x)
    wide = _wide_alpha(x, alpha, data_format, mode)
    dx = g * (1 - negative + negative * wide) if needs[0] else None
    da = sum_to(g * negative * x, tuple(wide.shape)).reshape(list(alpha.shape)) if needs[1] else None
    return dx, da


_GATED = Formula(lambda emit, a, b: emit("mul", a, emit("sigmoid", b)))
_GATE_GRAD = Formula(lambda emit, g, a, b: emit("mul", g, emit("sigmoid_grad", emit("sigmoid", b), a)))


@op("gated(X) -> Out", family="own", shapes=lambda x, axis: x.like(
    [-1 if n < 0 else n // 2 if k == axis % len(x.shape) else n for k, n in enumerate(x.shape)]))
def gated(x, axis=-1):
    """a * sigmoid(b), with a and b the two halves of x along the axis."""
    a, b = halves(x, axis)
    return a * sigmoid.fn(b)


def halves(x, axis):
    """The two halves of an array or Tensor along an axis."""
    at = one_axis(axis, len(x.shape), "glu")
    size = x.shape[at] // 2
    if x.shape[at] != 2 * size:
        raise ValueError(f"glu(): axis {axis} of x {list(x.shape)} must have an even size")
    before = (slice(None),) * at
    return basic_get(x, (*before, slice(0, size))), basic_get(x, (*before, slice(size, 2 * size)))


@gated.kernel(when=lambda x, axis: x.ndim and x.shape[axis] % 2 == 0 and x.size and x.dtype.char in "fd", noted=False)
def _(k, x, axis):
    a, b = halves(x, axis)
    return _GATED.run(k, dense(a), dense(b))


def _gated_grad(g, x, axis):
    a, b = halves(x, axis)
    k = interpreter(g) if g.__class__ is np.ndarray and g.dtype.char in "fd" and g.dtype == x.dtype else None
    if k is not None:
        g, a, b = dense(g), dense(a), dense(b)
        return concat([_GATED.run(k, g, b), _GATE_GRAD.run(k, g, a, b)], None, axis)
    s = sigmoid(b)
    return concat([g * s, g * a * s * (1 - s)], None, axis)


gated.grad(x=_gated_grad)
