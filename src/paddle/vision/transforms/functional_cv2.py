"""Transforms of arrays [height, width] or [height, width, channels]: what Paddle does with OpenCV, without it."""

import math

import numpy as np

from . import colorspace, resample
from .arguments import border, color, shorter_side, to_tensor_layout

INTERPOLATIONS = ("nearest", "bilinear", "area", "bicubic", "lanczos")


def size(img):
    """(width, height)."""
    return img.shape[1], img.shape[0]


def to_tensor(img, data_format):
    return to_tensor_layout(img, data_format)


def resize(img, target, interpolation):
    height, width = shorter_side(target, *size(img))
    return img if (height, width) == img.shape[:2] else resample.resize(img, height, width, interpolation)


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = border(padding, "pad")
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (img.ndim - 2)
    if padding_mode != "constant":
        return np.pad(img, widths, padding_mode)
    frame = np.empty((img.shape[0] + top + bottom, img.shape[1] + left + right, *img.shape[2:]), img.dtype)
    frame[:] = _scalar(fill, img)
    frame[top:top + img.shape[0], left:left + img.shape[1]] = img
    return frame


def crop(img, top, left, height, width):
    return img[top:top + height, left:left + width]


def hflip(img):
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img):
    return np.ascontiguousarray(img[::-1])


def adjust_brightness(img, factor):
    table = (np.arange(256) * factor).clip(0, 255).astype("uint8")
    return table[img.astype("uint8")]


def adjust_contrast(img, factor):
    table = ((np.arange(256) - 74) * factor + 74).clip(0, 255).astype("uint8")
    return table[img.astype("uint8")]


def adjust_saturation(img, factor):
    _three_channels(img, "adjust_saturation")
    # Paddle draws the strength anew here, with the factor as its range; numpy.random decides.
    strength = np.random.uniform(max(0, 1 - factor), 1 + factor)
    pixels = img.astype("float32")
    gray = colorspace.gray(pixels, red=2)[:, :, None]
    return (pixels * strength + gray * (1 - strength)).clip(0, 255).astype(img.dtype)


def adjust_hue(img, factor):
    _three_channels(img, "adjust_hue")
    hsv = colorspace.bgr_to_hsv(img.astype("uint8"))
    hsv[..., 0] = (hsv[..., 0].astype("int32") + int(factor * 255)) % 256
    return colorspace.hsv_to_bgr(hsv).astype(img.dtype)


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    # As Paddle has it for arrays: the shift replaces that of the turn, which is then about the corner.
    turn = resample.rotation_matrix(center, angle, scale)
    shear_x, shear_y = (math.tan(math.radians(value)) for value in shear)
    matrix = np.stack([turn[0] + shear_y * turn[1], turn[1] + shear_x * turn[0]])
    matrix[:, 2] = translate
    fill = color(fill, 3) if isinstance(fill, int) else fill
    return resample.warp_affine(img, matrix, size(img), interpolation, fill)


def rotate(img, angle, interpolation, expand, center, fill):
    width, height = size(img)
    center = (width / 2, height / 2) if center is None else center
    matrix = resample.rotation_matrix(center, angle, 1)
    if expand:
        turn = math.radians(angle)
        cosine, sine = round(math.cos(turn), 15), round(math.sin(turn), 15)
        corners = [(x - center[0], y - center[1]) for x, y in ((0, 0), (width, 0), (width, height), (0, height))]
        across = [cosine * x - sine * y + center[0] for x, y in corners]
        down = [sine * x + cosine * y + center[1] for x, y in corners]
        frame = (math.ceil(max(across)) - math.floor(min(across)), math.ceil(max(down)) - math.floor(min(down)))
        matrix[:, 2] += (frame[0] - width) * 0.5, (frame[1] - height) * 0.5
        width, height = frame
    return resample.warp_affine(img, matrix, (width, height), interpolation, fill)


def perspective(img, startpoints, endpoints, interpolation, fill):
    matrix = resample.perspective_matrix(startpoints, endpoints)
    return resample.warp_perspective(img, matrix, size(img), interpolation, fill)


def to_grayscale(img, num_output_channels):
    gray = img if img.ndim == 2 else img[:, :, 0] if img.shape[2] == 1 else colorspace.gray(img)
    return np.repeat(gray[:, :, None], num_output_channels, 2)


def normalize(img, mean, std, data_format, to_rgb):
    mean, std = (np.asarray(value, "float32").reshape((-1, 1, 1) if data_format == "CHW" else -1) for value in (mean, std))
    img = img[..., ::-1] if to_rgb else img
    if data_format == "HWC" and img.ndim == 3 and mean.size == std.size == img.shape[2]:  # by rows: loops of three are slow
        rows, (mean, std) = img.reshape(img.shape[0], -1), (np.tile(value, img.shape[1]) for value in (mean, std))
        return np.divide(moved := rows - mean, std, out=moved).reshape(img.shape)
    moved = np.subtract(img, mean, order="C")  # a batch is then stacked without another order
    return np.divide(moved, std, out=moved)


def erase(img, i, j, h, w, v, inplace):
    if not inplace:
        img = img.copy()
    img[i:i + h, j:j + w] = np.asarray(v).reshape(np.shape(v)[:img.ndim]) if img.ndim == 2 and np.ndim(v) else v
    return img


def _three_channels(img, function):
    if img.ndim != 3 or img.shape[2] != 3:
        raise ValueError(f"{function}(): an array must be [height, width, 3], got {list(img.shape)}")


def _scalar(fill, img):
    """A fill as OpenCV takes it: a single number is for the first channel, the others get 0."""
    if img.ndim == 2:
        return fill[0] if isinstance(fill, (list, tuple)) else fill
    if isinstance(fill, (list, tuple)):
        return np.array(color(fill, img.shape[2])).astype(img.dtype)
    return (np.eye(1, img.shape[2])[0] * fill).astype(img.dtype)
