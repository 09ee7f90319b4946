"""Products, norms, solvers and histograms that Paddle 3 added, composed of what is there."""

import math

import numpy as np

from ..core.errors import describe, own_errors
from ..core.op import Symbolic
from ..ops.linalg import decomposition
from ..ops.random.gamma import standard_gamma as draw
from ..utils import naming
from .convert import as_tensor, axis_arg, int_arg, numpy_dtype, promote, real_arg, to_float
from .creation import eye, linspace, to_tensor, zeros_like
from .gather_scatter import index_select
from .joining import concat
from .linalg import lu_unpack, solve, svd, triangular_solve
from .manipulation import reshape, swapaxes, transpose, unsqueeze
from .matrices import householder_product, norm, norm_of_matrices
from .product import bmm, matmul
from .random import randn
from .reduction import max as largest
from .reduction import sum as total

__all__ = ["vecdot", "baddbmm", "pdist", "histogram_bin_edges", "histogramdd", "standard_gamma"]
METHODS = ["baddbmm", "histogram_bin_edges", "histogramdd", "cholesky_inverse", "ormqr", "svd_lowrank"]
INPLACE = ["baddbmm"]


def _matrices(x, function, argument="x"):
    x = to_float(as_tensor(x, function, argument))
    if len(x.shape) < 2:
        raise ValueError(f"{function}(): {argument} must hold matrices, got shape {list(x.shape)}")
    return x


@own_errors
def vecdot(x, y, axis=-1, name=None):
    """The dot products of vectors along one axis; complex x is conjugated.

    >>> paddle.vecdot(paddle.to_tensor([[1., 2.], [3., 4.]]), paddle.to_tensor([5., 6.])).tolist()
    [17.0, 39.0]
    """
    x, y = promote(x, y, "vecdot")
    return naming.named(total((x.conj() if numpy_dtype(x).kind == "c" else x) * y, axis), name)


@own_errors
def baddbmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """beta * input + alpha * (x @ y) for batches of matrices.

    >>> one = paddle.ones([1, 2, 2]); paddle.baddbmm(one, one, one, beta=2., alpha=.5).tolist()
    [[[3.0, 3.0], [3.0, 3.0]]]
    """
    beta, alpha = real_arg(beta, "baddbmm", "beta"), real_arg(alpha, "baddbmm", "alpha")
    return naming.named(as_tensor(input, "baddbmm", "input") * beta + bmm(x, y) * alpha, name)


def pdist(x, p=2.0, name=None):
    """The distances between every two rows of x: those above the diagonal of the matrix of all, row by row.

    Args:
        x: [rows, size].
        p: exponent of the norm, 0 to infinity.

    >>> paddle.pdist(paddle.to_tensor([[0., 0.], [3., 4.], [0., 4.]])).tolist()
    [5.0, 4.0, 3.0]
    """
    x, p = to_float(as_tensor(x, "pdist")), real_arg(p, "pdist", "p")
    if len(x.shape) != 2 or p < 0:
        raise ValueError(f"pdist(): x must be [rows, size] and p at least 0, got shape {list(x.shape)} and p {p}")
    rows, columns = np.triu_indices(x.shape[0], 1)
    apart = index_select(x, to_tensor(rows), 0) - index_select(x, to_tensor(columns), 0)
    return naming.named(norm(apart, p, 1), name)


def _ends(low, high):
    """Ends of a range of bins: a range of no width is made one wide."""
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@own_errors
def histogram_bin_edges(input, bins=100, min=0.0, max=0.0, name=None):
    """The edges of the bins of ``histogram``: bins + 1 numbers.

    >>> paddle.histogram_bin_edges(paddle.to_tensor([5., 6.]), bins=4).tolist()
    [5.0, 5.25, 5.5, 5.75, 6.0]
    """
    x = as_tensor(input, "histogram_bin_edges", "input")
    low, high = real_arg(min, "histogram_bin_edges", "min"), real_arg(max, "histogram_bin_edges", "max")
    if high < low:
        raise ValueError(f"histogram_bin_edges(): max must not be below min, got {max} and {min}")
    if low == high == 0:
        low, high = float(x.min()), float(x.max())
    low, high = _ends(low, high)
    return naming.named(linspace(low, high, int_arg(bins, "histogram_bin_edges", "bins") + 1, "float32"), name)


@own_errors
def histogramdd(x, bins=10, ranges=None, density=False, weights=None, name=None):
    """How many points, or which weight of them, lie in each cell of a grid: (counts, list of the edges).

    Args:
        x: points [..., D].
        bins: number of cells along every axis, or one number or 1-D Tensor of edges for each axis.
        ranges: the ends, two numbers per axis; those of the data for None.
        density: divide by the total and by the cells' size.
        weights: [...], the weight of each point.

    >>> counts, edges = paddle.histogramdd(paddle.to_tensor([[1., 2.], [3., 4.]]), bins=[2, 2])
    >>> counts.tolist(), edges[0].tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0, 3.0])
    """
    x = as_tensor(x, "histogramdd")
    if isinstance(x, Symbolic):
        raise NotImplementedError("histogramdd(): not in a static program: the number of edges may depend on the data")
    points = x.detach().numpy()
    if points.ndim < 2 or points.dtype.kind != "f":
        raise ValueError(f"histogramdd(): x must hold floating points [..., D], got {describe(x)}")
    points = points.reshape(-1, points.shape[-1])
    axes = points.shape[1]
    cells = [b.numpy() if hasattr(b, "numpy") else int_arg(b, "histogramdd", "bins")
             for b in ([bins] * axes if isinstance(bins, int) else bins)]
    if len(cells) != axes or ranges is not None and len(ranges) != 2 * axes:
        raise ValueError(f"histogramdd(): bins and ranges must be given for {axes} axes")
    if any(not isinstance(c, int) and np.any(np.diff(c) < 0) for c in cells):
        raise ValueError("histogramdd(): edges must rise")
    span = None if ranges is None else [_ends(float(ranges[2 * k]), float(ranges[2 * k + 1])) for k in range(axes)]
    mass = None if weights is None else as_tensor(weights, "histogramdd", "weights").numpy().reshape(-1)
    counts, edges = np.histogramdd(points, cells, span, bool(density), mass)
    return to_tensor(counts.astype(points.dtype)), [to_tensor(e.astype(points.dtype)) for e in edges]


@own_errors
def standard_gamma(x, name=None):
    """Draws from gamma distributions of shape x and rate 1.

    >>> bool((paddle.standard_gamma(paddle.to_tensor([1., 2.])) > 0).all())
    True
    """
    return naming.named(draw(to_float(as_tensor(x, "standard_gamma"))), name)


def cholesky_inverse(x, upper=False, name=None):
    """The inverse of the matrix whose Cholesky factor is x.

    Args:
        x: [n, n], lower triangular, or upper with ``upper=True``.

    >>> paddle.linalg.cholesky_inverse(paddle.to_tensor([[2., 0.], [0., 1.]])).tolist()
    [[0.25, 0.0], [0.0, 1.0]]
    """
    x = _matrices(x, "cholesky_inverse")
    if len(x.shape) != 2 or x.shape[0] != x.shape[1]:
        raise ValueError(f"cholesky_inverse(): x must be a square matrix, got shape {list(x.shape)}")
    factor = x.triu() if upper else x.tril()
    inverse = triangular_solve(factor, eye(x.shape[0], dtype=x.dtype), upper)
    out = matmul(inverse, decomposition.adjoint(inverse)) if upper else matmul(decomposition.adjoint(inverse), inverse)
    return naming.named(out, name)


@own_errors
def lu_solve(b, lu, pivots, trans="N", name=None):
    """The solution X of A X = b from the LU factorisation of A that ``lu`` gives; with "T" of its transpose, "C" of its adjoint.

    >>> packed, pivots = paddle.linalg.lu(paddle.to_tensor([[2., 0.], [0., 4.]]))
    >>> paddle.linalg.lu_solve(paddle.to_tensor([[2.], [4.]]), packed, pivots).tolist()
    [[1.0], [1.0]]
    """
    if trans not in ("N", "T", "C"):
        raise ValueError(f"lu_solve(): trans must be 'N', 'T' or 'C', got {trans!r}")
    b, lu = promote(b, lu, "lu_solve")
    order, lower, upper = lu_unpack(lu, as_tensor(pivots, "lu_solve", "pivots"))
    if trans == "N":
        inner = triangular_solve(lower, matmul(order, b, transpose_x=True), False, unitriangular=True)
        out = triangular_solve(upper, inner)
    else:
        turn = decomposition.adjoint if trans == "C" else (lambda m: swapaxes(m, -1, -2))
        inner = triangular_solve(turn(upper), b, False)
        out = matmul(order, triangular_solve(turn(lower), inner, unitriangular=True))
    return naming.named(out, name)


_PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600, 670442572800,
         33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)  # numerators of the approximant of order 13
_RADIUS = 5.371920351148152  # norm up to which it is exact to rounding


@own_errors
def matrix_exp(x, name=None):
    """The exponential of square matrices, by scaling and squaring with Padé's approximant of order 13.

    Args:
        x (Tensor): square matrices [..., n, n].
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: a matrix is not square.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.linalg.matrix_exp(paddle.zeros([2, 2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = _matrices(x, "matrix_exp")
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"matrix_exp(): x must hold square matrices, got shape {list(x.shape)}")
    if isinstance(x, Symbolic):
        squarings = 10
    else:
        size = float(largest(total(x.detach().abs(), -2))) if x.size else 0.0
        squarings = max(0, math.ceil(math.log2(size / _RADIUS))) if size > _RADIUS and math.isfinite(size) else 0
    scaled = x * (0.5 ** squarings)
    one = eye(x.shape[-1], dtype=x.dtype)
    two = matmul(scaled, scaled)
    four, b = matmul(two, two), [float(v) / _PADE[0] for v in _PADE]
    six = matmul(four, two)
    odd = matmul(scaled, matmul(six, six * b[13] + four * b[11] + two * b[9]) + six * b[7] + four * b[5] + two * b[3] + one * b[1])
    even = matmul(six, six * b[12] + four * b[10] + two * b[8]) + six * b[6] + four * b[4] + two * b[2] + one * b[0]
    out = solve(even - odd, even + odd)
    for _ in range(squarings):
        out = matmul(out, out)
    return naming.named(out, name)


def vector_norm(x, p=2.0, axis=None, keepdim=False, name=None):
    """The p-norm of x as a vector, over all axes or the given ones.

    >>> float(paddle.linalg.vector_norm(paddle.to_tensor([[3., 0.], [0., 4.]])))
    5.0
    """
    x, p = to_float(as_tensor(x, "vector_norm")), real_arg(p, "vector_norm", "p")
    axis = axis_arg(axis, "vector_norm")
    if isinstance(axis, tuple) and len(axis) != 1 or axis is None:
        axes = list(range(len(x.shape))) if axis is None else [a % len(x.shape) for a in axis]
        kept = [a for a in range(len(x.shape)) if a not in axes]
        flat = reshape(transpose(x, kept + axes), [*[x.shape[a] for a in kept], -1]) if axes else unsqueeze(x, -1)
        out = norm(flat, p, -1)
        out = reshape(out, [1 if a in axes else x.shape[a] for a in range(len(x.shape))]) if keepdim else out
    else:
        out = norm(x, p, axis[0] if isinstance(axis, tuple) else axis, keepdim)
    return naming.named(out, name)


@own_errors
def matrix_norm(x, p="fro", axis=(-2, -1), keepdim=False, name=None):
    """The norm of the matrices in two axes.

    Args:
        p: "fro", "nuc", 1, -1, 2, -2, inf or -inf.

    >>> float(paddle.linalg.matrix_norm(paddle.to_tensor([[3., 0.], [0., 4.]])))
    5.0
    """
    x, axis = _matrices(x, "matrix_norm"), axis_arg(axis, "matrix_norm")
    if not isinstance(axis, tuple) or len(axis) != 2:
        raise ValueError(f"matrix_norm(): axis must name two axes, got {axis!r}")
    a, b = (k % len(x.shape) for k in axis)
    if p in ("fro", "nuc"):
        out = norm(x, p, [a, b], keepdim)
    else:
        out = norm_of_matrices(x, p, (a, b), keepdim, "matrix_norm")
    return naming.named(out, name)


@own_errors
def ormqr(x, tau, y, left=True, transpose=False, name=None):
    """Q @ y, where Q is the product of Householder reflections of x and tau; y @ Q with ``left=False``, Q's adjoint with transpose.

    >>> paddle.linalg.ormqr(paddle.to_tensor([[5.], [0.]]), paddle.to_tensor([0.]), paddle.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x, tau = _matrices(x, "ormqr"), to_float(as_tensor(tau, "ormqr", "tau"))
    rows, columns = x.shape[-2:]
    if rows > columns:  # all columns of Q, not the first ones alone
        wide = zeros_like(index_select(x, to_tensor([0]), -1)).tile([1] * (len(x.shape) - 1) + [rows - columns])
        x = concat([x, wide], -1)
    elif columns > rows:
        x = index_select(x, to_tensor(list(range(rows))), -1)
    q = householder_product(x, tau)
    q = decomposition.adjoint(q) if transpose else q
    return naming.named(matmul(q, y) if left else matmul(y, q), name)


@own_errors
def svd_lowrank(x, q=None, niter=2, M=None, name=None):
    """The q leading parts of the singular value decomposition by random projections: (U, S, V), x is about U diag(S) V^T.

    Args:
        q: how many (min(6, m, n) for None).
        niter: number of subspace iterations.
        M: subtracted from x first.

    >>> u, s, v = paddle.linalg.svd_lowrank(paddle.randn([8, 4]), q=2)
    >>> u.shape, s.shape, v.shape
    ([8, 2], [2], [4, 2])
    """
    x = _matrices(x, "svd_lowrank")
    m, n = x.shape[-2:]
    q = min(6, m, n) if q is None else int_arg(q, "svd_lowrank", "q")
    if not 0 <= q <= min(m, n) or int_arg(niter, "svd_lowrank", "niter") < 0:
        raise ValueError(f"svd_lowrank(): q must be in [0, {min(m, n)}] and niter not negative, got {q} and {niter}")
    x = x if M is None else x - M
    work = decomposition.adjoint(x) if m < n else x
    basis = decomposition.qr(matmul(work, randn([*work.shape[:-2], work.shape[-1], q], x.dtype)), "reduced")[0]
    for _ in range(niter):
        basis = decomposition.qr(matmul(work, decomposition.qr(matmul(decomposition.adjoint(work), basis), "reduced")[0]),
                                 "reduced")[0]
    u, s, vh = svd(matmul(decomposition.adjoint(basis), work))
    u, v = matmul(basis, u), decomposition.adjoint(vh)
    return (v, s, u) if m < n else (u, s, v)


@own_errors
def svdvals(x, name=None):
    """The singular values, largest first.

    >>> paddle.linalg.svdvals(paddle.to_tensor([[3., 0.], [0., 4.]])).tolist()
    [4.0, 3.0]
    """
    return naming.named(svd(_matrices(x, "svdvals"))[1], name)
