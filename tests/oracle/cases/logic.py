"""Comparison, logic and bitwise functions and their operators."""

from oracle_table import b, d, f, i, lit, table

COMPARE = ["equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"]
for name in COMPARE:
    table(f"""
    paddle.{name}(k, j)
    paddle.{name}(x, y)
    paddle.{name}(x, x)
    k.{name}(j)
    paddle.{name}(k, paddle.to_tensor(2))
    """, k=i(3, 4), j=i(4), x=f(2, 3), y=f(2, 1))
    table(f"paddle.{name}(m, n)", m=b(4), n=b(4))
    table(f"paddle.{name}(x, y)", x=f(), y=f())
    table(f"paddle.{name}(x, y)", x=f(0, 3), y=f(0, 3))
table("""
x == y
x != y
x < y
x <= y
x > y
x >= y
x == 1
x != 1.5
x < 0
x >= 0.5
1 > x
0.5 <= x
k == 2
k > 2.5
k < j
m == True
""", x=f(3, 4), y=f(4), k=i(5), j=i(5), m=b(3))
for name in ["logical_and", "logical_or", "logical_xor"]:
    table(f"""
    paddle.{name}(m, n)
    paddle.{name}(k, j)
    paddle.{name}(x, x)
    paddle.{name}(m, k > 1)
    m.{name}(n)
    """, m=b(2, 3), n=b(3), k=i(2, 3, high=2), j=i(3, high=2), x=f(3))
for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
    table(f"""
    paddle.{name}(k, j)
    paddle.{name}(q, q)
    paddle.{name}(m, n)
    paddle.{name}(u, u)
    k.{name}(j)
    """, m=b(2, 3), n=b(3), k=i(2, 3, low=-9, high=9), j=i(3, low=-9, high=9), q=i(4, dtype="int32"),
          u=i(4, dtype="uint8", high=250))
table("""
paddle.logical_not(m)
paddle.logical_not(k)
paddle.logical_not(x)
paddle.bitwise_not(k)
paddle.bitwise_not(m)
paddle.bitwise_not(u)
~m
~k
m & n
m | n
m ^ n
k & j
k | j
k ^ j
paddle.equal_all(k, k)
paddle.equal_all(k, j)
paddle.equal_all(x, x)
k.equal_all(k)
paddle.isnan(x)
paddle.isinf(x)
paddle.isfinite(x)
paddle.isfinite(k)
paddle.isnan(k)
paddle.is_complex(x), paddle.is_floating_point(x), paddle.is_integer(x)
paddle.is_complex(k), paddle.is_floating_point(k), paddle.is_integer(k)
x.is_complex(), x.is_floating_point(), x.is_integer()
""", m=b(2, 3), n=b(3), k=i(2, 3, low=-9, high=9), j=i(2, 3, low=-9, high=9), u=i(4, dtype="uint8", high=250), x=f(3))
NEAR = lit([1.0, 2.0, float("nan"), float("inf")])
OTHER = lit([1.0, 2.00001, float("nan"), float("inf")])
table("""
paddle.isclose(x, y)
paddle.isclose(x, y, rtol=1e-7, atol=0.0)
paddle.isclose(x, y, equal_nan=True)
paddle.allclose(x, y)
paddle.allclose(x, y, equal_nan=True)
paddle.allclose(x, y, rtol=0.0, atol=1e-7, equal_nan=True)
x.allclose(y)
x == x
x != x
""", x=NEAR, y=OTHER, grad=False)
table("paddle.isclose(x, y)\npaddle.allclose(x, x)\npaddle.equal_all(x, y)", x=d(2, 2), y=d(2, 2))
