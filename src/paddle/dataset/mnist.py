"""MNIST as readers: 60,000 and 10,000 handwritten digits. In 2.x: paddle.vision.datasets.MNIST."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ..core.addresses import lookup as _lookup
from ..utils.download import md5file
from . import common
from .idx import content_md5, read_idx

__all__ = ["fetch", "files", "reader_creator", "test", "train"]

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"

# name of the file: (md5 of the well-known .gz, md5 of what is inside)
_FILES = {
    "train-images-idx3-ubyte.gz": ("f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"),
    "train-labels-idx1-ubyte.gz": ("d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"),
    "t10k-images-idx3-ubyte.gz": ("9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"),
    "t10k-labels-idx1-ubyte.gz": ("ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637"),
}
TRAIN_IMAGE_URL, TRAIN_LABEL_URL, TEST_IMAGE_URL, TEST_LABEL_URL = (URL_PREFIX + name for name in _FILES)
TRAIN_IMAGE_MD5, TRAIN_LABEL_MD5, TEST_IMAGE_MD5, TEST_LABEL_MD5 = (md5 for md5, _ in _FILES.values())

_known_good: set[tuple] = set()


def train() -> Callable:
    """A reader of the 60,000 training digits in file order: (784 float32 in [-1, 1], int label)."""
    return reader_creator(*files("train"), 100)


def test() -> Callable:
    """A reader of the 10,000 test digits in file order: (784 float32 in [-1, 1], int label)."""
    return reader_creator(*files("test"), 100)


def fetch() -> None:
    """Makes sure that all four files are at hand."""
    files("train")
    files("test")


def files(mode: str, download: bool = True) -> tuple[str, str]:
    """Paths of the image and label files of "train" or "test".

    Looked for in the cache folder, then in the `data/mnist` of the checkout that the package or the program runs from,
    then downloaded into the cache. A file counts when its content is the known one, however it was compressed.
    """
    if mode not in ("train", "test"):
        raise ValueError(f"mnist.files(): mode must be 'train' or 'test', got {mode!r}")
    prefix = "train" if mode == "train" else "t10k"
    return (_find(f"{prefix}-images-idx3-ubyte.gz", download), _find(f"{prefix}-labels-idx1-ubyte.gz", download))


def reader_creator(image_filename: str, label_filename: str, buffer_size: int) -> Callable:
    """A reader over an image and a label file, converting `buffer_size` images at a time."""
    if buffer_size < 1:
        raise ValueError(f"mnist.reader_creator(): buffer_size must be at least 1, got {buffer_size}")

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        images, labels = read_idx(image_filename, ndim=3), read_idx(label_filename, ndim=1)
        if len(images) != len(labels):
            raise ValueError(f"{image_filename} has {len(images)} images, {label_filename} {len(labels)} labels")
        flat = images.reshape(len(images), -1)
        for start in range(0, len(flat), buffer_size):
            block = flat[start:start + buffer_size].astype(np.float32) / 255.0 * 2.0 - 1.0
            yield from zip(block, labels[start:start + buffer_size].tolist())

    return reader


def _find(name: str, download: bool) -> str:
    gz_md5, content = _FILES[name]
    cache = common.cached("mnist", name)
    for path in (cache, *(str(folder / "data" / "mnist" / name) for folder in _checkouts())):
        if os.path.isfile(path) and _is_good(path, gz_md5, content):
            return path
    if not download:
        wrong = "; the file there has another content" if os.path.exists(cache) else ""
        raise ValueError(f"MNIST's {name} isn't at {cache}{wrong}, and download is False")
    return common.download(URL_PREFIX + name, "mnist", gz_md5)


def _checkouts() -> list[Path]:
    """Folders that may be this project's: the one the package lies in, and the working folder."""
    return [Path(__file__).resolve().parents[3], Path.cwd()]


def _is_good(path: str, gz_md5: str, content: str) -> bool:
    stat = os.stat(path)
    key = (path, stat.st_size, stat.st_mtime_ns, content)
    if key not in _known_good:
        if md5file(path) != gz_md5 and content_md5(path) != content:
            return False
        _known_good.add(key)
    return True


__getattr__ = _lookup(__name__)
