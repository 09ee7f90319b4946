"""Products of bfloat16 on instructions of the processor, against NumPy in double precision."""

import numpy as np
import pytest

import paddle

from .engine import engine, native
from .guard import guarded

ml_dtypes = pytest.importorskip("ml_dtypes")
BRAIN = np.dtype(ml_dtypes.bfloat16)
ONE = np.ones((1, 1), BRAIN)
on_this_processor = pytest.mark.skipif(native.gemm_brain(ONE, ONE) is NotImplemented, reason="no AVX-512 BF16 here")
RNG = np.random.RandomState(0)
SIZES = (1, 2, 3, 5, 11, 12, 13, 15, 16, 17, 24, 25, 31, 32, 33, 47, 64, 65, 100)


def short(*shape):
    return guarded(RNG.standard_normal(shape).astype(BRAIN).view(np.uint16), True).view(BRAIN)


def check(found, exact, size):
    """Rounded once: half a unit of 8 bits, besides what sums in float32 lose (size: the same sum of absolute values)."""
    assert found.dtype == BRAIN and found.shape == exact.shape
    error = np.abs(found.astype(np.float64) - exact)
    assert (error <= np.abs(exact) * 2.0 ** -8 + size * 1e-6 + 1e-30).all()


@on_this_processor
@pytest.mark.parametrize("threads", [1, 3])
def test_random_products(threads):
    for case in range(250):
        m, n, k = RNG.choice(SIZES), RNG.choice(SIZES), RNG.choice([0, *SIZES, 300])
        trans_a, trans_b, relu = (bool(RNG.randint(2)) for _ in range(3))
        a, b = short(*((k, m) if trans_a else (m, k))), short(*((n, k) if trans_b else (k, n)))
        if case % 5 == 0 and k > 1:  # strided views too
            a, b = (a, b[:, ::2]) if not trans_b else (a, b[::2])
        bias = RNG.standard_normal(b.shape[0 if trans_b else 1]).astype(np.float32) if RNG.randint(2) else None
        wide_a, wide_b = (a.T if trans_a else a).astype(np.float64), (b.T if trans_b else b).astype(np.float64)
        exact, size = wide_a @ wide_b, np.abs(wide_a) @ np.abs(wide_b)
        exact, size = (exact, size) if bias is None else (exact + bias, size + np.abs(bias))
        with engine(threads=threads):
            check(native.gemm_brain(a, b, trans_a, trans_b, bias, int(relu)), np.maximum(exact, 0) if relu else exact, size)


@on_this_processor
def test_large_products_and_what_is_not_finite():
    a, b = short(200, 1000), short(1000, 300)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    with engine(threads=3):
        check(native.gemm_brain(a, b), wide_a @ wide_b, np.abs(wide_a) @ np.abs(wide_b))
    a = np.array([[np.nan, 1], [np.inf, 1], [-np.inf, 1]], BRAIN)
    found = native.gemm_brain(a, np.ones((2, 1), BRAIN), act=1).astype(np.float32)[:, 0]
    np.testing.assert_array_equal(found, [np.nan, np.inf, 0])


def test_lower_instruction_sets_have_none():
    with engine("avx2"):
        assert native.gemm_brain(ONE, ONE) is NotImplemented


@on_this_processor
def test_failing_allocation():
    a, b = short(40, 31), short(31, 40)
    for n in range(2):
        native.fail_allocation(n)
        with pytest.raises(MemoryError):
            native.gemm_brain(a, b)
        native.fail_allocation(-1)


@pytest.mark.parametrize("call, kind, words", [
    (lambda: native.gemm_brain([1.0], ONE), TypeError, "'a' must be an array"),
    (lambda: native.gemm_brain(np.ones((1, 1), np.float32), ONE), TypeError, "float16 or bfloat16"),
    (lambda: native.gemm_brain(np.ones((1, 1), np.float16), ONE), ValueError, "matrix of bfloat16"),
    (lambda: native.gemm_brain(ONE[0], ONE), ValueError, "1 dimensions"),
    (lambda: native.gemm_brain(np.ones((2, 3), BRAIN), np.ones((2, 3), BRAIN)), ValueError, "inner sizes differ"),
    (lambda: native.gemm_brain(ONE, ONE, bias=np.ones(2, np.float32)), ValueError, "bias"),
    (lambda: native.gemm_brain(ONE, ONE, act=2), ValueError, "act"),
])
def test_wrong_arguments(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_layers_in_mixed_precision(isa):
    """Forward and gradients of matmul and Linear under auto_cast, near float32's on every instruction set."""
    paddle.seed(1)
    layer = paddle.nn.Linear(40, 24)
    x = paddle.to_tensor(RNG.standard_normal((3, 7, 40)).astype("float32"), stop_gradient=False)

    def results(on):
        with paddle.amp.auto_cast(on, dtype="bfloat16", level="O1"):
            y = paddle.matmul(layer(x), paddle.ones([24, 5]))
        (y.astype("float32") ** 2).mean().backward()
        found = [y.astype("float32").numpy(), x.grad.numpy(), layer.weight.grad.numpy(), layer.bias.grad.numpy()]
        x.clear_grad()
        layer.clear_gradients()
        return found, y.dtype
    with engine(isa):
        (wide, _), (brain, kind) = results(False), results(True)
    assert kind == paddle.bfloat16
    for a, b in zip(wide, brain):
        assert np.abs(a - b).max() <= 0.03 * np.abs(a).max()
