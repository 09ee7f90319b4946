"""Functions of one tensor, element by element."""

import numpy as np

from ...core.op import op
from ...core.steps import Step
from ..families.rows import each_value
from ..families.sharding import elementwise
from ..lines import by_lines
from .arithmetic import conj, divide, holomorphic, is_complex, multiply
from .complex import real


def _declare(name, function, rule=None, op_type=None, doc="", step=None, **facts):
    """Declare a unary op whose reference is a NumPy function and whose gradient rule names x or out; ``step``: which of them the
    native step of that name keeps, or True where its gradient is no step of its own."""
    def kernel(x):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return function(x)
    kernel.__name__ = name
    kernel.__doc__ = doc
    kernel.__module__ = __name__
    step = step and Step(name, saved=None if step is True else step)
    declared = op(f"{op_type or name}(X) -> Out", family="same", sharding=elementwise, step=step, **facts)(kernel)
    if rule is not None:
        declared.grad(x=holomorphic(rule))
    return declared


def _declare_back(name, slope, curve):
    """Declare the gradient of a function with a native step as one op, so that second derivatives take one pass over memory for it;
    slope and curve: the derivative, as a function of the result, and the derivative of that."""
    def back(grad, out_):
        return grad * slope(out_)
    back.__name__, back.__module__ = f"{name}_back", __name__
    back.__doc__ = f"grad * the slope of {name} where it is out_."
    declared = op(f"{name}_input_grad(G, Out) -> GX", family="same", sharding=elementwise)(back)
    declared.kernel()(lambda k, grad, out_: k.unary_grad(name, out_, grad))
    declared.grad(grad=holomorphic(lambda g, out_: declared(g, out_)),
                  out_=holomorphic(lambda g, grad, out_: g * (grad * curve(out_))))
    return declared


def _round_away(x):
    if x.dtype.kind in "iu":
        return x
    size = np.abs(x)
    whole = np.floor(size)
    return np.copysign(whole + (size - whole >= 0.5).astype(x.dtype), x)  # size + 0.5 might be rounded up itself


def _zero(g):
    return g * 0


exp = _declare("exp", np.exp, lambda g, out: multiply(g, out), step="out", doc="e to the power x.", amp="black")
expm1 = _declare("expm1", np.expm1, lambda g, out: g * (out + 1), step=True, doc="e to the power x, minus 1, exact near 0.",
                 amp="black")
log = _declare("log", np.log, lambda g, x: divide(g, x), step="x", doc="Natural logarithm.", amp="black")
log2 = _declare("log2", np.log2, lambda g, x: divide(g, x * float(np.log(2))), step=True, doc="Logarithm to base 2.", amp="black")
log10 = _declare("log10", np.log10, lambda g, x: divide(g, x * float(np.log(10))), step=True,
                 doc="Logarithm to base 10.", amp="black")
log1p = _declare("log1p", np.log1p, lambda g, x: divide(g, x + 1), step=True, doc="log(1 + x), exact near 0.", amp="black")
sqrt = _declare("sqrt", np.sqrt, lambda g, out: divide(g, out * 2), step="out", doc="Square root.", on_rows=each_value)
rsqrt = _declare("rsqrt", lambda x: x.dtype.type(1) / np.sqrt(x), lambda g, out: g * out * out * out * -0.5,
                 step="out", doc="1 / sqrt(x).", amp="black")
square = _declare("square", np.square, lambda g, x: g * x * 2, step="x", doc="x * x.", amp="black", on_rows=each_value)
reciprocal = _declare("reciprocal", lambda x: x.dtype.type(1) / x, lambda g, out: -(g * out * out), step="out",
                      doc="1 / x.", amp="black")
sign = _declare("sign", np.sign, _zero, step=True, doc="-1, 0 or 1 by the sign of x.")
floor = _declare("floor", np.floor, _zero, step=True, doc="The largest integer not above x.")
ceil = _declare("ceil", np.ceil, _zero, step=True, doc="The smallest integer not below x.")
round = _declare("round", _round_away, _zero, step=True, doc="The nearest integer; halves go away from zero.")
trunc = _declare("trunc", lambda x: x.copy() if x.dtype.kind in "iu" else np.trunc(x), _zero, step=True,  # NumPy 1: floats
                 doc="x without its fractional part.")
sin = _declare("sin", np.sin, lambda g, x: g * cos(x), step=True, doc="Sine.")
cos = _declare("cos", np.cos, lambda g, x: -(g * sin(x)), step=True, doc="Cosine.")
tan = _declare("tan", np.tan, lambda g, x: g * (square(tan(x)) + 1), step=True, doc="Tangent.", amp="black")  # by x, as tan_ wants
asin = _declare("asin", np.arcsin, lambda g, x: g * rsqrt(1 - x * x), step=True, doc="Inverse sine.", amp="black")
acos = _declare("acos", np.arccos, lambda g, x: -(g * rsqrt(1 - x * x)), step=True, doc="Inverse cosine.", amp="black")
atan = _declare("atan", np.arctan, lambda g, x: g / (x * x + 1), step=True, doc="Inverse tangent.")
sinh = _declare("sinh", np.sinh, lambda g, x: g * cosh(x), step=True, doc="Hyperbolic sine.", amp="black")
cosh = _declare("cosh", np.cosh, lambda g, x: g * sinh(x), step=True, doc="Hyperbolic cosine.", amp="black")
tanh = _declare("tanh", np.tanh, lambda g, out: tanh_back(g, out), step="out", doc="Hyperbolic tangent.")
tanh_back = _declare_back("tanh", lambda out: 1 - out * out, lambda out: out * -2)
asinh = _declare("asinh", np.arcsinh, lambda g, x: g * rsqrt(x * x + 1), step=True, doc="Inverse hyperbolic sine.")
acosh = _declare("acosh", np.arccosh, lambda g, x: g * rsqrt(x * x - 1), step=True, doc="Inverse hyperbolic cosine.")
atanh = _declare("atanh", np.arctanh, lambda g, x: divide(g, 1 - x * x), step=True, doc="Inverse hyperbolic tangent.", amp="black")


def _sigmoid(x):
    if x.dtype.kind == "c":
        e = np.exp(np.where(x.real >= 0, -x, x))
        return np.where(x.real >= 0, x.dtype.type(1), e) / (e + x.dtype.type(1))
    # exp of a non-positive number only: no overflow on either side
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, x.dtype.type(1), e) / (e + x.dtype.type(1))


sigmoid = _declare("sigmoid", _sigmoid, lambda g, out: sigmoid_back(g, out), step="out", doc="1 / (1 + exp(-x)).")
sigmoid_back = _declare_back("sigmoid", lambda out: out * (1 - out), lambda out: 1 - out * 2)


@op("abs(X) -> Out", family="same", sharding=elementwise, step=Step("abs", saved="x"), gives="real")
def abs(x):
    """Absolute value; of complex numbers the modulus."""
    return np.abs(x)


@op("unit(X) -> Out", family="same", sharding=elementwise)
def unit(x):
    """x / |x|, and 0 at 0: the sign, also of complex numbers."""
    if x.dtype.kind != "c":
        return np.sign(x)
    size = np.abs(x)
    size = np.where(size == 0, size.dtype.type(1), size)  # 0 stays 0
    out = np.empty_like(x)
    np.divide(x.real, size, out=out.real)
    np.divide(x.imag, size, out=out.imag)
    return out


abs.grad(x=lambda g, x: g * unit(x))


def _unit_grad(g, x):
    if not is_complex(x):
        return g * 0
    return (g - unit(x) * real(g * conj(unit(x)))) / abs(x)


unit.grad(x=_unit_grad)


def _test(name, function, op_type, doc):
    def kernel(x):
        return function(x) if x.dtype.kind in "fc" else np.full(x.shape, name == "isfinite")
    kernel.__name__, kernel.__doc__, kernel.__module__ = name, doc, __name__
    return op(f"{op_type}(X) -> Out", family="compare", layer_name=op_type)(kernel)


isnan = _test("isnan", np.isnan, "isnan_v2", "True where x is not a number.")
isinf = _test("isinf", np.isinf, "isinf_v2", "True where x is infinite.")
isfinite = _test("isfinite", np.isfinite, "isfinite_v2", "True where x is a finite number.")
by_lines(isnan, isinf, isfinite)
