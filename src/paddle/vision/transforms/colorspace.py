"""Colours of images held as arrays [height, width, 3], with OpenCV's weights, tables and rounding."""

import numpy as np

_SHIFT = 12
_HALF = 1 << (_SHIFT - 1)


def _table(numerator):
    divisors = np.arange(1, 256, dtype="float64")
    return np.concatenate([[0], np.rint(numerator / divisors)]).astype("int64")


_SATURATION = _table(255 << _SHIFT)
_HUE = _table((256 << _SHIFT) / 6)

# Which of v, v(1-s), v(1-sf), v(1-s(1-f)) are blue, green and red in each sixth of the circle.
_SECTORS = np.array([[1, 3, 0], [1, 0, 2], [3, 0, 1], [0, 2, 1], [0, 1, 3], [2, 1, 0]])


def gray(image, red=0):
    """Brightness [height, width]; ``red`` is the channel of red, 0 or 2."""
    r, g, b = image[..., red], image[..., 1], image[..., 2 - red]
    if image.dtype == np.uint8:
        total = r.astype("int64") * 9798 + g.astype("int64") * 19235 + b.astype("int64") * 3735
        return ((total + (1 << 14)) >> 15).astype("uint8")
    return (r * image.dtype.type(0.299) + g * image.dtype.type(0.587) + b * image.dtype.type(0.114)).astype(image.dtype)


def bgr_to_hsv(image):
    """Hue (a full circle is 256), saturation and value of an 8-bit image in the order blue, green, red."""
    b, g, r = (image[..., k].astype("int64") for k in range(3))
    value = np.maximum(np.maximum(b, g), r)
    spread = value - np.minimum(np.minimum(b, g), r)
    saturation = (spread * _SATURATION[value] + _HALF) >> _SHIFT
    sixths = np.where(value == r, g - b, np.where(value == g, b - r + 2 * spread, r - g + 4 * spread))
    hue = (sixths * _HUE[spread] + _HALF) >> _SHIFT
    hue = np.where(hue < 0, hue + 256, hue)
    return np.stack([hue, saturation, value], -1).clip(0, 255).astype("uint8")


def hsv_to_bgr(image):
    """The way back from ``bgr_to_hsv``."""
    hue, saturation, value = image.astype("float32").transpose(2, 0, 1)
    hue = hue * np.float32(6 / 255)
    saturation, value = saturation * np.float32(1 / 255), value * np.float32(1 / 255)
    sector = np.floor(hue)
    f = hue - sector
    choices = np.stack([value, value * (1 - saturation), value * (1 - saturation * f),
                        value * (1 - saturation * (1 - f))], -1)
    bgr = np.take_along_axis(choices, _SECTORS[sector.astype(int) % 6], -1)
    return np.rint(bgr * 255).clip(0, 255).astype("uint8")
