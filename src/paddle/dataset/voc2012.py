"""PASCAL VOC 2012 segmentation as readers. In 2.x: paddle.vision.datasets.VOC2012."""

import io
from collections.abc import Callable, Iterator

import numpy as np

from .common import download, member, open_tar
from .image import _pillow

__all__ = ["fetch", "reader_creator", "test", "train", "val"]

VOC_URL = "https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar"
VOC_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"
CACHE_DIR = "voc2012"


def train() -> Callable:
    """A reader of the set "trainval": (picture [height, width, 3], class of every pixel [height, width]), uint8."""
    return reader_creator(_archive(), "trainval")


def test() -> Callable:
    """A reader of the set "train", in the form of `train`."""
    return reader_creator(_archive(), "train")


def val() -> Callable:
    """A reader of the set "val", in the form of `train`."""
    return reader_creator(_archive(), "val")


def fetch() -> None:
    """Makes sure that the file is at hand."""
    _archive()


def reader_creator(filename: str, sub_name: str) -> Callable:
    """A reader of the pictures named in one of the archive's lists."""

    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        pillow = _pillow()
        with open_tar(filename) as archive:
            for line in member(archive, SET_FILE.format(sub_name)).read().decode().splitlines():
                name = line.strip()
                if name:
                    yield tuple(np.array(pillow.open(io.BytesIO(member(archive, pattern.format(name)).read())))
                                for pattern in (DATA_FILE, LABEL_FILE))

    return reader


def _archive() -> str:
    return download(VOC_URL, CACHE_DIR, VOC_MD5)
