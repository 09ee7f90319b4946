"""Activation functions."""

import numpy as np

from ...core.op import op
from ...core.steps import Formula, Step
from ..arguments import need_real
from ..families.sharding import elementwise
from ..library import by_library
from ..math.arithmetic import clip, conj, holomorphic, inside, is_complex, multiply
from ..math.complex import real
from ..math.logic import equal
from ..math.special import erf
from ..math.unary import abs, exp, sigmoid, tanh, unit
from ..short import through_float32


@op("relu(X) -> Out", family="same", sharding=elementwise, step=Step("relu", saved="out"))
def relu(x):
    """max(x, 0), element by element; its gradient at 0 is 0."""
    need_real(x, "relu")
    return np.maximum(x, x.dtype.type(0))


@op("relu_mask(G, Out) -> GX", family="same", sharding=elementwise)
def relu_mask(grad, out_):
    """grad where out_ > 0, else 0: the gradient of relu."""
    return grad * (out_ > 0)


relu_mask.kernel()(lambda k, grad, out_: k.unary_grad("relu", out_, grad))
relu.grad(x=lambda g, out: relu_mask(g, out))
relu_mask.grad(grad=lambda g, out_: relu_mask(g, out_))


@op("rising(X) -> Mask", family="same", sharding=elementwise,
    step=Formula(lambda emit, x, threshold: emit("above", x, float(threshold))))
def rising(x, threshold=0.0):
    """1 where x is above the threshold, else 0, in the dtype of x."""
    return (x > threshold).astype(x.dtype)


def step(x, low, high):
    """``low`` where x <= 0, ``high`` where x > 0, in the dtype of x (works on arrays and Tensors)."""
    return rising(x) * (high - low) + low


@op("leaky_relu(X) -> Out", family="same", sharding=elementwise, negative_slope="alpha", version=1,
    step=Step("leaky_relu", saved="x", alpha="negative_slope"))
def leaky_relu(x, negative_slope=0.01):
    """max(x, 0) + negative_slope * min(x, 0), element by element."""
    need_real(x, "leaky_relu")
    return np.where(x > 0, x, x * x.dtype.type(negative_slope))


leaky_relu.grad(x=lambda g, x, negative_slope: g * step(x, negative_slope, 1.0))


def _limited(emit, x, low, high):
    return emit("limit", x, float(low), float(high))


@op("relu6(X) -> Out", family="same", sharding=elementwise, to_desc=lambda a: {} if a["threshold"] == 6.0 else a,
    step=Step(lambda threshold: "relu6" if threshold == 6 else None, saved="out",
              otherwise=lambda emit, x, threshold: _limited(emit, x, 0, threshold)))
def relu6(x, threshold=6.0):
    """min(max(x, 0), threshold)."""
    need_real(x, "relu6")
    return np.minimum(np.maximum(x, x.dtype.type(0)), x.dtype.type(threshold))


relu6.grad(x=lambda g, out, threshold: g * inside(out, None, None, 0, threshold))


@op("elu(X) -> Out", family="same", sharding=elementwise, step=Step("elu", saved="x", alpha="alpha"))
def elu(x, alpha=1.0):
    """x where positive, else alpha * (exp(x) - 1)."""
    need_real(x, "elu")
    return np.where(x > 0, x, x.dtype.type(alpha) * np.expm1(np.minimum(x, x.dtype.type(0))))


elu.grad(x=lambda g, x, alpha: g * (rising(x) + (1 - rising(x)) * exp(clip(x, None, None, None, 0.0)) * alpha))


def _celu_steps(emit, x, alpha):
    if alpha == 1:
        return emit("elu", x, 1.0)
    return emit("select", x, x, emit("mul", emit("expm1", emit("div", x, float(alpha))), float(alpha)))


@op("celu(X) -> Out", family="same", sharding=elementwise, step=Formula(_celu_steps))
def celu(x, alpha=1.0):
    """max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))."""
    need_real(x, "celu")
    a = x.dtype.type(alpha)
    return np.where(x > 0, x, a * np.expm1(np.minimum(x, x.dtype.type(0)) / a))


celu.grad(x=lambda g, x, alpha: g * (rising(x) + (1 - rising(x)) * exp(clip(x, None, None, None, 0.0) / alpha)))


@op("selu(X) -> Out", family="same", sharding=elementwise,
    step=Formula(lambda emit, x, scale, alpha: emit("mul", emit("elu", x, float(alpha)), float(scale))))
def selu(x, scale=1.0507009873554805, alpha=1.6732632423543772):
    """scale * (x where positive, else alpha * (exp(x) - 1))."""
    need_real(x, "selu")
    return x.dtype.type(scale) * np.where(x > 0, x, x.dtype.type(alpha) * np.expm1(np.minimum(x, x.dtype.type(0))))


selu.grad(x=lambda g, x, scale, alpha:
          g * (rising(x) + (1 - rising(x)) * exp(clip(x, None, None, None, 0.0)) * alpha) * scale)

_SQRT_HALF, _DENSITY, _GELU_A, _GELU_B = 0.5 ** 0.5, (0.5 / np.pi) ** 0.5, (2 / np.pi) ** 0.5, 0.044715


def _gelu_name(approximate):
    return "gelu_tanh" if approximate else "gelu"


@op("gelu(X) -> Out", family="same", sharding=elementwise, step=Step(_gelu_name, saved="x"))
def gelu(x, approximate=False):
    """x * Phi(x) with the normal distribution function, or its tanh approximation."""
    kind = x.dtype.type
    if approximate:
        return kind(0.5) * x * (1 + np.tanh(kind(_GELU_A) * (x + kind(_GELU_B) * x * x * x)))
    return kind(0.5) * x * (1 + erf.fn(x * kind(_SQRT_HALF)))


def _gelu_slope(x, approximate):
    if approximate:
        t = tanh((x + x * x * x * _GELU_B) * _GELU_A)
        return (t + 1) * 0.5 + x * (1 - t * t) * (x * x * (3 * _GELU_B) + 1) * (0.5 * _GELU_A)
    return (erf(x * _SQRT_HALF) + 1) * 0.5 + x * exp(x * x * -0.5) * _DENSITY


gelu.grad(x=lambda g, x, approximate: gelu_back(g, x, approximate))


@op("gelu_input_grad(G, X) -> GX", family="same", sharding=elementwise)
def gelu_back(grad, x, approximate=False):
    """grad * the slope of gelu at x."""
    return grad * _gelu_slope(x, approximate)


@gelu_back.vjp
def _(needs, g, grad, x, approximate):
    d_grad = g * _gelu_slope(x, approximate) if needs[0] else None
    if not needs[1]:
        return d_grad, None
    if approximate:
        u = (x + x * x * x * _GELU_B) * _GELU_A
        t, du, ddu = tanh(u), (x * x * (3 * _GELU_B) + 1) * _GELU_A, x * (6 * _GELU_B * _GELU_A)
        s = 1 - t * t
        curve = s * du + x * 0.5 * (s * ddu - t * s * du * du * 2)
    else:
        curve = exp(x * x * -0.5) * (2 - x * x) * _DENSITY
    return d_grad, g * grad * curve


gelu_back.kernel()(lambda k, grad, x, approximate: k.unary_grad(_gelu_name(approximate), x, grad))


@op("silu(X) -> Out", family="same", sharding=elementwise, step=Step("silu", saved="x"))
def silu(x):
    """x * sigmoid(x)."""
    return x * sigmoid.fn(x)


silu.grad(x=holomorphic(lambda g, x: g * _silu_slope(x, 1.0)))


def _silu_slope(x, beta):
    s = sigmoid(x * beta)
    return s + x * s * (1 - s) * beta


@op("swish(X) -> Out", family="same", sharding=elementwise, to_desc=lambda a: {} if a["beta"] == 1.0 else a,
    step=Step(lambda beta: "silu" if beta == 1.0 else None, saved="x",
              otherwise=lambda emit, x, beta: emit("mul", x, emit("sigmoid", emit("mul", x, float(beta))))))
def swish(x, beta=1.0):
    """x * sigmoid(beta * x)."""
    return x * sigmoid.fn(x * x.dtype.type(beta))


swish.grad(x=holomorphic(lambda g, x, beta: g * _silu_slope(x, beta)))


def _hardswish_steps(emit, x, threshold, scale, offset):
    return emit("div", emit("mul", x, _limited(emit, emit("add", x, float(offset)), 0, threshold)), float(scale))


@op("hard_swish(X) -> Out", family="same", sharding=elementwise, step=Step(
    lambda threshold, scale, offset: "hardswish" if (threshold, scale, offset) == (6.0, 6.0, 3.0) else None, saved="x",
    otherwise=_hardswish_steps))
def hardswish(x, threshold=6.0, scale=6.0, offset=3.0):
    """x * min(max(x + offset, 0), threshold) / scale."""
    kind = x.dtype.type
    return x * np.minimum(np.maximum(x + kind(offset), kind(0)), kind(threshold)) / kind(scale)


hardswish.grad(x=holomorphic(lambda g, x, threshold, scale, offset: g * (
    clip(x + offset, None, None, 0.0, threshold) + x * inside(x + offset, None, None, 0.0, threshold)) * (1 / scale)))


@op("hard_sigmoid(X) -> Out", family="same", sharding=elementwise, step=Formula(
    lambda emit, x, slope, offset: _limited(emit, emit("fma", x, float(slope), float(offset)), 0, 1)))
def hardsigmoid(x, slope=0.1666667, offset=0.5):
    """slope * x + offset, limited to [0, 1]."""
    need_real(x, "hardsigmoid")
    kind = x.dtype.type
    return np.minimum(np.maximum(x * kind(slope) + kind(offset), kind(0)), kind(1))


hardsigmoid.grad(x=lambda g, out, slope: g * inside(out, None, None, 0.0, 1.0) * slope)


@op("hard_tanh(X) -> Out", family="same", sharding=elementwise, step=Formula(_limited))
def hardtanh(x, t_min=-1.0, t_max=1.0):
    """x limited to [t_min, t_max]."""
    need_real(x, "hardtanh")
    return np.minimum(np.maximum(x, x.dtype.type(t_min)), x.dtype.type(t_max))


hardtanh.grad(x=lambda g, x, t_min, t_max: g * inside(x, None, None, t_min, t_max))


def _softplus(x, beta, threshold):
    z = x * x.dtype.type(beta)
    if x.dtype.kind == "c":
        linear = z.real > threshold
        return np.where(linear, x, np.log1p(np.exp(np.where(linear, 0, z))) / x.dtype.type(beta))
    soft = (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))) / x.dtype.type(beta)
    return np.where(z > threshold, x, soft)


def _softplus_steps(emit, x, beta, threshold):
    if beta == 1 and threshold == 20:
        return emit("softplus", x)
    z = x if beta == 1 else emit("mul", x, float(beta))
    soft = emit("log1pexp", z) if beta == 1 else emit("div", emit("log1pexp", z), float(beta))
    return emit("select", emit("sub", z, float(threshold)), x, soft)


@op("softplus(X) -> Out", family="same", sharding=elementwise, version=1, amp="black", step=Formula(_softplus_steps))
def softplus(x, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold."""
    return _softplus(x, beta, threshold).astype(x.dtype)


softplus.grad(x=holomorphic(lambda g, x, beta, threshold: g * _soft_or_one(x, beta, threshold)))


def _soft_or_one(x, beta, threshold):
    linear = rising(x * beta, threshold)
    return sigmoid(x * beta) * (1 - linear) + linear


def _mish_steps(emit, x, threshold):
    return emit("mul", x, emit("tanh", emit("select", emit("sub", x, float(threshold)), x, emit("log1pexp", x))))


@op("mish(X) -> Out", family="same", sharding=elementwise,
    step=Step(lambda threshold: "mish" if threshold == 20 else None, saved="x", otherwise=_mish_steps))
def mish(x, threshold=20.0):
    """x * tanh(softplus(x))."""
    return x * np.tanh(_softplus(x, 1.0, threshold)).astype(x.dtype)


@holomorphic
def _mish_grad(g, x, threshold):
    t = tanh(softplus(x, 1.0, threshold))
    return g * (t + x * (1 - t * t) * _soft_or_one(x, 1.0, threshold))


mish.grad(x=_mish_grad)


@op("softsign(X) -> Out", family="same", sharding=elementwise,
    step=Formula(lambda emit, x: emit("div", x, emit("add", emit("abs", x), 1.0))))
def softsign(x):
    """x / (1 + |x|)."""
    return x / (x.dtype.type(1) + np.abs(x))


def _softsign_grad(g, x):
    size = abs(x) + 1
    if is_complex(x):  # |x| moves with both parts
        return g / size - unit(x) * (real(g * conj(x)) / (size * size))
    return g / (size * size)


softsign.grad(x=_softsign_grad)


@op("tanh_shrink(X) -> Out", family="same", layer_name="tanh_shrink", sharding=elementwise, amp="black",
    step=Formula(lambda emit, x: emit("sub", x, emit("tanh", x))))
def tanhshrink(x):
    """x - tanh(x)."""
    return x - np.tanh(x)


tanhshrink.grad(x=holomorphic(lambda g, x: g * tanh(x) * tanh(x)))


@op("hard_shrink(X) -> Out", family="same", sharding=elementwise, step=Formula(
    lambda emit, x, threshold: emit("select", emit("sub", emit("abs", x), float(threshold)), x, 0.0)))
def hardshrink(x, threshold=0.5):
    """x where |x| is above the threshold, else 0."""
    need_real(x, "hardshrink")
    return np.where(np.abs(x) > threshold, x, x.dtype.type(0))


@op("beyond(X) -> Mask", family="same", sharding=elementwise,
    step=Formula(lambda emit, x, threshold: emit("above", emit("abs", x), float(threshold))))
def beyond(x, threshold=0.5):
    """1 where |x| is above the threshold, else 0, in the dtype of x."""
    return (np.abs(x) > threshold).astype(x.dtype)


hardshrink.grad(x=lambda g, x, threshold: g * beyond(x, threshold))


@op("softshrink(X) -> Out", family="same", sharding=elementwise, threshold="lambda",
    step=Formula(lambda emit, x, threshold: emit("sub", x, _limited(emit, x, -threshold, threshold)) if threshold >= 0 else None))
def softshrink(x, threshold=0.5):
    """x moved towards 0 by the threshold, and 0 within it."""
    need_real(x, "softshrink")
    t = x.dtype.type(threshold)
    return np.sign(x) * np.maximum(np.abs(x) - t, x.dtype.type(0))


softshrink.grad(x=lambda g, x, threshold: g * beyond(x, threshold))


@op("thresholded_relu(X) -> Out", family="same", sharding=elementwise,
    step=Formula(lambda emit, x, threshold, value: emit("select", emit("sub", x, float(threshold)), x, float(value))),
    to_desc=lambda a: a if a["value"] else {"threshold": a["threshold"]})
def thresholded_relu(x, threshold=1.0, value=0.0):
    """x where it is above the threshold, else ``value``."""
    need_real(x, "thresholded_relu")
    return np.where(x > threshold, x, x.dtype.type(value))


thresholded_relu.grad(x=lambda g, x, threshold: g * rising(x, threshold))


_LARGE = 80.0  # above it log(1 + exp(z)) is z in every precision, below it exp(z) is finite


@op("logsigmoid(X) -> Out", family="same", sharding=elementwise,
    step=Formula(lambda emit, x: emit("neg", emit("log1pexp", emit("neg", x)))))
def log_sigmoid(x):
    """log(1 / (1 + exp(-x)))."""
    return -_softplus(-x, 1.0, _LARGE if x.dtype.kind == "c" else np.inf).astype(x.dtype)


log_sigmoid.grad(x=holomorphic(lambda g, x: g * sigmoid(-x)))


@op("stanh(X) -> Out", family="same", sharding=elementwise, step=Formula(
    lambda emit, x, scale_a, scale_b: emit("mul", emit("tanh", emit("mul", x, float(scale_a))), float(scale_b))))
def stanh(x, scale_a=0.67, scale_b=1.7159):
    """scale_b * tanh(scale_a * x)."""
    return x.dtype.type(scale_b) * np.tanh(x.dtype.type(scale_a) * x)


@holomorphic
def _stanh_grad(g, x, scale_a, scale_b):
    t = tanh(x * scale_a)
    return g * (1 - t * t) * (scale_a * scale_b)


stanh.grad(x=_stanh_grad)


@op("maxout(X) -> Out", family="own",
    shapes=lambda x, groups, axis: x.like(
    [-1 if n < 0 else n // groups if k == axis % len(x.shape) else n for k, n in enumerate(x.shape)]))
def maxout(x, groups=1, axis=1):
    """The largest of each group of neighbouring channels."""
    axis = axis % x.ndim
    if groups < 1 or x.shape[axis] % groups:
        raise ValueError(f"maxout(): groups {groups} must divide the {x.shape[axis]} channels")
    return x.reshape(*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1:]).max(axis + 1)


@maxout.vjp
def _(needs, g, out, x, groups, axis):
    shape, axis = list(x.shape), axis % len(x.shape)
    split = [*shape[:axis], shape[axis] // groups, groups, *shape[axis + 1:]]
    lifted = [*shape[:axis], shape[axis] // groups, 1, *shape[axis + 1:]]
    hit = equal(x.reshape(split), out.reshape(lifted))
    return (multiply(g.reshape(lifted), hit).reshape(shape),)


through_float32(relu, relu_mask, leaky_relu, gelu, gelu_back, silu)


by_library(maxout)
