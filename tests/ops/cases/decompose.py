"""Decompositions and solvers. Signs of vectors are a matter of taste, so products and invariants stand for them."""

import numpy as np
from opcase import OpCase, bad, c, const, distinct, f, i

import paddle
from paddle import linalg
from paddle.ops.linalg.decomposition import any_basis


def square(*shape):
    """Matrices far from singular with distinct singular values."""
    return distinct(*shape, step=0.3)


def on(make, ref, inputs, name, **more):
    return OpCase(make, inputs, ref=ref, name=name, rejects_text=False, method=False, **more)


def spd(x):
    t = paddle.transpose(x, [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2])
    return paddle.matmul(x, t) + paddle.eye(x.shape[-1], dtype=x.dtype)


def spd_ref(x):
    return x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-1], dtype=x.dtype)


def mirrored(x):
    """The conjugate transposed of each matrix."""
    return paddle.conj(paddle.transpose(x, [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]))


def turn(x):
    return np.swapaxes(x, -1, -2)


def lu_packed(x):
    return linalg.lu(x)[0]


def lu_ref(x):
    """Gauss's elimination, written out for one matrix."""
    a = x.astype("float64").copy()
    for j in range(min(a.shape)):
        p = j + np.argmax(np.abs(a[j:, j]))
        a[[j, p]] = a[[p, j]]
        a[j + 1:, j] /= a[j, j]
        a[j + 1:, j + 1:] -= a[j + 1:, j:j + 1] * a[j, j + 1:]
    return a


def svd_sum(x):
    u, s, vh = linalg.svd(x)
    return (u * (s * s).unsqueeze(-2)) @ vh, s


def svd_ref(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return [(u * (s * s)[..., None, :]) @ vh, s]


def qr_parts(x):
    q, r = linalg.qr(x)
    return q @ paddle.abs(r), paddle.abs(r)


def qr_ref(x):
    q, r = np.linalg.qr(x)
    return [q @ np.abs(r), np.abs(r)]


def full_svd(x):
    """What full matrices leave no choice in: projections on the spaces that their first and last columns span."""
    u, s, vh = linalg.svd(x, full_matrices=True)
    k = s.shape[-1]
    first = (u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :] + u[..., :k] @ vh[..., :k, :]
    beyond = u[..., k:] @ mirrored(u[..., k:]) if u.shape[-1] > k else mirrored(vh[..., k:, :]) @ vh[..., k:, :]
    return first, beyond


def full_svd_ref(x):
    u, s, vh = np.linalg.svd(x)
    k = s.shape[-1]
    beyond = u[..., k:] @ turn(u[..., k:]).conj() if u.shape[-1] > k else turn(vh[..., k:, :]).conj() @ vh[..., k:, :]
    return [(u[..., :k] * (s + 1)[..., None, :]) @ vh[..., :k, :], beyond]


def complete_qr(x):
    q, r = linalg.qr(x, mode="complete")
    n = x.shape[-1]
    return q[..., :n] @ paddle.abs(r[..., :n, :]), q[..., n:] @ mirrored(q[..., n:])


def complete_qr_ref(x):
    q, r = np.linalg.qr(x, "complete")
    n = x.shape[-1]
    return [q[..., :n] @ np.abs(r[..., :n, :]), q[..., n:] @ turn(q[..., n:])]


def eigh_parts(x):
    w, v = linalg.eigh(spd(x))
    return (v * (w * w).unsqueeze(-2)) @ v.transpose([1, 0]), w


def eigh_ref(x):
    w, v = np.linalg.eigh(spd_ref(x))
    return [(v * (w * w)) @ v.T, w]


def lstsq_ref(x, y):
    solution = np.linalg.pinv(x) @ y
    return [solution, ((x @ solution - y) ** 2).sum(-2), np.linalg.svd(x)[1]]


def eig_parts(x):
    w, v = linalg.eig(x)
    return paddle.abs(w).sum() + paddle.abs(v.sum(0)).sum()


def eig_ref(x):
    w, v = np.linalg.eig(x)
    return np.asarray(np.abs(w).sum() + np.abs(v.sum(0)).sum())


CASES = [
    on(lambda x: linalg.cholesky(spd(x)), lambda x: np.linalg.cholesky(spd_ref(x)), [f(2, 3, 3)], "cholesky", tol=1e-4,
       errors=[bad(ValueError, f(2, 3), named=False)]),
    on(lambda x: linalg.cholesky(spd(x), upper=True), lambda x: turn(np.linalg.cholesky(spd_ref(x))), [f(3, 3)],
       "cholesky_upper", tol=1e-4),
    OpCase("inverse", [square(2, 3, 3)], ref=np.linalg.inv, small=False, tol=1e-3,
           errors=[bad(ValueError, f(2, 3)), bad(ValueError, f(3)), bad(TypeError, i(2, 2))]),
    OpCase("paddle.linalg.det", [square(2, 3, 3)], ref=np.linalg.det, tol=1e-3,
           errors=[bad(ValueError, f(2, 3))]),
    OpCase("cofactors", [square(3, 3)], ref=lambda x: np.linalg.det(x) * np.linalg.inv(x).T, small=False, tol=1e-3),
    OpCase("paddle.linalg.slogdet", [square(2, 3, 3)], ref=lambda x: np.stack(np.linalg.slogdet(x)), tol=1e-3),
    on(qr_parts, qr_ref, [f(4, 3)], "qr_tall", tol=1e-4), on(qr_parts, qr_ref, [f(3, 4)], "qr_wide", tol=1e-4),
    on(lambda x: linalg.qr(x, mode="r").abs(), lambda x: np.abs(np.linalg.qr(x)[1]), [f(3, 3)], "qr", tol=1e-4,
       errors=[bad(ValueError, f(3), named=False)]),
    on(svd_sum, svd_ref, [f(4, 3)], "svd_tall", tol=1e-4), on(svd_sum, svd_ref, [f(2, 3, 4)], "svd_wide", tol=1e-4),
    on(lambda x: linalg.svd(x, full_matrices=True)[1], lambda x: np.linalg.svd(x)[1], [f(4, 3)], "svd_full", tol=1e-4),
    *[on(full_svd, full_svd_ref, [x], "svd_full_vectors", tol=1e-4, unknown=False) for x in (f(5, 3), f(2, 2, 4), f(4, 3), c(4, 2))],
    *[on(complete_qr, complete_qr_ref, [x], "qr_complete", tol=1e-4) for x in (f(5, 3), f(2, 4, 2))],
    on(lambda x: paddle.abs(linalg.qr(x, mode="complete")[0]), lambda x: np.abs(np.linalg.qr(x, "complete")[0]), [f(4, 3)],
       "qr_complete_one_more", tol=1e-4),
    on(lambda x: linalg.svd(x)[1], lambda x: np.linalg.svd(x)[1], [c(3, 2)], "svd_complex", tol=1e-4),
    on(lambda x: paddle.abs((linalg.svd(x)[0] * 1.5) @ linalg.svd(x)[2]), lambda x: np.abs(
        (np.linalg.svd(x, False)[0] * 1.5) @ np.linalg.svd(x, False)[2]), [c(3, 3)], "svd_complex_vectors", tol=1e-3),
    on(eigh_parts, eigh_ref, [f(3, 3)], "eigh", tol=1e-4, errors=[bad(ValueError, f(3), named=False)]),
    on(lambda x: linalg.eigvalsh(spd(x)), lambda x: np.linalg.eigvalsh(spd_ref(x)), [f(3, 3)], "eigvalsh", tol=1e-4),
    on(eig_parts, eig_ref, [f(3, 3)], "eig", tol=1e-3, unknown=False),
    on(lambda x: paddle.abs(linalg.eigvals(x)).sum(), lambda x: np.asarray(np.abs(np.linalg.eigvals(x)).sum()), [f(3, 3)],
       "eigvals", tol=1e-3, unknown=False),
    OpCase("paddle.linalg.solve", [square(3, 3), f(3, 2)], ref=np.linalg.solve, tol=1e-3,
           errors=[bad(ValueError, f(2, 3), f(2)), bad(ValueError, f(2, 2), f(3, 1)), bad(ValueError, f(2, 2), f(3))]),
    OpCase("paddle.linalg.solve", [square(3, 3), f(3)], ref=np.linalg.solve, tol=1e-3),
    OpCase("paddle.linalg.solve", [square(3, 3), f(2, 3, 1)], ref=np.linalg.solve, tol=1e-3),
    OpCase("paddle.linalg.triangular_solve", [square(3, 3), f(3, 2)], tol=1e-3,
           ref=lambda x, y: np.linalg.solve(np.triu(x), y), errors=[bad(ValueError, f(2, 3), f(2, 2))]),
    OpCase("paddle.linalg.triangular_solve", [square(2, 3, 3), f(3, 2)], upper=False, transpose=True, unitriangular=True,
           ref=lambda x, y, upper, transpose, unitriangular: np.linalg.solve(turn(np.tril(x, -1) + np.eye(3, dtype=x.dtype)), y[None]),
           tol=1e-2),
    *[OpCase("paddle.linalg.cholesky_solve", [f(3, 2), square(3, 3)], upper=up, tol=1e-2, ref=lambda x, y, upper:
             np.linalg.solve(np.triu(y).T @ np.triu(y) if upper else np.tril(y) @ np.tril(y).T, x)) for up in (False, True)],
    on(lu_packed, lu_ref, [square(3, 3)], "lu", tol=1e-3), on(lu_packed, lu_ref, [square(4, 3)], "lu_tall", tol=1e-3),
    on(lu_packed, lu_ref, [square(3, 4)], "lu_wide", tol=1e-3),
    on(lambda x: sum(linalg.lu_unpack(*linalg.lu(x))[1:]), lambda x: np.tril(lu_ref(x), -1) + np.eye(3) + np.triu(lu_ref(x)),
       [square(3, 3)], "lu_unpack", tol=1e-3, unknown=False),
    on(lambda x: [o.sum() for o in linalg.lu_unpack(*linalg.lu(x))[1:]], lambda x: [
        np.asarray((np.tril(lu_ref(x)[:, :3], -1) + np.eye(4, 3)).sum()), np.asarray(np.triu(lu_ref(x)[:3]).sum())],
       [square(4, 3)], "lu_unpack_tall", tol=1e-3, unknown=False),
    *[OpCase("paddle.linalg.matrix_power", [square(3, 3)], n=n, ref=np.linalg.matrix_power, small=False, tol=1e-2,
             errors=[bad(ValueError, f(2, 3), n=2), bad(TypeError, f(2, 2), n=0.5)]) for n in (3, -2)],
    OpCase("paddle.linalg.matrix_power", [square(3, 3)], n=0, ref=np.linalg.matrix_power, small=False),
    OpCase("paddle.linalg.matrix_rank", [f(4, 3)], ref=lambda x: np.asarray(np.linalg.matrix_rank(x)), grad=False,
           errors=[bad(ValueError, f(3))]),
    *[OpCase("paddle.linalg.matrix_rank", [f(*shape, 4, 3), const(np.full(limits, 0.1))], grad=False, small=False,
             ref=lambda x, tol: (np.linalg.svd(x, compute_uv=False) > tol[..., None]).sum(-1))
      for shape, limits in (((), (3,)), ((3,), (2, 3)), ((2, 3), (3,)))],
    OpCase("paddle.linalg.pinv", [f(4, 3)], ref=np.linalg.pinv, tol=1e-4, errors=[bad(ValueError, f(3))]),
    on(lambda x: linalg.pinv(spd(x), hermitian=True), lambda x: np.linalg.pinv(spd_ref(x)), [f(3, 3)], "pinv_hermitian", tol=1e-3),
    on(lambda x, y: linalg.lstsq(x, y)[0], lambda x, y: np.linalg.lstsq(x, y, None)[0], [f(4, 3), f(4, 2)], "lstsq", tol=1e-3,
       errors=[bad(ValueError, f(4, 3), f(3, 2), named=False)]),
    *[on(lambda x, y: [o for k, o in enumerate(linalg.lstsq(x, y, driver="gelsd")) if k != 2], lstsq_ref, [x, y], "lstsq_all", tol=1e-3,
         static=False)  # how many residuals there are depends on the ranks
      for x, y in ((f(4, 3), f(4, 2)), (f(2, 5, 2), f(2, 5, 1)))],
    on(lambda x, basis: any_basis(basis @ (x + mirrored(x)), basis), lambda x, basis: basis @ (x + x.T),
       [f(2, 2), const(np.eye(3, 2))], "any_basis", grad=[0]),
    OpCase("widen", [f(2, 2)], rows=3, columns=2, ref=lambda x, rows, columns: np.pad(x, ((0, 1), (0, 0)))),
    OpCase("pivot_matrix", [i(3, low=1, high=2)], rows=3, ref=lambda p, rows: np.eye(3)[:, [2, 0, 1]], grad=False),
    OpCase("paddle.linalg.norm", [f(3, 4)], ref=lambda x: np.asarray(np.linalg.norm(x)), errors=[bad(ValueError, f(2), p="a")]),
    *[OpCase("paddle.linalg.norm", [distinct(3, 4)], p=p, axis=1, ref=lambda x, p, axis: np.linalg.norm(x, p, axis)) for p in (1, 2, 3, np.inf, -np.inf)],
    OpCase("paddle.linalg.norm", [f(3, 4)], p=3, axis=[0, 1], keepdim=True,
           ref=lambda x, p, axis, keepdim: np.asarray((np.abs(x) ** 3).sum() ** (1 / 3)).reshape(1, 1)),
    OpCase("paddle.linalg.norm", [f(3, 4)], p="nuc", axis=[0, 1], ref=lambda x, p, axis: np.asarray(np.linalg.norm(x, "nuc")),
           tol=1e-4),
    *[OpCase("paddle.linalg.cond", [square(3, 3)], p=p, ref=lambda x, p: np.asarray(np.linalg.cond(x, p)), tol=1e-2)
      for p in (None, "fro", "nuc", 1, -np.inf)],
    *[OpCase("paddle.linalg.cond", [f(0, 3, 3)], p=p, ref=lambda x, p: x[:, 0, 0], errors=[bad(ValueError, f(2, 0, 0), p=p)])
      for p in (None, "fro", "nuc", 1)],
    OpCase("paddle.linalg.cov", [f(3, 5)], ref=np.cov, bits=False, errors=[bad(ValueError, f(2, 2, 2))]),
    OpCase("paddle.linalg.cov", [f(5, 3)], rowvar=False, ddof=False, bits=False, ref=lambda x, rowvar, ddof: np.cov(x, rowvar=rowvar, bias=True)),
    OpCase("paddle.linalg.corrcoef", [f(3, 5)], ref=np.corrcoef, tol=1e-5, static=True),
    on(lambda a, x, y, z: linalg.multi_dot([a, x, y, z]), lambda a, x, y, z: np.linalg.multi_dot([a, x, y, z]),
       [f(3), f(3, 4), f(4, 2), f(2)], "multi_dot"),
    OpCase("multi_dot", [[f(2, 3), f(3, 4), f(4)]], ref=np.linalg.multi_dot),
    OpCase("paddle.linalg.householder_product", [f(4, 3), f(3)], unknown=False, errors=[bad(ValueError, f(2, 3), f(3))],
           ref=lambda x, tau: np.linalg.multi_dot([
               np.eye(4) - tau[k] * np.outer(v, v) for k, v in enumerate((np.tril(x, -1) + np.eye(4, 3)).T)])[:, :3]),
    OpCase(lambda x: linalg.pca_lowrank(x, q=2)[1], [f(5, 2)], unknown=False, bits=False, ref=lambda x: np.linalg.svd(x - x.mean(0))[1], name="pca_lowrank",
           rejects_text=False, method=False, tol=1e-4, grad=True),
]
