"""Fourier transforms of any size, of lines side by side and of lines alone, against NumPy's in double precision."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from .engine import both_floats, engine, every_engine, native

SIZES = (*range(1, 131), 144, 243, 256, 400, 512, 625, 1000, 1024, 3599)
PRIMES = (131, 251, 499, 997, 1009, 2 * 1009, 4099)  # by a convolution
LAYOUTS = (((None,), 0), ((3, None), 1), ((37, None), 1), ((None, 21), 0), ((2, None, 5), 1), ((2, None, 1, 33), 1))
LIMITS = {"f": 1e-6, "d": 3e-15}  # of the largest result


def lines(rng, shape, dtype, n):
    shape = [n if size is None else size for size in shape]
    parts = rng.standard_normal((2, *shape)).astype(dtype)
    return parts[0], (parts[0] + 1j * parts[1]).astype(np.result_type(dtype, np.complex64))


def near(found, expected, dtype):
    assert found.shape == expected.shape
    assert found.dtype.itemsize == np.dtype(dtype).itemsize * (2 if expected.dtype.kind == "c" else 1)
    assert np.abs(found - expected).max() <= LIMITS[np.dtype(dtype).char] * max(np.abs(expected).max(), 1e-3)


def check(rng, n, layout, axis, dtype):
    real, numbers = lines(rng, layout, dtype, n)
    wide = numbers.astype(complex)
    for inverse in (False, True):
        back = n if inverse else 1  # the kernel scales by what it is told
        transform = np.fft.ifft if inverse else np.fft.fft
        near(native.fourier(numbers, axis, inverse, 0.5), 0.5 * back * transform(wide, axis=axis), dtype)
        expected = back * transform(real.astype(float), axis=axis)
        near(native.fourier(real, axis, inverse, 1.0), expected, dtype)
        near(native.fourier(real, axis, inverse, 1.0, True), np.take(expected, np.arange(n // 2 + 1), axis), dtype)
        for size in {n, 2 * n - 1, max(2 * n - 2, 1), 2 * n + 5}:  # cut, as it is, filled with zeros
            expected = np.fft.irfft(wide, size, axis) * size if inverse else np.fft.hfft(wide, size, axis)
            near(native.fourier(numbers, axis, inverse, 1.0, False, size), expected, dtype)


@every_engine
@both_floats
def test_sizes(isa, threads, dtype):
    rng = np.random.default_rng(7)
    with engine(isa, threads):
        for k, n in enumerate((*SIZES, *PRIMES)):
            for layout, axis in (LAYOUTS if n < 20 else (LAYOUTS[k % 6], LAYOUTS[(k + 1) % 6])):
                check(rng, n, layout, axis, dtype)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n", [8192, 30030, 44100, 65536, 20011, 2 * 10007])
def test_long_lines(threads, n):
    rng = np.random.default_rng(n)
    with engine(threads=threads):
        for dtype in (np.float32, np.float64):
            for layout, axis in (((None,), 0), ((2, None), 1), ((None, 3), 0)):
                check(rng, n, layout, axis, dtype)


def test_errors_are_those_of_numpy_in_the_same_type():
    """Root mean squares over many sizes. NumPy 2 computes inverse transforms of complex64 in that type (others in double)."""
    rng = np.random.default_rng(9)
    ours, theirs = [], []
    for n in (*range(2, 200), 509, 1000, 1021, 4096, 8191, 65536):
        x = (rng.standard_normal((3, n)) + 1j * rng.standard_normal((3, n))).astype(np.complex64)
        exact = np.fft.ifft(x.astype(complex))
        for found, errors in ((native.fourier(x, 1, True, 1 / n), ours), (np.fft.ifft(x), theirs)):
            errors.append(np.sqrt((np.abs(found - exact) ** 2).mean() / (np.abs(exact) ** 2).mean()))
    assert max(ours) <= 4e-7
    if np.fft.ifft(np.zeros(2, np.complex64)).dtype == np.complex64:
        assert np.mean(ours) <= 1.05 * np.mean(theirs)


def test_imaginary_parts_that_a_real_result_can_not_have_are_not_read():
    x = np.array([1 + 5j, 2 + 1j, 3 - 4j], np.complex64)
    np.testing.assert_allclose(native.fourier(x, 0, True, 0.25, False, 4), np.fft.irfft(x, 4), atol=1e-6)
    np.testing.assert_allclose(native.fourier(x, 0, True, 0.2, False, 5), np.fft.irfft(x, 5), atol=1e-6)


@pytest.mark.parametrize("shape,axis", [((37, 24), 1), ((2, 1000), 1), ((24, 40), 0), ((3, 67, 5), 1), ((1, 1009), 1), ((500,), 0)])
def test_written_over(shape, axis):
    x = lines(np.random.default_rng(5), shape, np.float32, 0)[1]
    expected = native.fourier(x, axis, True, 0.5)
    assert native.fourier(x, axis, True, 0.5, over=True) is x
    np.testing.assert_array_equal(x, expected)
    x.flags.writeable = False
    assert native.fourier(x, axis, True, 0.5, over=True) is NotImplemented
    assert native.fourier(x.real.copy(), axis, True, 0.5, over=True) is NotImplemented


def test_infinities_stay_in_their_line():
    x = np.ones((9, 24), np.complex64)
    x[3, 5] = np.inf
    found = native.fourier(x, 1, False, 1.0)
    assert not np.isfinite(found[3]).all()
    assert np.isfinite(np.delete(found, 3, 0)).all()


def test_empty_and_declined():
    assert native.fourier(np.zeros((0, 8), np.complex64), 1, False, 1.0).shape == (0, 8)
    assert native.fourier(np.zeros((4, 0, 3), np.complex64), 0, False, 1.0).shape == (4, 0, 3)
    assert native.fourier(np.zeros((0, 8)), 1, False, 1.0, True).shape == (0, 5)
    assert native.fourier(np.zeros((2, 0), np.complex64), 1, True, 1.0, False, 3).tolist() == [[0.0] * 3] * 2
    assert native.fourier(np.zeros((2, 0)), 1, False, 1.0) is NotImplemented  # of no numbers
    assert native.fourier(np.zeros((2, 3), np.int32), 1, False, 1.0) is NotImplemented
    assert native.fourier(np.zeros((6, 6))[:, ::2], 1, False, 1.0) is NotImplemented
    assert native.fourier(np.zeros((2, 3)), 2, False, 1.0) is NotImplemented
    assert native.fourier(np.zeros((2, 3)), 1, False, 1.0, False, 4) is NotImplemented  # real to real
    assert native.fourier(np.zeros((2, 3), complex), 1, False, 1.0, True) is NotImplemented  # half of what nothing mirrors
    assert native.fourier(np.zeros((1, 1), complex), 1, True, 1.0, False, 2**26 + 1) is NotImplemented
    with pytest.raises(TypeError):
        native.fourier(np.zeros((2, 3)), "1", False, 1.0)


@pytest.mark.parametrize("first,lines", [(24, 9), (4096, 1), (67, 8), (2027, 1)])
def test_without_memory(first, lines):
    """Every allocation of a new plan and of its transform fails in turn, and there is memory afterwards."""
    rng = np.random.default_rng(3)
    for attempt in range(9):
        n = first + 12 * attempt  # a size of its own: plans are kept
        x = rng.standard_normal((lines, n))
        native.fail_allocation(attempt)
        try:
            found = native.fourier(x, 1, False, 1.0)
        except MemoryError:
            found = None
        finally:
            native.fail_allocation(-1)
        assert attempt or found is None
        near(native.fourier(x, 1, False, 1.0), np.fft.fft(x), np.float64)


def test_threads_that_transform_at_one_time():
    """They share plans one after the other, and have some of their own."""
    rng = np.random.default_rng(4)
    inputs = [rng.standard_normal((k % 5 + 1, 60 + 7 * (k % 6))) for k in range(24)]

    def run(x):
        return [native.fourier(x, 1, False, 1.0, True) for _ in range(40)]
    with ThreadPoolExecutor(4) as pool:
        for x, found in zip(inputs, pool.map(run, inputs)):
            for one in found:
                near(one, np.fft.rfft(x), np.float64)
