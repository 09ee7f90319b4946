"""Datasets of alpha's hapi."""

import numpy as np

from ...vision import datasets, image_load

__all__ = ["MNIST", "DatasetFolder", "ImageFolder"]


class MNIST(datasets.MNIST):
    """Handwritten digits as float32 from -1 to 1 (2.0 alpha; successor: paddle.vision.datasets.MNIST).

    Args:
        image_path, label_path (str or None): files; None looks into the cache folder and downloads if need be.
        chw_format (bool): pictures are [1, 28, 28] instead of [28, 28].
        mode (str): 'train' or 'test'.
        transform (callable or None): called with each picture.
        download (bool): False never downloads.
    """

    def __init__(self, image_path=None, label_path=None, chw_format=True, mode="train", transform=None, download=True):
        super().__init__(image_path, label_path, mode, transform, download, backend="cv2")
        self.chw_format = chw_format
        self.images = self.images.reshape(len(self.images), -1).astype("float32") / np.float32(255) * 2 - 1

    def gather(self, indices):
        """Samples are taken one by one, as a derived class may change them."""
        return NotImplemented

    def __getitem__(self, index):
        image = self.images[index].reshape([1, 28, 28] if self.chw_format else [28, 28])
        return image if self.transform is None else self.transform(image), self.labels[index]


def _blue_green_red(path):
    """A picture as an array [height, width, 3] in OpenCV's order of colours."""
    return np.asarray(image_load(path, backend="pil").convert("RGB"))[..., ::-1]


class DatasetFolder(datasets.DatasetFolder):
    """Pictures in folders named after their classes, as arrays of blue, green and red (2.0 alpha; successor:
    paddle.vision.datasets.DatasetFolder)."""

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        super().__init__(root, loader or _blue_green_red, extensions, transform, is_valid_file)


class ImageFolder(datasets.ImageFolder):
    """Pictures of a folder, as arrays of blue, green and red (2.0 alpha; successor: paddle.vision.datasets.ImageFolder)."""

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        super().__init__(root, loader or _blue_green_red, extensions, transform, is_valid_file)
