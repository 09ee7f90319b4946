"""Functions of matrices composed of others: norms, condition, covariance, chains of products, principal components."""

import math

from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import ArgumentError, ElementTypeError, describe, own_errors
from ..core.generation import generation
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops.arguments import axis_tuple
from ..ops.linalg import decomposition, matmul, product
from ..ops.linalg import norm as norm_ops
from ..ops.manipulation import reshape
from ..ops.math import reduction
from ..utils import naming
from .attribute import shape
from .convert import as_tensor, axis_arg, cast, int_arg, numpy_dtype, promote, real_arg, to_float
from .creation import eye
from .cumulative import part
from .random import randn

__all__ = ["norm", "cond", "cov", "corrcoef", "multi_dot", "householder_product", "pca_lowrank"]
METHODS = __all__


def _order(p, function):
    if isinstance(p, str):
        if p not in ("fro", "nuc"):
            raise ValueError(f"{function}(): p must be 'fro', 'nuc' or a number, got {p!r}")
        return p
    if isinstance(p, bool):
        raise TypeError(f"{function}(): p must be 'fro', 'nuc' or a number, got {p}")
    return real_arg(p, function, "p")


def _nuclear(x, axes, keepdim):
    rest = [a for a in range(len(x.shape)) if a not in axes]
    values = decomposition.svd(reshape.transpose(x, rest + list(axes)), False)[1]
    out = reduction.sum(values, -1, False)
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
    return reshape.reshape(out, None, None, shape) if keepdim else out


@generation("paddle.norm", alpha="paddle.imperative.functions.norm", only_modern={"x"})
def norm(x, p="fro", axis=None, keepdim=False, name=None):
    """The norm of vectors or matrices.

    Args:
        p (float, str or None): 'fro' or None (root of the sum of squares), 'nuc' (sum of singular values, two axes), or a
            number: the root of order p of the sum of |x|^p over the axes; inf and -inf give the largest and smallest |x|, 0
            counts non-zeros.
        axis (int, list, tuple or None): one axis or two; None for all elements.
        keepdim (bool): keep the axes with size 1.
        x (Tensor): of any shape.
    Returns:
        Tensor without the axes that were reduced, or with size 1 there.
    Raises:
        ValueError: the axis is out of range, or ``p`` is not a valid order.
        TypeError: x is not a Tensor, array, list or number.

    >>> float(paddle.linalg.norm(paddle.to_tensor([3., 4.])))
    5.0
    """
    x = to_float(as_tensor(x, "norm"))
    p, axis = "fro" if p is None else _order(p, "norm"), axis_arg(axis, "norm")
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    axes = axis_tuple(axis, len(x.shape), "norm")
    if p == "nuc":
        if len(axes) != 2:
            raise ValueError(f"norm(): the nuclear norm needs two axes, got axis={axis} for shape {list(x.shape)}")
        return naming.named(_nuclear(x, axes, bool(keepdim)), name)
    if isinstance(axis, int):
        return naming.named(norm_ops.p_norm(x, 2.0 if p == "fro" else p, axis, 1e-12, bool(keepdim), False), name)
    if isinstance(axis, tuple) and len(axis) > 2:
        raise ValueError(f"norm(): axis must name one or two axes, got {list(axis)}")
    if p == "fro":
        return naming.named(norm_ops.frobenius_norm(x, axis, bool(keepdim)), name)
    if axis is None:
        return naming.named(norm_ops.p_norm(x, p, -1, 1e-12, bool(keepdim), True), name)
    if context.rules.matrix_norms:
        return naming.named(norm_of_matrices(x, p, tuple(k % len(x.shape) for k in axis), keepdim, "norm"), name)
    if p == 0:
        raise ValueError("norm(): p must not be 0 for two axes")
    out = norm_ops.norm_over(x, p, axes)
    return naming.named(out if keepdim else reshape.squeeze(out, list(axes)), name)


def norm_of_matrices(x, p, axes, keepdim, function):
    """The norm of the matrices in two axes, of order 1, -1, 2, -2, inf or -inf."""
    if p not in (1, -1, 2, -2, math.inf, -math.inf):
        raise ValueError(f"{function}(): p must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf for two axes; got {p!r}")
    kept = [k for k in range(len(x.shape)) if k not in axes]
    last = reshape.transpose(x, [*kept, *axes])
    values = decomposition.svd(last, False)[1] if abs(p) == 2 else reduction.sum(last.abs(), -2 if abs(p) == 1 else -1, False)
    out = reduction.max(values, -1, False) if p > 0 else reduction.min(values, -1, False)
    return reshape.unsqueeze(out, None, None, tuple(sorted(axes))) if keepdim else out


def _matrix_norm(x, p):
    """Norms of matrices as operators, as condition numbers need them."""
    if p == "fro":
        return norm_ops.frobenius_norm(x, (-2, -1), False)
    if p == "nuc":
        return _nuclear(x, (len(x.shape) - 2, len(x.shape) - 1), False)
    sums = reduction.sum(x.abs(), -2 if abs(p) == 1 else -1, False)
    return reduction.max(sums, -1, False) if p > 0 else reduction.min(sums, -1, False)


@own_errors
def cond(x, p=None, name=None):
    """The condition number of each matrix: its norm times that of its inverse.

    Args:
        x: matrices [..., m, n].
        p: None or 2 (largest over smallest singular value), -2 (the other way round), 'fro', 'nuc', 1, -1, inf, -inf.

    >>> float(paddle.linalg.cond(paddle.to_tensor([[1., 0.], [0., 2.]])))
    2.0
    """
    x = as_tensor(x, "cond")
    p = 2.0 if p is None else _order(p, "cond")
    if p not in (2.0, -2.0, 1.0, -1.0, math.inf, -math.inf, "fro", "nuc"):
        raise ValueError(f"cond(): p must be None, 2, -2, 1, -1, inf, -inf, 'fro' or 'nuc', got {p}")
    if len(x.shape) < 2:
        raise ValueError(f"cond(): x must hold matrices [..., m, n], got shape {list(x.shape)}")
    square = x.shape[-1] == x.shape[-2] or -1 in x.shape[-2:]
    if 0 in x.shape[-2:] or (p not in (2.0, -2.0) and not square):
        raise ValueError(f"cond(): p={p} needs square matrices that are not empty, got shape {list(x.shape)}")
    if 0 in x.shape:
        return naming.named(reduction.max(x, (-2, -1), False), name)  # no matrices, no numbers
    if p in (2.0, -2.0):
        values = decomposition.svd(x, False)[1]
        top, low = reduction.max(values, -1, False), reduction.min(values, -1, False)
        return naming.named(top / low if p > 0 else low / top, name)
    return naming.named(_matrix_norm(x, p) * _matrix_norm(decomposition.inverse(x), p), name)


def _observation_weights(given, what, x):
    """An argument of ``cov`` that weighs the observations, as a tensor of x's type; None if it is not given."""
    if given is None:
        return None
    w = as_tensor(given, "cov", what)
    if len(w.shape) != 1 or w.shape[0] != x.shape[1]:
        raise ValueError(f"cov(): {what} must hold one number per observation ({x.shape[1]}), got {list(w.shape)}")
    if what == "fweights" and numpy_dtype(w).kind not in "iu":
        raise ElementTypeError(f"cov(): fweights must be integers, got {numpy_dtype(w).name}")
    if isinstance(w, Tensor) and bool((w < 0).any()):
        raise ValueError(f"cov(): {what} must not be negative")
    return cast(w, numpy_dtype(x))


def cov(x, rowvar=True, ddof=True, fweights=None, aweights=None, name=None):
    """The covariance matrix of variables in rows (in columns if not ``rowvar``).

    Args:
        x: [variables, observations], or one variable [observations].
        rowvar: variables are in rows.
        ddof: divide by n - 1 rather than n.
        fweights: how often each observation counts (integers).
        aweights: weights of observations.

    >>> paddle.linalg.cov(paddle.to_tensor([[1., 2., 3.], [3., 2., 1.]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    x = to_float(as_tensor(x, "cov"))
    if len(x.shape) not in (1, 2):
        raise ValueError(f"cov(): x must have one or two axes, got shape {list(x.shape)}")
    vector = len(x.shape) == 1
    if vector:
        x = reshape.reshape(x, None, None, [1, -1])
    elif not rowvar and x.shape[0] != 1:
        x = reshape.transpose(x, [1, 0])
    frequencies = _observation_weights(fweights, "fweights", x)
    reliabilities = _observation_weights(aweights, "aweights", x)
    if frequencies is None and reliabilities is None:
        away = x - reduction.mean(x, 1, True)
        out = matmul.matmul(away, away.conj() if numpy_dtype(x).kind == "c" else away, False, True)
        if isinstance(x, Symbolic):  # what is fed may have other sizes than declared
            count = cast(shape(x)[1], numpy_dtype(x))
            out = out / (count - 1.0 if ddof else count)
        else:
            out = out / max(float(x.shape[1] - 1 if ddof else x.shape[1]), 0.0)
    else:
        weights = frequencies if reliabilities is None else reliabilities if frequencies is None else frequencies * reliabilities
        divisor = total = weights.sum()
        if ddof:
            divisor = total - (1.0 if reliabilities is None else (weights * reliabilities).sum() / total)
        away = x - (x * weights).sum(1, keepdim=True) / total
        out = matmul.matmul(away * weights, away, False, True) / divisor
    return naming.named(reshape.reshape(out, None, None, []) if vector else out, name)


@documented_like(cov)
def corrcoef(x, rowvar=True, name=None):
    """The matrix of correlation coefficients of variables in rows (in columns if not ``rowvar``).

    >>> paddle.linalg.corrcoef(paddle.to_tensor([[1., 2., 3.], [3., 2., 1.]])).round().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    x = as_tensor(x, "corrcoef")
    if len(x.shape) not in (1, 2):
        raise ValueError(f"corrcoef(): x must have one or two axes, got shape {list(x.shape)}")
    c = cov(x, rowvar)
    if not len(c.shape):
        return naming.named(c / c, name)
    deviation = decomposition.diagonal_of(c).sqrt()
    c = c / reshape.reshape(deviation, None, None, [-1, 1]) / reshape.reshape(deviation, None, None, [1, -1])
    return naming.named(c if numpy_dtype(c).kind == "c" else c.clip(-1.0, 1.0), name)


def multi_dot(x, name=None):
    """The product of a list of matrices, multiplied in the cheapest order; the first and last may be vectors.

    Args:
        x: list of at least two matrices.

    >>> paddle.linalg.multi_dot([paddle.ones([2, 3]), paddle.ones([3, 4]), paddle.ones([4])]).tolist()
    [12.0, 12.0]
    """
    if not isinstance(x, (list, tuple)) or len(x) < 2:
        raise ValueError(f"multi_dot(): x must be a list of at least two Tensors, got {describe(x)}")
    items = [as_tensor(m, "multi_dot") for m in x]
    for k, m in enumerate(items):
        ends = k in (0, len(items) - 1)
        if len(m.shape) != 2 and not (ends and len(m.shape) == 1):
            raise ValueError(f"multi_dot(): x[{k}] must be a matrix, got shape {list(m.shape)}")
    sizes = [m.shape[0] for m in items], [m.shape[-1] for m in items]
    for k, (n, m) in enumerate(zip(sizes[1], sizes[0][1:])):
        if n != m and -1 not in (n, m):
            raise ValueError(f"multi_dot(): x[{k}] {list(items[k].shape)} and x[{k + 1}] {list(items[k + 1].shape)} do not fit")
    return naming.named(product.multi_dot(items) if any(isinstance(m, Symbolic) for m in items) else product.chain(items), name)


def householder_product(x, tau, name=None):
    """The first columns of the product of Householder reflections I - tau v v^H, with each v below the diagonal of x.

    >>> paddle.linalg.householder_product(paddle.to_tensor([[5.], [0.]]), paddle.to_tensor([0.])).tolist()
    [[1.0], [0.0]]
    """
    x, tau = promote(x, tau, "householder_product")
    if len(x.shape) < 2 or len(tau.shape) != len(x.shape) - 1 or x.shape[-2] < x.shape[-1] or tau.shape[-1] > x.shape[-1] \
            or list(x.shape[:-2]) != list(tau.shape[:-1]):
        raise ArgumentError("householder_product(): x must be [..., m, n] with m >= n and tau [..., k] with k <= n, "
                            f"got {list(x.shape)} and {list(tau.shape)}")
    m, n = x.shape[-2:]
    axis = len(x.shape) - 1
    ones = cast(eye(m, n, dtype="float64"), numpy_dtype(x))
    below = decomposition.lower(x, -1) + ones
    out = ones + x * 0
    for k in range(tau.shape[-1] - 1, -1, -1):
        v = part(below, axis, k, k + 1)
        scale = reshape.reshape(part(tau, axis - 1, k, k + 1), None, None, [*x.shape[:-2], 1, 1])
        out = out - matmul.matmul(v * scale, matmul.matmul(decomposition.adjoint(v), out))
    return naming.named(out, name)


@own_errors
def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """The q leading principal components by a randomised SVD (Halko's subspace iterations): (U, S, V).

    Args:
        x: matrices [..., m, n].
        q: how many (min(6, m, n) for None).
        center: subtract the column means first.
        niter: number of iterations.

    >>> u, s, v = paddle.linalg.pca_lowrank(paddle.randn([8, 4]), q=2)
    >>> u.shape, s.shape, v.shape
    ([8, 2], [2], [4, 2])
    """
    x = as_tensor(x, "pca_lowrank")
    if len(x.shape) < 2 or numpy_dtype(x).kind != "f":
        raise ValueError(f"pca_lowrank(): x must hold floating matrices [..., m, n], got {describe(x)}")
    m, n = x.shape[-2:]
    q = min(6, m, n) if q is None else int_arg(q, "pca_lowrank", "q")
    if not 0 <= q <= min(m, n):
        raise ValueError(f"pca_lowrank(): q must be in [0, {min(m, n)}], got {q}")
    if int_arg(niter, "pca_lowrank", "niter") < 0:
        raise ValueError(f"pca_lowrank(): niter must not be negative, got {niter}")
    if center:
        x = x - reduction.mean(x, -2, True)
    wide = n > m or n > q  # the side on which 2.6.2 draws
    work = decomposition.adjoint(x) if wide else x
    basis = decomposition.qr(matmul.matmul(work, randn([*work.shape[:-2], work.shape[-1], q], x.dtype)), "reduced")[0]
    for _ in range(niter):
        basis = decomposition.qr(matmul.matmul(work,
                                               decomposition.qr(matmul.matmul(decomposition.adjoint(work), basis), "reduced")[0]),
                                 "reduced")[0]
    u, s, vh = decomposition.svd(matmul.matmul(decomposition.adjoint(basis), work), False)
    u, v = matmul.matmul(basis, u), decomposition.adjoint(vh)
    return naming.named((v, s, u) if wide else (u, s, v), name)
