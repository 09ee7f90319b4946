"""Transforms of pictures of alpha's hapi: arrays [height, width, 3] of blue, green and red; numpy.random decides."""

import math
import random

import numpy as np

from ...vision.transforms import colorspace, functional_cv2, resample

__all__ = ["Compose", "BatchCompose", "Resize", "RandomResizedCrop", "CenterCropResize", "CenterCrop", "RandomHorizontalFlip",
           "RandomVerticalFlip", "Permute", "Normalize", "GaussianNoise", "BrightnessTransform", "SaturationTransform",
           "ContrastTransform", "HueTransform", "ColorJitter", "flip", "resize"]

_KINDS = {0: "nearest", 1: "bilinear", 2: "bicubic", 3: "area", 4: "lanczos"}  # OpenCV's numbers


def flip(image, code):
    """Upside down for 0, left to right for 1, both for -1 (2.0 alpha; successor: paddle.vision.transforms.hflip, vflip)."""
    return np.ascontiguousarray(image[::1 if code > 0 else -1, ::1 if code == 0 else -1])


def resize(img, size, interpolation=1):
    """A picture of size (height, width), or whose shorter side is ``size``; ``interpolation`` is OpenCV's number, or a list of
    which one is drawn (2.0 alpha; successor: paddle.vision.transforms.resize)."""
    if isinstance(interpolation, (list, tuple)):
        interpolation = random.choice(interpolation)
    if interpolation not in _KINDS:
        raise ValueError(f"resize(): interpolation must be a number of OpenCV, {sorted(_KINDS)}, got {interpolation!r}")
    if isinstance(size, int):
        h, w = img.shape[:2]
        if min(h, w) == size:
            return img
        size = (int(size * h / w), size) if w < h else (size, int(size * w / h))
    if min(size) < 1:
        raise ValueError(f"resize(): sizes must be positive, got {tuple(size)}")
    return resample.resize(img, size[0], size[1], _KINDS[interpolation])


def _pair(size):
    return (size, size) if isinstance(size, int) else tuple(size)


class Compose:
    """Transforms one after the other; a sample of several parts is passed as several arguments
    (2.0 alpha; successor: paddle.vision.transforms.Compose)."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, *data):
        for transform in self.transforms:
            data = transform(*data) if isinstance(data, (list, tuple)) else transform(data)
        return data

    def __repr__(self):
        return "\n".join([f"{type(self).__name__}(", *(f"    {t}" for t in self.transforms), ")"])


class BatchCompose:
    """Transforms of a whole batch, whose samples are then joined part by part (2.0 alpha; successor: collate_fn)."""

    def __init__(self, transforms=()):
        self.transforms = transforms

    def __call__(self, data):
        for transform in self.transforms:
            data = transform(data)
        return list(zip(*data))


class Resize:
    """``resize`` with fixed arguments (2.0 alpha; successor: paddle.vision.transforms.Resize)."""

    def __init__(self, size, interpolation=1):
        self.size, self.interpolation = size if isinstance(size, int) else _pair(size), interpolation

    def __call__(self, img):
        return resize(img, self.size, self.interpolation)


class RandomResizedCrop:
    """A part of random size and place, resized (2.0 alpha; successor: paddle.vision.transforms.RandomResizedCrop)."""

    def __init__(self, output_size, scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3), interpolation=1):
        if scale[0] > scale[1] or ratio[0] > ratio[1]:
            raise ValueError(f"RandomResizedCrop(): scale and ratio must be (smallest, largest), got {scale} and {ratio}")
        self.output_size, self.scale, self.ratio, self.interpolation = _pair(output_size), scale, ratio, interpolation

    def _get_params(self, image, attempts=10):
        """(left, top, width, height) of the part."""
        height, width = image.shape[:2]
        for _ in range(attempts):
            area = np.random.uniform(*self.scale) * height * width
            ratio = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            w, h = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            if 0 < w <= width and 0 < h <= height:
                x = np.random.randint(0, width - w + 1)
                return x, np.random.randint(0, height - h + 1), w, h
        w = min(width, int(round(height * max(self.ratio))))
        h = min(height, int(round(width / min(self.ratio))))
        return (width - w) // 2, (height - h) // 2, w, h

    def __call__(self, img):
        x, y, w, h = self._get_params(img)
        return resize(img[y:y + h, x:x + w], self.output_size, self.interpolation)


class CenterCropResize:
    """The middle, resized: a square whose side is the shorter one times size / (size + crop_padding)
    (2.0 alpha; successor: none, crop and resize)."""

    def __init__(self, size, crop_padding=32, interpolation=1):
        self.size, self.crop_padding, self.interpolation = _pair(size), crop_padding, interpolation

    def _get_params(self, img):
        """(side, top, left) of the square."""
        h, w = img.shape[:2]
        side = int(min(self.size) / (min(self.size) + self.crop_padding) * min(h, w))
        return side, (h + 1 - side) // 2, (w + 1 - side) // 2

    def __call__(self, img):
        side, top, left = self._get_params(img)
        return resize(img[top:top + side, left:left + side], self.size, self.interpolation)


class CenterCrop:
    """The middle of a picture that is large enough (2.0 alpha; successor: paddle.vision.transforms.CenterCrop)."""

    def __init__(self, output_size):
        self.output_size = _pair(output_size)

    def _get_params(self, img):
        """(left, top) of the part."""
        (h, w), (th, tw) = img.shape[:2], self.output_size
        if th > h or tw > w:
            raise ValueError(f"CenterCrop(): output_size {self.output_size} is larger than the picture, {(h, w)}")
        return int(round((w - tw) / 2.0)), int(round((h - th) / 2.0))

    def __call__(self, img):
        x, y = self._get_params(img)
        return img[y:y + self.output_size[0], x:x + self.output_size[1]]


class RandomHorizontalFlip:
    """Left to right, with a probability (2.0 alpha; successor: paddle.vision.transforms.RandomHorizontalFlip)."""

    _code = 1

    def __init__(self, prob=0.5):
        self.prob = prob

    def __call__(self, img):
        return flip(img, self._code) if np.random.random() < self.prob else img


class RandomVerticalFlip(RandomHorizontalFlip):
    """Upside down, with a probability (2.0 alpha; successor: paddle.vision.transforms.RandomVerticalFlip)."""

    _code = 0


class Normalize:
    """(x - mean) / std by channels, of pictures [channels, height, width] (2.0 alpha; successor:
    paddle.vision.transforms.Normalize)."""

    def __init__(self, mean=0.0, std=1.0):
        self.mean, self.std = (np.array([value] * 3 if isinstance(value, (int, float)) else value, "float32").reshape(-1, 1, 1)
                               for value in (mean, std))

    def __call__(self, img):
        return (img - self.mean) / self.std


class Permute:
    """[height, width, channels] as [channels, height, width], with ``to_rgb`` in the other order of colours
    (2.0 alpha; successor: paddle.vision.transforms.Transpose)."""

    def __init__(self, mode="CHW", to_rgb=True):
        if mode != "CHW":
            raise ValueError(f"Permute(): mode must be 'CHW', got {mode!r}")
        self.mode, self.to_rgb = mode, to_rgb

    def __call__(self, img):
        return (img[..., ::-1] if self.to_rgb else img).transpose(2, 0, 1)


class GaussianNoise:
    """Adds 255 times normal numbers (2.0 alpha; successor: none)."""

    def __init__(self, mean=0.0, std=1.0):
        self.mean, self.std = np.float32(mean), np.float32(std)

    def __call__(self, img):
        noise = np.random.normal(self.mean, self.std, img.shape) * 255
        return np.clip(img + noise.astype("float32"), 0, 255).astype(img.dtype)


class _Change:
    """A change of random strength; ``value`` is its range, 0 changes nothing."""

    def __init__(self, value):
        if value < 0:
            raise ValueError(f"{type(self).__name__}(): value must not be negative, got {value}")
        self.value = value

    def __call__(self, img):
        if self.value == 0:
            return img
        share = np.random.uniform(max(0, 1 - self.value), 1 + self.value)
        pixels = img.astype("float32")
        return (pixels * share + self._towards(pixels) * (1 - share)).clip(0, 255).astype(img.dtype)


class BrightnessTransform(_Change):
    """Lighter or darker (2.0 alpha; successor: paddle.vision.transforms.BrightnessTransform)."""

    def _towards(self, pixels):
        return np.float32(0)


class ContrastTransform(_Change):
    """More or less contrast about the mean of the grays (2.0 alpha; successor: paddle.vision.transforms.ContrastTransform)."""

    def _towards(self, pixels):
        return colorspace.gray(pixels, red=2).mean()


class SaturationTransform(_Change):
    """More or less colour (2.0 alpha; successor: paddle.vision.transforms.SaturationTransform)."""

    def _towards(self, pixels):
        return colorspace.gray(pixels, red=2)[..., None]


class HueTransform(_Change):
    """Other colours: the hue is turned by up to ``value``, at most 0.5 (2.0 alpha; successor:
    paddle.vision.transforms.HueTransform)."""

    def __init__(self, value):
        if value > 0.5:
            raise ValueError(f"HueTransform(): value must lie between 0 and 0.5, got {value}")
        super().__init__(value)

    def __call__(self, img):
        return img if self.value == 0 else functional_cv2.adjust_hue(img, np.random.uniform(-self.value, self.value))


class ColorJitter:
    """Brightness, contrast, saturation and hue in an order that is drawn once (2.0 alpha; successor:
    paddle.vision.transforms.ColorJitter)."""

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        made = [kind(value) for kind, value in ((BrightnessTransform, brightness), (ContrastTransform, contrast),
                                                (SaturationTransform, saturation), (HueTransform, hue)) if value != 0]
        random.shuffle(made)
        self.transforms = Compose(made)

    def __call__(self, img):
        return self.transforms(img)
