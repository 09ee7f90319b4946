"""Street and room scenes with the kind of thing at every pixel."""

import numpy as np

from ...core import dtype as dtypes
from ...dataset import voc2012
from ...dataset.common import checked_mode, needed
from ...io import Dataset
from ..image import checked_backend
from .tarred import PictureArchive

__all__ = ["VOC2012"]

_SETS = {"train": "trainval", "test": "train", "valid": "val"}


class VOC2012(Dataset):
    """PASCAL VOC 2012 segmentation.

    Sample i is (image, classes): two PIL images or, with the backend 'cv2', float32 arrays [height, width, 3] in the
    order red, green, blue and [height, width].

    Args:
        data_file: the tar archive of the dataset; None looks into the cache folder and, if need be, downloads.
        mode: 'train', 'valid' or 'test'.
        transform: called with each image (not with the classes).
        download: False never downloads.
        backend: 'pil' or 'cv2'; None takes what ``paddle.vision.set_image_backend`` chose.
    """

    def __init__(self, data_file=None, mode="train", transform=None, download=True, backend=None):
        self.mode = checked_mode(mode, tuple(_SETS), "VOC2012")
        self.backend = checked_backend(backend, ("pil", "cv2"), "VOC2012")
        self.flag = _SETS[self.mode]
        self.data_file = data_file or needed(voc2012.VOC_URL, voc2012.CACHE_DIR, voc2012.VOC_MD5, download, "VOC2012",
                                             "data_file")
        self.transform = transform
        self.dtype = dtypes.get_default_dtype()
        self.archive = PictureArchive(self.data_file)
        names = self.archive.read(voc2012.SET_FILE.format(self.flag)).decode().split()
        self.data = [voc2012.DATA_FILE.format(name) for name in names]
        self.labels = [voc2012.LABEL_FILE.format(name) for name in names]

    def __getitem__(self, idx):
        image, label = self.archive.picture(self.data[idx]), self.archive.picture(self.labels[idx])
        if self.backend == "cv2":
            image, label = np.array(image), np.array(label)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == "cv2":
            return image.astype(self.dtype), label.astype(self.dtype)
        return image, label

    def __len__(self):
        return len(self.data)
