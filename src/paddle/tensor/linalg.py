"""Decompositions, solvers and properties of matrices; all work on batches [..., m, n]."""

from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import check_choice, own_errors
from ..core.tensor import Tensor
from ..ops.linalg import decomposition, eigen
from ..ops.linalg import solve as solve_ops
from ..utils import naming
from . import creation
from .convert import SCALARS, as_tensor, cast, int_arg, numpy_dtype, promote, real_arg

__all__ = ["cholesky", "cholesky_solve", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "inverse", "lstsq", "lu",
           "lu_unpack", "matrix_power", "matrix_rank", "pinv", "qr", "slogdet", "solve", "svd", "triangular_solve"]
METHODS = ["cholesky", "cholesky_solve", "det", "eig", "eigvals", "eigvalsh", "inverse", "lstsq", "lu", "lu_unpack",
           "matrix_power", "pinv", "qr", "slogdet", "solve", "triangular_solve"]


@own_errors
def cholesky(x, upper=False, name=None):
    """Cholesky's factor of each symmetric positive definite matrix: lower, or upper if asked.

    Args:
        x (Tensor): square matrices [..., n, n].
        upper (bool): give the upper factor U with U^H U = x instead of L with L L^H = x.
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: the last two sizes are not equal, or a matrix is not positive definite.

    >>> paddle.linalg.cholesky(paddle.to_tensor([[4., 0.], [0., 9.]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return naming.named(decomposition.cholesky(as_tensor(x, "cholesky"), bool(upper)), name)


def cholesky_solve(x, y, upper=False, name=None):
    """Solve A @ out = x, where y is Cholesky's factor of A.

    Args:
        x: right sides [..., n, k].
        y: factors [..., n, n].
        upper: is y an upper factor?

    >>> factor = paddle.to_tensor([[2., 0.], [0., 1.]])
    >>> paddle.linalg.cholesky_solve(paddle.to_tensor([[4.], [3.]]), factor).tolist()
    [[1.0], [3.0]]
    """
    x, y = promote(x, y, "cholesky_solve")
    return naming.named(solve_ops.cholesky_solve(x, y, bool(upper)), name)


@documented_like(cholesky)
def det(x, name=None):
    """The determinant of each square matrix.

    Returns:
        Tensor [...] of one number for each matrix.
    Raises:
        ValueError: the last two sizes are not equal.

    >>> float(paddle.linalg.det(paddle.to_tensor([[2., 0.], [0., 3.]])))
    6.0
    """
    return naming.named(decomposition.det(as_tensor(x, "det")), name)


@documented_like(cholesky)
def slogdet(x, name=None):
    """Sign and logarithm of the absolute determinant of each square matrix, stacked along a new first axis.

    Returns:
        Tensor [2, ...]: signs, then logarithms.
    Raises:
        ValueError: the last two sizes are not equal.

    >>> paddle.linalg.slogdet(paddle.to_tensor([[1., 0.], [0., -1.]])).tolist()
    [-1.0, 0.0]
    """
    return naming.named(decomposition.slogdet(as_tensor(x, "slogdet")), name)


@documented_like(cholesky)
def eig(x, name=None):
    """Eigenvalues and eigenvectors (the columns) of each square matrix; both are complex.

    >>> values, vectors = paddle.linalg.eig(paddle.to_tensor([[2., 0.], [0., 3.]]))
    >>> values.tolist()
    [(2+0j), (3+0j)]
    """
    return naming.named(eigen.eig(as_tensor(x, "eig")), name)


@documented_like(cholesky)
def eigvals(x, name=None):
    """Eigenvalues of each square matrix; complex.

    >>> paddle.linalg.eigvals(paddle.to_tensor([[2., 0.], [0., 3.]])).tolist()
    [(2+0j), (3+0j)]
    """
    return naming.named(eigen.eigvals(as_tensor(x, "eigvals")), name)


def eigh(x, UPLO="L", name=None):
    """Eigenvalues (rising) and eigenvectors of each symmetric or Hermitian matrix, of which one triangle is read.

    Args:
        x (Tensor): square matrices [..., n, n].
        UPLO (str): 'L' or 'U': which triangle is read.
    Returns:
        Tensors (eigenvalues [..., n], eigenvectors [..., n, n] as columns).
    Raises:
        ValueError: the last two sizes differ, or ``UPLO`` is neither 'L' nor 'U'.
        TypeError: x is not a Tensor, array, list or number.

    >>> values, vectors = paddle.linalg.eigh(paddle.to_tensor([[2., 0.], [0., 3.]]))
    >>> values.tolist()
    [2.0, 3.0]
    """
    check_choice(UPLO, ("L", "U"), "eigh", "UPLO")
    return naming.named(eigen.eigh(as_tensor(x, "eigh"), UPLO), name)


@documented_like(eigh)
def eigvalsh(x, UPLO="L", name=None):
    """Eigenvalues (rising) of each symmetric or Hermitian matrix, of which one triangle is read.

    >>> paddle.linalg.eigvalsh(paddle.to_tensor([[2., 0.], [0., 3.]])).tolist()
    [2.0, 3.0]
    """
    check_choice(UPLO, ("L", "U"), "eigvalsh", "UPLO")
    return naming.named(eigen.eigvalsh(as_tensor(x, "eigvalsh"), UPLO)[0], name)


@own_errors
@documented_like(cholesky)
def inv(x, name=None):
    """The inverse of each square matrix.

    Raises:
        ValueError: the last two sizes are not equal, or a matrix has no inverse.

    >>> paddle.linalg.inv(paddle.to_tensor([[2., 0.], [0., 4.]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return naming.named(decomposition.inverse(as_tensor(x, "inv")), name)


@documented_like(cholesky)
def inverse(x, name=None):
    """The inverse of each square matrix (another name of ``linalg.inv``).

    >>> paddle.inverse(paddle.to_tensor([[2., 0.], [0., 4.]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return naming.named(decomposition.inverse(as_tensor(x, "inverse")), name)


def lstsq(x, y, rcond=None, driver=None, name=None):
    """The least-squares solution of x @ out = y.

    Args:
        x, y: [..., m, n] and [..., m, k].
        rcond: singular values up to rcond times the largest count as 0 (machine precision times max(m, n) for None).
        driver: gels, gelsy (for None), gelsd or gelss. All give the same solution; gels leaves the rank out, and
            singular values come with gelsd and gelss.

    Returns:
        solution, residuals (sums of squares; empty unless m > n), rank, singular values.

    >>> x, y = paddle.to_tensor([[1., 0.], [0., 2.], [0., 0.]]), paddle.to_tensor([[1.], [4.], [5.]])
    >>> paddle.linalg.lstsq(x, y)[0].round().tolist()
    [[1.0], [2.0]]
    """
    driver = "gelsy" if driver is None else driver
    check_choice(driver, ("gels", "gelsy", "gelsd", "gelss"), "lstsq", "driver")
    x, y = promote(x, y, "lstsq")
    return naming.named(solve_ops.lstsq(x, y, None if rcond is None else real_arg(rcond, "lstsq", "rcond"), driver), name)


def lu(x, pivot=True, get_infos=False, name=None):
    """L and U packed into one matrix and the rows exchanged (from 1), for P @ L @ U = x; with ``get_infos`` also 0 or the
    number of the first zero pivot.

    Args:
        x (Tensor): matrices [..., m, n].
        pivot (bool): exchange rows, for accuracy.
        get_infos (bool): return the third result too.
    Returns:
        Tensors (LU [..., m, n], pivots [..., min(m, n)] int32), and with ``get_infos`` the infos [...].
    Raises:
        ValueError: x has fewer than 2 axes.
        TypeError: x is not a Tensor, array, list or number.

    >>> packed, rows = paddle.linalg.lu(paddle.to_tensor([[0., 1.], [2., 0.]]))
    >>> packed.tolist(), rows.tolist()
    ([[2.0, 0.0], [0.0, 1.0]], [2, 2])
    """
    packed, rows, infos = solve_ops.lu(as_tensor(x, "lu"), bool(pivot))
    if not get_infos:
        return naming.named((packed, rows), name)
    return naming.named((packed, rows, infos if len(infos.shape) or context.rules.matrix_norms else infos.reshape([1])), name)


@own_errors
def lu_unpack(x, y, unpack_ludata=True, unpack_pivots=True, name=None):
    """P, L and U from what ``lu`` returned; what is not asked for is empty.

    Args:
        x: packed factors [..., m, n] of ``lu``.
        y: pivots [..., min(m, n)] of ``lu``.
        unpack_ludata: give L and U (else they are empty).
        unpack_pivots: give P (else it is empty).

    >>> p, l, u = paddle.linalg.lu_unpack(*paddle.linalg.lu(paddle.to_tensor([[0., 1.], [2., 0.]])))
    >>> (p @ l @ u).tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    out = solve_ops.lu_unpack(as_tensor(x, "lu_unpack"), as_tensor(y, "lu_unpack", "y"), bool(unpack_ludata), bool(unpack_pivots))
    return naming.named(out, name)


def matrix_power(x, n, name=None):
    """Each square matrix multiplied with itself n times; 0 gives the identity, a negative n uses the inverse.

    Args:
        x: square matrices [..., n, n].
        n: how often; negative powers use the inverse.

    >>> paddle.linalg.matrix_power(paddle.to_tensor([[2., 0.], [0., 3.]]), 2).tolist()
    [[4.0, 0.0], [0.0, 9.0]]
    """
    return naming.named(solve_ops.matrix_power(as_tensor(x, "matrix_power"), int_arg(n, "matrix_power", "n")), name)


def matrix_rank(x, tol=None, hermitian=False, name=None):
    """How many singular values (absolute eigenvalues if ``hermitian``) of each matrix are above ``tol``.

    Args:
        x: matrices [..., m, n].
        tol: threshold, a number or one per matrix; None takes one from the precision.
        hermitian: use eigenvalues, x is Hermitian.

    >>> int(paddle.linalg.matrix_rank(paddle.to_tensor([[1., 2.], [2., 4.]])))
    1
    """
    x = as_tensor(x, "matrix_rank")
    if tol is None or isinstance(tol, SCALARS):
        out = solve_ops.matrix_rank(x, None, None if tol is None else real_arg(tol, "matrix_rank", "tol"), bool(hermitian))
    else:
        out = solve_ops.matrix_rank(x, cast(as_tensor(tol, "matrix_rank", "tol"), numpy_dtype(x)), None, bool(hermitian))
    return naming.named(out.astype("int64") if context.rules.long_shapes else out, name)


def pinv(x, rcond=1e-15, hermitian=False, name=None):
    """Moore and Penrose's inverse of each matrix; singular values up to rcond times the largest count as 0.

    Args:
        x: matrices [..., m, n].
        rcond: threshold, relative to the largest singular value.
        hermitian: use eigenvalues, x is Hermitian.

    >>> paddle.linalg.pinv(paddle.to_tensor([[2., 0.], [0., 0.]])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    x = as_tensor(x, "pinv")
    if isinstance(rcond, SCALARS):
        rcond = creation.full([], real_arg(rcond, "pinv", "rcond"), "float64")
    rcond = as_tensor(rcond, "pinv", "rcond")
    return naming.named(solve_ops.pinv(x, rcond.detach() if isinstance(rcond, Tensor) else rcond, bool(hermitian)), name)


def qr(x, mode="reduced", name=None):
    """Orthonormal columns Q and an upper triangle R with Q @ R = x.

    Args:
        mode (str): reduced (k = min(m, n) columns), complete (m columns), or r (R alone is returned).
        x (Tensor): matrices [..., m, n].
    Returns:
        Tensors (Q [..., m, k], R [..., k, n]), or R alone.

    The columns that ``complete`` adds to n of them are one of many ways to complete a basis: what depends on the choice has
    no gradient, and asking for it raises ValueError.
    Raises:
        ValueError: x has fewer than 2 axes, or ``mode`` is none of the three.
        TypeError: x is not a Tensor, array, list or number.

    >>> q, r = paddle.linalg.qr(paddle.to_tensor([[1., 2.], [3., 4.]]))
    >>> bool(paddle.allclose(q @ r, paddle.to_tensor([[1., 2.], [3., 4.]])))
    True
    """
    q, r = decomposition.qr(as_tensor(x, "qr"), mode)
    return naming.named(r if mode == "r" else (q, r), name)


def solve(x, y, name=None):
    """Solve x @ out = y for square x; y holds matrices [..., n, k] or vectors.

    >>> paddle.linalg.solve(paddle.to_tensor([[2., 0.], [0., 4.]]), paddle.to_tensor([2., 8.])).tolist()
    [1.0, 2.0]
    """
    return naming.named(solve_ops.solve(*promote(x, y, "solve")), name)


def svd(x, full_matrices=False, name=None):
    """Singular values and vectors of each matrix: (U, S, VH) with U @ diag(S) @ VH = x.

    Args:
        x (Tensor): [..., m, n].
        full_matrices (bool): all m columns of U and all n rows of VH instead of min(m, n). Those beyond are one of many ways to
            complete a basis: what depends on the choice has no gradient, and asking for it raises ValueError.
    Returns:
        Tensors (U [..., m, k], S [..., k], VH [..., k, n]) with k = min(m, n).
    Raises:
        ValueError: x has fewer than 2 axes.
        TypeError: x is not a Tensor of floating-point or complex numbers.

    >>> paddle.linalg.svd(paddle.to_tensor([[3., 0.], [0., 4.]]))[1].tolist()
    [4.0, 3.0]
    """
    return naming.named(decomposition.svd(as_tensor(x, "svd"), bool(full_matrices)), name)


@own_errors
def triangular_solve(x, y, upper=True, transpose=False, unitriangular=False, name=None):
    """Solve x @ out = y where only one triangle of x counts.

    Args:
        upper (bool): which triangle.
        transpose (bool): solve with the transposed matrix.
        unitriangular (bool): take the diagonal as 1.
        x (Tensor): square matrices [..., n, n].
        y (Tensor): right sides [..., n, k].
    Returns:
        Tensor [..., n, k].
    Raises:
        ValueError: a matrix is not square, or the sizes of x and y do not fit.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.linalg.triangular_solve(paddle.to_tensor([[1., 1.], [9., 2.]]), paddle.to_tensor([[3.], [4.]])).tolist()
    [[1.0], [2.0]]
    """
    x, y = promote(x, y, "triangular_solve")
    return naming.named(solve_ops.triangular_solve(x, y, bool(upper), bool(transpose), bool(unitriangular)), name)


__getattr__ = _lookup(__name__)
