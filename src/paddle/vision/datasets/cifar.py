"""Small colour images of ten or a hundred kinds of things."""

import numpy as np

from ...core import dtype as dtypes
from ...core.docstrings import documented_like
from ...dataset import cifar
from ...dataset.common import checked_mode, needed
from ..image import checked_backend, shown
from .mnist import Labelled

__all__ = ["Cifar10", "Cifar100"]


class Cifar10(Labelled):
    """Colour images, 32 x 32, of ten kinds of things: 50,000 to train with and 10,000 to test with.

    Sample i is (image, label): the image as a PIL image or, with the backend 'cv2', a float32 array [32, 32, 3] of
    values 0 … 255 in the order red, green, blue; the label as an int64 array [].

    Args:
        data_file (str or None): the tar archive of the dataset; None looks into the cache folder and, if need be, downloads.
        mode (str): 'train' or 'test'.
        transform (callable or None): called with each image.
        download (bool): False never downloads.
        backend (str or None): 'pil' or 'cv2'; None takes what ``paddle.vision.set_image_backend`` chose.
    Raises:
        ValueError: ``mode`` or ``backend`` is unknown.
        FileNotFoundError: a file that was named does not exist.

    >>> len(paddle.vision.datasets.Cifar10(mode="test"))  # doctest: +SKIP
    10000
    """

    _SOURCE = cifar.CIFAR10_URL, cifar.CIFAR10_MD5
    _FLAGS = {"train": "data_batch", "test": "test_batch"}

    def __init__(self, data_file=None, mode="train", transform=None, download=True, backend=None):
        name = type(self).__name__
        self.mode = checked_mode(mode, ("train", "test"), name)
        self.backend = checked_backend(backend, ("pil", "cv2"), name)
        self.flag = self._FLAGS[self.mode]
        url, md5sum = self._SOURCE
        self.data_file = data_file or needed(url, "cifar", md5sum, download, name, "data_file")
        self.transform = transform
        self.dtype = dtypes.get_default_dtype()
        batches = list(cifar.read_batches(self.data_file, self.flag, by_name=True))
        flat = np.concatenate([images for images, _ in batches])
        if flat.shape[1] != 3 * 32 * 32:
            raise ValueError(f"{name}(): {self.data_file} has pictures of {flat.shape[1]} bytes instead of 3072")
        self.images = np.ascontiguousarray(flat.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        self.labels = np.concatenate([np.asarray(labels, "int64") for _, labels in batches])

    def __getitem__(self, idx):
        image, label = self.images[idx], np.array(self.labels[idx])
        if self.backend == "pil":
            return shown(image, self.transform), label
        return (image if self.transform is None else self.transform(image)).astype(self.dtype), label


@documented_like(Cifar10)
class Cifar100(Cifar10):
    """Colour images, 32 x 32, of a hundred kinds of things: 50,000 to train with and 10,000 to test with.

    >>> len(paddle.vision.datasets.Cifar100(mode="test"))  # doctest: +SKIP
    10000
    """

    _SOURCE = cifar.CIFAR100_URL, cifar.CIFAR100_MD5
    _FLAGS = {"train": "train", "test": "test"}
