"""CIFAR-10 and CIFAR-100 as readers. In 2.x: paddle.vision.datasets.Cifar10, Cifar100."""

from collections.abc import Callable, Iterator

import numpy as np

from ..core.addresses import lookup as _lookup
from ..serialization.pickle_safe import load as load_pickle
from .common import download, open_tar

__all__ = ["fetch", "read_batches", "test10", "test100", "train10", "train100"]

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"


def train10(cycle: bool = False) -> Callable:
    """A reader of the 50,000 training images of CIFAR-10: (3072 float32 in [0, 1], int label below 10)."""
    return reader_creator(download(CIFAR10_URL, "cifar", CIFAR10_MD5), "data_batch", cycle)


def test10(cycle: bool = False) -> Callable:
    """A reader of the 10,000 test images of CIFAR-10: (3072 float32 in [0, 1], int label below 10)."""
    return reader_creator(download(CIFAR10_URL, "cifar", CIFAR10_MD5), "test_batch", cycle)


def train100() -> Callable:
    """A reader of the 50,000 training images of CIFAR-100: (3072 float32 in [0, 1], int label below 100)."""
    return reader_creator(download(CIFAR100_URL, "cifar", CIFAR100_MD5), "train")


def test100() -> Callable:
    """A reader of the 10,000 test images of CIFAR-100: (3072 float32 in [0, 1], int label below 100)."""
    return reader_creator(download(CIFAR100_URL, "cifar", CIFAR100_MD5), "test")


def fetch() -> None:
    """Makes sure that both files are at hand."""
    download(CIFAR10_URL, "cifar", CIFAR10_MD5)
    download(CIFAR100_URL, "cifar", CIFAR100_MD5)


def reader_creator(filename: str, sub_name: str, cycle: bool = False) -> Callable:
    """A reader over the batches of a CIFAR archive whose name contains `sub_name`; `cycle` starts again at the end."""

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        while True:
            for images, labels in read_batches(filename, sub_name):
                for image, label in zip(images, labels):
                    yield (image / 255.0).astype(np.float32), label
            if not cycle:
                return

    return reader


def read_batches(filename: str, sub_name: str, by_name: bool = False) -> Iterator[tuple[np.ndarray, list[int]]]:
    """The batches of a CIFAR archive: images as uint8 [n, 3072] and their labels.

    They come as they lie in the archive, or sorted by their names. A batch is a pickle; it is read as plain data, so a
    file that asks for anything else is refused.
    """
    if by_name:
        yield from (batch for _, batch in sorted(_named_batches(filename, sub_name), key=lambda named: named[0]))
    else:
        yield from (batch for _, batch in _named_batches(filename, sub_name))


def _named_batches(filename: str, sub_name: str) -> Iterator[tuple[str, tuple[np.ndarray, list[int]]]]:
    found = False
    with open_tar(filename) as archive:
        for info in archive:
            if info.isreg() and sub_name in info.name.rsplit("/", 1)[-1]:
                found = True
                batch = load_pickle(archive.extractfile(info), encoding="bytes")
                yield info.name, _checked(batch, f"{filename}: {info.name}")
    if not found:
        raise ValueError(f"{filename} has no batch called {sub_name!r}")


def _checked(batch, where: str) -> tuple[np.ndarray, list[int]]:
    images = batch.get(b"data") if isinstance(batch, dict) else None
    labels = batch.get(b"labels", batch.get(b"fine_labels")) if isinstance(batch, dict) else None
    if not isinstance(images, np.ndarray) or images.dtype != np.uint8 or images.ndim != 2 or labels is None:
        raise ValueError(f"{where} is not a CIFAR batch: no uint8 'data' with 'labels' or 'fine_labels'")
    if len(images) != len(labels):
        raise ValueError(f"{where} has {len(images)} images and {len(labels)} labels")
    return images, [int(label) for label in labels]


__getattr__ = _lookup(__name__)
