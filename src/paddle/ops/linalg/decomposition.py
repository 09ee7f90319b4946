"""Decompositions of matrices: Cholesky, QR, SVD, and determinants. Gradients are written with ops, so that
second derivatives exist; the helpers of this file are shared with ops/linalg/solve.py and ops/linalg/eigen.py."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ..arguments import quiet
from ..library import by_library
from ..manipulation.construct import diag_embed, diagonal, tril_triu
from ..manipulation.joining import concat, unstack
from ..manipulation.reshape import cast, transpose
from ..manipulation.slicing import slice as pick
from ..math.arithmetic import conj, conjugate, is_complex, multiply, numpy_type, subtract
from ..math.reduction import sum as total
from .matmul import matmul
from .norm import safe_ratio


def need_matrix(x, function, square=False, argument="x"):
    """Raise unless x is a floating or complex tensor of matrices (square ones if asked)."""
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        kind = "square matrices [..., n, n]" if square else "matrices [..., m, n]"
        raise ValueError(f"{function}(): {argument} must hold {kind}, got shape {list(x.shape)}")
    if x.dtype not in (np.float32, np.float64, np.complex64, np.complex128):
        raise ElementTypeError(f"{function}(): {argument} must be float32, float64, complex64 or complex128, got {x.dtype.name}")


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


def plus(a, b):
    """The sum of two gradients, of which one may be None."""
    return b if a is None else a if b is None else a + b


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
    return np.eye(n, dtype=numpy_type(x))


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


def complex_like(x, like):
    """x in the complex type of another tensor."""
    return x if is_complex(x) else cast(x, like.dtype)


# ---- inverse, determinants ------------------------------------------------------------------------------------------
@op("inverse(Input) -> Output", family="own", shapes="*b n n -> *b n n")
@quiet
def inverse(x):
    """The inverse of each square matrix."""
    need_matrix(x, "inverse", square=True)
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        raise ValueError("inverse(): a matrix is singular, it has no inverse") from None


by_library(inverse, when=lambda x: x.ndim > 1 and x.shape[-1] <= 128)  # larger ones are better off with LAPACK's blocks
inverse.grad(x=lambda g, out: -product(adjoint(out), g, adjoint(out)))


@op("determinant(Input) -> Out", family="own", layer_name="determinant", shapes="*b n n -> *b")
@quiet
def det(x):
    """The determinant of each square matrix."""
    need_matrix(x, "det", square=True)
    return np.asarray(np.linalg.det(x))


def _by_inverse(x):
    """det(x) times the transposed inverse; None where a matrix is singular, or nearly so, and that would not be exact."""
    try:
        undone = inverse.run_arrays((x,))
    except ValueError:
        return None
    sizes = [np.abs(m).sum(-2).max(-1, initial=0) for m in (x, undone)]
    if not (sizes[0] * sizes[1] * np.finfo(x.dtype).eps < 1e-3).all():
        return None
    return np.ascontiguousarray((np.linalg.det(x)[..., None, None] * undone).swapaxes(-1, -2)).astype(x.dtype, copy=False)


@op("cofactors(X) -> Out", family="same")
@quiet
def cofactors(x):
    """The derivative of the determinant: det(x) times the transposed inverse, which exists for singular matrices too."""
    quick = _by_inverse(x)
    if quick is not None:
        return quick
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


@op("slogdeterminant(Input) -> Out", family="own", layer_name="slogdeterminant", shapes="*b n n -> 2 *b")
@quiet
def slogdet(x):
    """Sign and logarithm of the absolute determinant of each square matrix, stacked."""
    need_matrix(x, "slogdet", square=True)
    with np.errstate(divide="ignore"):
        sign, log = np.linalg.slogdet(x)
    return np.stack([sign, log.astype(sign.dtype)])


def _slogdet_grad(g, x):
    g = unstack(g, 0)[1]
    if is_complex(g):  # a logarithm of sizes is real
        g = (g + conj(g)) * 0.5
    return multiply(_scalar(g), adjoint(inverse(x)))


slogdet.grad(x=_slogdet_grad)


# ---- Cholesky, QR, SVD ----------------------------------------------------------------------------------------------
@op("cholesky(X) -> Out", family="own", shapes="*b n n -> *b n n")
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


def smaller(x):
    """The batch sizes of matrices, their two sizes, and the smaller of these."""
    m, n = x.shape[-2:]
    return x.shape[:-2], m, n, -1 if -1 in (m, n) else min(m, n)


def _qr_sizes(x, mode):
    batch, m, n, k = smaller(x)
    k = m if mode == "complete" else k
    return x.like((*batch, m, k)), x.like((*batch, k, n))


@op("qr(X) -> Q, R", family="own", shapes=_qr_sizes)
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
        q, gq = _spanned(q, gq, n, "qr")
        r, gr = corner(r, n, n), corner(gr, n, n)
    if m >= n:
        return (_qr_back(q, r, gq, gr),)
    left, right = _cut(r, m, n), _cut(gr, m, n)
    _, x2 = _cut(x, m, n)
    g2 = matmul(q, right[1])
    g1 = _qr_back(q, left[0], gq + matmul(x2, adjoint(right[1])), right[0])
    return (concat([g1, g2], None, len(x.shape) - 1),)


def _cut(x, m, n):
    """The first m columns and the others."""
    last = len(x.shape) - 1
    return (pick(x, None, None, None, None, [last], [0], [m], []), pick(x, None, None, None, None, [last], [m], [n], []))


def corner(x, m, n):
    """The first m rows and n columns."""
    a = len(x.shape)
    return pick(x, None, None, None, None, [a - 2, a - 1], [0, 0], [m, n], [])


@op("any_basis(G, Basis) -> GX", family="same")
@quiet
def any_basis(g, basis, function="svd"):
    """The gradient g by the columns of a basis, if it is that of something which every basis of the same space gives.

    Turning the basis by a small skew matrix K must change nothing: then basis^H g is Hermitian.
    """
    inside = np.swapaxes(basis, -1, -2).conj() @ g
    skew = np.abs(inside - np.swapaxes(inside, -1, -2).conj())
    if skew.size and skew.max() > np.abs(g).max() * np.sqrt(np.finfo(g.dtype).eps) * g.shape[-2]:
        raise ValueError(f"{function}(): the last {g.shape[-1]} columns complete a basis in one of many ways, so what depends on "
                         "them has a gradient only if it is the same for each; use the reduced form")
    return g


any_basis.grad(g=lambda g: g, basis=None)


def _spanned(basis, g, k, function):
    """The first k columns of an orthonormal basis and their gradient, into which goes that of the other columns:
    those turn only against the first ones."""
    n = int(basis.shape[-1])
    (first, rest), (g_first, g_rest) = _cut(basis, k, n), _cut(g, k, n)
    g_rest = any_basis(g_rest, rest, function)
    return first, g_first - matmul(rest, matmul(adjoint(g_rest), first))


def _qr_back(q, r, gq, gr):
    """The gradient through a QR with at least as many rows as columns."""
    inside = matmul(r, adjoint(gr)) - matmul(adjoint(gq), q)
    below = lower(inside, -1)
    mirrored = below + adjoint(below) + on_diagonal(diagonal_of(inside))
    return matmul(gq + matmul(q, mirrored), adjoint(inverse(r)))


def _svd_sizes(x, full_matrices):
    batch, m, n, k = smaller(x)
    rows, columns = (m, n) if full_matrices else (k, k)
    return x.like((*batch, m, rows)), x.like((*batch, k), np.empty(0, x.dtype).real.dtype), x.like((*batch, columns, n))


@op("svd(X) -> U, S, VH", family="own", shapes=_svd_sizes)
@quiet
def svd(x, full_matrices=False):
    """Singular values and vectors of each matrix: U diag(S) VH = x."""
    need_matrix(x, "svd")
    u, s, vh = np.linalg.svd(x, full_matrices=bool(full_matrices))
    return np.ascontiguousarray(u), s, np.ascontiguousarray(vh)


def _leading(vectors, g, k):
    """The first k vectors and their gradient, None if there is none."""
    n = int(vectors.shape[-1])
    if n == k:
        return vectors, g
    return (_cut(vectors, k, n)[0], None) if g is None else _spanned(vectors, g, k, "svd")


@svd.vjp(takes_none=True)
def _(needs, g, out, x, full_matrices):
    (u, s, vh), (gu, gs, gvh) = out, g
    v, gv, k = adjoint(vh), None if gvh is None else adjoint(gvh), int(s.shape[-1])
    if full_matrices:
        u, gu = _leading(u, gu, k)
        v, gv = _leading(v, gv, k)
        vh = adjoint(v)
    if is_complex(x):
        s = complex_like(s, x)
        gs = None if gs is None else complex_like(gs, x)
    inside = None if gs is None else on_diagonal(gs)
    squares = gaps(multiply(s, s))
    outside = None
    for vectors, g_vectors, side in ((u, gu, 0), (v, gv, 1)):
        if g_vectors is None:
            continue
        w = matmul(adjoint(vectors), g_vectors)
        turned = multiply(squares, w - adjoint(w))
        term = multiply(turned, columns(s)) if side == 0 else multiply(rows(s), turned)
        if side == 0 and is_complex(x):
            term = term + on_diagonal(diagonal_of(w - adjoint(w)) / (s * 4)) * 2
        inside = plus(inside, term)
        if int(vectors.shape[-2]) > k:  # what the thin basis does not span
            rest = multiply(g_vectors - matmul(vectors, w), columns(s * 0 + 1) / columns(s))
            piece = matmul(rest, vh) if side == 0 else matmul(u, adjoint(rest))
            outside = plus(outside, piece)
    return (plus(product(u, inside, vh), outside),)
