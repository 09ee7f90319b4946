"""Products, decompositions, solvers, einsum."""

from oracle_table import c, d, distinct, f, i, lit, pos, table

table("""
paddle.matmul(x, y)
paddle.matmul(x, x, transpose_y=True)
paddle.matmul(x, x, transpose_x=True)
paddle.matmul(y, x, True, True)
paddle.matmul(x, v)
paddle.matmul(u, x)
paddle.matmul(v, v)
paddle.matmul(p, q)
paddle.matmul(p, y)
paddle.matmul(p, v)
paddle.matmul(u, p)
paddle.matmul(p, p, transpose_y=True)
paddle.matmul(r, q)
x @ y
x.matmul(y)
paddle.mm(x, y)
paddle.bmm(p, q)
paddle.dot(v, v)
paddle.dot(x, x)
paddle.mv(x, v)
paddle.addmm(z, x, y)
paddle.addmm(z[0], x, y)
paddle.addmm(z, x, y, beta=0.5, alpha=2.0)
paddle.inner(x, v)
paddle.inner(x, x)
paddle.outer(u, v)
paddle.tensordot(p, q, axes=[[2], [1]])
paddle.tensordot(x, y, 1)
paddle.tensordot(p, p, axes=[0, 1])
linalg.multi_dot([x, y, x])
linalg.multi_dot([u, x, y])
paddle.kron(x, y)
paddle.t(x)
paddle.einsum('ij,jk->ik', x, y)
paddle.einsum('ij,jk', x, y)
paddle.einsum('bij,bjk->bik', p, q)
paddle.einsum('ij->ji', x)
paddle.einsum('ij->', x)
paddle.einsum('ij->i', x)
paddle.einsum('i,j->ij', u, v)
paddle.einsum('i,i->', v, v)
paddle.einsum('ii->i', z)
paddle.einsum('ii->', z)
paddle.einsum('...ij,...jk->...ik', p, q)
paddle.einsum('bij,jk->bik', p, y)
paddle.einsum('ij,jk,kl->il', x, y, x)
paddle.einsum('bij,bij->b', p, p)
paddle.einsum('ijk->kij', p)
paddle.einsum('i...->...', p)
""", x=f(3, 4), y=f(4, 3), v=f(4), u=f(3), p=f(2, 3, 4), q=f(2, 4, 3), r=f(5, 1, 3, 4), z=f(3, 3), rtol=3e-5)
table("""
paddle.matmul(x, y)
paddle.bmm(x, x.transpose([0, 2, 1]))
paddle.einsum('bij,bjk->bik', x, y)
""", x=d(2, 3, 4), y=d(2, 4, 2))
table("paddle.matmul(z, z)\npaddle.einsum('ij,jk->ik', z, z)\nz @ z", z=c(2, 2), rtol=3e-5)
table("paddle.matmul(k, k)\npaddle.dot(k[0], k[1])", k=i(3, 3))

# Decompositions. Signs and phases are a matter of taste, so products and invariants are compared.
SPD = "a = x @ x.t() + 3 * paddle.eye(3, dtype=x.dtype); "
for line in ["linalg.cholesky(a)", "linalg.cholesky(a, upper=True)", "paddle.linalg.inv(a)", "linalg.det(a)",
             "linalg.slogdet(a)", "linalg.solve(a, y)", "linalg.cholesky_solve(y, linalg.cholesky(a))",
             "linalg.eigvalsh(a)", "linalg.eigh(a)[0]", "linalg.eigh(a, 'U')[0]", "linalg.svd(a)[1]",
             "linalg.matrix_power(a, 3)", "linalg.matrix_power(a, -2)", "linalg.matrix_power(a, 0)",
             "linalg.pinv(a)", "linalg.pinv(a, hermitian=True)", "linalg.matrix_rank(a)",
             "linalg.cond(a)", "linalg.cond(a, 'fro')", "linalg.cond(a, 1)", "linalg.cond(a, -2)",
             "linalg.cond(a, float('inf'))", "linalg.cond(a, 'nuc')",
             "linalg.norm(a)", "linalg.norm(a, p=2, axis=-1)",
             "linalg.triangular_solve(paddle.triu(a), y)", "linalg.triangular_solve(paddle.tril(a), y, upper=False)",
             "linalg.triangular_solve(paddle.triu(a), y, transpose=True)",
             "linalg.triangular_solve(paddle.triu(a), y, unitriangular=True)",
             "q, r = linalg.qr(a); q @ r", "linalg.qr(a, mode='r').abs()", "paddle.inverse(a)", "a.inverse()",
             "q, r = linalg.qr(a); r.abs(), q.abs()",
             "w, v = linalg.eigh(a); v @ paddle.diag(w) @ v.t()",
             "u, s, vh = linalg.svd(a); u @ paddle.diag(s) @ vh", "linalg.det(a) * 2"]:
    table(SPD + line, x=d(3, 3), y=d(3, 2), rtol=1e-6, atol=1e-6)
table("""
linalg.svd(t)[1]
[o.shape for o in linalg.svd(t)]
[o.shape for o in linalg.svd(t, full_matrices=True)]
u, s, vh = linalg.svd(t); (u * s) @ vh
linalg.qr(t)[1].abs()
[o.shape for o in linalg.qr(t, mode='complete')]
linalg.pinv(t)
linalg.pinv(t.detach(), rcond=0.5)
linalg.matrix_rank(t)
linalg.matrix_rank(t, tol=1.0)
linalg.matrix_rank(t @ t.t(), hermitian=True)
linalg.lstsq(t, y)[0]
linalg.lstsq(t, y, driver='gelsd')[2], linalg.lstsq(t, y, driver='gelsd')[3]
lu, p, info = linalg.lu(s, get_infos=True); lu, p, info
lu, p = linalg.lu(s); linalg.lu_unpack(lu, p)
lu, p = linalg.lu(s); P, L, U = linalg.lu_unpack(lu, p); P @ L @ U
linalg.det(g)
linalg.inv(g)
linalg.slogdet(g)
linalg.solve(g, h)
linalg.solve(s, y[:3, 0])
linalg.matrix_power(g, 2)
linalg.svd(g)[1]
linalg.cholesky(g @ g.transpose([0, 2, 1]) + paddle.eye(3, dtype='float64'))
linalg.eigvalsh((g + g.transpose([0, 2, 1])).detach())
paddle.sort(paddle.abs(linalg.eigvals(s)))
paddle.sort(paddle.abs(linalg.eig(s)[0]))
w, v = linalg.eig(s); paddle.abs(s.astype('complex128') @ v - v * w).max() < 1e-8
linalg.householder_product(t, y[0])
linalg.multi_dot([s, t.t(), t])
linalg.norm(t, p='fro')
linalg.norm(t, p=1, axis=0)
linalg.cov(t)
linalg.corrcoef(t)
linalg.triangular_solve(paddle.triu(g), h)
linalg.cholesky_solve(y[:3], linalg.cholesky(s @ s.t() + paddle.eye(3, dtype='float64')))
""", t=d(4, 3), s=d(3, 3), g=d(2, 3, 3), y=d(4, 2), h=d(2, 3, 2), rtol=1e-6, atol=1e-6)
table("""
linalg.inv(s)
linalg.det(s)
linalg.solve(s, v)
linalg.svd(s)[1]
linalg.eigvalsh(s + s.t())
linalg.cholesky(s @ s.t() + paddle.eye(3))
linalg.pinv(s)
""", s=distinct(3, 3), v=f(3), rtol=2e-3, atol=1e-3)
table("linalg.eigvalsh(z + paddle.conj(z).t())", z=c(3, 3), rtol=1e-3, grad=False)
table("linalg.matrix_rank(x)\nlinalg.det(x)", x=lit([[1.0, 2.0], [2.0, 4.0]], "float64"), grad=False)
table("linalg.pca_lowrank(x, q=2)[1]", x=pos(5, 3, dtype="float64"), grad=False, rtol=1e-4)
