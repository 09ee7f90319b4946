"""Rounding to steps of scales equals NumPy's text (ops/nn/quantize.py) to the bit, on every instruction set."""

import numpy as np
import pytest

from paddle.ops.nn import quantize

from .engine import both_floats, engine, every_engine

SHAPES = [(1,), (7,), (3, 5), (5, 33), (2, 3, 4, 4), (4, 6, 3, 3), (2, 17, 1, 5), (300, 257), (0, 4)]


def numbers(shape, dtype):
    """Halves, both zeros, what lies beyond every scale, and what is no number."""
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype) * 3
    special = np.array([0.5, -0.5, 1.5, -2.5, 0.0, -0.0, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-40, -1e-3, 127.5], dtype)
    if x.size > len(special):
        x.flat[:len(special)] = special
    return x


def same(op, *arguments):
    """The op by its kernel, and by its own text; signs of zeros too."""
    with np.errstate(all="ignore"):
        expected = op.fn(*arguments)
        found = op.run_arrays(list(arguments))
    for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, expected)), strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)])


@every_engine
@both_floats
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("round_type", [0, 1])
@pytest.mark.parametrize("bits", [2, 8, 16])
def test_steps(isa, threads, dtype, shape, round_type, bits):
    x, scale, zero = numbers(shape, dtype), np.array([1.5], dtype), np.zeros(1, dtype)
    with engine(isa, threads):
        same(quantize.quantize_linear, x, scale, zero, None, None, -1, bits, round_type, True, False, 0.9)
        same(quantize.quantize_linear, x, scale, zero + 3, None, None, -1, bits, round_type, True, False, 0.9)
        for op in (quantize.fake_quantize_moving_average_abs_max, quantize.fake_quantize):
            same(op, x, scale, None, None, 0.9, bits, True, round_type)
        same(quantize.fake_quantize_range_abs_max, x, scale, None, bits, 100, True, round_type)
        for axis in range(len(shape) if x.size else 0):
            scales = np.linspace(0.0, 4.0, shape[axis]).astype(dtype)  # the first one is 0
            same(quantize.quantize_linear, x, scales, np.zeros_like(scales), None, None, axis, bits, round_type, True, False, 0.9)
            same(quantize.quantize_linear, x, scales, np.round(scales), None, None, axis, bits, round_type, True, False, 0.9)


@every_engine
@both_floats
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("finite", [True, False])
def test_scales_that_are_found(isa, threads, dtype, shape, finite):
    x = numbers(shape, dtype)
    if finite:
        x = np.where(np.abs(x) < 1e9, x, 0).astype(dtype)
    with engine(isa, threads):
        for round_type in (0, 1):
            same(quantize.fake_quantize_abs_max, x, 8, round_type)
            same(quantize.fake_quantize_dequantize_abs_max, x, 8, round_type)
            for axis in range(len(shape)):
                same(quantize.fake_channel_wise_quantize_abs_max, x, 8, axis, True, round_type)
                same(quantize.fake_channel_wise_quantize_dequantize_abs_max, x, 8, axis, round_type)


@every_engine
@both_floats
@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_from_steps(isa, threads, dtype, shape):
    x, scale, zero = numbers(shape, dtype), np.array([1.5], dtype), np.zeros(1, dtype)
    rng = np.random.default_rng(1)
    whole = [rng.integers(-128, 128, shape).astype(kind) for kind in (np.int8, np.int32)]
    axes = range(len(shape) if x.size else 0)
    with engine(isa, threads):
        for given in (x, *whole):
            for bits in (4, 8):
                for shift in (zero, zero + 3, (zero + 3).astype(np.int32)):
                    same(quantize.dequantize_linear, given, scale, shift, -1, bits, False)
                for axis in axes:
                    scales = np.linspace(0.0, 4.0, shape[axis]).astype(dtype)
                    same(quantize.dequantize_linear, given, scales, np.round(scales), axis, bits, False)
            same(quantize.dequantize_linear, given, scale, zero, -1, 8, True)
        same(quantize.fake_dequantize_max_abs, x, scale, 127.0)
        for axis in axes:
            scales = np.linspace(0.1, 4.0, shape[axis]).astype(dtype)
            same(quantize.fake_channel_wise_dequantize_max_abs, x, [scales], [8], axis, 1)
            same(quantize.fake_channel_wise_dequantize_max_abs, x, [scales, scale], [8, 8], 0, axis)
        same(quantize.moving_average_abs_max_scale, x, zero, zero + 1, 0.9, True)
        same(quantize.moving_average_abs_max_scale, x, None, None, 0.9, True)
