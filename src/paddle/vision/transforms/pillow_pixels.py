"""The pixels of PIL images where they lie, and resizing them: the bytes that Pillow's own ``resize`` gives, by a kernel."""

import functools

from ...core.context import process
from ..image import pillow

# 8-bit modes, and the words for their bytes in memory
_STORED = {"L": "L", "RGB": "RGBX", "RGBX": "RGBX", "CMYK": "CMYK", "RGBa": "RGBa"}
_FILTERS = ("bilinear", "bicubic", "box", "lanczos", "hamming")  # 'nearest' copies single pixels: Pillow does that as well


@functools.cache
def _version():
    return tuple(int(part) for part in pillow().__version__.split(".")[:2])


def stored(img):
    """The bytes of an image in one of the modes above, [height, width, 1 or 4], read-only and without a copy.

    None where Pillow (before 11.2, or of an image in several blocks of memory) doesn't show them.
    """
    if process.native is None or img.mode not in _STORED or not hasattr(img, "__arrow_c_array__"):
        return None
    if pillow().core.get_alignment() != 1:  # rows may lie apart
        return None
    try:
        pixels = process.native.arrow_picture(img.__arrow_c_array__(), img.height, img.width)
    except ValueError:
        return None
    return None if pixels is NotImplemented else pixels


def resize(img, height, width, interpolation):
    """``img.resize((width, height), interpolation)``."""
    order = _order(img.size, (width, height)) if interpolation in _FILTERS and min(height, width) > 0 else None
    if img.mode == "RGBA" and order:
        return resize(img.convert("RGBa"), height, width, interpolation).convert("RGBA")
    pixels = stored(img) if order else None
    if pixels is None:
        return img.resize((width, height), pillow().Resampling[interpolation.upper()])
    for rows, columns in order:
        pixels = process.native.resize_picture(pixels, rows, columns, interpolation)
    result = pillow().frombytes(img.mode, (width, height), pixels, "raw", _STORED[img.mode])
    result.info = img.info.copy()
    return result


def _order(old, new):
    """The sizes (height, width) after each pass of Pillow's ``resize``, which show in last bits; None: not known."""
    (columns, rows), (width, height) = old, new
    if _version() >= (14, 0):
        return None
    if _version() >= (13, 0):
        down_first = rows > height and rows - height > 2 * (columns - width)
    else:
        down_first = _version() >= (12, 2) and rows > 100 * columns and height < rows
    return ((height, columns), (height, width)) if down_first and columns != width else ((height, width),)
