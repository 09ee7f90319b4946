"""Transforms as functions, for PIL images, arrays and Tensors alike."""

import numbers
import sys

import numpy as np

from ...core.docstrings import documented_like
from ...core.errors import check_choice, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from . import functional_cv2, functional_pil, functional_tensor
from .arguments import affine_matrix, pair, perspective_coefficients

__all__ = ["adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation", "affine", "center_crop", "crop",
           "erase", "hflip", "normalize", "pad", "perspective", "resize", "rotate", "to_grayscale", "to_tensor",
           "vflip"]


def is_pil(img):
    """Is it a PIL image? Pillow is not imported to find out: whoever has such an image has imported it."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(img, module.Image)


def is_tensor(img):
    return isinstance(img, (Tensor, Symbolic))


def _is_numpy(img):
    return isinstance(img, np.ndarray) and img.ndim in (2, 3)


_is_pil_image, _is_tensor_image, _is_numpy_image = is_pil, is_tensor, _is_numpy  # as packages import them


def backend_of(img, function):
    """The module with the transforms of this kind of image."""
    if _is_numpy_image(img):
        return functional_cv2
    if is_pil(img):
        return functional_pil
    if is_tensor(img) and len(img.shape) in (3, 4):
        return functional_tensor
    raise TypeError(f"{function}(): img must be a PIL image, an array with 2 or 3 dimensions or a Tensor with 3 or 4, "
                    f"got {describe(img)}")


def image_size(img):
    """(width, height) of an image of any kind."""
    return backend_of(img, "image_size").size(img)


def _checked(backend, interpolation, function):
    check_choice(interpolation, backend.INTERPOLATIONS, function, "interpolation")
    return interpolation


def to_tensor(pic, data_format="CHW"):
    """An image as a Tensor: PIL images and 8-bit arrays as float32 between 0 and 1, other arrays as they are.

    Args:
        pic: a PIL image, an array [height, width(, channels)], or a Tensor.
        data_format: 'CHW' or 'HWC'.

    >>> paddle.vision.transforms.to_tensor(np.full([2, 3], 255, 'uint8')).shape
    [1, 2, 3]
    """
    check_choice(data_format, ("CHW", "HWC"), "to_tensor", "data_format")
    return backend_of(pic, "to_tensor").to_tensor(pic, data_format)


def resize(img, size, interpolation="bilinear"):
    """An image in another size.

    Args:
        img: a PIL image, array or Tensor.
        size: (height, width), or one number for the shorter side, the other in proportion.
        interpolation: 'nearest', 'bilinear' or 'bicubic'; 'lanczos' for PIL images and arrays, 'box' and 'hamming' for
            PIL images, 'area' for arrays and Tensors.

    >>> paddle.vision.transforms.resize(np.zeros([20, 10, 3], 'uint8'), 5).shape
    (10, 5, 3)
    """
    backend = backend_of(img, "resize")
    if not isinstance(size, numbers.Integral) and not (hasattr(size, "__len__") and len(size) == 2):
        raise TypeError(f"resize(): size must be an int or a pair, got {size!r}")
    return backend.resize(img, size, _checked(backend, interpolation, "resize"))


def pad(img, padding, fill=0, padding_mode="constant"):
    """An image with a border around it.

    Args:
        img: a PIL image, array or Tensor.
        padding: its width: one number, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the value of a constant border; a tuple for one value per channel. A single number is the first
            channel's, the others get 0, as OpenCV and Pillow have it; in a Tensor it is every channel's.
        padding_mode: 'constant'; 'edge' repeats the last pixel, 'reflect' mirrors without it, 'symmetric' with it.

    >>> paddle.vision.transforms.pad(np.ones([2, 2], 'uint8'), 1).tolist()
    [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    """
    backend = backend_of(img, "pad")
    check_choice(padding_mode, ("constant", "edge", "reflect", "symmetric"), "pad", "padding_mode")
    if not isinstance(fill, (numbers.Number, str, list, tuple)):
        raise TypeError(f"pad(): fill must be a number, a list or a tuple, got {describe(fill)}")
    return backend.pad(img, padding, fill, padding_mode)


def crop(img, top, left, height, width):
    """The part of an image that starts at (top, left).

    >>> paddle.vision.transforms.crop(np.arange(9).reshape(3, 3), 1, 1, 2, 2).tolist()
    [[4, 5], [7, 8]]
    """
    return backend_of(img, "crop").crop(img, top, left, height, width)


def center_crop(img, output_size):
    """The middle of an image; ``output_size`` is (height, width) or one number for both.

    >>> paddle.vision.transforms.center_crop(np.arange(9).reshape(3, 3), 1).tolist()
    [[4]]
    """
    height, width = pair(output_size, "center_crop", "output_size")
    across, down = image_size(img)
    return crop(img, int(round((down - height) / 2.0)), int(round((across - width) / 2.0)), height, width)


def hflip(img):
    """An image with left and right exchanged.

    >>> paddle.vision.transforms.hflip(np.array([[1, 2]])).tolist()
    [[2, 1]]
    """
    return backend_of(img, "hflip").hflip(img)


def vflip(img):
    """An image with top and bottom exchanged.

    >>> paddle.vision.transforms.vflip(np.array([[1], [2]])).tolist()
    [[2], [1]]
    """
    return backend_of(img, "vflip").vflip(img)


def _factor(value, function, name):
    if not isinstance(value, numbers.Number) or value < 0:
        raise ValueError(f"{function}(): {name} must be a number of at least 0, got {value!r}")
    return value


def adjust_brightness(img, brightness_factor):
    """An image made brighter (factor above 1) or darker (below); 0 gives black, 1 the same image."""
    _factor(brightness_factor, "adjust_brightness", "brightness_factor")
    return backend_of(img, "adjust_brightness").adjust_brightness(img, brightness_factor)


def adjust_contrast(img, contrast_factor):
    """An image with more contrast (factor above 1) or less (below); 0 gives plain gray, 1 the same image."""
    _factor(contrast_factor, "adjust_contrast", "contrast_factor")
    return backend_of(img, "adjust_contrast").adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """An image with stronger colours (factor above 1) or weaker ones (below); 0 gives gray, 1 the same image.

    For arrays, as in Paddle, the strength is drawn from ``numpy.random`` between 1 - factor and 1 + factor.
    """
    _factor(saturation_factor, "adjust_saturation", "saturation_factor")
    return backend_of(img, "adjust_saturation").adjust_saturation(img, saturation_factor)


def adjust_hue(img, hue_factor):
    """An image with its colours turned around the colour circle; ``hue_factor`` is a part of it in [-0.5, 0.5].

    Arrays are taken as blue, green, red.
    """
    if not isinstance(hue_factor, numbers.Number) or not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"adjust_hue(): hue_factor must be in [-0.5, 0.5], got {hue_factor!r}")
    return backend_of(img, "adjust_hue").adjust_hue(img, hue_factor)


def affine(img, angle, translate, scale, shear, interpolation="nearest", fill=0, center=None):
    """An image turned, moved, scaled and sheared, in its old frame.

    For arrays, as in Paddle, the turn is about the corner of the image, and counter-clockwise.

    Args:
        img: a PIL image, array or Tensor.
        angle: degrees, clockwise.
        translate: pixels to the right and down.
        scale: factor, above 0.
        shear: degrees along x, or a pair for x and y.
        interpolation: 'nearest', 'bilinear' or 'bicubic' (not for Tensors).
        fill: what stands outside the image; a tuple for one value per channel.
        center: (x, y) that stays where it is; None is the middle of the image.
    """
    backend = backend_of(img, "affine")
    if not isinstance(angle, numbers.Number):
        raise TypeError(f"affine(): angle must be a number, got {angle!r}")
    if not isinstance(translate, (list, tuple)) or len(translate) != 2:
        raise TypeError(f"affine(): translate must be a pair, got {translate!r}")
    if not isinstance(scale, numbers.Number) or scale <= 0:
        raise ValueError(f"affine(): scale must be above 0, got {scale!r}")
    if not isinstance(shear, (numbers.Number, list, tuple)):
        raise TypeError(f"affine(): shear must be a number or a pair, got {shear!r}")
    shear = [shear, 0.0] if isinstance(shear, numbers.Number) else list(shear) * (2 if len(shear) == 1 else 1)
    if len(shear) != 2:
        raise ValueError(f"affine(): shear must be a number or a pair, got {shear!r}")
    if center is not None and not isinstance(center, (list, tuple)):
        raise TypeError(f"affine(): center must be a pair, got {center!r}")
    _checked(backend, interpolation, "affine")
    width, height = backend.size(img)
    if backend is functional_cv2:
        center = (height * 0.5, width * 0.5) if center is None else center
        return backend.affine(img, angle, translate, scale, shear, interpolation, fill, center)
    if backend is functional_pil:
        center = (width * 0.5, height * 0.5) if center is None else center
    else:  # Tensors count from the middle; Paddle exchanges the sides here, which shows when they differ
        center = (0.0, 0.0) if center is None else (center[0] - height * 0.5, center[1] - width * 0.5)
    return backend.affine(img, affine_matrix(center, angle, translate, scale, shear), interpolation, fill)


@documented_like(affine)
def rotate(img, angle, interpolation="nearest", expand=False, center=None, fill=0):
    """An image turned counter-clockwise.

    Args:
        angle: degrees.
        expand: make the frame large enough for the whole turned image.
        center: (x, y) to turn about; None is the middle.
    """
    backend = backend_of(img, "rotate")
    return backend.rotate(img, angle, _checked(backend, interpolation, "rotate"), expand, center, fill)


@documented_like(affine)
def perspective(img, startpoints, endpoints, interpolation="nearest", fill=0):
    """An image seen from another point: four points of it, (x, y) each, come to lie on four others.

    Args:
        startpoints: four points of the image.
        endpoints: where they come to lie.
    """
    backend = backend_of(img, "perspective")
    for name, points in (("startpoints", startpoints), ("endpoints", endpoints)):
        if len(points) != 4 or any(len(point) != 2 for point in points):
            raise ValueError(f"perspective(): {name} must be four points (x, y), got {points!r}")
    _checked(backend, interpolation, "perspective")
    if backend is functional_cv2:
        return backend.perspective(img, startpoints, endpoints, interpolation, fill)
    return backend.perspective(img, perspective_coefficients(startpoints, endpoints), interpolation, fill)


def to_grayscale(img, num_output_channels=1):
    """An image without colours, in one channel or in three equal ones; arrays are taken as red, green, blue."""
    check_choice(num_output_channels, (1, 3), "to_grayscale", "num_output_channels")
    return backend_of(img, "to_grayscale").to_grayscale(img, num_output_channels)


def normalize(img, mean, std, data_format="CHW", to_rgb=False):
    """(img - mean) / std, channel by channel.

    Args:
        img: a PIL image (becomes an array), array or Tensor.
        mean: one number per channel.
        std: one number per channel.
        data_format: where the channels are: 'CHW' or 'HWC'.
        to_rgb: reverse the last axis of an array or PIL image first (blue, green, red becomes red, green, blue in 'HWC'); as in
            Paddle, channels of Tensors stay where they are.
    """
    check_choice(data_format, ("CHW", "HWC"), "normalize", "data_format")
    if is_tensor(img):
        return functional_tensor.normalize(img, mean, std, data_format)
    if is_pil(img):
        img = np.asarray(img, "float32")
    if not isinstance(img, np.ndarray):
        raise TypeError(f"normalize(): img must be a PIL image, an array or a Tensor, got {describe(img)}")
    return functional_cv2.normalize(img, mean, std, data_format, to_rgb)


def erase(img, i, j, h, w, v, inplace=False):
    """An image with the rectangle of height h and width w at row i, column j replaced by v.

    Args:
        img: a PIL image, array or Tensor.
        i, j, h, w: the rectangle.
        v: its new content, or a value per channel that broadcasts to it.
        inplace: change the image itself.
    """
    return backend_of(img, "erase").erase(img, i, j, h, w, v, inplace)
