"""8-bit pictures in another size against Pillow itself, and OpenCV's linear interpolation against its arithmetic in NumPy."""

import numpy as np
import pytest

from paddle import kernels
from paddle.vision.transforms import functional as F
from paddle.vision.transforms import pillow_pixels

from .engine import engine, every_engine, native

Image = pytest.importorskip("PIL.Image")
FILTERS = ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos")
RNG = np.random.default_rng(7)


def picture(mode, width, height, kind=0):
    """Noise, or (kind 1) black and white, which overshoots."""
    channels = len(mode) if mode.isupper() and mode != "CMYK" else 4
    pixels = RNG.integers(0, 256, (height, width, channels), dtype=np.uint8)
    return Image.frombytes(mode, (width, height), (pixels // 128 * 255 if kind else pixels).tobytes())


def sizes():
    """Sides from one pixel on, some of them kept; tall pictures that shrink, whose order of passes differs."""
    for most in (4, 20, 90):
        for _ in range(12):
            old, new = RNG.integers(1, most + 1, 2), RNG.integers(1, most + 1, 2)
            yield tuple(map(int, old)), tuple(map(int, np.where(RNG.random(2) < 0.15, old, new)))
    yield from (((1, 150), (7, 9)), ((150, 1), (9, 7)), ((40, 90), (35, 20)), ((1, 1), (30, 40)), ((300, 260), (130, 120)))


@every_engine
@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "RGBX", "CMYK"])
def test_bytes_are_those_of_pillow(isa, threads, mode):
    for number, (old, new) in enumerate(sizes()):
        image, name = picture(mode, *old, number % 2), FILTERS[number % len(FILTERS)]
        image.info["dpi"] = 72
        expected = image.resize(new, Image.Resampling[name.upper()])
        with engine(isa, threads):
            actual = F.resize(image, new[::-1], name)
        assert (actual.mode, actual.size, actual.info) == (mode, new, {"dpi": 72})
        assert actual.tobytes() == expected.tobytes(), f"{name} {old} {new}"


@pytest.mark.parametrize("mode", ["1", "P", "LA", "I", "F", "I;16", "YCbCr", "HSV"])
def test_other_modes_are_left_to_pillow(mode):
    image = Image.fromarray(RNG.integers(0, 256, (13, 11), dtype=np.uint8))
    image = image.convert("RGB").convert(mode) if mode in ("YCbCr", "HSV") else image.convert(mode)
    assert pillow_pixels.stored(image) is None
    assert F.resize(image, (7, 9)).tobytes() == image.resize((9, 7), Image.Resampling.BILINEAR).tobytes()


@pytest.mark.parametrize("version,old,new,order", [
    ((10, 0), (1, 200), (4, 5), ((5, 4),)), ((12, 1), (1, 200), (4, 5), ((5, 4),)), ((12, 2), (1, 200), (4, 5), ((5, 1), (5, 4))),
    ((12, 2), (2, 200), (4, 5), ((5, 4),)), ((13, 0), (30, 40), (20, 20), ((20, 20),)),
    ((13, 0), (30, 41), (20, 20), ((20, 30), (20, 20))),
    ((13, 0), (30, 10), (20, 20), ((20, 20),)), ((13, 0), (20, 41), (20, 20), ((20, 20),)), ((14, 0), (30, 41), (20, 20), None),
])
def test_order_of_passes_by_version(monkeypatch, version, old, new, order):
    monkeypatch.setattr(pillow_pixels, "_version", lambda: version)
    assert pillow_pixels._order(old, new) == order


def test_unknown_versions_are_left_to_pillow(monkeypatch):
    monkeypatch.setattr(pillow_pixels, "_version", lambda: (99, 0))
    image = picture("RGB", 9, 8)
    assert F.resize(image, (4, 5)).tobytes() == image.resize((5, 4), Image.Resampling.BILINEAR).tobytes()


def test_pictures_in_several_blocks():
    image = picture("RGB", 2200, 2100)  # more than the 16 MB of a block
    assert F.resize(image, (30, 40)).tobytes() == image.resize((40, 30), Image.Resampling.BILINEAR).tobytes()


@every_engine
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_linear_as_opencv(isa, threads, channels):
    for (width, height), (columns, rows) in sizes():
        x = RNG.integers(0, 256, (height + 1, width + 2, channels), dtype=np.uint8)[1:, 1:-1]
        before = kernels.use(False)
        try:
            expected = F.resize(x, (rows, columns))
        finally:
            kernels.use(before)
        with engine(isa, threads):
            np.testing.assert_array_equal(F.resize(x, (rows, columns)), expected)
            turned = np.ascontiguousarray(x[:, ::-1])
            np.testing.assert_array_equal(F.resize(x[:, ::-1], (rows, columns)), F.resize(turned, (rows, columns)))


@every_engine
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_planes(isa, threads, channels):
    x = RNG.integers(0, 256, (37, 530, channels), dtype=np.uint8)
    for pixels in (x, x[3:9, 5:50], x[:, ::-1], x[::2, ::3], x[:1, :1]):
        with engine(isa, threads):
            y = native.picture_planes(pixels)
        np.testing.assert_array_equal(y, pixels.transpose(2, 0, 1).astype("float32") / np.float32(255))


def test_pixels_of_pillow_are_a_view():
    image = picture("RGB", 5, 4)
    pixels = pillow_pixels.stored(image)
    if pixels is None:
        pytest.skip("this Pillow doesn't show its memory")
    assert pixels.shape == (4, 5, 4) and not pixels.flags.writeable
    np.testing.assert_array_equal(pixels[:, :, :3], np.asarray(image))
    expected = np.array(pixels)
    del image
    np.testing.assert_array_equal(pixels, expected)


X = np.zeros((4, 5, 3), np.uint8)


@pytest.mark.parametrize("call,error,text", [
    (lambda: native.resize_picture(X, 0, 3, "box"), ValueError, "at least 1"),
    (lambda: native.resize_picture(X[:0], 2, 3, "box"), ValueError, "at least 1"),
    (lambda: native.resize_picture(X, 2, 3, "nearest"), ValueError, "'filter'"),
    (lambda: native.resize_picture(X, 2, 3, 1), ValueError, "'filter'"),
    (lambda: native.resize_picture(X.astype("f"), 2, 3, "box"), TypeError, "'x'"),
    (lambda: native.resize_picture(X[0], 2, 3, "box"), ValueError, "'x'"),
    (lambda: native.picture_planes(X.astype("f")), TypeError, "'x'"),
    (lambda: native.arrow_picture((), 2, 3), TypeError, "'capsules'"),
    (lambda: native.arrow_picture((1, 2), 2, 3), TypeError, "'capsules'"),
])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_declines():
    assert native.resize_picture(np.zeros((4, 5, 5), np.uint8), 2, 3, "box") is NotImplemented
    assert native.resize_picture(X[:, :, ::-1], 2, 3, "box") is NotImplemented
    assert native.picture_planes(np.zeros((4, 5, 5), np.uint8)) is NotImplemented


def test_memory_that_is_not_there():
    for after in range(6):
        native.fail_allocation(after)
        try:
            with pytest.raises(MemoryError):
                native.resize_picture(np.zeros((40, 50, 3), np.uint8), 20, 30, "bicubic")
        finally:
            native.fail_allocation(-1)
