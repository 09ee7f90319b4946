"""Pictures (or anything else) in folders."""

import os

import numpy as np

from ...core import dtype as dtypes
from ...core.docstrings import documented_like
from ...io import Dataset
from ..image import get_image_backend, pillow

__all__ = ["DatasetFolder", "ImageFolder"]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def pil_loader(path):
    """An image in red, green and blue as a PIL image."""
    with open(path, "rb") as file:
        return pillow().open(file).convert("RGB")


def default_loader(path):
    """An image in red, green and blue: a PIL image or, with the backend 'cv2', an array [height, width, 3]."""
    return np.array(pil_loader(path)) if get_image_backend() == "cv2" else pil_loader(path)


def _files_below(folder, extensions, is_valid_file):
    """Paths of the accepted files below a folder, sorted by folder and name."""
    accepts = is_valid_file
    if accepts is None:
        endings = tuple(extension.lower() for extension in extensions)

        def accepts(path):
            return path.lower().endswith(endings)

    return [path for root, _, names in sorted(os.walk(folder, followlinks=True))
            for path in (os.path.join(root, name) for name in sorted(names)) if accepts(path)]


def _checked_filter(extensions, is_valid_file, function):
    """Extensions to look for: those given; the images' unless a function decides."""
    if extensions is not None and is_valid_file is not None:
        raise ValueError(f"{function}(): give extensions or is_valid_file, not both")
    if extensions is not None and (isinstance(extensions, str) or not all(isinstance(e, str) for e in extensions)):
        raise TypeError(f"{function}(): extensions must be a list or tuple of strings, got {extensions!r}")
    return IMG_EXTENSIONS if extensions is None and is_valid_file is None else extensions


def _nothing_found(function, root, extensions):
    wanted = f" with the extensions {', '.join(extensions)}" if extensions else " that is_valid_file accepts"
    return RuntimeError(f"{function}(): no file{wanted} below {root}")


class DatasetFolder(Dataset):
    """Files in one folder per class: sample i is (what the loader makes of a file, number of its class).

    Classes are the names of the folders in alphabetical order.

    Args:
        root: the folder of class folders.
        loader: called with a path; None reads images.
        extensions: which files count; None means images.
        transform: called with what the loader returned.
        is_valid_file: called with a path, says whether it counts; instead of ``extensions``.

    Attributes: ``classes``, ``class_to_idx``, ``samples`` (paths and class numbers), ``targets``.
    """

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        extensions = _checked_filter(extensions, is_valid_file, "DatasetFolder")
        self.root = root
        self.loader = loader or default_loader
        self.extensions = extensions
        self.transform = transform
        self.dtype = dtypes.get_default_dtype()
        folder = os.path.expanduser(root)
        self.classes = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
        self.samples = [(path, number) for name, number in self.class_to_idx.items()
                        for path in _files_below(os.path.join(folder, name), extensions, is_valid_file)]
        if not self.samples:
            raise _nothing_found("DatasetFolder", root, extensions)
        self.targets = [target for _, target in self.samples]

    def __getitem__(self, index):
        path, target = self.samples[index]
        sample = self.loader(path)
        return (sample if self.transform is None else self.transform(sample)), target

    def __len__(self):
        return len(self.samples)


@documented_like(DatasetFolder)
class ImageFolder(Dataset):
    """All images below a folder, without labels: sample i is [image].

    Args:
        root: the folder.
    """

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        extensions = _checked_filter(extensions, is_valid_file, "ImageFolder")
        self.root = root
        self.loader = loader or default_loader
        self.extensions = extensions
        self.transform = transform
        self.samples = _files_below(os.path.expanduser(root), extensions, is_valid_file)
        if not self.samples:
            raise _nothing_found("ImageFolder", root, extensions)

    def __getitem__(self, index):
        sample = self.loader(self.samples[index])
        return [sample if self.transform is None else self.transform(sample)]

    def __len__(self):
        return len(self.samples)
