"""Transforms of Tensors [channels, height, width] (some: a batch of them), made of paddle's own functions.

They work on Variables of a static program as well, and gradients pass through them.
"""

import math
import numbers

import numpy as np

from ...core.tensor import Tensor, wrap
from ...nn import functional as F
from ...nn.functional import vision
from ...tensor.functions import to_tensor as to_tensor_of
from .arguments import border, shorter_side

INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "area")


def size(img):
    """(width, height)."""
    return img.shape[-1], img.shape[-2]


def to_tensor(img, data_format):
    return img if data_format == "CHW" else img.transpose([1, 2, 0])


def resize(img, target, interpolation):
    height, width = shorter_side(target, *size(img))
    if [height, width] == list(img.shape[-2:]):
        return img
    return F.interpolate(img.unsqueeze(0), size=[height, width], mode=interpolation).squeeze(0)


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = border(padding, "pad")
    if padding_mode == "symmetric":
        raise ValueError("pad(): padding_mode 'symmetric' is for PIL images and arrays, not for Tensors")
    if not isinstance(fill, numbers.Number):
        raise TypeError(f"pad(): fill must be a number for Tensors, got {fill!r}")
    mode = "replicate" if padding_mode == "edge" else padding_mode
    return vision.pad(img.unsqueeze(0), [left, right, top, bottom], mode=mode, value=float(fill)).squeeze(0)


def crop(img, top, left, height, width):
    return img[..., top:top + height, left:left + width]


def hflip(img):
    return img.flip([-1])


def vflip(img):
    return img.flip([-2])


def _blend(img, other, strength):
    """img * strength + other * (1 - strength), kept within what an image holds."""
    import paddle
    floating = paddle.is_floating_point(img)
    pixels, other = (img, other) if floating else (img.astype("float32"), other.astype("float32"))
    return (other + (pixels - other) * float(strength)).clip(0, 1.0 if floating else 255.0).astype(img.dtype)


def _channels(img, function):
    channels = img.shape[-3]
    if channels not in (1, 3):
        raise ValueError(f"{function}(): a Tensor picture must have 1 or 3 channels, got {channels}")
    return channels


def adjust_brightness(img, factor):
    import paddle
    _channels(img, "adjust_brightness")
    return _blend(img, paddle.zeros_like(img), factor)


def adjust_contrast(img, factor):
    gray = img if _channels(img, "adjust_contrast") == 1 else to_grayscale(img, 1)
    gray = gray.astype("float32") if img.dtype.is_integer else gray
    return _blend(img, gray.mean(axis=[-3, -2, -1], keepdim=True), factor)


def adjust_saturation(img, factor):
    return img if _channels(img, "adjust_saturation") == 1 else _blend(img, to_grayscale(img, 1), factor)


def adjust_hue(img, factor):
    import paddle
    if _channels(img, "adjust_hue") == 1:
        return img
    scaled = img if paddle.is_floating_point(img) else img.astype("float32") / 255.0
    red, green, blue = (channel.squeeze(-3) for channel in paddle.split(scaled, 3, axis=-3))
    value, low = scaled.max(axis=-3), scaled.min(axis=-3)
    spread = value - low
    gray = (spread == 0).astype(scaled.dtype)
    saturation = spread / (value + gray * (1.0 - value))
    spread = spread + gray
    from_red = (value == red).astype(scaled.dtype)
    from_green = (value == green).astype(scaled.dtype) * (1.0 - from_red)
    from_blue = 1.0 - from_red - from_green
    hue = (from_red * (green - blue) + from_green * (blue - red + 2.0 * spread)
           + from_blue * (red - green + 4.0 * spread)) / spread / 6.0
    hue = hue * (1.0 - gray) + float(factor)
    hue = hue - hue.floor()

    def channel(shift):  # how far the hue is from the sixth of the circle where this channel is full
        k = hue * 6.0 + shift
        k = k - (k / 6.0).floor() * 6.0
        return value - value * saturation * paddle.minimum(k, 4.0 - k).clip(0.0, 1.0)

    turned = paddle.stack([channel(5.0), channel(3.0), channel(1.0)], axis=-3)
    return turned if paddle.is_floating_point(img) else (turned * 255.0).astype(img.dtype)


def to_grayscale(img, num_output_channels):
    import paddle
    weights = paddle.to_tensor([0.2989, 0.587, 0.114]).astype(img.dtype).reshape([3, 1, 1])
    gray = (img * weights).sum(axis=-3, keepdim=True)
    return gray if num_output_channels == 1 else paddle.concat([gray] * num_output_channels, axis=-3)


def normalize(img, mean, std, data_format):
    import paddle
    if not paddle.is_floating_point(img):
        img = img.astype("float32")
    shape = [-1, 1, 1] if data_format == "CHW" else [-1]
    mean, std = (_constant(value, img, shape) for value in (mean, std))
    return (img - mean) / std


def _constant(value, img, shape):
    """Numbers as a Tensor of an image's type; plain ones without the questions of to_tensor and reshape."""
    if isinstance(img, Tensor) and isinstance(value, (list, tuple)) and all(type(number) in (int, float) for number in value):
        return wrap(np.array(value, img.numpy().dtype).reshape(shape))
    return to_tensor_of(value, dtype=img.dtype).reshape(shape)


def erase(img, i, j, h, w, v, inplace):
    if not inplace:
        img = img.clone()
    img[..., i:i + h, j:j + w] = v
    return img


# ---- turning and warping ----
def affine(img, matrix, interpolation, fill):
    batch = img.unsqueeze(0) if img.ndim == 3 else img
    width, height = size(img)
    out = _grid_sampled(batch, _affine_grid(matrix, (width, height), (width, height)), interpolation, fill)
    return out.squeeze(0) if img.ndim == 3 else out


def rotate(img, angle, interpolation, expand, center, fill):
    width, height = size(img)
    center = (0.0, 0.0) if center is None else (center[0] - width * 0.5, center[1] - height * 0.5)
    turn = math.radians(-angle % 360)
    a, b = math.cos(turn), math.sin(turn)
    matrix = [a, b, center[0] - a * center[0] - b * center[1], -b, a, center[1] + b * center[0] - a * center[1]]
    frame = (width, height)
    if expand:
        corners = [(x * width * 0.5, y * height * 0.5) for x, y in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
        across = [matrix[0] * x + matrix[1] * y + matrix[2] for x, y in corners]
        down = [matrix[3] * x + matrix[4] * y + matrix[5] for x, y in corners]
        frame = tuple(math.ceil(round(max(v), 4)) - math.floor(round(min(v), 4)) for v in (across, down))
    grid = _affine_grid(matrix, (width, height), frame)
    return _grid_sampled(img.unsqueeze(0), grid, interpolation, fill).squeeze(0)


def perspective(img, coefficients, interpolation, fill):
    import paddle
    batch = img.unsqueeze(0) if img.ndim == 3 else img
    width, height = size(img)
    a, b, c, d, e, f, g, h = (float(value) for value in coefficients)
    x = (paddle.arange(width, dtype="float32") + 0.5).reshape([1, width])
    y = (paddle.arange(height, dtype="float32") + 0.5).reshape([height, 1])
    depth = g * x + h * y + 1.0
    grid = paddle.stack([(a * x + b * y + c) / depth / (0.5 * width) - 1.0,
                         (d * x + e * y + f) / depth / (0.5 * height) - 1.0], axis=-1).unsqueeze(0)
    out = _grid_sampled(batch, grid, interpolation, fill)
    return out.squeeze(0) if img.ndim == 3 else out


def _affine_grid(matrix, picture, frame):
    """Sampling positions for grid_sample, [1, height, width, 2]; pixels are counted from the middle."""
    import paddle
    x = (paddle.arange(frame[0], dtype="float32") + (0.5 - frame[0] * 0.5)).reshape([1, frame[0]])
    y = (paddle.arange(frame[1], dtype="float32") + (0.5 - frame[1] * 0.5)).reshape([frame[1], 1])
    a, b, c, d, e, f = (float(value) for value in matrix)
    return paddle.stack([(a * x + b * y + c) / (0.5 * picture[0]), (d * x + e * y + f) / (0.5 * picture[1])],
                        axis=-1).unsqueeze(0)


def _grid_sampled(batch, grid, interpolation, fill):
    """Sampled images; ``fill`` (a number or one per channel) stands for what is outside."""
    import paddle

    if batch.shape[0] > 1:
        grid = grid.expand([batch.shape[0], *grid.shape[1:]])
    inside = paddle.ones([batch.shape[0], 1, *batch.shape[2:]], dtype=batch.dtype)
    sampled = F.grid_sample(paddle.concat([batch, inside], axis=1), grid, mode=interpolation, padding_mode="zeros",
                            align_corners=False)
    pixels, inside = sampled[:, :-1], sampled[:, -1:]
    if interpolation == "nearest":
        inside = (inside >= 0.5).astype(pixels.dtype)
    values = [float(fill)] if isinstance(fill, numbers.Number) else [float(value) for value in fill]
    fill = paddle.to_tensor(values, dtype=pixels.dtype).reshape([1, len(values), 1, 1])
    return pixels * inside + fill * (1.0 - inside)
