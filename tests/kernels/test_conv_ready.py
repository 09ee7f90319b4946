"""Convolutions whose weights were packed beforehand: the numbers of those that pack them themselves, on every instruction set."""

import numpy as np
import pytest

from .engine import engine, every_engine, native
from .reference import conv

CASES = {  # x, weights, stride, padding, dilation, groups
    "one by one": ((1, 40, 9, 9), (50, 40, 1, 1), 1, 0, 1, 1),
    "one by one, stride": ((2, 16, 7, 9), (33, 16, 1, 1), 2, 0, 1, 1),
    "few pixels, many channels": ((1, 130, 7, 7), (70, 130, 3, 3), 1, 1, 1, 1),
    "one pixel beyond a vector": ((1, 21, 3, 11), (29, 21, 1, 1), 1, 0, 1, 1),
    "two pixels beyond a vector": ((1, 21, 5, 10), (29, 21, 1, 1), 1, 0, 1, 1),
    "three pixels beyond a vector": ((1, 9, 5, 7), (25, 9, 3, 3), 1, 1, 1, 1),
    "four pixels beyond a vector": ((1, 40, 14, 14), (25, 40, 1, 1), 1, 0, 1, 1),
    "a few pixels": ((1, 40, 2, 2), (25, 40, 1, 1), 1, 0, 1, 1),
    "sixteen squares": ((1, 70, 14, 14), (30, 70, 3, 3), 1, 1, 1, 1),
    "many squares": ((2, 24, 30, 33), (24, 24, 3, 3), 1, 1, 1, 1),
    "four by four, stride": ((2, 30, 17, 20), (35, 30, 4, 4), 2, 1, 1, 1),
    "stem": ((1, 3, 33, 33), (20, 3, 7, 7), 2, 3, 1, 1),
    "groups": ((2, 12, 10, 10), (18, 4, 3, 3), 1, 1, 2, 3),
}


def case_of(name, dtype):
    xs, ws, *settings = CASES[name]
    rng = np.random.default_rng(5)
    x, w, bias = (rng.standard_normal(shape).astype(dtype) for shape in (xs, ws, ws[0]))
    return x, w, bias, settings


@every_engine
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_ready_weights(isa, threads, dtype, name):
    x, w, bias, (stride, padding, dilation, groups) = case_of(name, dtype)
    dy = np.zeros(native.conv2d(x, w, None, stride, padding, dilation, groups).shape)
    expected = conv(x, w, bias.astype("float64"), dy, (stride, stride),
                    ((padding, padding), (padding, padding)), (dilation, dilation), groups)[0]
    with engine(isa, threads):
        best = native.conv2d_kind(x, w, stride, padding, dilation, groups)
        assert best in (1, 2) if dtype == "float64" else best in (1, 2, 3, 4)
        blocks = {native.blocked_conv_kind(native.blocked_from(x), w, stride, padding, dilation, groups), 3} \
            if dtype == "float32" and groups == 1 else set()
        for kind in {1, best, *blocks}:
            ready = native.conv2d_prepare(x, w, stride, padding, dilation, groups, kind)
            y = native.conv2d(x, w, bias, stride, padding, dilation, groups, 0, ready)
            limit = (4e-6 if dtype == "float32" else 1e-13) * np.abs(expected).max()
            assert y.dtype == dtype and np.abs(y - expected).max() <= limit
            relu = native.conv2d(x, w, bias, stride, padding, dilation, groups, 1, ready)
            np.testing.assert_array_equal(relu, np.maximum(y, 0))
            relu6 = native.conv2d(x, w, bias, stride, padding, dilation, groups, 2, ready)
            np.testing.assert_array_equal(relu6, np.clip(y, 0, 6))


@every_engine
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shapes", [*[CASES[name][:4] for name in CASES if name != "groups"], ((5, 16, 3, 3), (32, 16, 1, 1), 1, 0),
                                    ((3, 7, 15, 15), (30, 7, 3, 3), 2, 1)])
def test_residual(isa, threads, dtype, shapes):
    """act(convolution + bias + residual), with and without prepared weights."""
    xs, ws, stride, padding = shapes
    rng = np.random.default_rng(7)
    x, w, bias = (3 * rng.standard_normal(s).astype(dtype) for s in (xs, ws, ws[:1]))
    with engine(isa, threads):
        plain = native.conv2d(x, w, bias, stride, padding)
        residual = rng.standard_normal(plain.shape).astype(dtype)
        kind = native.conv2d_kind(x, w, stride, padding)
        for ready in (None, native.conv2d_prepare(x, w, stride, padding, 1, 1, kind)):
            limit = (1e-5 if dtype == "float32" else 1e-13) * np.abs(plain).max()
            for act, expected in enumerate((plain + residual, np.maximum(plain + residual, 0), np.clip(plain + residual, 0, 6))):
                y = native.conv2d(x, w, bias, stride, padding, 1, 1, act, ready, residual)
                assert y.dtype == dtype and np.abs(y - expected).max() <= limit


@every_engine
@pytest.mark.parametrize("shapes,kind", [(((1, 200, 7, 7), (400, 200, 3, 3), 1, 1), 3),
                                         (((2, 96, 12, 12), (512, 96, 3, 3), 2, 1), 3),
                                         (((1, 256, 14, 14), (250, 256, 3, 3), 1, 1), 4)])
def test_through_blocks(isa, threads, shapes, kind):
    """Where it pays, images go into blocks of channels and back; weights for another instruction set are left alone."""
    xs, ws, stride, padding = shapes
    rng = np.random.default_rng(7)
    x, w, bias = (rng.standard_normal(s).astype("float32") for s in (xs, ws, ws[:1]))
    ready = {}
    for other in ("base", isa):
        with engine(other, threads):
            assert native.conv2d_kind(x, w, stride, padding) == kind
            ready[other] = native.conv2d_prepare(x, w, stride, padding, 1, 1, kind)
    with engine(isa, threads):
        expected = native.conv2d(*(a.astype("float64") for a in (x, w, bias)), stride, padding)
        residual = rng.standard_normal(expected.shape).astype("float32")
        for packed in ready.values():
            y = native.conv2d(x, w, bias, stride, padding, 1, 1, 1, packed, residual)
            assert np.abs(y - np.maximum(expected + residual, 0)).max() <= 8e-6 * expected.std() * 3
        for wrong in (ready[isa][:-1].copy(), np.full(100, 3, "float32"), np.full(100, np.nan, "float32")):
            with pytest.raises(ValueError, match="'ready'"):
                native.conv2d(x, w, bias, stride, padding, 1, 1, 1, wrong)
    for n in range(3):  # memory for the images in blocks
        native.fail_allocation(n)
        try:
            with pytest.raises(MemoryError), engine(isa, 1):
                native.conv2d(x, w, bias, stride, padding, 1, 1, 1, ready[isa], residual)
        finally:
            native.fail_allocation(-1)


def test_residual_of_another_shape():
    x, w = np.ones((1, 4, 5, 5), np.float32), np.ones((4, 4, 1, 1), np.float32)
    with pytest.raises(ValueError, match="'residual'"):
        native.conv2d(x, w, None, 1, 0, 1, 1, 0, None, np.ones((1, 4, 5, 4), np.float32))
    with pytest.raises(ValueError, match="one group"):
        native.conv2d(x, w[:, :1].copy(), None, 1, 0, 1, 4, 0, None, x)


@every_engine
@pytest.mark.parametrize("shapes", [((2, 9, 8, 11), (9, 1, 3, 3), 9), ((5, 3, 3, 3), (7, 3, 2, 2), 1),
                                    ((1, 0, 3, 3), (7, 0, 2, 2), 1)])
def test_relu6(isa, threads, shapes):
    """Of kernels that have no prepared weights: depthwise, several small images in a tile, no channels; NaN is handed on."""
    xs, ws, groups = shapes
    rng = np.random.default_rng(6)
    x, w, bias = (3 * rng.standard_normal(s).astype("float32") for s in (xs, ws, ws[:1]))
    x.flat[:1] = np.nan
    with engine(isa, threads):
        plain = native.conv2d(x, w, bias, 1, 0, 1, groups)
        np.testing.assert_array_equal(native.conv2d(x, w, bias, 1, 0, 1, groups, 2), np.clip(plain, 0, 6))


def test_weights_of_another_instruction_set_are_packed_anew():
    x, w, bias, (stride, padding, dilation, groups) = case_of("few pixels, many channels", "float32")
    with engine("base"):
        ready = native.conv2d_prepare(x, w, stride, padding, dilation, groups, 1)
    plain = native.conv2d(x, w, bias, stride, padding, dilation, groups)
    other = native.conv2d(x, w, bias, stride, padding, dilation, groups, 0, ready)
    np.testing.assert_allclose(other, plain, rtol=1e-4, atol=1e-4)


def test_winograd_turned_off_later():
    x, w, bias, (stride, padding, dilation, groups) = case_of("many squares", "float32")
    ready = native.conv2d_prepare(x, w, stride, padding, dilation, groups, 2)
    before = native.set_winograd(False)
    try:
        assert native.conv2d_kind(x, w, stride, padding, dilation, groups) == 1
        direct = native.conv2d(x, w, bias, stride, padding, dilation, groups)
        np.testing.assert_array_equal(native.conv2d(x, w, bias, stride, padding, dilation, groups, 0, ready), direct)
    finally:
        native.set_winograd(before)


def test_nothing_is_packed_for_depthwise_kernels():
    assert native.conv2d_kind(np.ones((1, 8, 9, 9), np.float32), np.ones((8, 1, 3, 3), np.float32), 1, 1, 1, 8) == 0


def test_wrong_arguments():
    x, w, _, (stride, padding, dilation, groups) = case_of("one by one", "float32")
    with pytest.raises(ValueError, match="was not made by conv2d_prepare"):
        native.conv2d(x, w, None, stride, padding, dilation, groups, 0, np.ones(7, np.float32))
    with pytest.raises(ValueError, match="no kind 2"):
        native.conv2d_prepare(x, w, stride, padding, dilation, groups, 2)
    with pytest.raises(TypeError, match="ready"):
        native.conv2d(x, w, None, stride, padding, dilation, groups, 0, np.ones(7))


@pytest.mark.parametrize("shape", [(0, 32, 8, 8), (2, 32, 8, 8)])
def test_nothing_needs_no_prepared_weights(shape):
    kind = native.conv2d_kind(np.ones(shape, np.float32), np.ones((32, 32, 3, 3), np.float32), 1, 1, 1, 1)
    assert (kind == 0) == (0 in shape)
