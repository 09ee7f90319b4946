"""Element by element: unary and binary maths, with gradients, in float32, float64 and the odd dtype."""

from oracle_table import d, distinct, f, i, lit, pos, table, unit

UNARY = """
paddle.abs(x)
paddle.acos(u)
paddle.acosh(p + 1)
paddle.asin(u)
paddle.asinh(x)
paddle.atan(x)
paddle.atanh(u)
paddle.ceil(x)
paddle.cos(x)
paddle.cosh(x)
paddle.deg2rad(x)
paddle.digamma(p)
paddle.erf(x)
paddle.erfinv(u)
paddle.exp(x)
paddle.expm1(x)
paddle.floor(x)
paddle.frac(x)
paddle.i0(x)
paddle.i0e(x)
paddle.i1(x)
paddle.i1e(x)
paddle.lgamma(p)
paddle.log(p)
paddle.log10(p)
paddle.log1p(p)
paddle.log2(p)
paddle.logit(u)
paddle.multigammaln(p + 2, 2)
paddle.neg(x)
paddle.polygamma(p, 1)
paddle.polygamma(p, 2)
paddle.rad2deg(x)
paddle.reciprocal(p)
paddle.round(x)
paddle.rsqrt(p)
paddle.sgn(x)
paddle.sign(x)
paddle.sin(x)
paddle.sinh(x)
paddle.sqrt(p)
paddle.square(x)
paddle.tan(x)
paddle.tanh(x)
paddle.trunc(x)
"""
table(UNARY, rtol=2e-5, x=f(3, 4), u=unit(3, 4), p=pos(3, 4))
table(UNARY, rtol=1e-8, x=d(2, 3), u=unit(2, 3, dtype="float64"), p=pos(2, 3, dtype="float64"))

# 0-d and 0-size
for line in ["paddle.abs(x)", "paddle.exp(x)", "paddle.tanh(x)", "paddle.round(x)", "paddle.square(x)", "x * 2 + 1",
             "paddle.sin(x)", "paddle.floor(x)", "paddle.sign(x)", "paddle.pow(x, 2)", "paddle.clip(x, -1, 1)",
             "paddle.scale(x, 2.0, 1.0)", "paddle.expm1(x)", "paddle.erf(x)"]:
    table(line, x=f(), rtol=2e-5)
    table(line, x=f(0, 3))

# integer and other dtypes
table("""
paddle.abs(k)
paddle.neg(k)
paddle.sign(k)
paddle.square(k)
paddle.exp(k)
paddle.log(k + 4)
paddle.expm1(k)
paddle.trunc(k)
paddle.abs(s)
paddle.square(s)
paddle.deg2rad(k)
paddle.rad2deg(k)
paddle.scale(k, 2.0, 1.0)
paddle.scale(k, 3, 1, bias_after_scale=False)
paddle.clip(k, -1, 2)
paddle.pow(k, 2)
paddle.increment(paddle.to_tensor([1.0]))
paddle.increment(paddle.to_tensor([1]), 3)
""", rtol=2e-5, k=i(2, 4, low=-3, high=4), s=i(3, low=-3, high=4, dtype="int32"))

table("""
paddle.exp(x)
x * 3
""", rtol=2e-3, x=f(2, 3, dtype="float16"), grad=False)

table("""
paddle.scale(x, scale=2.5, bias=-1.0)
paddle.scale(x, 2.5, -1.0, bias_after_scale=False)
paddle.scale(x, 2.0, act='relu')
paddle.clip(x, -0.5, 0.5)
paddle.clip(x, min=0.1)
paddle.clip(x, max=0.1)
paddle.clip(x, paddle.to_tensor(-1.0), paddle.to_tensor(1.0))
x.clip(-1.0, 1.0)
paddle.stanh(x)
paddle.stanh(x, scale_a=0.5, scale_b=1.2)
paddle.logit(x, eps=0.3)
paddle.pow(x, 2)
paddle.pow(x, 3.0)
paddle.pow(p, 0.5)
paddle.pow(p, y)
paddle.pow(p, paddle.to_tensor(2.0))
paddle.lerp(x, y, 0.3)
paddle.lerp(x, y, p)
paddle.nan_to_num(x)
paddle.logaddexp(x, y)
paddle.hypot(x, y)
paddle.atan2(x, y)
paddle.add(x, y)
paddle.subtract(x, y)
paddle.multiply(x, y)
paddle.divide(x, p)
paddle.maximum(x, y)
paddle.minimum(x, y)
paddle.fmax(x, y)
paddle.fmin(x, y)
paddle.remainder(x, y)
paddle.mod(x, p)
paddle.floor_mod(x, p)
paddle.floor_divide(x, p)
paddle.heaviside(x, y)
paddle.nextafter(x, y)
paddle.ldexp(x, paddle.to_tensor([1, 2, -1, 0]))
paddle.frexp(x)
paddle.inner(x, y)
paddle.outer(x, y)
paddle.dist(x, y)
paddle.dist(x, y, 1)
paddle.dist(x, y, float('inf'))
paddle.dist(x, y, 0)
paddle.add_n([x, y, p])
paddle.add_n(x)
paddle.multiplex([x, y], paddle.to_tensor([[1], [0], [1]], dtype='int32'))
paddle.renorm(x, 2.0, 0, 1.5)
paddle.renorm(x, 1.0, -1, 1.0)
paddle.kron(x, y)
paddle.cross(paddle.reshape(x, [4, 3]), paddle.reshape(y, [4, 3]))
paddle.cross(x, y, axis=0)
""", rtol=2e-5, x=f(3, 4), y=f(3, 4), p=pos(3, 4))

# broadcasting
table("""
paddle.add(x, y)
paddle.subtract(x, y)
paddle.multiply(x, y)
paddle.divide(x, y + 4)
paddle.maximum(x, y)
paddle.minimum(x, y)
paddle.fmax(x, y)
paddle.logaddexp(x, y)
paddle.lerp(x, y, 0.5)
paddle.hypot(x, y)
paddle.remainder(x, y)
x + y
x * y
""", rtol=2e-5, x=f(2, 1, 4), y=f(3, 1))
table("""
paddle.add(x, y)
paddle.multiply(x, y)
paddle.divide(x, y + 4)
paddle.maximum(x, y)
paddle.pow(x + 3, y)
""", rtol=2e-5, x=f(3, 4), y=f())

# binary, other dtypes
table("""
paddle.add(k, j)
paddle.subtract(k, j)
paddle.multiply(k, j)
paddle.divide(k, j)
paddle.maximum(k, j)
paddle.minimum(k, j)
paddle.fmax(k, j)
paddle.remainder(k, j)
paddle.mod(k, j)
paddle.floor_divide(k, j)
paddle.gcd(k, j)
paddle.lcm(k, j)
paddle.pow(k, j)
paddle.heaviside(k, j)
paddle.outer(k, k)
paddle.inner(k, j)
paddle.kron(k, j)
paddle.add_n([k, j])
""", k=i(4, low=-6, high=7), j=i(4, low=1, high=5))
table("""
paddle.gcd(k, j)
paddle.lcm(k, j)
paddle.add(k, j)
paddle.floor_divide(k, j)
paddle.remainder(k, j)
""", k=i(2, 3, low=-20, high=21, dtype="int32"), j=i(3, low=1, high=9, dtype="int32"))

# special values
SPECIAL = lit([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.5])
table("""
paddle.nan_to_num(x)
paddle.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-3.0)
paddle.isnan(x)
paddle.isinf(x)
paddle.isfinite(x)
paddle.sign(x)
paddle.exp(x)
paddle.fmax(x, paddle.ones([6]))
paddle.fmin(x, paddle.ones([6]))
paddle.abs(x)
paddle.clip(x, -1, 1)
paddle.round(x)
paddle.tanh(x)
paddle.logaddexp(x, paddle.ones([6]))
paddle.nansum(x)
""", x=SPECIAL, grad=False)

table("""
paddle.round(x)
paddle.floor(x)
paddle.trunc(x)
paddle.frac(x)
paddle.sign(x)
F.relu(x)
paddle.abs(x)
""", x=lit([-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 3.49999]))

# gradients at ties
table("""
paddle.maximum(x, y)
paddle.minimum(x, y)
paddle.fmax(x, y)
paddle.fmin(x, y)
paddle.clip(x, 1.0, 2.0)
paddle.max(x)
paddle.min(x)
paddle.amax(x)
paddle.amin(x)
""", x=lit([1.0, 2.0, 2.0, 0.0, 0.0]), y=lit([1.0, 2.0, 1.0, 0.0, 3.0]))

# in-place twins, through a non-leaf copy
INPLACE = """
abs_ acos_ asin_ atan_ ceil_ cos_ cosh_ digamma_ erfinv_ exp_ expm1_ floor_ frac_ i0_ lgamma_ log_ log10_ log1p_ log2_
logit_ neg_ reciprocal_ round_ rsqrt_ sigmoid_ sin_ sinh_ sqrt_ tan_ tanh_ trunc_ acosh_ asinh_ atanh_
"""
for name in INPLACE.split():
    where = {"acosh_": "z + 1.2", "lgamma_": "z", "digamma_": "z", "log_": "z"}.get(name, "z * 1")
    if name in {"expm1_"}:
        table(f"y = z * 1; paddle.{name}(y); y", z=unit(3, 4), rtol=2e-5)
        continue
    table(f"y = {where} * 1; r = y.{name}(); y, r is y", z=unit(3, 4), rtol=2e-5)
table("y = z * 1; paddle.erf_(y); y", z=unit(3, 4), rtol=2e-5)
table("""
z = x * 1; z.add_(y); z
z = x * 1; z.subtract_(y); z
z = x * 1; z.multiply_(y); z
z = x * 1; z.divide_(y); z
z = x * 1; z.remainder_(y); z
z = x * 1; z.mod_(y); z
z = x * 1; z.floor_mod_(y); z
z = x.detach() * 1; z.floor_divide_(y.detach()); z
z = x * 1; z.pow_(2); z
z = x * 1; z.scale_(2.0, 1.0); z
z = x * 1; z.clip_(0.5, 1.0); z
z = x * 1; z.lerp_(y, 0.25); z
z = x * 1; z.hypot_(y); z
z = x * 1; z.ldexp_(paddle.to_tensor([1, 2, 0])); z
z = x * 1; z.renorm_(2.0, 0, 1.0); z
z = x * 1; z.nan_to_num_(); z
z = x * 1; z.polygamma_(1); z
z = x * 1; (z + 2).multigammaln_(2)
z = x * 1; z.cumsum_(1); z
z = x * 1; z.cumprod_(1); z
z = x * 1; z.fill_(3.0); z
z = x * 1; z.zero_(); z
z = x * 1; z.tril_(); z
z = x * 1; z.triu_(1); z
z = x * 1; z.reshape_([3, 2]); z
z = x * 1; z.flatten_(); z
z = x * 1; z.squeeze_(); z
z = x * 1; z.unsqueeze_(0); z
z = x * 1; z.transpose_([1, 0]); z
z = x * 1; z.t_(); z
z = x * 1; z.cast_('float64'); z
z = x * 1; z.masked_fill_(x > 1, 9.0); z
z = x * 1; paddle.where_(x > 1, z, y); z
z = x * 1; z.index_add_(paddle.to_tensor([0, 1]), 0, y); z
z = x * 1; z.index_fill_(paddle.to_tensor([0]), 0, 7.0); z
z = x * 1; z.index_put_((paddle.to_tensor([0, 1]), paddle.to_tensor([1, 2])), paddle.to_tensor(5.0)); z
z = x * 1; z.scatter_(paddle.to_tensor([1, 0]), y); z
z = x * 1; z.put_along_axis_(paddle.to_tensor([[0], [1]]), 5.0, 1); z
z = x * 1; z.fill_diagonal_(4.0); z
z = x * 1; z.fill_diagonal_tensor_(paddle.to_tensor([1.0, 2.0])); z
z = x * 1; z.addmm_(paddle.ones([2, 2]), y); z
z = x * 1; z.equal_(y); z
z = x * 1; z.less_than_(y); z
z = x * 1; z.greater_equal_(y); z
z = x * 1; z.not_equal_(y); z
z = x * 1; z.logical_and_(y); z
z = x * 1; z.logical_not_(); z
""", rtol=2e-5, x=pos(2, 3), y=pos(2, 3))
table("""
z = k.clone(); z.bitwise_and_(j); z
z = k.clone(); z.bitwise_or_(j); z
z = k.clone(); z.bitwise_xor_(j); z
z = k.clone(); z.bitwise_not_(); z
z = k.clone(); z.gcd_(j); z
z = k.clone(); z.lcm_(j); z
z = k.clone(); z.add_(j); z
z = k.clone(); z += 2; z
""", k=i(4, low=1, high=9), j=i(4, low=1, high=9))

table("""
paddle.trapezoid(x.detach())
paddle.trapezoid(x.detach(), dx=0.5)
paddle.trapezoid(x.detach(), y.detach())
paddle.trapezoid(x, axis=0)
paddle.cumulative_trapezoid(x.detach())
paddle.cumulative_trapezoid(x, y, axis=0)
paddle.diff(x)
paddle.diff(x, n=2)
paddle.diff(x, axis=0)
paddle.diff(x, prepend=y)
paddle.diff(x, append=y, axis=0)
paddle.cumsum(x)
paddle.cumsum(x, axis=0)
paddle.cumsum(x, axis=-1, dtype='float64')
paddle.cumprod(x, 1)
paddle.cumprod(x, dim=0)
paddle.cummax(x)
paddle.cummax(x, axis=0)
paddle.cummax(x, axis=-1, dtype='int32')
paddle.cummin(x)
paddle.cummin(x, axis=1)
paddle.logcumsumexp(x)
paddle.logcumsumexp(x, axis=0)
paddle.logcumsumexp(x, axis=-1)
x.cumsum(-2)
x.cumprod(-1)
""", rtol=2e-5, x=distinct(3, 4), y=distinct(3, 4))
table("""
paddle.cumsum(k)
paddle.cumsum(k, 0)
paddle.cumprod(k, 1)
paddle.cummax(k, 0)
paddle.cummin(k, 1)
paddle.cumsum(e, 0)
paddle.cumsum(s)
paddle.cumsum(q, 0)
paddle.diff(k)
""", k=i(3, 4), e=f(0, 3), s=f(), q=i(3, dtype="int32"))
