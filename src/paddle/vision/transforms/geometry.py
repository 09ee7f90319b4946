"""Transforms of the shape of images: sizes, parts, turns."""

import math
import numbers
import random
from collections.abc import Sequence

import numpy as np

from ...core.docstrings import documented_like
from ...core.errors import check_choice
from . import functional as F
from .arguments import border, pair
from .base import BaseTransform, check_probability, check_range, eager, happens

__all__ = ["CenterCrop", "Pad", "RandomAffine", "RandomCrop", "RandomHorizontalFlip", "RandomPerspective",
           "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize"]

_WARPS = ("nearest", "bilinear", "bicubic")


class Resize(BaseTransform):
    """Resizes an image: see ``resize``.

    Args:
        size: (height, width), or one number for the shorter side.
        interpolation: 'nearest', 'bilinear', 'bicubic', … as the kind of image allows.
        keys: see BaseTransform.

    >>> paddle.vision.transforms.Resize((4, 6))(np.zeros([8, 8, 3], 'uint8')).shape
    (4, 6, 3)
    """

    def __init__(self, size, interpolation="bilinear", keys=None):
        super().__init__(keys)
        if not isinstance(size, numbers.Integral):
            pair(size, "Resize")
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, img):
        return F.resize(img, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Takes the middle of an image.

    Args:
        size: (height, width) or one number for both.
        keys: see BaseTransform.

    >>> paddle.vision.transforms.CenterCrop(2)(np.zeros([8, 8, 3], 'uint8')).shape
    (2, 2, 3)
    """

    def __init__(self, size, keys=None):
        super().__init__(keys)
        self.size = pair(size, "CenterCrop")

    def _apply_image(self, img):
        return F.center_crop(img, self.size)


class Pad(BaseTransform):
    """Puts a border around an image: see ``pad``.

    Args:
        padding: one number, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the value of a constant border.
        padding_mode: 'constant', 'edge', 'reflect' or 'symmetric'.
        keys: see BaseTransform.
    """

    def __init__(self, padding, fill=0, padding_mode="constant", keys=None):
        super().__init__(keys)
        border(padding, "Pad")
        check_choice(padding_mode, ("constant", "edge", "reflect", "symmetric"), "Pad", "padding_mode")
        if not isinstance(fill, (numbers.Number, str, list, tuple)):
            raise TypeError(f"Pad(): fill must be a number, a list or a tuple, got {fill!r}")
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class RandomCrop(BaseTransform):
    """Takes a part of an image at a random place.

    Args:
        size: (height, width) or one number for both.
        padding: a border put around first: see ``pad``.
        pad_if_needed: put a border around images that are too small.
        fill: see ``pad``.
        padding_mode: see ``pad``.
        keys: see BaseTransform.
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant", keys=None):
        super().__init__(keys)
        self.size = pair(size, "RandomCrop")
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, img):
        img = eager(img, "RandomCrop")
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        (width, height), (h, w) = F.image_size(img), self.size
        if self.pad_if_needed and width < w:
            img = F.pad(img, (w - width, 0), self.fill, self.padding_mode)
        if self.pad_if_needed and height < h:
            img = F.pad(img, (0, h - height), self.fill, self.padding_mode)
        width, height = F.image_size(img)
        if height < h or width < w:
            raise ValueError(f"RandomCrop: the picture, {height} x {width}, is smaller than size {h} x {w}; "
                             "pad_if_needed=True adds a border")
        if (width, height) == (w, h):
            return img
        return F.crop(img, random.randint(0, height - h), random.randint(0, width - w), h, w)


class RandomResizedCrop(BaseTransform):
    """Takes a part of random size, shape and place, and resizes it.

    Args:
        size: (height, width) of the result, or one number for both.
        scale: range of the part's area as a fraction of the image's.
        ratio: range of its width divided by its height.
        interpolation: see ``resize``.
        keys: see BaseTransform.
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4, 4.0 / 3), interpolation="bilinear", keys=None):
        super().__init__(keys)
        self.size = pair(size, "RandomResizedCrop")
        self.scale = check_range(scale, "RandomResizedCrop", "scale", 0)
        self.ratio = check_range(ratio, "RandomResizedCrop", "ratio", 0)
        self.interpolation = interpolation

    def _part(self, width, height):
        """(top, left, height, width) of a random part."""
        for _ in range(10):
            area = np.random.uniform(*self.scale) * (height * width)
            ratio = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            w, h = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            if 0 < w <= width and 0 < h <= height:
                return random.randint(0, height - h), random.randint(0, width - w), h, w
        w, h = width, height  # no luck: the middle
        if width / height < self.ratio[0]:
            h = int(round(w / self.ratio[0]))
        elif width / height > self.ratio[1]:
            w = int(round(h * self.ratio[1]))
        return (height - h) // 2, (width - w) // 2, h, w

    def _apply_image(self, img):
        part = self._part(*F.image_size(eager(img, "RandomResizedCrop")))
        return F.resize(F.crop(img, *part), self.size, self.interpolation)


class RandomHorizontalFlip(BaseTransform):
    """Exchanges left and right with a probability.

    Args:
        prob: the probability.
        keys: see BaseTransform.

    >>> paddle.vision.transforms.RandomHorizontalFlip(prob=1.0)(np.array([[1, 2]])).tolist()
    [[2, 1]]
    """

    def __init__(self, prob=0.5, keys=None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomHorizontalFlip")

    def _apply_image(self, img):
        return F.hflip(eager(img, "RandomHorizontalFlip")) if happens(self.prob) else img


@documented_like(RandomHorizontalFlip)
class RandomVerticalFlip(BaseTransform):
    """Exchanges top and bottom with a probability.

    >>> paddle.vision.transforms.RandomVerticalFlip(prob=1.0)(np.array([[1], [2]])).tolist()
    [[2], [1]]
    """

    def __init__(self, prob=0.5, keys=None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomVerticalFlip")

    def _apply_image(self, img):
        return F.vflip(eager(img, "RandomVerticalFlip")) if happens(self.prob) else img


def _angles(value, function, name, sizes=(2,)):
    """A range of angles: a number means from -number to number."""
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"{function}(): {name} must not be negative when it is one number, got {value!r}")
        return [-float(value), float(value)]
    if not isinstance(value, Sequence) or len(value) not in sizes:
        raise ValueError(f"{function}(): {name} must be a number or have {' or '.join(map(str, sizes))} numbers, "
                         f"got {value!r}")
    return [float(angle) for angle in value]


class RandomRotation(BaseTransform):
    """Turns an image by a random angle: see ``rotate``.

    Args:
        degrees: range of the angle; a number means from -degrees to degrees.
        interpolation: 'nearest', 'bilinear', 'bicubic', … as the kind of image allows.
        expand: make the frame large enough for the whole turned image.
        center: (x, y) to turn about; None is the middle.
        fill: what stands outside the image.
        keys: see BaseTransform.
    """

    def __init__(self, degrees, interpolation="nearest", expand=False, center=None, fill=0, keys=None):
        super().__init__(keys)
        self.degrees = _angles(degrees, "RandomRotation", "degrees")
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = fill

    def _apply_image(self, img):
        angle = random.uniform(*self.degrees)
        return F.rotate(eager(img, "RandomRotation"), angle, self.interpolation, self.expand, self.center, self.fill)


@documented_like(RandomRotation)
class RandomAffine(BaseTransform):
    """Turns, moves, scales and shears an image at random: see ``affine``.

    Args:
        translate: how far the image may move, as parts of its width and height; None leaves it in place.
        scale: range of the factor; None keeps the size.
        shear: range of the angle along x, or (x from, x to, y from, y to); None does not shear.
        interpolation: 'nearest', 'bilinear' or 'bicubic'.
        center: (x, y) that stays where it is; None is the middle.
    """

    def __init__(self, degrees, translate=None, scale=None, shear=None, interpolation="nearest", fill=0, center=None,
                 keys=None):
        super().__init__(keys)
        self.degrees = _angles(degrees, "RandomAffine", "degrees")
        check_choice(interpolation, _WARPS, "RandomAffine", "interpolation")
        if translate is not None and (len(translate) != 2 or not all(0 <= part <= 1 for part in translate)):
            raise ValueError(f"RandomAffine(): translate must be two numbers in [0, 1], got {translate!r}")
        if scale is not None and (len(scale) != 2 or min(scale) <= 0):
            raise ValueError(f"RandomAffine(): scale must be two numbers above 0, got {scale!r}")
        if fill is not None and not isinstance(fill, (Sequence, numbers.Number)):
            raise TypeError(f"RandomAffine(): fill must be a number, a list or a tuple, got {fill!r}")
        if center is not None and len(center) != 2:
            raise ValueError(f"RandomAffine(): center must be a pair, got {center!r}")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else _angles(shear, "RandomAffine", "shear", (2, 4))
        self.interpolation = interpolation
        self.fill = 0 if fill is None else fill
        self.center = center

    def _apply_image(self, img):
        size = F.image_size(eager(img, "RandomAffine"))
        angle = random.uniform(*self.degrees)
        translate, scale, shear = (0, 0), 1.0, [0.0, 0.0]
        if self.translate is not None:
            translate = tuple(int(random.uniform(-float(part * side), float(part * side)))
                              for part, side in zip(self.translate, size))
        if self.scale is not None:
            scale = random.uniform(*self.scale)
        if self.shear is not None:
            shear[0] = random.uniform(*self.shear[:2])
            if len(self.shear) == 4:
                shear[1] = random.uniform(*self.shear[2:])
        return F.affine(img, angle, translate, scale, shear, self.interpolation, self.fill, self.center)


@documented_like(RandomAffine)
class RandomPerspective(BaseTransform):
    """Moves the corners of an image at random, as if it was seen from another point: see ``perspective``.

    Args:
        prob: the probability that it happens.
        distortion_scale: how far corners may move, as a part of half the image's sides; 0 to 1.
    """

    def __init__(self, prob=0.5, distortion_scale=0.5, interpolation="nearest", fill=0, keys=None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomPerspective")
        self.distortion_scale = check_probability(distortion_scale, "RandomPerspective", "distortion_scale")
        check_choice(interpolation, _WARPS, "RandomPerspective", "interpolation")
        if not isinstance(fill, (numbers.Number, str, list, tuple)):
            raise TypeError(f"RandomPerspective(): fill must be a number, a list or a tuple, got {fill!r}")
        self.interpolation = interpolation
        self.fill = fill

    def get_params(self, width, height, distortion_scale):
        """The corners of an image, and where they go."""
        across, down = (int(distortion_scale * (side // 2)) for side in (width, height))

        def low(limit):
            return int(random.uniform(0, limit + 1))

        def high(limit, side):
            return int(random.uniform(side - limit - 1, side))

        ends = [[low(across), low(down)], [high(across, width), low(down)],
                [high(across, width), high(down, height)], [low(across), high(down, height)]]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends

    def _apply_image(self, img):
        width, height = F.image_size(eager(img, "RandomPerspective"))
        if not happens(self.prob):
            return img
        return F.perspective(img, *self.get_params(width, height, self.distortion_scale), self.interpolation, self.fill)
