"""Which library images are read with."""

import functools

import numpy as np

from ..core.tensor import wrap

__all__ = ["get_image_backend", "image_load", "set_image_backend"]

_BACKENDS = ("pil", "cv2", "tensor")
_backend = "pil"


def set_image_backend(backend):
    """Choose the form in which datasets and ``image_load`` give images.

    Args:
        backend: 'pil' for PIL images, 'cv2' for arrays [height, width, channels], 'tensor' for Tensors of that shape.

    >>> paddle.vision.set_image_backend('pil')
    """
    global _backend
    _backend = checked_backend(backend, _BACKENDS, "set_image_backend")


def get_image_backend():
    """The form in which datasets and ``image_load`` give images.

    >>> paddle.vision.get_image_backend()
    'pil'
    """
    return _backend


def image_load(path, backend=None):
    """Read an image from a file.

    Args:
        path: the file.
        backend: 'pil' gives a PIL image, 'cv2' a uint8 array [height, width, 3] in the order blue, green, red (as
            OpenCV's imread does), 'tensor' a uint8 Tensor [height, width, 3] in the order red, green, blue. None takes
            what ``set_image_backend`` chose.
    """
    backend = checked_backend(backend, _BACKENDS, "image_load")
    if backend == "pil":
        return pillow().open(path)
    with pillow().open(path) as picture:
        pixels = np.array(picture.convert("RGB"))
    if backend == "cv2":
        return np.ascontiguousarray(pixels[:, :, ::-1])
    return wrap(pixels)


def checked_backend(backend, allowed, function):
    """A ``backend`` argument (None: the chosen one), if it is one of those allowed."""
    if backend is None:
        backend = _backend
    if backend not in allowed:
        raise ValueError(f"{function}(): backend must be one of {list(allowed)}, got {backend!r}")
    return backend


def shown(pixels, transform):
    """What a dataset with the backend 'pil' gives of uint8 pixels: a PIL image, after the transform if there is one. Without Pillow
    transforms get the array [height, width, channels] itself."""
    if transform is not None and not _has_pillow():
        return transform(pixels if pixels.ndim == 3 else pixels[:, :, None])
    image = pillow().fromarray(pixels)
    return image if transform is None else transform(image)


@functools.cache
def _has_pillow():
    try:
        pillow()
    except ImportError:
        return False
    return True


def pillow():
    """The module PIL.Image; an ImportError that says how to get it where it is missing."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("PIL pictures need Pillow: pip install 'dygraph[vision]'") from error
    return Image
