"""Linear systems, factorisations with pivots, powers, ranks and pseudo-inverses of matrices."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.facts import Spec
from ...core.op import op
from ..arguments import need_real, quiet
from ..families.elementwise import broadcast_dims
from ..manipulation.construct import tril_triu
from ..manipulation.joining import concat
from ..manipulation.reshape import transpose
from ..manipulation.slicing import slice as pick
from ..math.arithmetic import conjugate, multiply, numpy_type, sum_to
from .decomposition import adjoint, columns, corner, eye_like, inverse, lower, need_matrix, plus, product, smaller, svd, upper
from .matmul import matmul


def _systems(x, y, function):
    """Raise unless y [..., n, k] fits the square matrices x [..., n, n]."""
    need_matrix(x, function, square=True)
    if y.ndim < 2 or y.shape[-2] != x.shape[-1]:
        raise ValueError(f"{function}(): x {list(x.shape)} and y {list(y.shape)} do not fit: y must be [..., {x.shape[-1]}, k]")
    if x.dtype != y.dtype:
        raise ElementTypeError(f"{function}(): x and y must have one dtype, got {x.dtype.name} and {y.dtype.name}")


def _solve(x, y, function):
    if y.ndim < x.ndim:  # NumPy 1 would take a y of one axis less for vectors
        y = y.reshape((1,) * (x.ndim - y.ndim) + y.shape)
    try:
        return np.linalg.solve(x, y)
    except np.linalg.LinAlgError:
        raise ValueError(f"{function}(): a matrix is singular") from None


def is_vector(x, y):
    """Does y hold one vector per matrix rather than matrices?"""
    return len(y.shape) == 1 or tuple(y.shape) == tuple(x.shape)[:-1]


def _solution(x, y):
    """Batch axes of both, and the shape of the right side: a vector for each matrix, or matrices."""
    a, b = x.shape, y.shape
    vector = len(b) == 1 or b == a[:-1]
    return x.like((*broadcast_dims(a[:-2], b[:-1] if vector else b[:-2], "solve"), *(b[-1:] if vector else b[-2:])))


def _right_side(matrix, right):
    if min(len(matrix.shape), len(right.shape)) < 2:
        return None
    return matrix.like((*broadcast_dims(matrix.shape[:-2], right.shape[:-2], "solve"), *right.shape[-2:]))


@op("solve(X, Y) -> Out", family="own", shapes=_solution)
@quiet
def solve(x, y):
    """The solution of x @ out = y for square x; y may hold vectors instead of matrices."""
    columns = y[..., None] if is_vector(x, y) else y
    _systems(x, columns, "solve")
    out = _solve(x, columns, "solve")
    return out[..., 0] if is_vector(x, y) else out


@solve.vjp
def _(needs, g, out, x, y):
    vector = is_vector(x, y)
    if vector:
        g, out = g.reshape([*g.shape, 1]), out.reshape([*out.shape, 1])
    gy = solve(adjoint(x), g)
    gx = -matmul(gy, adjoint(out)) if needs[0] else None
    gx = None if gx is None else sum_to(gx, tuple(x.shape))
    if vector:
        gy = gy.reshape(list(gy.shape)[:-1])
    return gx, sum_to(gy, tuple(y.shape))


def _triangle(x, up, unit):
    x = np.triu(x, int(unit)) if up else np.tril(x, -int(unit))
    return x + np.eye(x.shape[-1], dtype=x.dtype) if unit else x


@op("triangular_solve(X, Y) -> Out", family="own", up="upper", shapes=lambda x, y: _right_side(x, y))
@quiet
def triangular_solve(x, y, up=True, transpose=False, unitriangular=False):
    """The solution of x @ out = y where one triangle of x counts, its diagonal taken as 1 if ``unitriangular``."""
    _systems(x, y, "triangular_solve")
    t = _triangle(x, up, unitriangular)
    return _solve(np.swapaxes(t, -1, -2) if transpose else t, y, "triangular_solve")


@triangular_solve.vjp
def _(needs, g, out, x, y, up, transpose, unitriangular):
    gy = triangular_solve(conjugate(x), g, up, not transpose, unitriangular)
    gx = None
    if needs[0]:
        gx = -(matmul(conjugate(out), _turn(gy)) if transpose else matmul(gy, adjoint(out)))
        gx = tril_triu(gx, (1 if up else -1) * int(unitriangular), not up)
        gx = sum_to(gx, tuple(x.shape))
    return gx, sum_to(gy, tuple(y.shape))


def _turn(x):
    n = len(x.shape)
    return transpose(x, [*range(n - 2), n - 1, n - 2])


@op("cholesky_solve(X, Y) -> Out", family="own", up="upper", shapes=lambda x, y: _right_side(y, x))
@quiet
def cholesky_solve(x, y, up=False):
    """The solution of A @ out = x, where y is Cholesky's factor of A (lower, or upper for ``up``)."""
    _systems(y, x, "cholesky_solve")
    t = np.triu(y) if up else np.tril(y)
    th = np.swapaxes(t, -1, -2).conj()
    return _solve(th, _solve(t, x, "cholesky_solve"), "cholesky_solve") if not up else _solve(
        t, _solve(th, x, "cholesky_solve"), "cholesky_solve")


@cholesky_solve.vjp
def _(needs, g, out, x, y, up):
    gx = cholesky_solve(g, y, up)
    gy = None
    if needs[1]:
        outer = -matmul(gx, adjoint(out))
        outer = sum_to(outer + adjoint(outer), (*out.shape[:-2], y.shape[-1], y.shape[-1]))
        gy = upper(matmul(upper(y), outer)) if up else lower(matmul(outer, lower(y)))
        gy = sum_to(gy, tuple(y.shape))
    return sum_to(gx, tuple(x.shape)), gy


# ---- LU -------------------------------------------------------------------------------------------------------------
def _factor(a, pivots):
    """LU in place of one matrix; 1-based row exchanges and the number of the first zero pivot (0 for none)."""
    m, n = a.shape
    k = min(m, n)
    swaps, info = np.arange(1, k + 1, dtype=np.int32), 0
    for j in range(k):
        if pivots:
            p = j + int(np.argmax(np.abs(a[j:, j])))
            swaps[j] = p + 1
            if p != j:
                a[[j, p]] = a[[p, j]]
        if a[j, j] == 0:
            info = info or j + 1
            continue
        a[j + 1:, j] /= a[j, j]
        a[j + 1:, j + 1:] -= np.outer(a[j + 1:, j], a[j, j + 1:])
    return swaps, info


def _factors(x):
    batch, _, _, k = smaller(x)
    return x, x.like((*batch, k), np.int32), x.like(batch, np.int32)


@op("lu(X) -> Out, Pivots, Infos", family="own", shapes=_factors)
@quiet
def lu(x, pivots=True):
    """L (below the diagonal, which is 1) and U in one matrix, the rows exchanged (from 1), and 0 or the first zero pivot."""
    need_matrix(x, "lu")
    batch, k = x.shape[:-2], min(x.shape[-2:])
    out = np.array(x, order="C")
    swaps, infos = np.zeros((*batch, k), np.int32), np.zeros(batch, np.int32)
    for place in np.ndindex(*batch):
        swaps[place], infos[place] = _factor(out[place], pivots)
    return out, swaps, np.asarray(infos)


def permutation(swaps, rows):
    """The order of rows that exchanging them one after the other gives."""
    order = list(range(rows))
    for i, p in enumerate(swaps):
        order[i], order[p - 1] = order[p - 1], order[i]
    return order


def _check_swaps(swaps, rows, function):
    if swaps.dtype.kind not in "iu":
        raise ElementTypeError(f"{function}(): the pivots must be integers, got {swaps.dtype.name}")
    if swaps.size and (swaps.min() < 1 or swaps.max() > rows):
        raise IndexError(f"{function}(): pivots must be in [1, {rows}], got {int(swaps.min())} ... {int(swaps.max())}")


@op("pivot_matrix(Pivots) -> Out", family="own", shapes="*b ? -> *b rows rows:dtype")
@quiet
def pivot_matrix(swaps, rows=1, dtype="float32"):
    """The permutation matrices P of P @ L @ U from the rows exchanged (from 1)."""
    _check_swaps(swaps, rows, "lu_unpack")
    out = np.zeros((*swaps.shape[:-1], rows, rows), dtype)
    for place in np.ndindex(*swaps.shape[:-1]):
        out[place][permutation(swaps[place].tolist(), rows), np.arange(rows)] = 1
    return out


def _beyond(x, axis, start):
    a = len(x.shape) + axis
    return pick(x, None, None, None, None, [a], [start], [2 ** 31 - 1], [])


@lu.vjp
def _(needs, g, out, x):
    packed, swaps, _ = out
    g = g[0]
    m, n = (int(s) for s in x.shape[-2:])
    k = min(m, n)
    square, gs = corner(packed, k, k), corner(g, k, k)
    low, up = lower(square, -1) + eye_like(packed, k), upper(square)
    g_low, g_up = lower(gs, -1), upper(gs)
    rest, axis = None, None
    if m > n:
        tall, g_tall = _beyond(packed, -2, k), _beyond(g, -2, k)
        rest, axis = matmul(g_tall, adjoint(inverse(up))), -2
        g_up = g_up - upper(matmul(adjoint(tall), rest))
    elif n > m:
        wide, g_wide = _beyond(packed, -1, k), _beyond(g, -1, k)
        rest, axis = matmul(adjoint(inverse(low)), g_wide), -1
        g_low = g_low - lower(matmul(rest, adjoint(wide)), -1)
    inside = lower(matmul(adjoint(low), g_low), -1) + upper(matmul(g_up, adjoint(up)))
    found = product(adjoint(inverse(low)), inside, adjoint(inverse(up)))
    if rest is not None:
        found = concat([found, rest], None, len(x.shape) + axis)
    return (matmul(pivot_matrix(swaps, m, numpy_type(x).name), found),)


def _unpacked(x, unpack_ludata, unpack_pivots):
    batch, m, n, k = smaller(x)
    parts = ((m, m), unpack_pivots), ((m, k), unpack_ludata), ((k, n), unpack_ludata)
    return [x.like((*batch, *sizes) if asked else (0,)) for sizes, asked in parts]


@op("lu_unpack(X, Pivots) -> Pmat, L, U", family="own", shapes=_unpacked)
@quiet
def lu_unpack(x, pivots, unpack_ludata=True, unpack_pivots=True):
    """P, L and U of what ``lu`` packed into one matrix and a list of exchanged rows; what is not asked for is empty."""
    need_matrix(x, "lu_unpack")
    m, n = x.shape[-2:]
    k = min(m, n)
    if pivots.ndim != x.ndim - 1 or pivots.shape[-1] != k or pivots.shape[:-1] != x.shape[:-2]:
        raise ValueError(f"lu_unpack(): pivots must have shape {[*x.shape[:-2], k]} for x {list(x.shape)}, "
                         f"got {list(pivots.shape)}")
    nothing = np.zeros((0,), x.dtype)
    matrix = pivot_matrix.fn(pivots, m, x.dtype) if unpack_pivots else nothing
    if not unpack_ludata:
        return matrix, nothing.copy(), nothing.copy()
    low = np.tril(x[..., :, :k], -1) + np.eye(m, k, dtype=x.dtype)
    return matrix, low, np.triu(x[..., :k, :])


@lu_unpack.vjp(takes_none=True)
def _(needs, g, x, unpack_ludata):
    _, g_low, g_up = g
    if not unpack_ludata or (g_low is None and g_up is None):
        return x * 0, None
    m, n = (int(s) for s in x.shape[-2:])
    below = None if g_low is None else widen(lower(g_low, -1), m, n)
    above = None if g_up is None else widen(upper(g_up), m, n)
    return plus(below, above), None


@op("widen(X) -> Out", family="own")
@quiet
def widen(x, rows=1, columns=1):
    """Matrices with zeros added below and to the right up to the given size."""
    out = np.zeros((*x.shape[:-2], rows, columns), x.dtype)
    out[..., :x.shape[-2], :x.shape[-1]] = x
    return out


@widen.vjp
def _(needs, g, x_shape):
    return (corner(g, x_shape[-2], x_shape[-1]),)


# ---- powers, ranks, least squares -----------------------------------------------------------------------------------
@op("matrix_power(X) -> Out", family="same")
@quiet
def matrix_power(x, n=1):
    """Each square matrix multiplied with itself n times; negative n uses the inverse."""
    need_matrix(x, "matrix_power", square=True)
    try:
        return np.linalg.matrix_power(x, n) if x.size else x.copy()
    except np.linalg.LinAlgError:
        raise ValueError("matrix_power(): a matrix is singular, it has no negative powers") from None


def _power_grad(g, x, n):
    if n == 0:
        return g * 0
    base = x if n > 0 else inverse(x)
    turned = adjoint(base)
    powers = [None, turned]
    for _ in range(2, abs(n)):
        powers.append(matmul(powers[-1], turned))
    total = None
    for i in range(abs(n)):
        j = abs(n) - 1 - i
        term = g if not i else matmul(powers[i], g)
        term = term if not j else matmul(term, powers[j])
        total = term if total is None else total + term
    return total if n > 0 else -product(turned, total, turned)


matrix_power.grad(x=_power_grad)


def _rank_desc(attrs):
    tol = attrs["tol"]
    return {"tol": 0.0 if tol is None else float(tol), "use_default_tol": tol is None, "hermitian": attrs["hermitian"]}


def _rank_shape(x, tol_tensor, tol, hermitian):
    """One number per matrix and tolerance, which broadcast against each other."""
    batch = tuple(x.shape[:-2])
    return Spec(batch if tol_tensor is None else broadcast_dims(batch, tol_tensor.shape, "matrix_rank"), np.int32)


@op("matrix_rank(X, TolTensor?) -> Out", family="own", to_desc=_rank_desc,
    from_desc=lambda a: {"tol": None if a.get("use_default_tol", True) else a["tol"], "hermitian": a["hermitian"]},
    shapes=_rank_shape)
@quiet
def matrix_rank(x, tol_tensor=None, tol=None, hermitian=False):
    """How many singular values (absolute eigenvalues if ``hermitian``) of each matrix are above a tolerance."""
    need_matrix(x, "matrix_rank", square=hermitian)
    if not x.size:
        return np.zeros(x.shape[:-2], np.int32)
    s = np.abs(np.linalg.eigvalsh(x)) if hermitian else np.linalg.svd(x, compute_uv=False)
    if tol_tensor is not None:
        limit = tol_tensor[..., None]
    elif tol is not None:
        limit = tol
    else:
        limit = s.max(-1, keepdims=True) * max(x.shape[-2:]) * np.finfo(s.dtype).eps
    return np.asarray((s > limit).sum(-1), np.int32)


@op("pseudo_inverse(X, Rcond) -> Out", family="own")
@quiet
def pinv(x, rcond, hermitian=False):
    """Moore and Penrose's inverse; singular values up to rcond times the largest count as 0."""
    need_matrix(x, "pinv", square=hermitian)
    need_real(rcond, "pinv", "rcond")
    if not x.size:
        return np.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    limit = np.asarray(rcond, np.float64)[..., None]
    if hermitian:
        w, u = np.linalg.eigh(x)
        s, vh = np.abs(w), np.sign(w)[..., None] * np.swapaxes(u, -1, -2).conj()
    else:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
    keep = s > limit * s.max(-1, keepdims=True)
    undone = np.where(keep, 1 / np.where(keep, s, 1), 0).astype(s.dtype)
    out = (np.swapaxes(vh, -1, -2).conj() * undone[..., None, :]) @ np.swapaxes(u, -1, -2).conj()
    return np.ascontiguousarray(out).astype(x.dtype)


def pinv_back(g, out, x):
    """The gradient by x of its pseudo-inverse ``out`` (the rank does not change)."""
    m, n = int(x.shape[-2]), int(x.shape[-1])
    outer, g_turned = adjoint(out), adjoint(g)
    left = eye_like(x, m) - matmul(x, out)
    right = eye_like(x, n) - matmul(out, x)
    return (-product(outer, g, outer) + product(left, g_turned, out, outer) + product(outer, out, g_turned, right))


def _pinv_grad(g, out, x, hermitian):
    gx = pinv_back(g, out, x)
    return multiply(gx + adjoint(gx), 0.5) if hermitian else gx  # what is differentiated stays symmetric


pinv.grad(x=_pinv_grad)


def _threshold(kind, m, n, rcond):
    """Up to which part of the largest a singular value counts as 0."""
    return float(rcond) if rcond else float(np.finfo(kind).eps * max(m, n))


def _lstsq_desc(attrs):
    return {"rcond": float(attrs["rcond"] or 0.0), "driver": attrs["driver"]}


@op("lstsq(X, Y) -> Solution, Residuals, Rank, SingularValues", family="own", to_desc=_lstsq_desc)
@quiet
def lstsq(x, y, rcond=None, driver="gelsy"):
    """The least-squares solution of x @ out = y, the sums of squared residuals, ranks, and singular values."""
    need_matrix(x, "lstsq")
    need_matrix(y, "lstsq", argument="y")
    if x.shape[:-1] != y.shape[:-1]:
        raise ValueError(f"lstsq(): x {list(x.shape)} and y {list(y.shape)} must agree in all axes but the last")
    m, n = x.shape[-2:]
    cut = _threshold(x.dtype, m, n, rcond)
    batch = x.shape[:-2]
    values = np.linalg.svd(x, compute_uv=False) if x.size else np.zeros((*batch, min(m, n)), x.dtype)
    rank = np.asarray((values > cut * values[..., :1]).sum(-1), np.int32) if min(m, n) else np.zeros(batch, np.int32)
    solution = pinv.fn(x, np.asarray(cut)) @ y
    # only systems with more equations than unknowns leave residuals
    residuals = np.sum(np.abs(x @ solution - y) ** 2, -2).astype(values.dtype) if m > n else np.zeros((0,), values.dtype)
    rank = np.zeros((0,), np.int32) if driver == "gels" else rank
    return solution, residuals, rank, values if driver in ("gelsd", "gelss") else np.zeros((0,), values.dtype)


@lstsq.vjp(takes_none=True)
def _(needs, g, x, y, rcond):
    g_solution, g_residuals, _, g_values = g
    m, n = int(x.shape[-2]), int(x.shape[-1])
    cut = _threshold(numpy_type(x), m, n, rcond)
    undo = pinv(x, np.asarray(cut))
    gx = gy = None
    if g_residuals is not None and 0 not in g_residuals.shape:
        solution = matmul(undo, y)
        slope = multiply(matmul(x, solution) - y, columns(g_residuals) * 2)  # the solution is where its own slope is 0
        gx, gy = matmul(slope, adjoint(solution)), -slope
    if g_solution is not None:
        gx, gy = plus(gx, pinv_back(matmul(g_solution, adjoint(y)), undo, x)), plus(gy, matmul(adjoint(undo), g_solution))
    if g_values is not None and 0 not in g_values.shape:
        u, _, vh = svd(x, False)
        gx = plus(gx, matmul(multiply(u, columns(g_values)), vh))
    return gx, gy
