"""Where datasets live and how they get there."""

import glob
import importlib
import os
import pickle
import re
import tarfile
from collections.abc import Callable, Iterator

from ..core.addresses import lookup as _lookup
from ..serialization.pickle_safe import load as load_pickle
from ..utils.download import fetch, md5file

__all__ = ["DATA_HOME", "cluster_files_reader", "download", "fetch_all", "md5file", "split"]

#: The cache folder. Read at every call, so a program may set it.
DATA_HOME = os.path.join(os.path.expanduser("~"), ".cache", "paddle", "dataset")

_WITH_FETCH = ("cifar", "conll05", "flowers", "imdb", "imikolov", "mnist", "movielens", "uci_housing", "voc2012",
               "wmt14", "wmt16")


def cached(module_name: str, name: str) -> str:
    """The path of a file in the cache folder of a dataset, whether it is there or not."""
    for part, value in (("module_name", module_name), ("file name", name)):
        if not re.fullmatch(r"[A-Za-z0-9_%+./-]+", value) or ".." in value or value.startswith("/"):
            raise ValueError(f"download(): {part} must be a plain relative name, got {value!r}")
    return os.path.join(DATA_HOME, module_name, name)


def download(url: str, module_name: str, md5sum: str | None, save_name: str | None = None) -> str:
    """The path of a dataset's file in the cache folder, downloaded there unless it is there with the right md5.

    Args:
        url: its https address.
        module_name: the folder below `DATA_HOME`.
        md5sum: the md5 of the file; None accepts any.
        save_name: the name in the cache; the last part of the address by default.

    Raises:
        RuntimeError: the file isn't there and cannot be downloaded; says where to put it by hand.
    """
    path = cached(module_name, save_name or url.split("/")[-1])
    if os.path.isfile(path) and (md5sum is None or md5file(path) == md5sum):
        return path
    return fetch(url, path, md5sum)


def needed(url: str, module_name: str, md5sum: str, allowed: bool, function: str, argument: str) -> str:
    """The path of a dataset's file in the cache folder; downloaded if it is not there and that is `allowed`."""
    if allowed:
        return download(url, module_name, md5sum)
    path = cached(module_name, url.split("/")[-1])
    if os.path.isfile(path) and md5file(path) == md5sum:
        return path
    raise ValueError(f"{function}(): give {argument}, or download=True: there is no right {os.path.basename(path)} at {path}")


def checked_mode(mode: str, allowed: tuple[str, ...], function: str, argument: str = "mode") -> str:
    """An argument in lower case, if it is one of the words allowed."""
    if not isinstance(mode, str) or mode.lower() not in allowed:
        raise ValueError(f"{function}(): {argument} must be one of {list(allowed)}, got {mode!r}")
    return mode.lower()


def fetch_all() -> None:
    """Downloads every dataset of `paddle.dataset`."""
    for name in _WITH_FETCH:
        importlib.import_module(f"paddle.dataset.{name}").fetch()


def split(reader: Callable, line_count: int, suffix: str = "%05d.pickle", dumper: Callable = pickle.dump) -> None:
    """Writes the samples of a reader to numbered files of `line_count` samples each.

    Args:
        reader: a reader creator.
        line_count: samples per file; the last file may have fewer.
        suffix: path pattern with one %d for the number.
        dumper: called as dumper(list_of_samples, binary_file).
    """
    if not callable(dumper):
        raise TypeError(f"split(): dumper must be callable, got {type(dumper).__name__}")
    if line_count < 1:
        raise ValueError(f"split(): line_count must be at least 1, got {line_count}")
    batch: list = []
    number = 0
    for sample in reader():
        batch.append(sample)
        if len(batch) == line_count:
            _dump(suffix % number, batch, dumper)
            batch, number = [], number + 1
    if batch:
        _dump(suffix % number, batch, dumper)


def cluster_files_reader(files_pattern: str, trainer_count: int, trainer_id: int,
                         loader: Callable = load_pickle) -> Callable:
    """A reader over the files written by `split` that belong to one trainer of several.

    Files are sorted by name and dealt out in turn. `loader` is called as loader(binary_file); the default reads
    pickles of plain data and NumPy arrays only, never running what a file says.
    """
    if not callable(loader):
        raise TypeError(f"cluster_files_reader(): loader must be callable, got {type(loader).__name__}")
    if not 0 <= trainer_id < trainer_count:
        raise ValueError(f"cluster_files_reader(): trainer_id must be in [0, {trainer_count}), got {trainer_id}")

    def reader() -> Iterator:
        for path in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            with open(path, "rb") as file:
                samples = loader(file)
            yield from samples

    return reader


def open_tar(path: str) -> tarfile.TarFile:
    """Opens a dataset's tar file; a damaged one is a ValueError that says which file to replace."""
    try:
        return tarfile.open(path)
    except tarfile.TarError as error:
        raise ValueError(f"{path} is not a readable tar file ({error}); remove it to download it again") from error


def member(archive: tarfile.TarFile, name: str):
    """Opens the regular file `name` inside an archive ("./name" and "name" are the same)."""
    for candidate in (name, "./" + name):
        try:
            info = archive.getmember(candidate)
        except KeyError:
            continue
        file = archive.extractfile(info) if info.isreg() else None
        if file is not None:
            return file
    raise ValueError(f"{archive.name} has no file {name!r}")


def regular_members(archive: tarfile.TarFile, matches: Callable[[str], bool]) -> Iterator:
    """Open files of an archive whose name matches, in the archive's order."""
    for info in archive:
        if info.isreg() and matches(info.name):
            file = archive.extractfile(info)
            if file is not None:
                yield file


def _dump(path: str, samples: list, dumper: Callable) -> None:
    with open(path, "wb") as file:
        dumper(samples, file)


__getattr__ = _lookup(__name__)
