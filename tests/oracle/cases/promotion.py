"""Operators between Tensors, Python numbers, NumPy scalars and arrays; the dtypes that come out."""

from oracle_table import b, c, d, f, i, table

SCALARS = ["2", "2.5", "True"]
for op in ["+", "-", "*", "/", "//", "%", "**"]:
    for scalar in SCALARS[:2]:
        table(f"x {op} {scalar}\nh {op} {scalar}\nk {op} {scalar}\nq {op} {scalar}", rtol=2e-5, x=f(3, low=0.3),
              h=d(3, low=0.3), k=i(3, low=1), q=i(3, low=1, dtype="int32"))
    if op not in ("//", "%"):
        table(f"2 {op} x\n2.5 {op} x\n2 {op} k\n2.5 {op} k\n2 {op} h", rtol=2e-5, x=f(3, low=0.3), k=i(3, low=1),
              h=d(3, low=0.3))
    table(f"x {op} y\nh {op} g\nk {op} j", rtol=2e-5, x=f(2, 3, low=0.3), y=f(3, low=0.3), h=d(3, low=0.3),
          g=d(3, low=0.3), k=i(3, low=1), j=i(3, low=1))
# two floating dtypes: the wider; a float on the left of an integer keeps its own dtype
table("""
x + h
h + x
x * h
x - k
x * k
x / k
h + k
x + q
k + 1
k + 1.5
k * 2.0
k / 2
k - True
x + True
k + q.astype('int64')
-x
-k
x ** 2
x ** -1
x ** 0.5
k ** 2
k ** 2.0
2 ** k
2.0 ** x
x + np.float32(2)
x + np.float64(2)
x * np.int64(3)
k + np.int64(2)
x + a
x - a
x * a
x / a
x > a
np.float32(2) * x
np.float64(2) * x
np.float32(2) + x
np.float32(2) / x
z + x
z * 2
x.add(y)
x.subtract(y)
x.multiply(y)
x.divide(y)
x.pow(2)
x.floor_divide(y)
x.mod(y)
x.remainder(y)
x == h.astype('float32')
m + 1.5
m * 2.5
k == 1.0
k > 0.5
x += 1; x
x *= 2; x
x -= y; x
x /= 2; x
k += 1.5; k
k //= 2; k
""", rtol=2e-5, x=f(3, low=0.3), y=f(3, low=0.3), h=d(3, low=0.3), k=i(3, low=1), q=i(3, low=1, dtype="int32"), m=b(3),
      z=c(3), a=f(3, low=0.3, raw=True))
table("""
k // j
k % j
k // 2
k % 3
k % -3
k / j
paddle.floor_divide(k, j)
paddle.divide(k, j)
paddle.remainder(k, j)
x // y
x % y
x % 1.5
x // 1.5
""", k=i(8, low=-7, high=8), j=i(8, low=1, high=4), x=f(8, low=-7, high=7), y=f(8, low=1, high=3))

table("""
float(x), int(k), bool(k), k.item(), x.item()
int(x)
x.numpy().shape, x.shape, x.ndim
[0, 1, 2, 3, 4, 5][k]
x + 1
x * k
k + 1
k / 2
x.tolist(), k.tolist()
bool(x > -3)
""", x=f(), k=i())
