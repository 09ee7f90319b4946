"""Transforms of PIL images."""

import numpy as np

from ..image import pillow
from . import pillow_pixels
from .arguments import border, color, shorter_side, to_tensor_layout

INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "box", "lanczos", "hamming")


def _resampling(interpolation):
    return pillow().Resampling[interpolation.upper()]


def size(img):
    """(width, height)."""
    return img.size


def to_tensor(img, data_format):
    pixels = pillow_pixels.stored(img)
    if pixels is not None:
        return to_tensor_layout(pixels[:, :, :len(img.getbands())], data_format)
    modes = {"1": "uint8", "I": "int32", "I;16": "int32", "F": "float32"}
    pixels = np.asarray(img, modes.get(img.mode))
    if img.mode == "1":
        pixels = pixels * np.uint8(255)
    return to_tensor_layout(pixels, data_format)


def resize(img, target, interpolation):
    height, width = shorter_side(target, *img.size)
    return img if (width, height) == img.size else pillow_pixels.resize(img, height, width, interpolation)


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = border(padding, "pad")
    if padding_mode == "constant":
        frame = pillow().new(img.mode, (img.width + left + right, img.height + top + bottom),
                             tuple(fill) if isinstance(fill, list) else fill)
        if img.mode == "P":
            frame.putpalette(img.getpalette())
        frame.paste(img, (left, top))
        return frame
    pixels = np.asarray(img)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (pixels.ndim - 2)
    padded = pillow().fromarray(np.pad(pixels, widths, padding_mode))
    if img.mode == "P":
        padded.putpalette(img.getpalette())
    return padded


def crop(img, top, left, height, width):
    return img.crop((left, top, left + width, top + height))


def hflip(img):
    return img.transpose(pillow().Transpose.FLIP_LEFT_RIGHT)


def vflip(img):
    return img.transpose(pillow().Transpose.FLIP_TOP_BOTTOM)


def adjust_brightness(img, factor):
    from PIL import ImageEnhance
    return ImageEnhance.Brightness(img).enhance(factor)


def adjust_contrast(img, factor):
    from PIL import ImageEnhance
    return ImageEnhance.Contrast(img).enhance(factor)


def adjust_saturation(img, factor):
    from PIL import ImageEnhance
    return ImageEnhance.Color(img).enhance(factor)


def adjust_hue(img, factor):
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = (np.asarray(hue).astype("int16") + int(factor * 255)) % 256
    return pillow().merge("HSV", (pillow().fromarray(turned.astype("uint8")), saturation, value)).convert(img.mode)


def affine(img, matrix, interpolation, fill):
    return img.transform(img.size, pillow().Transform.AFFINE, matrix, _resampling(interpolation),
                         fillcolor=_fill(img, fill))


def rotate(img, angle, interpolation, expand, center, fill):
    return img.rotate(angle, _resampling(interpolation), expand, center, fillcolor=_fill(img, fill))


def perspective(img, coefficients, interpolation, fill):
    return img.transform(img.size, pillow().Transform.PERSPECTIVE, coefficients, _resampling(interpolation),
                         fillcolor=_fill(img, fill))


def to_grayscale(img, num_output_channels):
    gray = img.convert("L")
    return gray if num_output_channels == 1 else pillow().merge("RGB", (gray, gray, gray))


def erase(img, i, j, h, w, v, inplace):
    pixels = np.array(img)
    region = np.asarray(v)
    pixels[i:i + h, j:j + w] = (region if pixels.ndim == 3 else region.reshape(region.shape[:2])).astype(pixels.dtype)
    erased = pillow().fromarray(pixels)
    if not inplace:
        return erased
    img.paste(erased)
    return img


def _fill(img, fill):
    """A fill as PIL wants it: one value per band."""
    bands = len(img.getbands())
    values = color(fill, bands)
    return values[0] if bands == 1 else values
