"""Loading and cropping pictures, as the readers of fluid programs do. In 2.x: paddle.vision.transforms.

Pictures are arrays [height, width, 3] with the channels in the order blue, green, red, or [height, width] in grey.
"""

import io
import os
from collections.abc import Sequence

import numpy as np

__all__ = ["center_crop", "left_right_flip", "load_and_transform", "load_image", "load_image_bytes", "random_crop",
           "resize_short", "simple_transform", "to_chw"]


def load_image_bytes(bytes: bytes, is_color: bool = True) -> np.ndarray:
    """Decodes a picture from the bytes of its file."""
    picture = _pillow().open(io.BytesIO(bytes))
    return np.array(picture.convert("RGB"))[:, :, ::-1] if is_color else np.array(picture.convert("L"))


def load_image(file: str | os.PathLike, is_color: bool = True) -> np.ndarray:
    """Loads a picture from a file."""
    with open(file, "rb") as source:
        return load_image_bytes(source.read(), is_color)


def resize_short(im: np.ndarray, size: int) -> np.ndarray:
    """Resizes so that the shorter side becomes `size`, keeping the proportions (cubic interpolation)."""
    height, width = im.shape[:2]
    if height > width:
        new = (size, size * height // width)
    else:
        new = (size * width // height, size)
    pillow = _pillow()
    return np.array(pillow.fromarray(np.ascontiguousarray(im)).resize(new, pillow.Resampling.BICUBIC))


def to_chw(im: np.ndarray, order: Sequence[int] = (2, 0, 1)) -> np.ndarray:
    """Puts the axes into another order; channels first by default."""
    if len(order) != im.ndim:
        raise ValueError(f"to_chw(): order {tuple(order)} doesn't fit a picture of shape {list(im.shape)}")
    return im.transpose(order)


def center_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """The square of `size` in the middle."""
    height, width = _room("center_crop", im, size)
    return _cut(im, height // 2, width // 2, size)


def random_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """A square of `size` anywhere; the place comes from NumPy's global random state."""
    height, width = _room("random_crop", im, size)
    return _cut(im, np.random.randint(height + 1), np.random.randint(width + 1), size)


def left_right_flip(im: np.ndarray, is_color: bool = True) -> np.ndarray:
    """The mirror image."""
    return im[:, ::-1]


def simple_transform(im: np.ndarray, resize_size: int, crop_size: int, is_train: bool, is_color: bool = True,
                     mean=None) -> np.ndarray:
    """Resizes, crops (at random and sometimes mirrored when training), puts channels first, subtracts `mean`.

    `mean` is one number per channel or an array of the result's shape.
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color)
    if im.ndim == 3:
        im = to_chw(im)
    im = im.astype(np.float32)
    if mean is not None:
        mean = np.asarray(mean, np.float32)
        im -= mean[:, None, None] if mean.ndim == 1 and im.ndim == 3 else mean
    return im


def load_and_transform(filename: str | os.PathLike, resize_size: int, crop_size: int, is_train: bool,
                       is_color: bool = True, mean=None) -> np.ndarray:
    """Loads a picture and puts it through `simple_transform`."""
    return simple_transform(load_image(filename, is_color), resize_size, crop_size, is_train, is_color, mean)


def _room(function: str, im: np.ndarray, size: int) -> tuple[int, int]:
    height, width = im.shape[:2]
    if not 0 < size <= min(height, width):
        raise ValueError(f"{function}(): size must be from 1 to {min(height, width)} here, got {size}")
    return height - size, width - size


def _cut(im: np.ndarray, top: int, left: int, size: int) -> np.ndarray:
    return im[top:top + size, left:left + size]


def _pillow():
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("paddle.dataset.image needs the package 'pillow': pip install 'dygraph[vision]'") from error
    return Image
