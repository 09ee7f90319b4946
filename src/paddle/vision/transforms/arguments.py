"""What the arguments of transforms mean, for every kind of image alike."""

import math
import numbers

import numpy as np

from ...core.context import process
from ...core.tensor import wrap
from ...tensor.functions import to_tensor
from .resample import perspective_matrix


def border(padding, function):
    """(left, top, right, bottom) of a ``padding`` argument: one number, (x, y), or all four."""
    if isinstance(padding, numbers.Integral):
        return (int(padding),) * 4
    if not isinstance(padding, (list, tuple)):
        raise TypeError(f"{function}(): padding must be an int, or a list or tuple of 2 or 4, got {padding!r}")
    if len(padding) not in (2, 4):
        raise ValueError(f"{function}(): padding must have 2 or 4 numbers, got {len(padding)}")
    return tuple(int(side) for side in (padding * 2 if len(padding) == 2 else padding))


def color(fill, channels):
    """A ``fill`` argument with one value per channel."""
    if isinstance(fill, (numbers.Number, np.generic)):
        return (fill,) * channels
    values = tuple(fill)
    if len(values) == 1:
        return values * channels
    if len(values) != channels:
        raise ValueError(f"fill must be one number or one per channel: {len(values)} numbers, {channels} channels")
    return values


def shorter_side(size, width, height):
    """(height, width) that a ``size`` argument asks for: both given, or the length of the shorter side."""
    if not isinstance(size, numbers.Integral):
        return int(size[0]), int(size[1])
    if min(width, height) < 0:
        raise NotImplementedError(f"resize(): one number as size={size} needs a picture of known sizes, got {height} x {width}; "
                                  "give height and width")
    if min(width, height) == size:
        return height, width
    return (int(size * height / width), int(size)) if width < height else (int(size), int(size * width / height))


def pair(size, function, name="size"):
    """(height, width) of an argument that is one number for both or a pair."""
    if isinstance(size, numbers.Number):
        return int(size), int(size)
    if not hasattr(size, "__len__") or len(size) != 2:
        raise TypeError(f"{function}(): {name} must be a number or a pair, got {size!r}")
    return tuple(int(side) for side in size)


def affine_matrix(center, angle, translate, scale, shear):
    """Coefficients (a, b, c, d, e, f) that take a pixel of the result to one of the image.

    The result is sheared, then turned clockwise by ``angle`` degrees about ``center``, scaled and moved.
    """
    turn, shear_x, shear_y = (math.radians(value) for value in (angle, *shear))
    a = math.cos(turn - shear_y) / math.cos(shear_y)
    b = -a * math.tan(shear_x) - math.sin(turn)
    c = math.sin(turn - shear_y) / math.cos(shear_y)
    d = -c * math.tan(shear_x) + math.cos(turn)
    matrix = [value / scale for value in (d, -b, 0.0, -c, a, 0.0)]
    x, y = center[0] + translate[0], center[1] + translate[1]
    matrix[2] = center[0] - matrix[0] * x - matrix[1] * y
    matrix[5] = center[1] - matrix[3] * x - matrix[4] * y
    return matrix


def perspective_coefficients(startpoints, endpoints):
    """The eight coefficients that take pixels of the result to pixels of the image."""
    return perspective_matrix(endpoints, startpoints).reshape(-1)[:8].tolist()


def to_tensor_layout(pixels, data_format):
    """A Tensor of an image's array [height, width(, channels)]: 8-bit values scaled to 0 … 1, channels where asked."""
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    if data_format == "CHW" and pixels.dtype == np.uint8 and process.native is not None:
        planes = process.native.picture_planes(pixels)
        if planes is not NotImplemented:
            return wrap(planes)
    if data_format == "CHW":
        pixels = pixels.transpose(2, 0, 1)
    if pixels.dtype == np.uint8:
        return wrap(np.divide(pixels, np.float32(255), dtype="float32", order="C"))
    return to_tensor(np.ascontiguousarray(pixels))
