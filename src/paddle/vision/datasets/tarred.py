"""Pictures read out of a tar archive one by one, without unpacking it."""

import io
import os
import tarfile

from ...dataset.common import open_tar
from ...serialization.atomic import atomic_open
from ..image import pillow


class PictureArchive:
    """The files of a tar archive, by name.

    Each process that reads opens the archive for itself: worker processes do not share a position in it. An archive that
    is compressed is unpacked into a plain one beside it first, since only that can be read at any place.
    """

    def __init__(self, path):
        self.path = _plain(path)
        with open_tar(self.path) as archive:
            self._places = {info.name.removeprefix("./"): (info.offset_data, info.size) for info in archive if info.isreg()}
        self._file = self._owner = None

    def read(self, name):
        """The bytes of a file."""
        try:
            offset, size = self._places[name]
        except KeyError:
            raise ValueError(f"{self.path} has no file {name!r}") from None
        if self._owner != os.getpid():
            self._file, self._owner = open(self.path, "rb", buffering=0), os.getpid()
        content = os.pread(self._file.fileno(), size, offset)
        if len(content) < size:
            raise ValueError(f"{self.path} ends inside of {name!r}")
        return content

    def picture(self, name):
        """A file as a PIL image."""
        return pillow().open(io.BytesIO(self.read(name)))

    def __getstate__(self):
        return {**self.__dict__, "_file": None, "_owner": None}

    def __del__(self):
        if getattr(self, "_file", None) is not None:
            self._file.close()


def _plain(path):
    """The path of the archive without compression: itself, or a copy beside it made once."""
    with open(path, "rb") as file:
        magic = file.read(6)
    if not magic.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")):
        return path
    plain = os.path.splitext(path)[0] + ".unpacked.tar"
    if os.path.exists(plain) and os.path.getmtime(plain) >= os.path.getmtime(path):
        return plain
    with open_tar(path) as archive, atomic_open(plain) as target, tarfile.open(fileobj=target, mode="w") as copy:
        for info in archive:
            if info.isreg():
                copy.addfile(info, archive.extractfile(info))
    return plain
