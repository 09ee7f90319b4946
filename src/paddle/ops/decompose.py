"""Decompositions of matrices: Cholesky, QR, SVD, eigenvalues, and determinants. Gradients are written with ops, so that
second derivatives exist; the helpers of this file are shared with ops/solve.py."""

import numpy as np

from ..core.op import op
from .complex import real
from .diag import diag_embed, diagonal, tril_triu
from .families import quiet
from .linalg import matmul
from .manip import cast, transpose
from .math import conjugate, is_complex, multiply, subtract
from .norms import safe_ratio
from .reduce import sum as total


def need_matrix(x, function, square=False, argument="x"):
    """Raise unless x is a floating or complex tensor of matrices (square ones if asked)."""
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        kind = "square matrices [..., n, n]" if square else "matrices [..., m, n]"
        raise ValueError(f"{function}(): {argument} must hold {kind}, got shape {list(x.shape)}")
    if x.dtype not in (np.float32, np.float64, np.complex64, np.complex128):
        raise TypeError(f"{function}(): {argument} must be float32, float64, complex64 or complex128, got {x.dtype.name}")


def adjoint(x):
    """The conjugate transposed of each matrix."""
    n = len(x.shape)
    return transpose(conjugate(x), [*range(n - 2), n - 1, n - 2])


def product(*matrices):
    """Matrix product of several, from left to right."""
    out = matrices[0]
    for m in matrices[1:]:
        out = matmul(out, m)
    return out


def lower(x, k=0):
    """The triangle on and below the k-th diagonal."""
    return tril_triu(x, k, True)


def upper(x, k=0):
    """The triangle on and above the k-th diagonal."""
    return tril_triu(x, k, False)


def on_diagonal(x):
    """Matrices with the vectors x on their diagonals."""
    return diag_embed(x, 0, -2, -1)


def diagonal_of(x):
    """The diagonal of each matrix."""
    n = len(x.shape)
    return diagonal(x, 0, n - 2, n - 1)


def eye_like(x, n):
    """The identity of size n in the type of x."""
    kind = x.dtype if isinstance(x, np.ndarray) else x.dtype.dtype
    return np.eye(n, dtype=kind)


def columns(x):
    """Vectors as rows of size 1: what scales the columns of matrices."""
    return x.reshape([*x.shape[:-1], 1, x.shape[-1]])


def rows(x):
    """Vectors as columns of size 1: what scales the rows of matrices."""
    return x.reshape([*x.shape, 1])


def gaps(w):
    """1 / (w[j] - w[i]) as a matrix, 0 where both are equal."""
    difference = subtract(columns(w), rows(w))
    return safe_ratio(difference * 0 + 1, difference)


def as_kind_of(g, x_dtype):
    """A gradient in the type of its input: the real part where that is real."""
    return g if np.dtype(x_dtype).kind == "c" or not is_complex(g) else real(g)


def complex_like(x, like):
    """x in the complex type of another tensor."""
    return x if is_complex(x) else cast(x, like.dtype)


# ---- inverse, determinants ------------------------------------------------------------------------------------------
@op("inverse(Input) -> Output", family="same")
@quiet
def inverse(x):
    """The inverse of each square matrix."""
    need_matrix(x, "inverse", square=True)
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        raise ValueError("inverse(): a matrix is singular, it has no inverse") from None


inverse.grad(x=lambda g, out: -product(adjoint(out), g, adjoint(out)))


@op("determinant(Input) -> Out", family="probe")
@quiet
def det(x):
    """The determinant of each square matrix."""
    need_matrix(x, "det", square=True)
    return np.asarray(np.linalg.det(x))


@op("cofactors(X) -> Out", family="same")
@quiet
def cofactors(x):
    """The derivative of the determinant: det(x) times the transposed inverse, which exists for singular matrices too."""
    u, s, vh = np.linalg.svd(x)
    n = s.shape[-1]
    others = np.stack([np.prod(np.delete(s, k, -1), -1) for k in range(n)], -1) if n else s
    phase = np.linalg.det(u) * np.linalg.det(vh)
    return (phase[..., None, None] * ((u.conj() * others[..., None, :]) @ vh.conj())).astype(x.dtype)


def _scalar(g):
    """One number per matrix, ready to multiply matrices with."""
    return g.reshape([*g.shape, 1, 1])


det.grad(x=lambda g, x: multiply(_scalar(g), conjugate(cofactors(x))))


@cofactors.vjp
def _(needs, g, out, x):
    turned = transpose(inverse(x), [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2])
    weight = conjugate(turned)
    inner = total(multiply(g, weight), (-2, -1), False)
    d = conjugate(_scalar(det(x)))
    flipped = transpose(g, [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2])
    return (multiply(_scalar(inner), multiply(d, weight)) - multiply(d, product(weight, flipped, weight)),)


@op("slogdeterminant(Input) -> Out", family="probe")
@quiet
def slogdet(x):
    """Sign and logarithm of the absolute determinant of each square matrix, stacked."""
    need_matrix(x, "slogdet", square=True)
    with np.errstate(divide="ignore"):
        sign, log = np.linalg.slogdet(x)
    return np.stack([sign, log.astype(sign.dtype)])


def _slogdet_grad(g, x):
    from .join import unstack
    return multiply(_scalar(unstack(g, 0)[1]), adjoint(inverse(x)))


slogdet.grad(x=_slogdet_grad)


# ---- Cholesky, QR, SVD ----------------------------------------------------------------------------------------------
@op("cholesky(X) -> Out", family="same")
@quiet
def cholesky(x, upper=False):
    """The triangular factor of each positive definite matrix: L with L L^H, or U with U^H U for ``upper``."""
    need_matrix(x, "cholesky", square=True)
    try:
        # one triangle decides, as in LAPACK
        full = np.triu(x) + np.swapaxes(np.triu(x, 1), -1, -2).conj() if upper else x
        low = np.linalg.cholesky(full)
    except np.linalg.LinAlgError:
        raise ValueError("cholesky(): a matrix is not positive definite") from None
    return np.ascontiguousarray(np.swapaxes(low, -1, -2).conj()) if upper else low


def _cholesky_grad(g, out, upper):
    low, g = (adjoint(out), adjoint(g)) if upper else (out, g)
    inside = matmul(adjoint(low), g)
    inside = (lower(inside) + lower(inside, -1)) * 0.5
    undo = inverse(low)
    found = product(adjoint(undo), inside, undo)
    return (found + adjoint(found)) * 0.5


cholesky.grad(x=_cholesky_grad)


@op("qr(X) -> Q, R", family="probe")
@quiet
def qr(x, mode="reduced"):
    """Orthonormal columns Q and an upper triangle R with Q R = x; mode r computes them as reduced does."""
    need_matrix(x, "qr")
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr(): mode must be reduced, complete or r, got {mode!r}")
    q, r = np.linalg.qr(x, "complete" if mode == "complete" else "reduced")
    return np.ascontiguousarray(q), np.ascontiguousarray(r)


@qr.vjp
def _(needs, g, out, x, mode):
    (q, r), (gq, gr) = out, g
    m, n = int(x.shape[-2]), int(x.shape[-1])
    if mode == "complete" and m > n:
        raise NotImplementedError("qr(): mode 'complete' has no gradient for matrices with more rows than columns")
    if m >= n:
        return (_qr_back(q, r, gq, gr),)
    left, right = _cut(r, m, n), _cut(gr, m, n)
    _, x2 = _cut(x, m, n)
    g2 = matmul(q, right[1])
    g1 = _qr_back(q, left[0], gq + matmul(x2, adjoint(right[1])), right[0])
    from .join import concat
    return (concat([g1, g2], None, len(x.shape) - 1),)


def _cut(x, m, n):
    """The first m columns and the others."""
    from .region import slice as pick
    last = len(x.shape) - 1
    return (pick(x, None, None, None, None, [last], [0], [m], []), pick(x, None, None, None, None, [last], [m], [n], []))


def _qr_back(q, r, gq, gr):
    """The gradient through a QR with at least as many rows as columns."""
    inside = matmul(r, adjoint(gr)) - matmul(adjoint(gq), q)
    below = lower(inside, -1)
    mirrored = below + adjoint(below) + on_diagonal(diagonal_of(inside))
    return matmul(gq + matmul(q, mirrored), adjoint(inverse(r)))


@op("svd(X) -> U, S, VH", family="probe")
@quiet
def svd(x, full_matrices=False):
    """Singular values and vectors of each matrix: U diag(S) VH = x."""
    need_matrix(x, "svd")
    u, s, vh = np.linalg.svd(x, full_matrices=bool(full_matrices))
    return np.ascontiguousarray(u), s, np.ascontiguousarray(vh)


@svd.vjp(partial=True)
def _(needs, g, out, x, full_matrices):
    (u, s, vh), (gu, gs, gvh) = out, g
    if full_matrices and x.shape[-1] != x.shape[-2]:
        if gu is not None or gvh is not None:
            raise NotImplementedError("svd(): singular vectors have no gradient with full_matrices=True")
        u, s, vh = svd(x, False)
    if is_complex(x):
        s = complex_like(s, x)
        gs = None if gs is None else complex_like(gs, x)
    v, k = adjoint(vh), int(s.shape[-1])
    inside = None if gs is None else on_diagonal(gs)
    squares = gaps(multiply(s, s))
    outside = None
    for vectors, gv, side in ((u, gu, 0), (v, None if gvh is None else adjoint(gvh), 1)):
        if gv is None:
            continue
        w = matmul(adjoint(vectors), gv)
        turned = multiply(squares, w - adjoint(w))
        term = multiply(turned, columns(s)) if side == 0 else multiply(rows(s), turned)
        if side == 0 and is_complex(x):
            term = term + on_diagonal(diagonal_of(w - adjoint(w)) / (s * 4)) * 2
        inside = term if inside is None else inside + term
        if int(vectors.shape[-2]) > k:  # what the thin basis does not span
            rest = multiply(gv - matmul(vectors, w), columns(s * 0 + 1) / columns(s))
            piece = matmul(rest, vh) if side == 0 else matmul(u, adjoint(rest))
            outside = piece if outside is None else outside + piece
    found = product(u, inside, vh)
    return (found if outside is None else found + outside,)


# ---- eigenvalues ----------------------------------------------------------------------------------------------------
def _check_uplo(uplo, function):
    if uplo not in ("L", "U"):
        raise ValueError(f"{function}(): UPLO must be 'L' or 'U', got {uplo!r}")


@op("eigh(X) -> Eigenvalues, Eigenvectors", family="probe")
@quiet
def eigh(x, UPLO="L"):
    """Eigenvalues in rising order and eigenvectors of each symmetric (Hermitian) matrix, of which one triangle is read."""
    need_matrix(x, "eigh", square=True)
    _check_uplo(UPLO, "eigh")
    w, v = np.linalg.eigh(x, UPLO)
    return w, np.ascontiguousarray(v)


def _eigh_grad(g, out):
    (w, v), (gw, gv) = out, g
    inside = None if gw is None else on_diagonal(complex_like(gw, v) if is_complex(v) else gw)
    if gv is not None:
        w = complex_like(w, v) if is_complex(v) else w
        term = multiply(gaps(w), matmul(adjoint(v), gv))
        inside = term if inside is None else inside + term
    return product(v, inside, adjoint(v))


@eigh.vjp(partial=True)
def _(needs, g, out):
    return (_eigh_grad(g, out),)


@op("eigvalsh(X) -> Eigenvalues, Eigenvectors", family="probe")
@quiet
def eigvalsh(x, UPLO="L"):
    """Eigenvalues in rising order of each symmetric (Hermitian) matrix, and the eigenvectors that its gradient needs."""
    need_matrix(x, "eigvalsh", square=True)
    _check_uplo(UPLO, "eigvalsh")
    w, v = np.linalg.eigh(x, UPLO)
    return w, np.ascontiguousarray(v)


@eigvalsh.vjp(partial=True)
def _(needs, g, out):
    return (_eigh_grad(g, out),)


def _complex_of(x):
    return np.complex64 if x.dtype in (np.float32, np.complex64) else np.complex128


@op("eig(X) -> Eigenvalues, Eigenvectors", family="probe")
@quiet
def eig(x):
    """Complex eigenvalues and eigenvectors (of length 1) of each square matrix."""
    need_matrix(x, "eig", square=True)
    w, v = np.linalg.eig(x)
    return w.astype(_complex_of(x)), np.ascontiguousarray(v).astype(_complex_of(x))


@eig.vjp(partial=True)
def _(needs, g, out, x_dtype):
    (w, v), (gw, gv) = out, g
    vh = adjoint(v)
    inside = None if gw is None else on_diagonal(gw)
    if gv is not None:
        t = matmul(vh, gv)
        length = complex_like(real(diagonal_of(t)), v)  # eigenvectors keep the length 1
        t = t - multiply(matmul(vh, v), columns(length))
        term = multiply(conjugate(gaps(w)), t)
        inside = term if inside is None else inside + term
    return (as_kind_of(product(inverse(vh), inside, vh), x_dtype),)


@op("eigvals(X) -> Out", family="probe")
@quiet
def eigvals(x):
    """Complex eigenvalues of each square matrix."""
    need_matrix(x, "eigvals", square=True)
    return np.linalg.eigvals(x).astype(_complex_of(x))


def _eigvals_grad(g, x, x_dtype):
    w, v = eig(x)
    vh = adjoint(v)
    return as_kind_of(product(inverse(vh), on_diagonal(g), vh), x_dtype)


eigvals.grad(x=_eigvals_grad)
