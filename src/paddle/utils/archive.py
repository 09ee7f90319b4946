"""Unpacking tar and zip files that may come from anywhere."""

import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

__all__ = ["ArchiveError", "extract", "is_archive"]

_CHUNK = 1 << 20


class ArchiveError(ValueError):
    """An archive that is damaged, too large, or tries to write outside its folder."""


def is_archive(path: str | os.PathLike) -> bool:
    """Whether `path` is a tar (compressed or not) or zip file."""
    return tarfile.is_tarfile(path) or zipfile.is_zipfile(path)


def extract(path: str | os.PathLike, target: str | os.PathLike, max_bytes: int = 64 << 30,
            max_files: int = 1_000_000) -> list[str]:
    """Unpacks a tar or zip file into the folder `target` and returns the names of its files.

    Members whose place would be outside `target`, links and devices are refused, before anything is written where the
    archive's index tells. `max_bytes` bounds what is written in total, counted while writing: an index can lie.

    Raises:
        ArchiveError: the archive is damaged or holds something refused.
    """
    target = os.path.realpath(os.fspath(target))
    os.makedirs(target, exist_ok=True)
    names: list[str] = []
    written = 0
    try:
        for name, source in _members(path, target):
            if len(names) >= max_files:
                raise ArchiveError(f"extract(): {path} has more than {max_files} files")
            place = _inside(target, name, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if os.path.islink(place):
                raise ArchiveError(f"extract(): {path}: {name!r} would be written through a link")
            with open(place, "wb") as out:
                while chunk := source.read(_CHUNK):
                    written += len(chunk)
                    if written > max_bytes:
                        raise ArchiveError(f"extract(): {path} unpacks to more than {max_bytes} bytes")
                    out.write(chunk)
            names.append(name)
    except ArchiveError:
        raise
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, RuntimeError, zlib.error, lzma.LZMAError, LookupError,
            ValueError, struct.error) as error:  # the last three from indexes that the standard library does not check
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the disk's trouble, not the archive's
        raise ArchiveError(f"extract(): {path} cannot be read: {error}") from error
    return names


def _members(path, target: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Names and open contents of the regular files of an archive, every name checked before the first is given out."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            for info in infos:
                _inside(target, info.filename, path)
                kind = (info.external_attr >> 16) & 0o170000
                if kind not in (0, 0o100000, 0o040000):
                    raise ArchiveError(f"extract(): {path}: {info.filename!r} is a link or device")
            for info in infos:
                if not info.is_dir():
                    with archive.open(info) as source:
                        yield info.filename, source
        return
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        for member in members:
            _inside(target, member.name, path)
            if not (member.isreg() or member.isdir()):
                raise ArchiveError(f"extract(): {path}: {member.name!r} is a link or device")
        for member in members:
            if member.isreg():
                source = archive.extractfile(member)
                if source is not None:
                    with source:
                        yield member.name, source


def _inside(target: str, name: str, path) -> str:
    """Where a member goes; ArchiveError when that is outside the target."""
    if not name or "\0" in name:
        raise ArchiveError(f"extract(): {path}: {name!r} is no name of a file")
    place = os.path.realpath(os.path.join(target, name))
    if os.path.isabs(name) or os.path.commonpath([target, place]) != target:
        raise ArchiveError(f"extract(): {path}: {name!r} would be written outside {target}")
    return os.path.join(target, os.path.normpath(name))
