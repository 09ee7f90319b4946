"""Arithmetic, element by element, with broadcasting."""

import functools
import math

import numpy as np

from ...core import sizes
from ...core.op import op
from ...core.steps import Formula, Step, Steps, is_dense
from ...core.tensor import Tensor
from ...core.walk import summed_back
from ...kernels import thresholds
from ..families.rows import added, scaled_rows, times
from ..families.sharding import elementwise, linear, multilinear, quotient, repeated, scaled
from ..lines import by_lines
from ..short import through_float32


def align(x, y, axis):
    """y reshaped as files with ``axis`` >= 0 mean it: its dimensions matched to x's from that axis on."""
    return y if axis == -1 or x.ndim == y.ndim else y.reshape(sizes.matched(list(y.shape), x.ndim, axis))


@op("elementwise_add(X, Y) -> Out", family="broadcast", sharding=linear, step=Step("add"), total=True, version=1)
def add(x, y, axis=-1):
    """x + y, element by element."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.add(x, y if axis == -1 else align(x, y, axis))


add.grad(x=lambda g: g, y=lambda g: g)


@op("elementwise_sub(X, Y) -> Out", family="broadcast", sharding=linear, step=Step("sub"), total=True, version=1)
def subtract(x, y, axis=-1):
    """x - y, element by element."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.subtract(x, y if axis == -1 else align(x, y, axis))


subtract.grad(x=lambda g: g, y=lambda g: -g)


@op("elementwise_mul(X, Y) -> Out", family="broadcast", sharding=multilinear, step=Step("mul"), total=True, version=1,
    on_rows=times)
def multiply(x, y, axis=-1):
    """x * y, element by element."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.multiply(x, y if axis == -1 else align(x, y, axis))


def numpy_type(x):
    """NumPy's dtype of an array, Tensor or Variable."""
    if isinstance(x, Tensor):
        return x._data.dtype
    kind = x.dtype
    return kind if isinstance(kind, np.dtype) else kind.dtype


def is_complex(x):
    """Does the array, Tensor or Variable hold complex numbers?"""
    return numpy_type(x).kind == "c"


@op("conj(X) -> Out", family="same", sharding=linear)
def conj(x):
    """The complex conjugate; real numbers stay as they are."""
    return np.conj(x) if x.dtype.kind == "c" else x.copy()


conj.grad(x=lambda g: conj(g))
by_lines(conj)


def conjugate(x):
    """What gradients multiply with: the conjugate of complex numbers, real ones themselves."""
    return conj(x) if is_complex(x) else x


def holomorphic(rule):
    """A gradient rule g * f'(x), written for real numbers, that multiplies with the conjugate of f' for complex ones."""
    @functools.wraps(rule)
    def both(g, *args):
        return conj(rule(conj(g), *args)) if is_complex(g) else rule(g, *args)
    return both


multiply.grad(x=lambda g, y: multiply(g, conjugate(y)), y=lambda g, x: multiply(g, conjugate(x)))


@op("elementwise_div(X, Y) -> Out", family="broadcast", sharding=quotient, step=Step("div"), version=1)
def divide(x, y, axis=-1):
    """x / y, element by element; integers truncate toward zero."""
    y = y if axis == -1 else align(x, y, axis)
    if x.dtype.kind in "iu":
        if not np.all(y):
            raise ZeroDivisionError("integer division by zero")
        down = np.floor_divide(x, y)
        return down + ((x % y != 0) & ((x < 0) != (y < 0)))  # exact, where a quotient of floats would not be
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.divide(x, y)
        return out.astype(bool) if x.dtype == bool else out


divide.grad(x=holomorphic(lambda g, y: divide(g, y)), y=holomorphic(lambda g, x, y: -(g * (x / (y * y)))))


def _scaled(emit, x, scale, bias, bias_after_scale):
    if bias == 0:
        return emit("mul", x, float(scale))
    (first, a), (second, b) = (("mul", scale), ("add", bias)) if bias_after_scale else (("add", bias), ("mul", scale))
    x = x if first == "mul" and a == 1 else emit(first, x, float(a))
    return x if x is NotImplemented else emit(second, x, float(b))


@op("scale(X) -> Out", family="same", step=Steps(_scaled, back=lambda emit, g, scale, *_: emit("mul", g, float(scale))), total=True,
    sharding=scaled, numbers={"ScaleTensor": "scale"}, on_rows=scaled_rows)
def scale(x, scale=1.0, bias=0.0, bias_after_scale=True):
    """scale * x + bias, or scale * (x + bias) when the bias goes first; the dtype of x is kept."""
    kind = x.dtype.type if x.dtype.kind != "u" else lambda number: np.asarray(number).astype(x.dtype)  # -1 wraps round
    with np.errstate(invalid="ignore", over="ignore"):
        if bias_after_scale:
            y = x * kind(scale) if scale != 1 else x
            return y + kind(bias) if bias != 0 else (y if y is not x else x.copy())
        return (x + kind(bias)) * kind(scale)


scale.grad(x=lambda g, scale: globals()["scale"](g, scale))


@op("sum_to(X) -> Out", family="reduce", sharding=None, shapes=lambda x, shape: x.like(shape))
def sum_to(x, shape):
    """x summed over the axes that broadcasting from ``shape`` had added or stretched."""
    return summed_back(x, shape)


@op("broadcast_to_shape(X) -> Out", family="reshape", sharding=repeated, shapes=lambda x, shape: x.like(shape))
def broadcast_to_shape(x, shape):
    """x repeated to ``shape`` as NumPy broadcasts it (a fresh array: results are never read-only views)."""
    out = np.empty(shape, x.dtype)
    np.copyto(out, x)
    return out


@broadcast_to_shape.kernel(when=lambda x, shape: math.prod(shape) >= thresholds.SPREAD_ELEMENTS, noted=False)
def _(k, x, shape):
    return k.contiguous(np.broadcast_to(x, shape)) if x.size < math.prod(shape) else NotImplemented


@broadcast_to_shape.kernel(when=lambda x, shape: x.size == 1, native=False)
def _(k, x, shape):
    return x.reshape(1).repeat(math.prod(shape)).reshape(tuple(shape))


sum_to.grad(x=lambda g, x_shape: broadcast_to_shape(g, x_shape))
broadcast_to_shape.grad(x=lambda g, x_shape: sum_to(g, x_shape))


@op("pow(X) -> Out", family="same", sharding=elementwise,
    step=Step(lambda factor: "square" if factor == 2 else ("pow", factor), saved="x"), amp="black",
    numbers={"FactorTensor": "factor"})
def pow(x, factor=1.0):
    """x to the power of a number; integers stay integers."""
    if x.dtype.kind in "iu":
        if factor < 0:
            raise ValueError(f"pow(): integers to a negative integer power are not allowed, got {factor}")
        return np.power(x, x.dtype.type(factor))
    if factor == 2:
        return x * x
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if factor == 0.5 and x.dtype.kind == "f":  # NumPy takes the root, whose -0 and -inf are not the power's
            return np.where(x == -np.inf, x.dtype.type(np.inf), np.sqrt(x + x.dtype.type(0)))
        return np.power(x, x.dtype.type(factor))


def _pow_rule(g, x, factor):
    if factor == 0:
        return g * 0
    x = conjugate(x)
    return g * factor * pow(x, factor - 1) if factor != 2 else g * x * 2


pow.grad(x=_pow_rule)


@op("elementwise_pow(X, Y) -> Out", family="broadcast", step=Step("pow"), version=1)
def elementwise_pow(x, y, axis=-1):
    """x to the power y, element by element."""
    y = align(x, y, axis)
    if x.dtype.kind in "iu" and np.any(y < 0):
        raise ValueError("pow(): integers to negative integer powers are not allowed")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.power(x, y)


by_lines(elementwise_pow, name="pow")  # of whole numbers
elementwise_pow.grad(x=holomorphic(lambda g, x, y: g * y * elementwise_pow(x, y - 1)),
                     y=holomorphic(lambda g, x, out: multiply(g, xlogy_of(out, x))))


@op("xlogy_of(X, Y) -> Out", family="broadcast")
def xlogy_of(x, y):
    """x * log(y), and 0 wherever x is 0 or a real y is not positive."""
    ok = (x != 0) & (y != 0 if y.dtype.kind == "c" else y > 0)
    return np.where(ok, x * np.log(np.where(ok, y, y.dtype.type(1))), x.dtype.type(0))


xlogy_of.grad(x=lambda g, x, y: g * xlogy_of(x * 0 + 1, y), y=lambda g, x, y: divide(g * x, y))


@op("elementwise_mod(X, Y) -> Out", family="broadcast", step=Step("mod"))
def remainder(x, y, axis=-1):
    """The remainder of x / y; it has the sign of y."""
    y = align(x, y, axis)
    if x.dtype.kind in "iu" and not np.all(y):
        raise ZeroDivisionError("integer remainder by zero")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.remainder(x, y)


remainder.grad(x=lambda g: g, y=lambda g, x, y: -(g * floor_divide(x, y)))


@op("elementwise_floordiv(X, Y) -> Out", family="broadcast", step=Step("floordiv"))
def floor_divide(x, y, axis=-1):
    """x / y rounded down."""
    y = align(x, y, axis)
    if x.dtype.kind in "iu" and not np.all(y):
        raise ZeroDivisionError("integer division by zero")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.floor_divide(x, y)


floor_divide.grad(x=lambda g: g * 0, y=lambda g: g * 0)


def _pick(strict):
    """Gradient rules of maximum and minimum: a tie goes to y alone."""
    def to_x(g, x, y):
        return multiply(g, strict(x, y))

    def to_y(g, x, y):
        return g - multiply(g, strict(x, y))
    return to_x, to_y


@op("indicator(X, Y) -> Out", family="broadcast", step=Step("above"))
def indicator(x, y):
    """1 where x > y, else 0, in the dtype of x."""
    return np.greater(x, y).astype(x.dtype)


@op("elementwise_max(X, Y) -> Out", family="broadcast", step=Step("max"))
def maximum(x, y, axis=-1):
    """The larger of x and y, element by element; NaN wins."""
    return np.maximum(x, align(x, y, axis))


@op("elementwise_min(X, Y) -> Out", family="broadcast", step=Step("min"))
def minimum(x, y, axis=-1):
    """The smaller of x and y, element by element; NaN wins."""
    return np.minimum(x, align(x, y, axis))


_to_x, _to_y = _pick(lambda x, y: indicator(x, y))
maximum.grad(x=_to_x, y=_to_y)
_to_x, _to_y = _pick(lambda x, y: indicator(y, x))
minimum.grad(x=_to_x, y=_to_y)


def _bounds(attrs):
    """Files need both bounds: what does not limit is the largest float32."""
    top = float(np.finfo(np.float32).max)
    return {"min": -top if attrs["min"] is None else float(attrs["min"]),
            "max": top if attrs["max"] is None else float(attrs["max"])}


def _clip_steps(emit, x, min_tensor, max_tensor, min, max):
    if min_tensor is not None or max_tensor is not None:
        return None
    if min is not None and max is not None:
        return emit("limit", x, float(min), float(max))
    x = x if min is None else emit("max", x, float(min))
    return x if max is None else emit("min", x, float(max))


def _inside_steps(emit, x, min_tensor, max_tensor, min, max):
    if min_tensor is not None or max_tensor is not None or min is None and max is None:
        return None
    if min is None:
        return emit("above", float(max), x)
    return emit("above", x, float(min)) if max is None else emit("between", x, float(min), float(max))


@op("clip(X, Min?, Max?) -> Out", family="same", sharding=elementwise, to_desc=_bounds, version=1, step=Formula(_clip_steps))
def clip(x, min_tensor=None, max_tensor=None, min=None, max=None):
    """x limited to [min, max]; bounds given as tensors go before numbers."""
    low = min if min_tensor is None else min_tensor.reshape(())
    high = max if max_tensor is None else max_tensor.reshape(())
    y = x if low is None else np.maximum(x, _within(low, x.dtype))
    y = y if high is None else np.minimum(y, _within(high, x.dtype))
    return y.copy() if y is x else y


def _within(bound, dtype):
    """A bound in an element type; one beyond the range of an integer type, such as infinity, is the end of that range."""
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        bound = int(ends.min) if bound <= ends.min else int(ends.max) if bound >= ends.max else bound
    return np.asarray(bound).astype(dtype)


@op("inside(X, Min?, Max?) -> Mask", family="same", sharding=elementwise, step=Formula(_inside_steps))
def inside(x, min_tensor=None, max_tensor=None, min=None, max=None):
    """1 where min < x < max strictly, else 0, in the dtype of x."""
    low = min if min_tensor is None else min_tensor.reshape(())
    high = max if max_tensor is None else max_tensor.reshape(())
    mask = np.ones(x.shape, bool)
    if low is not None:
        mask &= x > low
    if high is not None:
        mask &= x < high
    return mask.astype(x.dtype)


clip.grad(x=lambda g, x, min_tensor, max_tensor, min, max: multiply(g, inside(x, min_tensor, max_tensor, min, max)))


def _like_first(inputs):
    return len(inputs) > 1 and is_dense(*inputs) and all(x.shape == inputs[0].shape for x in inputs)


def _added(emit, *members):
    return functools.reduce(functools.partial(emit, "add"), members)


@op("sum(X*) -> Out", family="same", sharding=linear, step=Steps(_added, when=_like_first), on_rows=added)
def add_n(inputs):
    """The sum of a list of tensors of one shape."""
    total = inputs[0].copy()
    for x in inputs[1:]:
        if x.shape != total.shape:
            raise ValueError(f"add_n(): shapes differ: {list(total.shape)} and {list(x.shape)}")
        total += x
    return total


add_n.grad(inputs=lambda g, inputs_shape: [g] * len(inputs_shape))

through_float32(add, subtract, multiply, scale, sum_to, add_n)
