"""Oxford 102 flowers as readers. In 2.x: paddle.vision.datasets.Flowers."""

import functools
import os
from collections.abc import Callable, Iterator

import numpy as np

from ..reader import map_readers, xmap_readers
from .common import download, open_tar
from .image import load_image_bytes, simple_transform
from .matfile import read_mat

__all__ = ["default_mapper", "fetch", "labels_of", "reader_creator", "test", "train", "valid"]

_PREFIX = "https://paddlemodels.bj.bcebos.com/flowers/"
DATA_URL, DATA_MD5 = _PREFIX + "102flowers.tgz", "52808999861908f626f3c1f4e79d11fa"
LABEL_URL, LABEL_MD5 = _PREFIX + "imagelabels.mat", "e0620be6f572b9609742df49c70aed4d"
SETID_URL, SETID_MD5 = _PREFIX + "setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c"

# The original "test" set is the largest and serves for training.
TRAIN_FLAG, TEST_FLAG, VALID_FLAG = "tstid", "trnid", "valid"


def default_mapper(is_train: bool, sample: tuple[bytes, int]) -> tuple[np.ndarray, int]:
    """Turns (bytes of a picture, label) into (3 x 224 x 224 float32 less the mean colour, flat, label)."""
    picture, label = sample
    image = simple_transform(load_image_bytes(picture), 256, 224, is_train, mean=[103.94, 116.78, 123.68])
    return image.flatten(), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def train(mapper: Callable = train_mapper, buffered_size: int = 1024, use_xmap: bool = True,
          cycle: bool = False) -> Callable:
    """A reader of the training pictures: mapper((bytes of the picture, int label below 102))."""
    return reader_creator(*_files(), TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(mapper: Callable = test_mapper, buffered_size: int = 1024, use_xmap: bool = True,
         cycle: bool = False) -> Callable:
    """A reader of the test pictures: mapper((bytes of the picture, int label below 102))."""
    return reader_creator(*_files(), TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(mapper: Callable = test_mapper, buffered_size: int = 1024, use_xmap: bool = True) -> Callable:
    """A reader of the validation pictures: mapper((bytes of the picture, int label below 102))."""
    return reader_creator(*_files(), VALID_FLAG, mapper, buffered_size, use_xmap)


def fetch() -> None:
    """Makes sure that all three files are at hand."""
    _files()


def reader_creator(data_file: str, label_file: str, setid_file: str, dataset_name: str, mapper: Callable,
                   buffered_size: int = 1024, use_xmap: bool = True, cycle: bool = False) -> Callable:
    """A reader of one set of an archive, mapped by up to four threads (`use_xmap`); `cycle` starts again at the end."""
    labels = labels_of(label_file, setid_file, dataset_name)

    def reader() -> Iterator[tuple[bytes, int]]:
        while True:
            with open_tar(data_file) as archive:
                for info in archive:
                    file = archive.extractfile(info) if info.isreg() and info.name in labels else None
                    if file is not None:
                        yield file.read(), labels[info.name]
            if not cycle:
                return

    if use_xmap:
        return xmap_readers(mapper, reader, min(4, os.cpu_count() or 1), buffered_size)
    return map_readers(mapper, reader)


def labels_of(label_file: str, setid_file: str, dataset_name: str) -> dict[str, int]:
    """The label, from 0, of each picture of a set, by its name in the archive."""
    labels = _row(label_file, "labels")
    numbers = _row(setid_file, dataset_name)
    if numbers.size and not 1 <= numbers.min() <= numbers.max() <= labels.size:
        raise ValueError(f"{setid_file}: {dataset_name} names pictures that {label_file} has no label for")
    return {f"jpg/image_{number:05d}.jpg": int(labels[number - 1]) - 1 for number in numbers.tolist()}


def _row(path: str, name: str) -> np.ndarray:
    variables = read_mat(path)
    if name not in variables:
        raise ValueError(f"{path} has no variable {name!r}; it has {sorted(variables)}")
    return variables[name].reshape(-1).astype(np.int64)


def _files() -> tuple[str, str, str]:
    return (download(DATA_URL, "flowers", DATA_MD5), download(LABEL_URL, "flowers", LABEL_MD5),
            download(SETID_URL, "flowers", SETID_MD5))
