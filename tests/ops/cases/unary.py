"""Functions of one tensor."""

import math

import numpy as np
from opcase import OpCase, away, distinct, f, pos

erf = np.vectorize(math.erf)


def unary(name, ref, inputs=None, **more):
    """A case of ``paddle.<name>`` with a reference for float arrays."""
    return OpCase("paddle." + name, [inputs if inputs is not None else f(3, 4)], ref=ref, **more)


def half_away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


CASES = [
    unary("abs", np.abs, away(3, 4)), unary("exp", np.exp), unary("expm1", np.expm1), unary("sin", np.sin),
    unary("cos", np.cos), unary("sinh", np.sinh), unary("cosh", np.cosh), unary("tanh", np.tanh), unary("atan", np.arctan),
    unary("asinh", np.arcsinh), unary("square", np.square), unary("log", np.log, pos(3, 4)),
    unary("log2", np.log2, pos(3, 4)), unary("log10", np.log10, pos(3, 4)), unary("log1p", np.log1p, pos(3, 4)),
    unary("sqrt", np.sqrt, pos(3, 4)), unary("rsqrt", lambda x: 1 / np.sqrt(x), pos(3, 4)),
    unary("reciprocal", lambda x: 1 / x, away(3, 4)), unary("sign", np.sign, away(3, 4)),
    unary("floor", np.floor, distinct(3, 4)), unary("ceil", np.ceil, distinct(3, 4)),
    unary("round", half_away, distinct(3, 4)), unary("trunc", np.trunc, distinct(3, 4)),
    OpCase("paddle.tan", [f(3, 4, low=-1.0, high=1.0)], ref=np.tan), OpCase("paddle.asin", [f(3, 4, low=-0.8, high=0.8)], ref=np.arcsin),
    OpCase("paddle.acos", [f(3, 4, low=-0.8, high=0.8)], ref=np.arccos),
    OpCase("paddle.atanh", [f(3, 4, low=-0.8, high=0.8)], ref=np.arctanh),
    OpCase("paddle.acosh", [f(3, 4, low=1.2, high=3.0)], ref=np.arccosh),
    unary("sigmoid", lambda x: 1 / (1 + np.exp(-x))), unary("neg", lambda x: -x),
    OpCase("erf", [f(3, 4)], ref=lambda x: erf(x).astype(x.dtype)),
    OpCase("unit", [away(3, 4)], ref=np.sign),
    unary("isnan", np.isnan, grad=False), unary("isinf", np.isinf, grad=False), unary("isfinite", np.isfinite, grad=False),
]
