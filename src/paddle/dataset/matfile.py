"""Numeric arrays from MATLAB 5 files, as far as datasets need them."""

import math
import os
import zlib

import numpy as np

__all__ = ["MatError", "read_mat"]

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_HEADER = 128
_MAX_BYTES = 256 << 20


class MatError(ValueError):
    """A file that isn't a whole MATLAB 5 file."""


def read_mat(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """The real numeric arrays of a MATLAB 5 file by name; other kinds of variable are passed over.

    Raises:
        MatError: the file isn't of this format, is cut short, or unpacks to more than 256 MiB.
    """
    with open(path, "rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise MatError(f"{path} is larger than {_MAX_BYTES} bytes")
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if len(data) < _HEADER or order is None:
        raise MatError(f"{path} is not a MATLAB 5 file")
    found: dict[str, np.ndarray] = {}
    try:
        _read_matrices(memoryview(data)[_HEADER:], order, found)
    except (MatError, zlib.error) as error:
        raise MatError(f"{path}: {error}") from error
    return found


def _read_matrices(data: memoryview, order: str, found: dict, packed: bool = False) -> None:
    place = 0
    while place < len(data):
        kind, content, place = _element(data, place, order)
        if kind == _COMPRESSED and not packed:
            unzip = zlib.decompressobj()
            plain = unzip.decompress(content, _MAX_BYTES)
            if unzip.unconsumed_tail:
                raise MatError(f"a variable unpacks to more than {_MAX_BYTES} bytes")
            _read_matrices(memoryview(plain), order, found, packed=True)
        elif kind == _MATRIX:
            variable = _matrix(content, order)
            if variable is not None:
                found[variable[0]] = variable[1]


def _element(data: memoryview, place: int, order: str) -> tuple[int, memoryview, int]:
    """Kind and content of the element at a place, and the place of the next one."""
    if place + 8 > len(data):
        raise MatError("the file ends inside a tag")
    word = int(np.frombuffer(data[place:place + 4], order + "u4")[0])
    kind, size = word & 0xFFFF, word >> 16
    if size:  # a small element: kind, size and up to four bytes in eight
        start, after = place + 4, place + 8
        if size > 4:
            raise MatError(f"a small element claims {size} bytes")
    else:
        size = int(np.frombuffer(data[place + 4:place + 8], order + "u4")[0])
        start = place + 8
        after = start + (size if kind == _COMPRESSED else -(-size // 8) * 8)
    if start + size > len(data):
        raise MatError(f"the file ends inside an element of {size} bytes")
    return kind, data[start:start + size], after


def _matrix(content: memoryview, order: str) -> tuple[str, np.ndarray] | None:
    """Name and values of a variable; None when it isn't real numbers."""
    _, flags, place = _element(content, 0, order)
    _, sizes, place = _element(content, place, order)
    _, name, place = _element(content, place, order)
    if len(flags) < 4 or len(sizes) % 4:
        raise MatError("a variable has a damaged header")
    word = int(np.frombuffer(flags[:4], order + "u4")[0])
    kind, is_complex = word & 0xFF, bool(word & 0x0800)
    if kind not in _CLASSES or is_complex:
        return None
    shape = [int(n) for n in np.frombuffer(sizes, order + "i4")]
    stored, values, _ = _element(content, place, order)
    if stored not in _NUMBERS or min(shape, default=0) < 0:
        raise MatError("a variable has a damaged header")
    dtype = np.dtype(order + _NUMBERS[stored])
    if math.prod(shape) * dtype.itemsize != len(values):
        raise MatError(f"a variable of shape {shape} has {len(values)} bytes of {dtype.itemsize}-byte numbers")
    array = np.frombuffer(values, dtype).reshape(shape, order="F").astype(_CLASSES[kind])
    return bytes(name).decode("ascii", "replace"), array
