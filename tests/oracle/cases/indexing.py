"""x[...] read and written, of every kind, and the functions that gather and scatter."""

from oracle_table import b, distinct, f, i, lit, table

GET = """
x[0]
x[-1]
x[1, 2]
x[1, -1, 2]
x[0:1]
x[:, 1]
x[..., 0]
x[..., -2:]
x[:, ::2]
x[:, ::-1]
x[:, 2:0:-1]
x[::-1, :, ::-2]
x[None]
x[:, None]
x[..., None]
x[None, 0, :, None]
x[1:, 0:2, 1:3]
x[:, :, 10:]
x[5:]
x[-100:100]
x[paddle.to_tensor(1)]
x[paddle.to_tensor([1, 0])]
x[paddle.to_tensor([[1, 0], [0, 1]])]
x[[1, 0, 1]]
x[:, [0, 2]]
x[:, :, [3, 0, 0]]
x[:, paddle.to_tensor([2, 1])]
x[[0, 1], [2, 0]]
x[paddle.to_tensor([0, 1]), paddle.to_tensor([2, 2])]
x[0, paddle.to_tensor([0, 1]), 2]
x[:, [0, 1], [3, 2]]
x[[0, 1], :, [3, 2]]
x[[[0], [1]], [0, 2]]
x[0, :, [1, 2]]
x[np.array([1, 0])]
x[:, np.array([2, 0])]
x[np.int64(1)]
x[x > 0.5]
x[x[:, 0, 0] > -5]
x[:, x[0, :, 0] > -5]
x[[True, False]]
x[:, [True, False, True]]
x[paddle.to_tensor([True, False])]
x[np.array([False, True])]
x[...]
x[()]
x[:]
x[True]
x[:, -1:, paddle.to_tensor([0, 3])]
x[..., paddle.to_tensor([0, 3])]
x[1][2][3]
x[paddle.to_tensor(1), paddle.to_tensor(2)]
x[slice(None), 1, slice(0, 4, 2)]
x[:, paddle.to_tensor(0):paddle.to_tensor(2)]
x[(0, 1)]
x[paddle.nonzero(x[0, :, 0] > -9)[:, 0].cast('int64') * 0]
"""
table(GET, x=distinct(2, 3, 4))
table("""
k[0]
k[:, 1]
k[k > 2]
k[[1, 0]]
k[::-1]
m[0]
m[:, ::2]
m[m]
k[m[:, 0]]
k[..., None].shape
len(k)
[row for row in k]
""", k=i(3, 4), m=b(3, 4))
table("""
v[0]
v[-1]
v[1:3]
v[[0, 0, 2]]
v[v > 0]
v[None]
float(v[2])
v[paddle.to_tensor([], dtype='int64')].shape
""", v=distinct(5))
table("s[...]\ns[None]\ns[()]", s=f())

SET = """
x[0] = 1.5
x[-1] = 2
x[1, 2] = 7.0
x[0, 0, 0] = -1.0
x[:, 1] = 3.0
x[..., 0] = 9.0
x[:, ::2] = 0.0
x[:, ::-1] = y
x[0:1, 1:] = 4.0
x[:] = 2.5
x[...] = y
x[0] = y[0]
x[:, 0] = y[:, 1]
x[1] = w
x[:, :, 1:3] = w[:, :2]
x[0] = np.ones([3, 4], dtype='float32')
x[paddle.to_tensor([1, 0])] = y
x[[0, 1], [2, 0]] = 5.0
x[[0, 1], [2, 0]] = w[:2]
x[paddle.to_tensor([0, 1]), paddle.to_tensor([2, 2])] = 1.0
x[[0, 1], [2, 0], [1, 3]] = paddle.to_tensor([1.0, 2.0])
x[:, [0, 2]] = 8.0
x[:, :, [3, 0]] = y[:, :, :2]
x[x > 0.5] = 0.0
x[x > 0.5] = paddle.to_tensor(3.0)
x[[True, False]] = 1.0
x[paddle.to_tensor([False, True])] = w
x[:, [True, False, True]] = 6.0
x[None, 0] = 2.0
x[0, :, None] = 3.0
x[5:] = 1.0
x[-1, -1, -1] = y[0, 0, 0]
x[0, paddle.to_tensor(1)] = 2.0
x[1, 1:3, ::3] = y[0, :2, :2]
x[:, 0] += 1.0
x[0] *= 2.0
x[..., -1] -= y[..., 0]
"""
for line in filter(None, SET.strip().splitlines()):
    table(f"x = a * 1; {line}; x", a=distinct(2, 3, 4), y=distinct(2, 3, 4), w=distinct(3, 4))
for line in ["k[0] = 7", "k[:, 1] = 2.9", "k[k > 2] = 0", "k[[0, 2], [1, 1]] = 9", "k[..., ::2] = k[..., 1::2]",
             "k[1:] = paddle.to_tensor([1, 2, 3, 4])", "k[0, 0] = True", "k[2] = np.arange(4)"]:
    table(f"k = k.clone(); {line}; k", k=i(3, 4))
for line in ["m[0] = True", "m[:, 1] = m[:, 0]"]:
    table(f"m = m.clone(); {line}; m", m=b(3, 4))
table("x = a * 1; y = x * 2; x[0] = 3.0; x + y.detach()", a=f(2, 3))
table("x = a * 1; x[0] = x[1]; x[1] = x[0] * 2; x", a=f(2, 3))

table("""
paddle.gather(x, p)
paddle.gather(x.detach(), p, axis=1)
paddle.gather(x, p, paddle.to_tensor(0))
paddle.gather(x, paddle.to_tensor(1))
paddle.gather_nd(x, n)
paddle.gather_nd(x, paddle.to_tensor([[2]]))
paddle.gather_nd(x, paddle.to_tensor([1, 2]))
paddle.index_select(x, p)
paddle.index_select(x, p, axis=1)
paddle.index_select(x, p.astype('int32'), -1)
paddle.index_sample(x, q)
paddle.take(x, p)
paddle.take(x, paddle.to_tensor([[0, -1], [5, 11]]))
paddle.take(x, paddle.to_tensor([13, -14, 25]), mode='wrap')
paddle.take(x, paddle.to_tensor([13, -14, 2]), mode='clip')
paddle.take_along_axis(x, q, 1)
paddle.take_along_axis(x, q, -1)
paddle.take_along_axis(x, paddle.to_tensor([[0, 1, 2, 0]]), 0)
paddle.take_along_axis(x, q[:1], 1)
paddle.take_along_axis(x, q, 1, broadcast=False)
paddle.put_along_axis(x, q[:, :1], 9.0, 1)
paddle.put_along_axis(x, q[:, :1], y[:, :1], 1)
paddle.put_along_axis(x, paddle.to_tensor([[0], [2], [1]]), 5.0, 1, reduce='add')
paddle.put_along_axis(x, paddle.to_tensor([[0], [2], [1]]), 5.0, 1, reduce='multiply')
paddle.put_along_axis(x, paddle.to_tensor([[0, 1, 2, 0]]), 7.0, 0)
paddle.put_along_axis(x, paddle.to_tensor([[0, 0], [1, 1], [2, 2]]), y[:, :2], 1, reduce='add')
paddle.put_along_axis(x, paddle.to_tensor([[0, 3], [1, 2], [2, 0]]), y[:, :2], 1, 'assign', False, False)
paddle.put_along_axis(x, paddle.to_tensor([[0, 3], [1, 2], [2, 0]]), y[:, :2], 1, 'amax', True, False)
paddle.put_along_axis(x, paddle.to_tensor([[0, 3], [1, 2], [2, 0]]), y[:, :2], 1, 'mean', False, False)
paddle.scatter(x, paddle.to_tensor([2, 0]), y[:2])
paddle.scatter(x, paddle.to_tensor([2, 0, 2]), y, overwrite=False)
paddle.scatter(x, paddle.to_tensor([1]), y[:1])
paddle.scatter_nd(n, y[:2, 0], [3, 4])
paddle.scatter_nd(paddle.to_tensor([[1], [1], [0]]), y, [4, 4])
paddle.scatter_nd_add(x, n, y[:2, 0])
paddle.scatter_nd_add(x, paddle.to_tensor([[1], [1], [0]]), y)
paddle.index_add(x, paddle.to_tensor([0, 2]), 0, y[:2])
paddle.index_add(x, paddle.to_tensor([0, 0]), 1, y[:, :2])
paddle.index_put(x, (paddle.to_tensor([0, 2]), paddle.to_tensor([1, 1])), y[0, :2])
paddle.index_put(x, (paddle.to_tensor([0, 0]), paddle.to_tensor([1, 1])), y[0, :2], accumulate=True)
paddle.index_put(x, (paddle.to_tensor([0, 2]),), y[0])
paddle.index_fill(x, paddle.to_tensor([0, 2]), 0, 3.0)
paddle.index_fill(x, paddle.to_tensor([1]), 1, -1.0)
paddle.masked_select(x, x > 0)
paddle.masked_select(x, paddle.to_tensor([True, False, True, True]).expand([3, 4]))
paddle.masked_fill(x, x > 0, 5.0)
paddle.masked_fill(x, x > 0, paddle.to_tensor(-1.0))
paddle.masked_fill(x, paddle.to_tensor([True, False, True, True]), 0.0)
x.masked_fill(x < 0, 0.0)
paddle.where(x > 0, x, y)
paddle.where(x > 0)
paddle.where(x > 0, x, paddle.to_tensor(2.0))
paddle.where(x[:, :1] > 0, x, y[:1])
paddle.nonzero(x > 0)
paddle.nonzero(x > 0, as_tuple=True)
paddle.nonzero(paddle.zeros([2, 2]))
paddle.nonzero(q)
x.gather(p)
x.index_select(p, 1)
x.take_along_axis(q, 1)
""", x=distinct(3, 4), y=distinct(3, 4), p=lit([2, 0, 1], "int64"), n=lit([[0, 1], [2, 3]], "int64"),
      q=lit([[0, 3], [2, 1], [1, 1]], "int64"))
table("""
paddle.gather(k, p)
paddle.index_select(k, p, 1)
paddle.take_along_axis(k, q, 1)
paddle.where(k > 2, k, -k)
paddle.masked_select(k, k > 2)
paddle.scatter(k, paddle.to_tensor([1, 0]), paddle.ones([2, 4], dtype='int64'))
paddle.index_add(k, paddle.to_tensor([0, 2]), 0, paddle.ones([2, 4], dtype='int64'))
paddle.masked_fill(k, k > 2, 0)
paddle.index_sample(k, q)
""", k=i(3, 4), p=lit([2, 0, 1], "int64"), q=lit([[0, 3], [2, 1], [1, 1]], "int64"))
