"""Transforms of the values of pixels."""

import numbers
import random

import numpy as np

from ...core.docstrings import documented_like
from ...core.errors import check_choice
from . import functional as F
from .base import BaseTransform, Compose, check_probability, check_range, eager, happens

__all__ = ["BrightnessTransform", "ColorJitter", "ContrastTransform", "Grayscale", "HueTransform", "Normalize",
           "RandomErasing", "SaturationTransform", "ToTensor", "Transpose"]


class ToTensor(BaseTransform):
    """Makes a Tensor of an image: see ``to_tensor``.

    Args:
        data_format (str): 'CHW' or 'HWC'.
        keys (list, tuple or None): see BaseTransform.
    Raises:
        ValueError: ``data_format`` is unknown.
        TypeError: the input is not an image.

    >>> paddle.vision.transforms.ToTensor()(np.zeros([4, 5, 3], 'uint8')).shape
    [3, 4, 5]
    """

    def __init__(self, data_format="CHW", keys=None):
        super().__init__(keys)
        check_choice(data_format, ("CHW", "HWC"), "ToTensor", "data_format")
        self.data_format = data_format

    def _apply_image(self, img):
        return F.to_tensor(img, self.data_format)


class Normalize(BaseTransform):
    """(img - mean) / std, channel by channel: see ``normalize``.

    Args:
        mean: one number per channel; a single number is taken for three.
        std: one number per channel; a single number is taken for three.
        data_format: 'CHW' or 'HWC'.
        to_rgb: reverse the last axis of an array first.
        keys: see BaseTransform.

    >>> paddle.vision.transforms.Normalize(mean=[127.5], std=[127.5])(np.full([1, 1], 255, 'float32')).tolist()
    [[[1.0]]]
    """

    def __init__(self, mean=0.0, std=1.0, data_format="CHW", to_rgb=False, keys=None):
        super().__init__(keys)
        check_choice(data_format, ("CHW", "HWC"), "Normalize", "data_format")
        self.mean = [mean] * 3 if isinstance(mean, numbers.Number) else mean
        self.std = [std] * 3 if isinstance(std, numbers.Number) else std
        self.data_format = data_format
        self.to_rgb = to_rgb

    def _apply_image(self, img):
        return F.normalize(img, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Puts the axes of an image into another order; PIL images become arrays.

    Args:
        order: the axes; [height, width, channels] becomes [channels, height, width] by default.
        keys: see BaseTransform.

    >>> paddle.vision.transforms.Transpose()(np.zeros([4, 5, 3])).shape
    (3, 4, 5)
    """

    def __init__(self, order=(2, 0, 1), keys=None):
        super().__init__(keys)
        self.order = order

    def _apply_image(self, img):
        if F.is_tensor(img):
            return img.transpose(list(self.order))
        pixels = np.asarray(img)
        return (pixels[:, :, None] if pixels.ndim == 2 else pixels).transpose(self.order)


class Grayscale(BaseTransform):
    """Takes the colours out of an image: see ``to_grayscale``.

    Args:
        num_output_channels: 1 or 3.
        keys: see BaseTransform.
    """

    def __init__(self, num_output_channels=1, keys=None):
        super().__init__(keys)
        check_choice(num_output_channels, (1, 3), "Grayscale", "num_output_channels")
        self.num_output_channels = num_output_channels

    def _apply_image(self, img):
        return F.to_grayscale(img, self.num_output_channels)


def _check_input(value, name, center=1, bound=(0, float("inf")), clip_first_on_zero=True):
    """The range that a strength is drawn from, or None where nothing would change."""
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"{name}(): value must not be negative, got {value!r}")
        value = [center - value, center + value]
        if clip_first_on_zero:
            value[0] = max(value[0], 0)
    check_range(value, name, "value", *bound)
    return None if value[0] == value[1] == center else value


class _Adjustment(BaseTransform):
    """A random strength for one of the adjust_* functions."""

    adjust = None

    def __init__(self, value, keys=None):
        super().__init__(keys)
        self.value = _check_input(value, type(self).__name__)

    def _apply_image(self, img):
        if self.value is None:
            return img
        return type(self).adjust(eager(img, type(self).__name__), random.uniform(*self.value))


class BrightnessTransform(_Adjustment):
    """Changes the brightness by a random factor.

    Args:
        value: the factor is drawn from [max(0, 1 - value), 1 + value]; or the two ends.
        keys: see BaseTransform.
    """

    adjust = staticmethod(F.adjust_brightness)


@documented_like(BrightnessTransform)
class ContrastTransform(_Adjustment):
    """Changes the contrast by a random factor."""

    adjust = staticmethod(F.adjust_contrast)


@documented_like(BrightnessTransform)
class SaturationTransform(_Adjustment):
    """Changes the strength of colours by a random factor."""

    adjust = staticmethod(F.adjust_saturation)


class HueTransform(_Adjustment):
    """Turns the colours around the colour circle by a random part of it.

    Args:
        value: the part is drawn from [-value, value], at most 0.5; or the two ends.
        keys: see BaseTransform.
    """

    adjust = staticmethod(F.adjust_hue)

    def __init__(self, value, keys=None):
        BaseTransform.__init__(self, keys)
        self.value = _check_input(value, "HueTransform", 0, (-0.5, 0.5), False)


class ColorJitter(BaseTransform):
    """Changes brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness: see BrightnessTransform.
        contrast: see ContrastTransform.
        saturation: see SaturationTransform.
        hue: see HueTransform.
        keys: see BaseTransform.
    """

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0, keys=None):
        super().__init__(keys)
        self.brightness, self.contrast, self.saturation, self.hue = brightness, contrast, saturation, hue
        self._parts = [kind(value, self.keys) for kind, value in (
            (BrightnessTransform, brightness), (ContrastTransform, contrast), (SaturationTransform, saturation),
            (HueTransform, hue)) if value is not None]

    def _apply_image(self, img):
        parts = list(self._parts)
        random.shuffle(parts)
        return Compose([part._apply_image for part in parts])(img)


class RandomErasing(BaseTransform):
    """Erases a random rectangle of an image.

    Args:
        prob: the probability that it happens.
        scale: range of the rectangle's part of the image's area.
        ratio: range of its height divided by its width.
        value: what it is filled with: a number, one per channel, or 'random' for noise.
        inplace: change the image itself.
        keys: see BaseTransform.
    """

    def __init__(self, prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False, keys=None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomErasing")
        self.scale = check_range(scale, "RandomErasing", "scale", 0, 1)
        self.ratio = check_range(ratio, "RandomErasing", "ratio", 0)
        if isinstance(value, str) and value != "random":
            raise ValueError(f"RandomErasing(): value must be 'random' or numbers, got {value!r}")
        if not isinstance(value, (numbers.Number, str, tuple, list)):
            raise TypeError(f"RandomErasing(): value must be a number, a list, a tuple or 'random', got {value!r}")
        if isinstance(value, (tuple, list)) and len(value) not in (1, 3):
            raise ValueError(f"RandomErasing(): value must have 1 or 3 numbers, got {len(value)}")
        self.value = value
        self.inplace = inplace

    def _apply_image(self, img):
        if not happens(self.prob):
            return img
        width, height = F.image_size(eager(img, "RandomErasing"))
        for _ in range(10):
            area = np.random.uniform(*self.scale) * height * width
            ratio = np.exp(np.random.uniform(*np.log(self.ratio)))
            h, w = int(round(np.sqrt(area * ratio))), int(round(np.sqrt(area / ratio)))
            if h < height and w < width:
                content = self._content(img, h, w)
                top, left = np.random.randint(0, height - h + 1), np.random.randint(0, width - w + 1)
                return F.erase(img, top, left, h, w, content, self.inplace)
        return img

    def _content(self, img, h, w):
        """What goes into a rectangle of h x w."""
        if F.is_tensor(img):
            import paddle
            if self.value == "random":
                return paddle.normal(shape=[img.shape[-3], h, w]).astype(img.dtype)
            values = [self.value] if isinstance(self.value, numbers.Number) else list(self.value)
            return paddle.to_tensor(values, dtype=img.dtype).reshape([-1, 1, 1])
        if self.value == "random":
            channels = len(img.getbands()) if F.is_pil(img) else 1 if img.ndim == 2 else img.shape[2]
            return np.random.normal(size=[h, w, channels]) * 255
        return np.atleast_1d(self.value)[None, None, :]
