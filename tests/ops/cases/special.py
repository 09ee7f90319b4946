"""Special functions, functions of pairs, and complex numbers."""

import math

import numpy as np
from opcase import OpCase, away, bad, c, const, distinct, f, i, pos

import paddle


def each(function):
    return lambda x: np.vectorize(function, otypes=[float])(x).astype(x.dtype)


def polygamma(x, n):
    """The series, summed far out, with its tail as an integral."""
    k = np.arange(4000.0)
    x = x.astype("float64")
    a = x + len(k)
    tail = a ** -n / n + a ** -(n + 1.0) / 2 + (n + 1) * a ** -(n + 2.0) / 12
    return ((-1) ** (n + 1) * math.factorial(n) * (((x[..., None] + k) ** -(n + 1.0)).sum(-1) + tail))


def digamma(x):
    k = np.arange(4000.0)
    a = x.astype("float64") + len(k)
    return np.log(a) - 0.5 / a - 1 / (12 * a * a) - (1 / (x[..., None].astype("float64") + k)).sum(-1)


def bessel(order):
    """Bessel's own integral; the trapezoidal rule is exact to rounding for periodic functions."""
    t = (np.arange(400) + 0.5) * np.pi / 400
    return lambda x: (np.exp(x[..., None].astype("float64") * np.cos(t)) * np.cos(order * t)).mean(-1)


def erfinv_ok(out, x):
    return np.allclose(np.vectorize(math.erf)(out.numpy().astype("float64")), x, 1e-6, 1e-6)


def pair(name, ref, x, y, **more):
    return OpCase("paddle." + name, [x, y], ref=ref, **more)


lgamma = each(lambda v: math.lgamma(v))
CASES = [
    OpCase("paddle.erf", [f(3, 4, low=-4, high=4)], ref=each(math.erf), inplace=True),
    OpCase("paddle.erfinv", [f(3, 4, low=-0.95, high=0.95)], check=erfinv_ok, inplace=True),
    OpCase("paddle.lgamma", [f(3, 4, low=0.1, high=20)], ref=lgamma, inplace=True,
           more=[[const([-0.5, -1.5, -2.3, 0.25, 100.0, 1e4])]], tol=1e-5),
    OpCase("paddle.digamma", [f(3, 4, low=0.2, high=20)], ref=digamma, inplace=True),
    OpCase("paddle.polygamma", [f(3, 4, low=0.5, high=10)], n=1, ref=polygamma, inplace=True, tol=3e-5,
           errors=[bad(ValueError, f(2), n=-1), bad(TypeError, f(2), n=0.5)]),
    OpCase("paddle.polygamma", [f(3, 4, low=0.5, high=10)], n=3, ref=polygamma, tol=3e-5),
    OpCase("paddle.multigammaln", [f(3, 4, low=3, high=9)], p=3, inplace=True, tol=1e-5,
           ref=lambda x, p: 1.5 * math.log(math.pi) + lgamma(x) + lgamma(x - 0.5) + lgamma(x - 1),
           errors=[bad(ValueError, f(2), p=0)]),
    OpCase("paddle.i0", [f(3, 4, low=-5, high=5)], ref=lambda x: np.i0(x.astype("float64")), tol=2e-6, inplace=True),
    OpCase("paddle.i0e", [f(3, 4, low=0.5, high=30)], ref=lambda x: bessel(0)(x) * np.exp(-x.astype("float64")), tol=1e-6),
    OpCase("paddle.i1", [f(3, 4, low=-5, high=5)], ref=bessel(1), tol=3e-6),
    OpCase("paddle.i1e", [f(3, 4, low=0.5, high=30)], ref=lambda x: bessel(1)(x) * np.exp(-x.astype("float64")), tol=1e-6),
    OpCase("i1_over_x", [away(5, low=0.01, high=3)], ref=lambda x: bessel(1)(x) / x, tol=1e-6),
    OpCase("i2_over_x", [away(5, low=0.06, high=3)], ref=lambda x: bessel(2)(x) / x, tol=1e-6),
    OpCase("paddle.logit", [f(3, 4, low=0.1, high=0.9)], ref=lambda x: np.log(x / (1 - x)), inplace=True,
           errors=[bad(ValueError, f(2), eps=0.7)]),
    OpCase("paddle.logit", [f(3, 4, low=0.2, high=0.8)], eps=0.1, ref=lambda x, eps: np.log(x / (1 - x))),
    OpCase("paddle.stanh", [f(3, 4)], ref=lambda x: 1.7159 * np.tanh(0.67 * x)),
    OpCase("paddle.frac", [distinct(3, 4)], ref=lambda x: x - np.trunc(x), inplace=True),
    OpCase("paddle.rad2deg", [f(3, 4)], ref=np.rad2deg), OpCase("paddle.deg2rad", [f(3, 4)], ref=np.deg2rad),
    OpCase(lambda x: paddle.nan_to_num(x.detach(), 2.0, 5.0, -6.0), [const([[np.nan, np.inf], [-np.inf, 1.5]])],
           ref=lambda x: np.nan_to_num(x, True, 2.0, 5.0, -6.0), grad=False, name="nan_to_num_given", rejects_text=False,
           method=False, static=False),
    OpCase("paddle.nan_to_num", [f(3, 4)], ref=np.nan_to_num, inplace=True),
    OpCase("paddle.frexp", [away(3, 4)], ref=lambda x: [np.frexp(x)[0], np.frexp(x)[1].astype(x.dtype)]),
    OpCase("power_of_two", [f(3, 4)], ref=np.exp2),
    pair("atan2", np.arctan2, away(3, 4), away(3, 4), more=[[away(3, 4), away(4)]], errors=[bad(ValueError, f(2), f(3))]),
    OpCase("bce_loss", [f(3, 4, low=0.1, high=0.9), f(3, 4, low=0.1, high=0.9)], grad=[0],
           ref=lambda x, label: -label * np.log(x) - (1 - label) * np.log(1 - x)),
    pair("fmax", np.fmax, distinct(3, 4), f(3, 4, low=3, high=4)), pair("fmin", np.fmin, distinct(3, 4), away(3, 4)),
    pair("heaviside", np.heaviside, away(3, 4), f(4)),
    pair("heaviside", np.heaviside, const([0.0, 1.5, -2.0]), f(3), grad=[1]),
    pair("nextafter", np.nextafter, f(3, 4), f(3, 4), more=[[f(3, 4), f(4)]], grad=False, errors=[bad(ValueError, f(2), f(3))]),
    OpCase("paddle.lerp", [f(3, 4), f(4), f(3, 1)], ref=lambda x, y, w: x + w * (y - x), inplace=True,
           errors=[bad(ValueError, f(2), f(3), 0.5)]),
    OpCase("paddle.lerp", [f(3, 4), f(3, 4), 0.25], ref=lambda x, y, w: x + w * (y - x)),
    pair("isclose", np.isclose, const([1.0, 2.0, np.nan]), const([1.000001, 2.1, np.nan]), grad=False,
         errors=[bad(ValueError, f(2), f(3))]),
    OpCase("paddle.allclose", [f(3), f(3)], rtol=10.0, grad=False, ref=lambda x, y, rtol: np.asarray(np.allclose(x, y, rtol))),
    pair("equal_all", lambda x, y: np.asarray(np.array_equal(x, y)), i(3), i(3), grad=False),
    pair("hypot", np.hypot, away(3, 4), away(4), inplace=True), pair("logaddexp", np.logaddexp, distinct(3, 4), f(3, 4, low=2, high=3)),
    pair("gcd", np.gcd, i(3, 4, high=50), i(4, high=50), inplace=True, errors=[bad(TypeError, f(2), i(2))]),
    pair("lcm", np.lcm, i(3, 4, high=50), i(4, high=50), inplace=True),
    pair("ldexp", lambda x, y: x * 2.0 ** y.astype(x.dtype), f(3, 4), i(4, high=5), inplace=True),
    OpCase("is_zero", [const([0.0, 1.0])], ref=lambda x: (x == 0).astype(x.dtype), grad=False),
    OpCase("paddle.dot", [f(5), f(5)], ref=lambda x, y: np.asarray(np.dot(x, y)), unknown=False,
           errors=[bad(ValueError, f(2), f(3))]),
    OpCase("paddle.dot", [f(3, 4), f(3, 4)], ref=lambda x, y: (x * y).sum(-1), unknown=False),
    pair("inner", np.inner, f(2, 3, 4), f(5, 4), unknown=False, errors=[bad(ValueError, f(2), f(3))]),
    pair("outer", np.outer, f(3), f(2, 2)), pair("kron", np.kron, f(2, 3), f(3, 1), unknown=False),
    pair("kron", np.kron, f(2), f(2, 3), unknown=False),
    pair("cross", lambda x, y: np.cross(x, y), f(2, 3), f(2, 3), small=False, errors=[bad(ValueError, f(2), f(2))]),
    OpCase("paddle.cross", [f(3, 2), f(3, 2)], axis=0, ref=lambda x, y, axis: np.cross(x, y, axis=axis), unknown=False),
    OpCase("paddle.addmm", [f(3), f(2, 4), f(4, 3)], beta=0.5, alpha=2.0, unknown=False, inplace=False,
           ref=lambda a, x, y, beta, alpha: beta * a + alpha * (x @ y), errors=[bad(ValueError, f(2), f(2, 3), f(2, 3))]),
    OpCase("paddle.trace", [f(3, 4)], offset=1, ref=lambda x, offset: np.asarray(np.trace(x, offset)),
           errors=[bad(ValueError, f(3)), bad(ValueError, f(2, 2), axis1=0, axis2=0)]),
    OpCase("paddle.trace", [f(2, 3, 4)], axis1=-1, axis2=0, ref=lambda x, axis1, axis2: np.trace(x, 0, axis1, axis2), unknown=False),
    OpCase("paddle.real", [c(3, 4)], ref=np.real), OpCase("paddle.imag", [c(3, 4)], ref=np.imag, errors=[bad(TypeError, f(2))]),
    OpCase("paddle.conj", [c(3, 4)], ref=np.conj), OpCase("paddle.angle", [c(3, 4)], ref=np.angle),
    OpCase("paddle.angle", [away(3, 4)], ref=np.angle), OpCase("paddle.conj", [f(3)], ref=np.conj),
    OpCase("paddle.sgn", [c(3, 4)], ref=lambda x: x / np.abs(x)), OpCase("paddle.sgn", [away(3, 4)], ref=np.sign),
    *[OpCase("paddle." + name, [c(3, 4)], ref=getattr(np, name), name=f"{name}_complex", method=False, rejects_text=False)
      for name in ("exp", "sin", "cos", "tanh", "sqrt", "square", "log")],
    *[OpCase("paddle." + name, [c(3, 4), c(4)], ref=getattr(np, name), name=f"{name}_complex", method=False,
             rejects_text=False) for name in ("multiply", "divide", "add", "subtract")],
    OpCase("paddle.matmul", [c(2, 3), c(3, 2)], ref=np.matmul, name="matmul_complex", method=False, rejects_text=False),
    OpCase(lambda z: paddle.abs(z) * paddle.real(z), [c(3)], ref=lambda z: np.abs(z) * z.real, name="abs_times_real",
           rejects_text=False, method=False),
    OpCase("paddle.sqrt", [pos(3)], ref=np.sqrt, name="sqrt_real", rejects_text=False, method=False),
]
