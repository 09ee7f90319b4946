"""Matrix products."""

import math

from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import own_errors
from ..core.generation import generation
from ..core.op import Symbolic
from ..ops.linalg import matmul as matmul_ops
from ..ops.linalg import norm, product
from ..ops.manipulation import reshape
from ..ops.math import arithmetic
from ..utils import naming
from .convert import as_tensor, int_arg, promote, real_arg, to_float
from .manipulation import unsqueeze
from .shapes import dims, split_ints

__all__ = ["matmul", "mm", "bmm", "mv", "dot", "inner", "outer", "kron", "cross", "addmm", "trace", "dist", "cdist", "renorm"]
METHODS = __all__
INPLACE = ["addmm", "renorm"]


@generation("paddle.matmul", alpha="paddle.fluid.layers.matmul")
def matmul(x, y, transpose_x=False, transpose_y=False, name=None):
    """Matrix product over the last two axes, others broadcast; a vector is a row on the left, a column on the right.

    Args:
        x (Tensor): [..., n, m] or [m].
        y (Tensor): [..., m, k] or [m].
        transpose_x (bool): swap the last two axes of x first.
        transpose_y (bool): swap the last two axes of y first.
    Returns:
        Tensor [..., n, k]; without the axes that vectors lack.
    Raises:
        ValueError: the last size of x is not the last but one of y.

    >>> paddle.matmul(paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [3.0, 3.0]
    """
    x, y = promote(x, y, "matmul")
    return naming.named(matmul_ops.matmul(x, y, bool(transpose_x), bool(transpose_y)), name)


@own_errors
def mm(input, mat2, name=None):
    """Matrix product of two tensors (``matmul`` without transposing).

    Args:
        input (Tensor): [..., n, m].
        mat2 (Tensor): [..., m, k].
    Returns:
        Tensor [..., n, k].
    Raises:
        ValueError: the last size of ``input`` is not the last but one of ``mat2``.

    >>> paddle.mm(paddle.ones([1, 2]), paddle.ones([2, 1])).tolist()
    [[2.0]]
    """
    return naming.named(matmul_ops.matmul(*promote(input, mat2, "mm")), name)


def bmm(x, y, name=None):
    """Matrix product of two batches of matrices, [B, N, M] and [B, M, K].

    Args:
        x (Tensor): [B, N, M].
        y (Tensor): [B, M, K].
    Returns:
        Tensor [B, N, K].
    Raises:
        ValueError: the sizes are incompatible.

    >>> paddle.bmm(paddle.ones([2, 1, 3]), paddle.ones([2, 3, 1])).shape
    [2, 1, 1]
    """
    x, y = promote(x, y, "bmm")
    if len(x.shape) != 3 or len(y.shape) != 3 or (x.shape[0] != y.shape[0] and -1 not in (x.shape[0], y.shape[0])):
        raise ValueError(f"bmm(): x and y must be [B, N, M] and [B, M, K], got {list(x.shape)} and {list(y.shape)}")
    return naming.named(matmul_ops.matmul(x, y), name)


@own_errors
def mv(x, vec, name=None):
    """Product of a matrix and a vector.

    Args:
        x: [N, M].
        vec: [M].

    >>> paddle.mv(paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [3.0, 3.0]
    """
    x, vec = promote(x, vec, "mv")
    if len(x.shape) != 2 or len(vec.shape) != 1:
        raise ValueError(f"mv(): x must be a matrix and vec a vector, got {list(x.shape)} and {list(vec.shape)}")
    return naming.named(matmul_ops.matmul(x, vec), name)


def dot(x, y, name=None):
    """The sum of products of two vectors, or of each pair of rows of two matrices.

    Args:
        x (Tensor): [N] or [B, N].
        y (Tensor): of the shape of x.
    Returns:
        0-D Tensor, or [B].
    Raises:
        ValueError: the sizes are incompatible.

    >>> float(paddle.dot(paddle.to_tensor([1., 2.]), paddle.to_tensor([3., 4.])))
    11.0
    """
    out = product.dot(*promote(x, y, "dot"))
    if context.rules.element_ndim and len(out.shape) == 1 and len(x.shape) == 2:
        out = out.unsqueeze(-1)  # 2.0 to 2.4: [B, 1]
    return naming.named(out, name)


def inner(x, y, name=None):
    """Sums of products over the last axes of x and y; numbers multiply.

    Args:
        x (Tensor): the first operand.
        y (Tensor): the second operand; shapes are broadcast together.

    >>> paddle.inner(paddle.ones([2, 3]), paddle.ones([4, 3])).shape
    [2, 4]
    """
    x, y = promote(x, y, "inner")
    if not len(x.shape) or not len(y.shape):
        return naming.named(arithmetic.multiply(x, y), name)
    if x.shape[-1] != y.shape[-1] and -1 not in (x.shape[-1], y.shape[-1]):
        raise ValueError(f"inner(): the last axes of x {list(x.shape)} and y {list(y.shape)} differ in size")
    n = x.shape[-1]
    rows = reshape.reshape(x, None, None, [-1 if -1 in x.shape else math.prod(x.shape[:-1]), n])
    others = reshape.reshape(y, None, None, [-1 if -1 in y.shape else math.prod(y.shape[:-1]), n])
    out = reshape.reshape(matmul_ops.matmul(rows, others, False, True), *split_ints(dims(x)[:-1] + dims(y)[:-1], "inner", "x"))
    return naming.named(out, name)


@documented_like(inner)
def outer(x, y, name=None):
    """Every element of x times every element of y, as a matrix.

    Returns:
        Tensor [elements of x, elements of y].
    Raises:
        TypeError: an operand is not a Tensor, array, list or number.

    >>> paddle.outer(paddle.to_tensor([1., 2.]), paddle.to_tensor([3., 4.])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    x, y = promote(x, y, "outer")
    return naming.named(arithmetic.multiply(reshape.reshape(x, None, None, [-1, 1]), reshape.reshape(y, None, None, [1, -1])), name)


@documented_like(inner)
def kron(x, y, name=None):
    """Kronecker's product: every element of x times the whole of y.

    >>> paddle.kron(paddle.to_tensor([1., 2.]), paddle.to_tensor([3., 4.])).tolist()
    [3.0, 4.0, 6.0, 8.0]
    """
    return naming.named(product.kron(*promote(x, y, "kron")), name)


def cross(x, y, axis=9, name=None):
    """The vector product of the vectors of three numbers along an axis (9: the first axis of size 3).

    Args:
        x, y: Tensors of the same shape with an axis of size 3.
        axis: that axis.

    >>> paddle.cross(paddle.to_tensor([1., 0., 0.]), paddle.to_tensor([0., 1., 0.])).tolist()
    [0.0, 0.0, 1.0]
    """
    x, y = promote(x, y, "cross")
    return naming.named(product.cross(x, y, 9 if axis is None else int_arg(axis, "cross", "axis")), name)


@generation("paddle.addmm", alpha="paddle.imperative.functions.addmm")
def addmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """beta * input + alpha * (x @ y) for matrices x and y; input broadcasts.

    >>> paddle.addmm(paddle.ones([1]), paddle.ones([1, 2]), paddle.ones([2, 1])).tolist()
    [[3.0]]
    """
    x, y = promote(x, y, "addmm")
    input, x = promote(input, x, "addmm", ("input", "x"))
    return naming.named(product.addmm(input, x, y, real_arg(alpha, "addmm", "alpha"), real_arg(beta, "addmm", "beta")), name)


def trace(x, offset=0, axis1=0, axis2=1, name=None):
    """The sums of the diagonals of the matrices formed by two axes.

    Args:
        x (Tensor): with at least two axes.
        offset (int): which diagonal: above (positive) or below (negative) the main one.
        axis1, axis2 (int): the two axes of the matrices.
    Returns:
        Tensor without the two axes.
    Raises:
        ValueError: x has fewer than 2 axes, the axis is out of range, or both axes are the same.
        TypeError: x is not a Tensor, array, list or number.

    >>> float(paddle.trace(paddle.to_tensor([[1., 2.], [3., 4.]])))
    5.0
    """
    return naming.named(product.trace(as_tensor(x, "trace"), *[int_arg(v, "trace", n) for v, n in (
                     (offset, "offset"), (axis1, "axis1"), (axis2, "axis2"))]), name)


@own_errors
def dist(x, y, p=2, name=None):
    """The p-norm of x - y (p may be 0 or infinite).

    >>> float(paddle.dist(paddle.to_tensor([3., 4.]), paddle.zeros([2])))
    5.0
    """
    return naming.named(norm.dist(*promote(x, y, "dist"), real_arg(p, "dist", "p")), name)


@own_errors
def cdist(x, y, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary", name=None):
    """The p-norm distance of every row of x [..., P, M] from every row of y [..., R, M]: [..., P, R].

    ``compute_mode`` says whether distances for p = 2 may come from a matrix product; they are always computed
    from the differences here, which is at least as exact as any mode asks for.

    >>> paddle.cdist(paddle.zeros([2, 3]), paddle.ones([4, 3]), p=1.0).tolist()[0]
    [3.0, 3.0, 3.0, 3.0]
    """
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in modes:
        raise ValueError(f"cdist(): compute_mode must be one of {modes}, got {compute_mode!r}")
    x, y = promote(x, y, "cdist")
    if len(x.shape) < 2 or len(y.shape) < 2 or x.shape[-1] != y.shape[-1]:
        raise ValueError(f"cdist(): x and y must be [..., P, M] and [..., R, M], got {list(x.shape)} and {list(y.shape)}")
    p = real_arg(p, "cdist", "p")
    if not p >= 0:
        raise ValueError(f"cdist(): p must be a number >= 0, got {p}")
    x, y = to_float(x), to_float(y)
    if not isinstance(x, Symbolic) and not isinstance(y, Symbolic):
        return naming.named(norm.cdist(x, y, p), name)
    return naming.named(norm.p_norm(arithmetic.subtract(unsqueeze(x, -2), unsqueeze(y, -3)), p, -1), name)


def renorm(x, p, axis, max_norm):
    """Scale each slice along an axis down to the p-norm ``max_norm`` if it is larger.

    Args:
        x: Tensor with at least two axes.
        p: order of the norm.
        axis: the axis whose slices are scaled.
        max_norm: what their norm may be.

    >>> paddle.renorm(paddle.to_tensor([[3., 4.], [0., 1.]]), 2.0, 0, 1.0).round().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return norm.renorm(as_tensor(x, "renorm"), real_arg(p, "renorm", "p"), int_arg(axis, "renorm", "axis"),
                       real_arg(max_norm, "renorm", "max_norm"))
