"""Creation: to_tensor, full and friends, ranges, grids, triangles, and the shapes of what is random."""

from oracle_table import b, c, d, f, i, lit, table

table("""
paddle.to_tensor(3)
paddle.to_tensor(3.5)
paddle.to_tensor(True)
paddle.to_tensor(1 + 2j)
paddle.to_tensor([1, 2, 3])
paddle.to_tensor([1.0, 2, 3])
paddle.to_tensor([[True, False], [False, True]])
paddle.to_tensor([1 + 2j, 3.0])
paddle.to_tensor(np.arange(3, dtype='int32'))
paddle.to_tensor(np.array([1.5, 2.5]))
paddle.to_tensor(np.float64(1.5))
paddle.to_tensor(np.int32(7))
paddle.to_tensor([1, 2], dtype='float64')
paddle.to_tensor([1.7, -2.7], dtype='int32')
paddle.to_tensor([0, 2], dtype='bool')
paddle.to_tensor([1.0, 2.0], dtype=paddle.float16)
paddle.to_tensor([1.0, 2.5], dtype='bfloat16')
paddle.to_tensor((1, 2, 3))
paddle.to_tensor([])
paddle.to_tensor([[], []])
paddle.to_tensor([paddle.to_tensor(1.0), paddle.to_tensor(2.0)])
paddle.to_tensor(paddle.to_tensor([1, 2]), dtype='float32')
paddle.zeros([2, 3])
paddle.zeros([2, 3], dtype='int32')
paddle.zeros([0, 3])
paddle.zeros([])
paddle.zeros(shape=(2,), dtype=paddle.bool)
paddle.zeros(paddle.to_tensor([2, 2]))
paddle.zeros([paddle.to_tensor(2), 3])
paddle.ones([2, 3])
paddle.ones([2, 3], dtype='int64')
paddle.ones([3], dtype='complex64')
paddle.full([2, 2], 7)
paddle.full([2, 2], 7.5)
paddle.full([2, 2], True)
paddle.full([2, 2], 7, dtype='int32')
paddle.full([], 2.5)
paddle.full([2], paddle.to_tensor(3.0))
paddle.full([2], float('inf'))
paddle.empty([2, 3]).shape
paddle.empty([2, 3], dtype='int32').dtype
paddle.empty_like(paddle.ones([2, 3], dtype='float64')).dtype
paddle.eye(3)
paddle.eye(2, 4)
paddle.eye(3, dtype='int64')
paddle.arange(5)
paddle.arange(2, 9, 3)
paddle.arange(5.0)
paddle.arange(0, 1, 0.25)
paddle.arange(5, 1, -2)
paddle.arange(0, 3, dtype='float64')
paddle.arange(3, dtype='int32')
paddle.arange(paddle.to_tensor(4))
paddle.arange(0)
paddle.linspace(0, 10, 5)
paddle.linspace(0, 10, 1)
paddle.linspace(10, 0, 5, dtype='float64')
paddle.linspace(0, 10, 5, dtype='int32')
paddle.linspace(paddle.to_tensor(1.0), paddle.to_tensor(2.0), 3)
paddle.logspace(0, 3, 4)
paddle.logspace(0, 4, 5, base=2.0, dtype='float64')
paddle.tril_indices(3, 4, 0)
paddle.tril_indices(4, 3, -1)
paddle.triu_indices(3, 4, 0)
paddle.triu_indices(4, 3, 1)
paddle.meshgrid(paddle.arange(3), paddle.arange(2))
paddle.meshgrid([paddle.arange(3), paddle.arange(2), paddle.arange(4)])
paddle.assign([1.0, 2.0])
paddle.assign(np.array([1, 2], dtype='int32'))
paddle.complex(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0]))
paddle.iinfo('int8').max, paddle.iinfo(paddle.int64).min, paddle.iinfo('uint8').bits
paddle.finfo('float32').eps, paddle.finfo(paddle.float64).max, paddle.finfo('float16').tiny
paddle.finfo(paddle.bfloat16).max, paddle.finfo('float32').min, paddle.finfo('float32').resolution
paddle.get_default_dtype()
paddle.shape(paddle.ones([2, 3]))
paddle.rank(paddle.ones([2, 3]))
paddle.numel(paddle.ones([2, 3]))
paddle.numel(paddle.ones([0, 3]))
paddle.is_tensor(paddle.ones([1])), paddle.is_tensor(np.ones(1)), paddle.is_tensor(3)
paddle.broadcast_shape([2, 1, 3], [4, 1])
paddle.is_empty(paddle.ones([0, 3])), paddle.is_empty(paddle.ones([1]))
paddle.clone(paddle.to_tensor([1, 2]))
paddle.polar(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.5, -1.0]))
paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0]))
paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0]), n=2, increasing=True)
paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0]), n=0)
paddle.combinations(paddle.to_tensor([1, 2, 3]))
paddle.combinations(paddle.to_tensor([1, 2, 3]), r=2, with_replacement=True)
paddle.combinations(paddle.to_tensor([1., 2., 3., 4.]), r=3)
""")

table("""
paddle.zeros_like(x)
paddle.zeros_like(x, dtype='int64')
paddle.ones_like(x)
paddle.ones_like(x, dtype='bool')
paddle.full_like(x, 2.5)
paddle.full_like(x, 2, dtype='int32')
paddle.full_like(x, True, dtype='bool')
paddle.empty_like(x).shape
paddle.clone(x)
paddle.assign(x)
paddle.tril(x)
paddle.tril(x, 1)
paddle.tril(x, -1)
paddle.triu(x)
paddle.triu(x, 1)
paddle.triu(x, diagonal=-2)
x.tril(-1)
x.triu(2)
paddle.diag(v)
paddle.diag(v, 1)
paddle.diag(v, -2)
paddle.diag(v, offset=1, padding_value=6.0)
paddle.diag(x)
paddle.diag(x, 1)
paddle.diag(x, -1)
paddle.diagflat(v)
paddle.diagflat(x)
paddle.diagflat(v, 1)
paddle.diagflat(v, offset=-1)
paddle.diag_embed(v)
paddle.diag_embed(x)
paddle.diag_embed(x, offset=1)
paddle.diag_embed(x, offset=-1, dim1=0, dim2=2)
paddle.meshgrid(v, v)
paddle.complex(x, x * 2)
paddle.complex(x, v)
paddle.polar(x, x)
paddle.vander(v, 4)
paddle.combinations(v, 2)
paddle.tril(z)
""", x=f(3, 4), v=f(4), z=f(2, 3, 3))

table("""
paddle.zeros_like(k)
paddle.ones_like(k)
paddle.full_like(k, 2)
paddle.full_like(k, 2.7)
paddle.tril(k)
paddle.triu(k, 1)
paddle.diag(k)
paddle.clone(k)
paddle.zeros_like(m)
paddle.ones_like(m)
paddle.tril(m)
paddle.zeros_like(h)
paddle.full_like(h, 0.1)
paddle.ones_like(z)
paddle.full_like(w, 1.25)
""", k=i(3, 3), m=b(3, 3), h=d(2, 2), z=c(2), w=f(2, dtype="float16"))

# Random functions: their values are nobody's business, their shapes and dtypes are.
table("""
paddle.rand([2, 3]).shape, paddle.rand([2, 3]).dtype
paddle.rand((2, 3), dtype='float64').dtype
paddle.randn([2, 3]).shape, paddle.randn([]).shape
paddle.randint(0, 10, [2, 3]).shape, paddle.randint(5).shape, paddle.randint(0, 10, [2]).dtype
paddle.randint(0, 10, [2], dtype='int32').dtype
paddle.randint(3, 4, [2, 2])
paddle.randint_like(paddle.ones([2, 3]), 5, 6)
paddle.randint_like(paddle.ones([2, 3]), 5, 6, dtype='int64')
paddle.sort(paddle.randperm(6))
paddle.randperm(4, dtype='int32').dtype
paddle.uniform([2, 3]).shape, paddle.uniform([2], dtype='float64').dtype
paddle.normal(shape=[2, 3]).shape
paddle.normal(paddle.zeros([2, 2]), paddle.ones([2, 2])).shape
paddle.normal(1.0, paddle.ones([3])).shape
paddle.standard_normal([4]).shape
paddle.bernoulli(paddle.ones([3]))
paddle.bernoulli(paddle.zeros([3]))
paddle.poisson(paddle.zeros([3]))
paddle.multinomial(paddle.to_tensor([0.0, 1.0, 0.0]), 1)
paddle.multinomial(paddle.to_tensor([[0.0, 1.0], [1.0, 0.0]]), 3, replacement=True)
paddle.sort(paddle.multinomial(paddle.ones([4]), 4))
paddle.zeros([3]).uniform_(0, 1).shape
paddle.zeros([3]).exponential_(1.0).shape
paddle.zeros([3]).normal_().shape
paddle.zeros([3]).cauchy_().shape
paddle.zeros([3]).geometric_(0.5).shape
""")

table("""
paddle.to_tensor(a)
paddle.to_tensor(a, dtype='float32', stop_gradient=False).stop_gradient
paddle.assign(a)
paddle.to_tensor(a) is a
""", a=lit([[1.5, 2.0], [3.0, 4.0]], "float64", raw=True))
