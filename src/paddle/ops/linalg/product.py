"""Products of vectors and matrices: dot, cross, kron, addmm, chains, and the trace."""

import math

import numpy as np

from ...core.op import op
from ...core.steps import is_dense
from ..arguments import one_axis, quiet
from ..composed import composed
from ..library import by_library
from ..manipulation.construct import _two_axes, diagonal_place
from ..manipulation.reshape import transpose
from ..math.arithmetic import broadcast_to_shape, conjugate, multiply, sum_to
from ..short import through_float32
from .matmul import matmul


@op("dot(X, Y) -> Out", family="own", shapes="*b n, *b n -> *b", sharding="*B N, *B N -> *B")
@quiet
def dot(x, y):
    """The sum of products of two vectors, or of each pair of rows of two matrices."""
    if x.shape != y.shape or x.ndim not in (1, 2):
        raise ValueError(f"dot(): x and y must be vectors or matrices of one shape, got {list(x.shape)} and {list(y.shape)}")
    return np.asarray((x * y).sum(-1, dtype=np.result_type(x, y)))


@dot.kernel(when=lambda x, y: is_dense(x, y) and x.shape == y.shape and x.ndim in (1, 2) and x.size)
def _(k, x, y):
    return k.reduce("sum", k.binary("mul", x, y), x.ndim - 1)


def _times(g, y):
    """Every row of y times its number."""
    return multiply(g.reshape([*list(y.shape)[:-1], 1]), conjugate(y))


dot.grad(x=_times, y=lambda g, x: _times(g, x))


@op("addmm(Input, X, Y) -> Out", family="own", alpha="Alpha", beta="Beta", shapes="_, m k, k n -> m n")
@quiet
def addmm(input, x, y, alpha=1.0, beta=1.0):
    """beta * input + alpha * x @ y for matrices x and y."""
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
        raise ValueError(f"addmm(): x and y must be matrices that fit, got {list(x.shape)} and {list(y.shape)}")
    shape = (x.shape[0], y.shape[1])
    if input.ndim not in (1, 2) or np.broadcast_shapes(input.shape, shape) != shape:
        raise ValueError(f"addmm(): input {list(input.shape)} does not broadcast to {list(shape)}")
    return x.dtype.type(beta) * input + x.dtype.type(alpha) * (x @ y)


addmm.grad(input=lambda g, input_shape, beta: sum_to(g, tuple(input_shape)) * beta,
           x=lambda g, y, alpha: matmul(g, conjugate(y), False, True) * alpha,
           y=lambda g, x, alpha: matmul(conjugate(x), g, True, False) * alpha)


@op("kron(X, Y) -> Out", family="own")
@quiet
def kron(x, y):
    """Kronecker's product: every element of x times the whole of y."""
    return np.kron(x, y)


@kron.vjp
def _(needs, g, x, y):
    n = max(len(x.shape), len(y.shape))
    xs = [1] * (n - len(x.shape)) + [int(s) for s in x.shape]
    ys = [1] * (n - len(y.shape)) + [int(s) for s in y.shape]
    if not n:
        return g * conjugate(y), g * conjugate(x)
    # one row for every element of x, one column for every element of y
    g = transpose(g.reshape([s for pair in zip(xs, ys) for s in pair]), [*range(0, 2 * n, 2), *range(1, 2 * n, 2)])
    g = g.reshape([math.prod(xs), math.prod(ys)])
    dx = matmul(g, conjugate(y).reshape([math.prod(ys), 1])).reshape(list(x.shape)) if needs[0] else None
    dy = matmul(conjugate(x).reshape([1, math.prod(xs)]), g).reshape(list(y.shape)) if needs[1] else None
    return dx, dy


def _cross_axis(shape, dim):
    if dim == 9:  # files' way of saying: the first axis of size 3
        for a, n in enumerate(shape):
            if n == 3:
                return a
        raise ValueError(f"cross(): no axis of size 3 in shape {list(shape)}")
    a = one_axis(dim, len(shape), "cross")
    if not len(shape) or shape[a] != 3:
        raise ValueError(f"cross(): axis {dim} must have size 3, got shape {list(shape)}")
    return a


@op("cross(X, Y) -> Out", family="broadcast", axis="dim", sharding=None)
@quiet
def cross(x, y, axis=9):
    """The vector product of the vectors of three numbers along an axis."""
    if x.ndim != y.ndim:
        raise ValueError(f"cross(): x and y must have as many axes, got {list(x.shape)} and {list(y.shape)}")
    a = _cross_axis(x.shape, axis)
    _cross_axis(y.shape, a)
    x, y = np.broadcast_arrays(x, y)
    u, v = np.moveaxis(x, a, 0), np.moveaxis(y, a, 0)
    out = np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], a)
    return out.astype(x.dtype, copy=False)


def _fixed_axis(x, axis):
    return _cross_axis([int(n) for n in x.shape], axis)


cross.grad(x=lambda g, x, y, axis: cross(conjugate(y), g, _fixed_axis(x, axis)),
           y=lambda g, x, axis: cross(g, conjugate(x), _fixed_axis(x, axis)))


@op("trace(Input) -> Out", family="own",
    shapes=lambda x, axis1, axis2: x.like(
    [n for k, n in enumerate(x.shape) if k not in _two_axes(axis1, axis2, len(x.shape), "trace")]))
@quiet
def trace(x, offset=0, axis1=0, axis2=1):
    """The sums of the diagonals of the matrices formed by two axes."""
    a, b = _two_axes(axis1, axis2, x.ndim, "trace")
    return np.asarray(np.trace(x, offset, a, b, dtype=x.dtype))


def _trace_grad(g, x_shape, offset, axis1, axis2):
    rows, columns = x_shape[axis1], x_shape[axis2]
    n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    wide = broadcast_to_shape(g.reshape([*g.shape, 1]), (*g.shape, n))
    return diagonal_place(wide, tuple(x_shape), offset, axis1, axis2)


trace.grad(x=_trace_grad)


# ---- chains of matrices ---------------------------------------------------------------------------------------------
def _best_order(sizes):
    """Where to split each chain of matrices so that multiplying them costs least."""
    n = len(sizes) - 1
    cost, split = [[0] * n for _ in range(n)], [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
    return split


def chain(matrices):
    """The product of matrices in the order that costs least; a first or last vector is a row or a column."""
    first, last = matrices[0].shape, matrices[-1].shape
    inner = [m.shape[0] for m in matrices[1:]]
    split = _best_order([first[0] if len(first) > 1 else 1, *inner, last[1] if len(last) > 1 else 1])

    def between(i, j):
        return matrices[i] if i == j else matmul(between(i, split[i][j]), between(split[i][j] + 1, j))
    return between(0, len(matrices) - 1)


@composed("multi_dot(X*) -> Out", family="own",
    shapes=lambda matrices: matrices[0].like(matrices[0].shape[:-1] + matrices[-1].shape[1:]))
def multi_dot(matrices):
    """The product of a list of matrices, multiplied in the order that costs least."""
    return chain(matrices)


by_library(addmm, when=lambda input, x, y, alpha, beta: x.dtype.char in "fd")
through_float32(dot, addmm, trace, multi_dot)


by_library(trace, kron)
