"""Flowers of 102 kinds."""

import numpy as np

from ...core import dtype as dtypes
from ...dataset import flowers
from ...dataset.common import checked_mode, needed
from ...io import Dataset
from ..image import checked_backend
from .tarred import PictureArchive

__all__ = ["Flowers"]

# The original "test" set is the largest and serves for training.
_SETS = {"train": flowers.TRAIN_FLAG, "test": flowers.TEST_FLAG, "valid": flowers.VALID_FLAG}


class Flowers(Dataset):
    """Pictures of flowers of 102 kinds.

    Sample i is (image, label): the image as a PIL image or, with the backend 'cv2', a float32 array
    [height, width, 3] of values 0 … 255 in the order red, green, blue; the label, 1 … 102, as an int64 array [1].

    Args:
        data_file (str or None): the tar archive of the images; None looks into the cache folder and, if need be, downloads. A
            compressed one is unpacked beside itself.
        label_file (str or None): imagelabels.mat, likewise.
        setid_file (str or None): setid.mat, likewise.
        mode (str): 'train', 'valid' or 'test'.
        transform (callable or None): called with each image.
        download (bool): False never downloads.
        backend (str or None): 'pil' or 'cv2'; None takes what ``paddle.vision.set_image_backend`` chose.
    Raises:
        ValueError: ``mode`` or ``backend`` is unknown.
        FileNotFoundError: a file that was named does not exist.

    >>> len(paddle.vision.datasets.Flowers(mode="test"))  # doctest: +SKIP
    6149
    """

    def __init__(self, data_file=None, label_file=None, setid_file=None, mode="train", transform=None, download=True,
                 backend=None):
        self.mode = checked_mode(mode, tuple(_SETS), "Flowers")
        self.backend = checked_backend(backend, ("pil", "cv2"), "Flowers")

        def found(path, url, md5sum, argument):
            return path or needed(url, "flowers", md5sum, download, "Flowers", argument)

        self.transform = transform
        self.dtype = dtypes.get_default_dtype()
        labels = flowers.labels_of(found(label_file, flowers.LABEL_URL, flowers.LABEL_MD5, "label_file"),
                                   found(setid_file, flowers.SETID_URL, flowers.SETID_MD5, "setid_file"),
                                   _SETS[self.mode])
        self.names = list(labels)
        self.labels = np.array([label + 1 for label in labels.values()], "int64").reshape(-1, 1)
        self.archive = PictureArchive(found(data_file, flowers.DATA_URL, flowers.DATA_MD5, "data_file"))

    def __getitem__(self, idx):
        image, label = self.archive.picture(self.names[idx]), self.labels[idx]
        if self.backend == "cv2":
            image = np.array(image)
        if self.transform is not None:
            image = self.transform(image)
        return (image if self.backend == "pil" else image.astype(self.dtype)), label

    def __len__(self):
        return len(self.names)
