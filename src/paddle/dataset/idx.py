"""The IDX format of MNIST and its relatives: a magic number, the sizes, the numbers, big-endian."""

import gzip
import hashlib
import math
import os
import zlib

import numpy as np

__all__ = ["IdxError", "content_md5", "parse_idx", "read_idx"]

_DTYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MAX_BYTES = 4 << 30
_GZIP = b"\x1f\x8b"


class IdxError(ValueError):
    """A file that isn't a whole IDX file."""


def read_idx(path: str | os.PathLike, ndim: int | None = None) -> np.ndarray:
    """Reads an IDX file, gzipped or not, into an array of its own shape and type.

    Args:
        path: the file.
        ndim: the number of dimensions it must have; None accepts any.

    Raises:
        IdxError: the file isn't IDX, is cut short, has bytes left over, or isn't of `ndim` dimensions.
    """
    with _opened(path) as file:
        try:
            array = parse_idx(file, os.fspath(path))
        except (EOFError, OSError, zlib.error) as error:
            raise IdxError(f"{path} is damaged: {error}") from error
    if ndim is not None and array.ndim != ndim:
        raise IdxError(f"{path} must have {ndim} dimensions, it has {array.ndim}")
    return array


def parse_idx(file, name: str = "the stream") -> np.ndarray:
    """Reads one IDX array from a stream that ends with it. Memory grows with what is there, not what is claimed."""
    magic = file.read(4)
    if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in _DTYPES or magic[3] == 0:
        raise IdxError(f"{name} is not an IDX file: it starts with {magic.hex(' ') or 'nothing'}")
    dtype, ndim = np.dtype(_DTYPES[magic[2]]), magic[3]
    header = file.read(4 * ndim)
    if len(header) < 4 * ndim:
        raise IdxError(f"{name} ends inside its header, after {4 + len(header)} bytes")
    shape = tuple(int(n) for n in np.frombuffer(header, ">u4"))
    wanted = math.prod(shape) * dtype.itemsize
    if wanted > _MAX_BYTES:
        raise IdxError(f"{name} claims {wanted} bytes for shape {list(shape)}, more than the {_MAX_BYTES} accepted")
    data = file.read(wanted)
    if len(data) < wanted:
        raise IdxError(f"{name} ends after {len(data)} of the {wanted} bytes of shape {list(shape)}")
    if file.read(1):
        raise IdxError(f"{name} has bytes left after the {wanted} of shape {list(shape)}")
    return np.frombuffer(data, dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)


def content_md5(path: str | os.PathLike) -> str:
    """The md5 of what a file holds once unzipped; "" when it cannot be unzipped."""
    digest = hashlib.md5(usedforsecurity=False)
    try:
        with _opened(path) as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return ""
    return digest.hexdigest()


def _opened(path):
    with open(path, "rb") as file:
        zipped = file.read(2) == _GZIP
    return gzip.open(path, "rb") if zipped else open(path, "rb")
