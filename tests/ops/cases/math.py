"""Arithmetic, comparison, logic, bits, reductions."""

import numpy as np
from opcase import OpCase, away, b, bad, distinct, f, i, pos


def pair(name, ref, x=None, y=None, **more):
    """A case of ``paddle.<name>(x, y)``, plain and broadcast."""
    x, y = x or f(3, 4), y or f(3, 4)
    return OpCase("paddle." + name, [x, y], ref=ref, **{"errors": [bad(ValueError, f(2), f(3))], **more})


def row(name, ref, **more):
    return OpCase("paddle." + name, [f(3, 4), f(4)], ref=ref, method=False, **more)


def compare(name, ref):
    return OpCase("paddle." + name, [i(3, 4), i(3, 4)], ref=ref, grad=False, errors=[bad(ValueError, f(2), f(3))])


def logic(name, ref):
    return OpCase("paddle." + name, [b(3, 4), b(3, 4)], ref=ref, grad=False)


def bits(name, ref):
    return OpCase("paddle." + name, [i(3, 4), i(3, 4)], ref=ref, grad=False, errors=[bad(TypeError, f(2), f(2), named=False)])


def reduction(name, ref, x=None, **more):
    """A case over one axis, with every axis and a list of axes as further values."""
    return OpCase("paddle." + name, [x or f(3, 4)], axis=1, ref=lambda a, axis: ref(a, axis=axis),
                  errors=[bad(ValueError, f(2, 3), axis=5), bad(TypeError, f(2, 3), axis="x", named=False)], **more)


CASES = [
    pair("add", np.add), row("add", np.add), pair("subtract", np.subtract), row("subtract", np.subtract),
    pair("multiply", np.multiply), row("multiply", np.multiply), pair("divide", np.divide, y=away(3, 4)),
    pair("maximum", np.maximum, distinct(3, 4), distinct(3, 4, step=0.13)), pair("minimum", np.minimum, distinct(3, 4), distinct(3, 4, step=0.13)),
    pair("floor_divide", np.floor_divide, distinct(3, 4), away(3, 4)),
    pair("remainder", np.remainder, distinct(3, 4), pos(3, 4, low=0.55, high=0.95)),
    pair("pow", np.power, pos(3, 4)), OpCase("paddle.pow", [pos(3, 4), 2.5], ref=lambda x, p: x ** p),
    OpCase("paddle.pow", [f(3, 4), 2], ref=lambda x, p: x ** p), OpCase("paddle.pow", [f(3, 4), 0], ref=lambda x, p: x ** p),
    OpCase("xlogy_of", [pos(3, 4), pos(3, 4)], ref=lambda x, y: x * np.log(y)),
    OpCase("indicator", [distinct(3, 4), distinct(3, 4, step=0.13)], ref=lambda x, y: (x > y).astype(x.dtype), grad=False),
    OpCase("inside", [distinct(3, 4), None, None, -0.35, 0.45], grad=False, method=False,
           ref=lambda x, *_: ((x > -0.35) & (x < 0.45)).astype(x.dtype)),
    OpCase("paddle.scale", [f(3, 4)], scale=2.0, bias=0.5, ref=lambda x, scale, bias: x * scale + bias),
    OpCase("paddle.clip", [distinct(3, 4)], min=-0.35, max=0.45, ref=lambda x, min, max: np.clip(x, min, max)),
    OpCase("paddle.add_n", [[f(3, 4), f(3, 4)]], ref=lambda x: x[0] + x[1], errors=[bad(ValueError, [f(2), f(3)])]),
    compare("equal", np.equal), compare("not_equal", np.not_equal), compare("less_than", np.less),
    compare("less_equal", np.less_equal), compare("greater_than", np.greater), compare("greater_equal", np.greater_equal),
    logic("logical_and", np.logical_and), logic("logical_or", np.logical_or), logic("logical_xor", np.logical_xor),
    OpCase("paddle.logical_not", [b(3, 4)], ref=np.logical_not, grad=False),
    bits("bitwise_and", np.bitwise_and), bits("bitwise_or", np.bitwise_or), bits("bitwise_xor", np.bitwise_xor),
    OpCase("paddle.bitwise_not", [i(3, 4)], ref=np.bitwise_not, grad=False),
    reduction("sum", np.sum), reduction("mean", np.mean), reduction("max", np.max, distinct(3, 4)),
    reduction("min", np.min, distinct(3, 4)), reduction("amax", np.max, distinct(3, 4)), reduction("amin", np.min, distinct(3, 4)),
    OpCase("paddle.sum", [f(2, 3, 4)], axis=[0, 2], keepdim=True, ref=lambda x, axis, keepdim: x.sum((0, 2), keepdims=True)),
    OpCase("paddle.mean", [f(2, 3, 4)], ref=np.mean, more=[[f()]]),
    OpCase("paddle.matmul", [f(2, 3, 4), f(4, 5)], ref=np.matmul, errors=[bad(ValueError, f(2, 3), f(2, 3))]),
    OpCase("paddle.matmul", [f(4, 3), f(5, 4)], transpose_x=True, transpose_y=True,
           ref=lambda x, y, transpose_x, transpose_y: x.T @ y.T),
    OpCase("paddle.matmul", [f(4), f(4)], ref=np.matmul), OpCase("paddle.matmul", [f(2, 3, 4), f(4)], ref=np.matmul),
    OpCase("paddle.matmul", [f(4), f(2, 4, 3)], ref=np.matmul), OpCase("paddle.matmul", [f(2, 1, 3, 4), f(3, 4, 2)], ref=np.matmul),
    OpCase("paddle.matmul", [f(70, 40), f(40, 50)], ref=np.matmul, tol=1e-5),
]
