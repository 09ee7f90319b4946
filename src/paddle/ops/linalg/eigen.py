"""Eigenvalues and eigenvectors of matrices. Gradients are written with ops, so that second derivatives exist."""

import numpy as np

from ...core.op import op
from ..arguments import quiet
from ..math.arithmetic import conjugate, is_complex, multiply
from ..math.complex import real
from .decomposition import adjoint, columns, complex_like, diagonal_of, gaps, inverse, need_matrix, on_diagonal, plus, product
from .matmul import matmul


def as_kind_of(g, x_dtype):
    """A gradient in the type of its input: the real part where that is real."""
    return g if np.dtype(x_dtype).kind == "c" or not is_complex(g) else real(g)


def _of_symmetric(x, uplo, function):
    need_matrix(x, function, square=True)
    if uplo not in ("L", "U"):
        raise ValueError(f"{function}(): UPLO must be 'L' or 'U', got {uplo!r}")
    w, v = np.linalg.eigh(x, uplo)
    return w, np.ascontiguousarray(v)


@op("eigh(X) -> Eigenvalues, Eigenvectors", family="own", shapes="*b n n -> *b n:real, *b n n")
@quiet
def eigh(x, UPLO="L"):
    """Eigenvalues in rising order and eigenvectors of each symmetric (Hermitian) matrix, of which one triangle is read."""
    return _of_symmetric(x, UPLO, "eigh")


@op("eigvalsh(X) -> Eigenvalues, Eigenvectors", family="own", shapes="*b n n -> *b n:real, *b n n")
@quiet
def eigvalsh(x, UPLO="L"):
    """Eigenvalues in rising order of each symmetric (Hermitian) matrix, and the eigenvectors that its gradient needs."""
    return _of_symmetric(x, UPLO, "eigvalsh")


@eigh.vjp(takes_none=True)
@eigvalsh.vjp(takes_none=True)
def _(needs, g, out):
    (w, v), (gw, gv) = out, g
    inside = None if gw is None else on_diagonal(complex_like(gw, v) if is_complex(v) else gw)
    if gv is not None:
        w = complex_like(w, v) if is_complex(v) else w
        term = multiply(gaps(w), matmul(adjoint(v), gv))
        inside = plus(inside, multiply(term + adjoint(term), 0.5))  # what is differentiated stays symmetric
    return (product(v, inside, adjoint(v)),)


def _complex_of(x):
    return np.complex64 if x.dtype in (np.float32, np.complex64) else np.complex128


@op("eig(X) -> Eigenvalues, Eigenvectors", family="own", shapes="*b n n -> *b n:complex, *b n n:complex")
@quiet
def eig(x):
    """Complex eigenvalues and eigenvectors (of length 1) of each square matrix."""
    need_matrix(x, "eig", square=True)
    w, v = np.linalg.eig(x)
    return w.astype(_complex_of(x)), np.ascontiguousarray(v).astype(_complex_of(x))


@eig.vjp(takes_none=True)
def _(needs, g, out, x_dtype):
    (w, v), (gw, gv) = out, g
    vh = adjoint(v)
    inside = None if gw is None else on_diagonal(gw)
    if gv is not None:
        t = matmul(vh, gv)
        length = complex_like(real(diagonal_of(t)), v)  # eigenvectors keep the length 1
        t = t - multiply(matmul(vh, v), columns(length))
        term = multiply(conjugate(gaps(w)), t)
        inside = plus(inside, term)
    return (as_kind_of(product(inverse(vh), inside, vh), x_dtype),)


@op("eigvals(X) -> Out", family="own", shapes="*b n n -> *b n:complex")
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
