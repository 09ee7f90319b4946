"""Elementwise programs and the steps beyond the C library's, against NumPy, Python's own arithmetic and known values."""

import math

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

from .engine import both_floats, close, engine, every_engine, native

CODES = native.chain_ops()


def program(*steps):
    return bytes([byte for name, *operands in steps for byte in (CODES[name][0], *operands, *[0] * (3 - len(operands)))])


def numbers(dtype, seed=0):
    """Of all sizes, whole multiples, and special ones against each other."""
    rng = np.random.default_rng(seed)
    a, b = (rng.standard_normal(3000) * 10.0 ** rng.uniform(-3, 3, 3000) for _ in range(2))
    b = b.astype(dtype)
    a = np.concatenate([a[:1500], b[1500:] * rng.integers(-50, 50, 1500)]).astype(dtype)
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3, -3, 1e-40, 1e30, -1e30], dtype)
    more = [m.ravel() for m in np.meshgrid(special, special)]
    return np.concatenate([a, more[0]]), np.concatenate([b, more[1]])


@every_engine
@both_floats
@pytest.mark.parametrize("name, rule", [("floordiv", np.floor_divide), ("mod", np.remainder)])
def test_quotients_rounded_down_have_numpys_bits(isa, threads, dtype, name, rule):
    a, b = numbers(dtype)
    with engine(isa, threads), np.errstate(all="ignore"):
        found, exact = native.binary(name, a, b), rule(a, b)
    np.testing.assert_array_equal(found, exact)
    number = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(exact)[number])


@every_engine
def test_halves_are_rounded_away_from_zero(isa, threads):
    below = np.nextafter(np.float32(0.5), np.float32(0))  # adding a half to it gives 1
    x = np.array([0.5, -0.5, 1.5, 2.5, below, -below, 8388609, -0.0, np.inf, np.nan], np.float32)
    with engine(isa, threads):
        np.testing.assert_array_equal(native.unary("round", x), [1, -1, 2, 3, 0, 0, 8388609, 0, np.inf, np.nan])
    np.testing.assert_array_equal(paddle.round(paddle.to_tensor(x[:7])).numpy(), [1, -1, 2, 3, 0, 0, 8388609])


@every_engine
@both_floats
def test_the_gamma_family(isa, threads, dtype):
    euler = 0.57721566490153286
    x = np.array([1, 0.5, 2, 10, 0.25, -0.5, -1.5], dtype)
    digamma = [-euler, -euler - 2 * math.log(2), 1 - euler, sum(1 / k for k in range(1, 10)) - euler,
               -euler - math.pi / 2 - 3 * math.log(2), 2 - euler - 2 * math.log(2), 2 + 2 / 3 - euler - 2 * math.log(2)]
    trigamma = [math.pi ** 2 / 6, math.pi ** 2 / 2, math.pi ** 2 / 6 - 1, math.pi ** 2 / 6 - sum(1 / k ** 2 for k in range(1, 10)),
                math.pi ** 2 + 8 * 0.915965594177219015, math.pi ** 2 / 2 + 4, math.pi ** 2 / 2 + 4 + 4 / 9]
    limit = 2e-7 if dtype == np.float32 else 1e-14
    with engine(isa, threads):
        close(native.unary("digamma", x), digamma, rtol=limit, atol=limit)
        close(native.unary("trigamma", x), trigamma, rtol=limit, atol=limit)
        ends = np.array([0, -1, np.inf, np.nan], dtype)
        np.testing.assert_array_equal(native.unary("digamma", ends), [np.nan, np.nan, np.inf, np.nan])
        np.testing.assert_array_equal(native.unary("lgamma", ends), [np.inf, np.inf, np.inf, np.nan])
        np.testing.assert_array_equal(native.unary("trigamma", ends), [np.inf, np.inf, 0, np.nan])
        near = (1 + np.linspace(-0.4, 1.4, 4001)).astype(dtype)
        exact = np.vectorize(math.lgamma)(near.astype(np.float64))
        close(native.unary("lgamma", near), exact, rtol=2e-7 if dtype == np.float32 else 1e-15, atol=1e-14)


@every_engine
def test_double_precision_functions(isa, threads):
    """Largest errors in units of the last place, against long doubles."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-700, 700, 4000), rng.standard_normal(4000), rng.standard_normal(4000) * 1e-8])
    with engine(isa, threads):
        for name, rule, at, most in (("exp", np.exp, x, 1.2), ("expm1", np.expm1, x, 2.2), ("tanh", np.tanh, x, 3),
                                     ("log", np.log, np.abs(x), 1), ("log1p", np.log1p, np.abs(x), 3)):
            exact = rule(at.astype(np.longdouble))
            error = np.abs(native.unary(name, at) - exact) / np.spacing(np.abs(exact).astype(np.float64))
            assert error.max() < most, (name, float(error.max()))
        ends = np.array([800.0, -800.0, np.inf, -np.inf, np.nan, -0.0])
        np.testing.assert_array_equal(native.unary("exp", ends), [np.inf, 0, np.inf, 0, np.nan, 1])
        np.testing.assert_array_equal(native.unary("expm1", ends), [np.inf, -1, np.inf, -1, np.nan, 0])
        np.testing.assert_array_equal(native.unary("tanh", ends), [1, -1, 1, -1, np.nan, 0])
        assert np.signbit(native.unary("expm1", ends)[-1]) and np.signbit(native.unary("tanh", ends)[-1])
        tiny = np.array([5e-324, 1e-310, -1.0, 0.0, np.inf, np.nan])
        np.testing.assert_array_equal(native.unary("log", tiny)[2:], [np.nan, -np.inf, np.inf, np.nan])
        close(native.unary("log", tiny[:2]), np.log(tiny[:2].astype(np.longdouble)).astype(float), rtol=1e-15)


@both_floats
def test_programs(dtype):
    rng = np.random.default_rng(0)
    x, row = rng.standard_normal((60, 70)).astype(dtype), rng.standard_normal(70).astype(dtype)
    steps = program(("mul", 0, 1), ("limit", 4, 2, 3), ("between", 4, 2, 3), ("above", 0, 2), ("add", 5, 6), ("add", 7, 8))
    product = x * row
    inside = (product > -0.5) & (product < 0.25)
    expected = np.clip(product, -0.5, 0.25) + inside + (x > -0.5)
    close(native.eltwise(steps, (-0.5, 0.25), x, row), expected)
    strided = np.ascontiguousarray(x.T).T
    np.testing.assert_array_equal(native.eltwise(steps, (-0.5, 0.25), strided, row), native.eltwise(steps, (-0.5, 0.25), x, row))
    number = np.broadcast_to(dtype(0.75), x.shape)  # one number repeated
    for one in (native.eltwise(program(("mul", 0, 1)), (), x, number), native.binary("mul", number, x),
                native.unary_grad("square", x, number) / 2):
        np.testing.assert_array_equal(one, x * dtype(0.75))
    assert native.eltwise(steps, (-0.5, 0.25), x, row.astype("int64")) is NotImplemented
    assert native.eltwise(program(("add", 0, 1)), (), np.ones((3, 1, 5), dtype), np.ones((3, 4, 1), dtype)) is NotImplemented
    for wrong in ((b"abc", (), x), (program(("add", 0, 9)), (), x), (steps, [1.0], x), (steps, ("a", "b"), x, row)):
        with pytest.raises((TypeError, ValueError), match="eltwise"):
            native.eltwise(*wrong)


def test_sums_hand_one_number_to_elementwise_rules_alone():
    """What users see of such gradients are arrays of their own: leaves, hooks, kept gradients, rules of other ops."""
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal((256, 300)).astype("float32"), stop_gradient=False)
    seen = []
    x.sum().backward()
    assert x.grad._data.strides == (1200, 4) and (x.grad.numpy() == 1).all()
    x.grad._data[0, 0] = 5.0
    x.sum().backward()
    assert x.grad.numpy()[0, 0] == 6 and x.grad.numpy()[1, 1] == 2
    x.clear_grad()
    y = x - 1
    y.register_hook(lambda g: seen.append(g._data.strides))
    y.retain_grads()
    (y - y * 0.5 - paddle.zeros_like(y)).mean().backward()
    assert seen == [(1200, 4)] and y.grad._data.flags.writeable
    close(x.grad.numpy(), np.full((256, 300), 0.5 / 76800), rtol=1e-6)
    x.clear_grad()
    z = x * 2
    (paddle.transpose(z, [1, 0]).sum() + F.relu(z).sum() - z.sum()).backward()
    close(x.grad.numpy(), 2 * (x.numpy() > 0))
    found, = paddle.grad((x + 1).sum(), [x])
    assert found._data.flags.writeable and (found.numpy() == 1).all()
    first, = paddle.grad((F.elu(x) * x).sum(), [x], create_graph=True)
    second, = paddle.grad(first.sum(), [x])
    exact = np.where(x.numpy() > 0, 2.0, np.exp(x.numpy().astype(float)) * (2 + x.numpy()))
    close(second.numpy(), exact, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["elu", "selu", "celu", "softplus", "mish", "hardtanh", "hardsigmoid", "hardshrink", "softshrink",
                                  "log_sigmoid", "softsign", "tanhshrink", "thresholded_relu"])
def test_special_values_of_activations(name):
    """Infinities, NaN and -0 give what the text of the op gives, and so do their gradients."""
    x = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, 1e-30, -1e-30, 25.0, -25.0, 200.0, -200.0, 0.5, -0.5], np.float32)
    found = []
    for on in (True, False):
        paddle.set_flags({"FLAGS_use_fast_kernels": on})
        try:
            with np.errstate(invalid="ignore"):
                t = paddle.to_tensor(x, stop_gradient=False)
                y = getattr(F, name)(t)
                y.sum().backward()
            found.append((y.numpy(), t.grad.numpy()[2 if name == "mish" else 0:]))  # whose formula is inf * 0 at the ends
        finally:
            paddle.set_flags({"FLAGS_use_fast_kernels": True})
    for fast, plain in zip(*found):
        np.testing.assert_allclose(fast, plain, rtol=1e-5, atol=1e-37)
