"""CTC against the sum over all paths written out, and finite differences; products and whole numbers against NumPy."""

import itertools

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

from .engine import both_floats, close, engine, every_engine, native


def spelled(path, blank):
    """What a path says: repetitions once, without blanks."""
    return [k for k, _ in itertools.groupby(path) if k != blank]


def exact_loss(x, label, blank):
    """-log of the summed probabilities of every path that spells the label: x is [T, C]."""
    p = np.exp(x - x.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    steps, classes = x.shape
    return -np.log(sum(np.prod(p[np.arange(steps), list(path)]) for path in itertools.product(range(classes), repeat=steps)
                       if spelled(path, blank) == list(label)))


@every_engine
@both_floats
@pytest.mark.parametrize("blank", [0, 2])
def test_all_paths(isa, threads, dtype, blank):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((5, 4, 3)) * 2).astype(dtype)
    letters = [k for k in range(3) if k != blank]
    labels = np.array([[letters[0], letters[1], letters[0]], [letters[1], letters[1], 7], [letters[0], 7, 7], [7, 7, 7]])
    times, sizes, scale = np.array([5, 5, 4, 3]), np.array([3, 2, 1, 0]), np.array([1, 2.0, -0.5, 3])
    with engine(isa, threads):
        loss, grad = native.ctc(x, labels, times, sizes, blank, scale)
        np.testing.assert_array_equal(loss, native.ctc(x, labels, times, sizes, blank))

    def total(x):
        return sum(s * exact_loss(x[:t, i], labels[i, :n], blank) for i, (t, n, s) in enumerate(zip(times, sizes, scale)))
    wide = x.astype(np.float64)
    close(loss, [exact_loss(wide[:t, i], labels[i, :n], blank) for i, (t, n) in enumerate(zip(times, sizes))],
          rtol=1e-6 if dtype == np.float32 else 1e-12)
    for t, i, k in [*itertools.product(range(5), range(4), range(3))][::3 if dtype == np.float64 else 7]:
        step = np.zeros_like(wide)
        step[t, i, k] = 1e-5
        slope = (total(wide + step) - total(wide - step)) / 2e-5
        assert abs(grad[t, i, k] - slope) < 2e-6, (t, i, k)


def test_confident_rows_of_many_classes():
    """Probabilities far below those of floats on every path, more states than a vector has lanes."""
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((120, 3, 300)) * 30).astype(np.float32)
    labels = rng.integers(1, 300, (3, 25))
    arguments = labels, np.array([120, 90, 120]), np.array([25, 20, 25]), 0, np.ones(3)
    loss, grad = native.ctc(x, *arguments)
    wide, exact = native.ctc(x.astype(np.float64), *arguments)
    close(loss, wide, rtol=1e-6)
    close(grad, exact, rtol=1e-4, atol=1e-5)
    assert loss.min() > 1000 and np.abs(grad.sum(2)).max() < 1e-4 and not grad[90:, 1].any()


def test_sequences_without_a_path_and_wrong_arguments():
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal((3, 2, 4)).astype("float32"), stop_gradient=False)
    labels, two = paddle.to_tensor([[1, 1], [2, 3]]), paddle.to_tensor([2, 2])
    loss = F.ctc_loss(x, labels, two, two, reduction="none")  # 1 1 takes three steps
    assert loss.numpy()[0] > 1e29 and loss.numpy()[1] < 100
    with pytest.raises(ValueError, match="ctc_loss.*labels"):
        F.ctc_loss(x, paddle.to_tensor([[1, 9], [2, 3]]), two, two)
    a = x.numpy()
    good = np.array([[1, 2], [2, 3]]), np.array([3, 2]), np.array([2, 2]), 0
    bad = (0, np.array([[1, 4], [2, 3]])), (0, np.array([[1, 2]])), (1, np.array([4, 2])), (2, np.array([3, 2])), (3, 4)
    for k, wrong in bad:
        with pytest.raises(ValueError, match="ctc"):
            native.ctc(a, *[wrong if i == k else g for i, g in enumerate(good)])
    with pytest.raises(TypeError, match="ctc"):
        native.ctc(a.astype(np.float16), *good)


def test_no_memory_for_a_sequence():
    x = np.zeros((3, 1, 4), np.float32)
    native.fail_allocation(0)
    try:
        with pytest.raises(MemoryError, match="ctc"):
            native.ctc(x, np.array([[1]]), np.array([3]), np.array([1]), 0)
    finally:
        native.fail_allocation(-1)


@every_engine
def test_products_of_rows(isa, threads):
    """Beyond what floats hold on the way, with zeros, infinities and NaN."""
    rng = np.random.default_rng(0)
    with engine(isa, threads):
        for columns in (1, 7, 96, 97, 5000):
            x = (np.sign(rng.standard_normal((5, columns))) * rng.uniform(0.9, 1.1, (5, columns))).astype(np.float32)
            x[1, ::2], x[1, 1::2] = 1e30, 1e-30  # a product of all floats there are
            x[2, -1] = 0
            if columns > 2:
                x[3, :2] = 0
                x[4, 1] = np.inf
            g = rng.standard_normal(5).astype(np.float32)
            others = np.array([[np.delete(row, k).astype(np.longdouble).prod() for k in range(min(columns, 9))] for row in x])
            with np.errstate(over="ignore", invalid="ignore"):
                exact, slope = (v.astype(np.float32).astype(float) for v in (x.astype(np.longdouble).prod(1), others * g[:, None]))
            close(native.product(x), exact, rtol=1e-5)
            close(native.product_grad(x, g)[:, :9], slope, rtol=2e-5, atol=1e-44)


@every_engine
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_whole_numbers(isa, threads, dtype):
    rng = np.random.default_rng(0)
    limits = np.iinfo(dtype)
    with engine(isa, threads):
        for rows, inner, columns in ((1, 1, 1), (3, 70, 5), (64, 64, 64), (5, 1000, 33), (0, 3, 2), (2, 0, 3)):
            a, b = (rng.integers(limits.min, limits.max, size, dtype) for size in ((rows, inner), (inner, columns)))
            found = native.whole_product(a, b)
            np.testing.assert_array_equal(found, a @ b)
            assert found.dtype == dtype
    assert native.whole_product(a, b.T) is NotImplemented
