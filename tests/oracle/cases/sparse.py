"""paddle.sparse on small tensors, seen through to_dense()."""
# ruff: noqa: E501, a line of the table is a case's name

from oracle_table import lit, table, unit

COO = "s = paddle.sparse.sparse_coo_tensor([[0, 1, 2], [1, 0, 3]], v, [3, 4]); "
CSR = "s = paddle.sparse.sparse_csr_tensor([0, 1, 2, 3], [1, 0, 3], v, [3, 4]); "
UNARY = "sin tan asin atan sinh tanh asinh atanh sqrt square log1p abs neg deg2rad rad2deg expm1 isnan".split()
for kind in (COO, CSR):
    for name in UNARY:
        table(f"{kind}paddle.sparse.{name}(s).to_dense()", v=unit(3), rtol=3e-5, grad=False)
    table(f"""
    {kind}s.to_dense()
    {kind}s.values()
    {kind}s.nnz(), s.shape, s.dtype, s.is_sparse()
    {kind}paddle.sparse.pow(s, 2).to_dense()
    {kind}paddle.sparse.cast(s, value_dtype='float64').to_dense()
    {kind}paddle.sparse.add(s, s).to_dense()
    {kind}paddle.sparse.subtract(s, s).to_dense()
    {kind}paddle.sparse.multiply(s, s).to_dense()
    {kind}paddle.sparse.transpose(s, [1, 0]).to_dense()
    {kind}paddle.sparse.is_same_shape(s, s)
    {kind}paddle.sparse.sum(s, axis=-1, keepdim=True).to_dense()
    {kind}paddle.sparse.reshape(s, [4, 3]).to_dense()
    {kind}paddle.sparse.nn.ReLU()(paddle.sparse.neg(s)).to_dense()
    {kind}paddle.sparse.nn.LeakyReLU(0.1)(paddle.sparse.neg(s)).to_dense()
    {kind}paddle.sparse.nn.functional.relu6(s).to_dense()
    """, v=unit(3), rtol=3e-5, grad=False)
table(f"""
{COO}s.indices()
{CSR}s.crows(), s.cols()
{CSR}paddle.sparse.nn.Softmax()(s).to_dense()
{COO}s.to_sparse_csr().crows()
{CSR}s.to_sparse_coo(2).indices()
{COO}paddle.sparse.coalesce(paddle.sparse.sparse_coo_tensor([[0, 0, 1], [1, 1, 2]], v, [2, 3])).values()
{COO}paddle.sparse.slice(s, [0], [1], [3]).to_dense()
paddle.sparse.sparse_coo_tensor([[0, 2], [1, 3]], [1.0, 2.0]).to_dense()
d.to_sparse_coo(2).indices(), d.to_sparse_coo(2).values()
d.to_sparse_csr().crows(), d.to_sparse_csr().cols(), d.to_sparse_csr().values()
""", v=unit(3), d=lit([[0.0, 1.5, 0.0], [2.0, 0.0, -1.0]]), grad=False, rtol=3e-5)
