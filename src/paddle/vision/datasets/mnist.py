"""Handwritten digits (MNIST) and pieces of clothing (Fashion-MNIST)."""


from ...core import dtype as dtypes
from ...dataset import mnist
from ...dataset.common import checked_mode, needed
from ...dataset.idx import read_idx
from ...io import Dataset
from ..image import checked_backend, shown

__all__ = ["FashionMNIST", "MNIST"]


class Labelled(Dataset):
    """``images`` in memory with ``labels``."""

    def gather(self, indices):
        """The collated batch of these samples in one go, where that is possible (see ``paddle.io``)."""
        if self.backend == "pil" or self.transform is not None:
            return NotImplemented
        return [self.images[indices].astype(self.dtype), self.labels[indices]]

    def __len__(self):
        return len(self.labels)


class MNIST(Labelled):
    """Handwritten digits, 28 x 28: 60,000 to train with and 10,000 to test with.

    Sample i is (image, label): the image as a PIL image in gray or, with the backend 'cv2', a float32 array [28, 28]
    of values 0 … 255; the label as an int64 array [1].

    Args:
        image_path (str or None): an IDX file of images, gzipped or not; None looks into the cache folder and, if need be,
            downloads.
        label_path (str or None): an IDX file of labels, likewise.
        mode (str): 'train' or 'test'.
        transform (callable or None): called with each image.
        download (bool): False never downloads.
        backend (str or None): 'pil' or 'cv2'; None takes what ``paddle.vision.set_image_backend`` chose.
    Raises:
        ValueError: ``mode`` or ``backend`` is unknown.
        FileNotFoundError: a file that was named does not exist.

    >>> digits = paddle.vision.datasets.MNIST(mode="test")  # doctest: +SKIP
    >>> len(digits)  # doctest: +SKIP
    10000
    """

    NAME = "mnist"

    def __init__(self, image_path=None, label_path=None, mode="train", transform=None, download=True, backend=None):
        self.mode = checked_mode(mode, ("train", "test"), type(self).__name__)
        self.backend = checked_backend(backend, ("pil", "cv2"), type(self).__name__)
        images, labels = (image_path, label_path) if image_path and label_path else self._files(download)
        self.image_path, self.label_path = image_path or images, label_path or labels
        self.transform = transform
        self.dtype = dtypes.get_default_dtype()
        self.images = read_idx(self.image_path, ndim=3)
        self.labels = read_idx(self.label_path, ndim=1).astype("int64").reshape(-1, 1)
        if len(self.images) != len(self.labels):
            raise ValueError(f"{type(self).__name__}(): {self.image_path} has {len(self.images)} pictures, "
                             f"{self.label_path} has {len(self.labels)} labels")

    def _files(self, download):
        return mnist.files(self.mode, download)

    def __getitem__(self, idx):
        image, label = self.images[idx], self.labels[idx]
        if self.backend == "pil":
            return shown(image, self.transform), label
        if self.transform is None:
            return image.astype(self.dtype), label
        return self.transform(image.astype("float32")).astype(self.dtype), label


class FashionMNIST(MNIST):
    """Pieces of clothing, 28 x 28 in gray, ten kinds: 60,000 to train with and 10,000 to test with.

    Args: see MNIST.
    """

    NAME = "fashion-mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/fashion_mnist/"
    MD5 = {
        "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
        "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
        "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
    }

    def _files(self, download):
        prefix = "train" if self.mode == "train" else "t10k"
        names = f"{prefix}-images-idx3-ubyte.gz", f"{prefix}-labels-idx1-ubyte.gz"
        return tuple(needed(self.URL_PREFIX + name, self.NAME, self.MD5[name], download, "FashionMNIST", argument)
                     for name, argument in zip(names, ("image_path", "label_path")))


