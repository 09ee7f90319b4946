"""Writing pickles as Paddle 2.6 writes them, byte for byte for plain state dicts.

NumPy 2 moved its private modules; arrays are written under the names of NumPy 1, which every version reads.
"""

import dataclasses
import pickle
import struct

import numpy as np

from .atomic import atomic_open

PROTOCOLS = (2, 3, 4)


@dataclasses.dataclass(slots=True, eq=False)
class NamedArray:
    """A tensor inside a nested object; files hold the tuple (name, array)."""

    name: str
    array: np.ndarray


def dump(obj, target, protocol=4, convert=None):
    """Pickle `obj` to a path (atomically) or a binary file object.

    Args:
        obj: what to write.
        target: path or file object.
        protocol: 2, 3 or 4.
        convert: called with each object that is not plain data; returns the NamedArray or array to write in its
            place, or None.
    """
    if isinstance(protocol, bool) or not isinstance(protocol, int) or protocol not in PROTOCOLS:
        raise ValueError(f"save(): protocol must be 2, 3 or 4, got {protocol!r}")
    if hasattr(target, "write"):
        _dump(obj, target, protocol, convert)
    else:
        with atomic_open(target) as file:
            _dump(obj, file, protocol, convert)


def _dump(obj, file, protocol, convert):
    try:
        _Writer(file, protocol, convert).dump(obj)
    except RecursionError:
        raise ValueError("save(): the object is nested too deeply") from None


class _RawData:
    """An array's memory, written as a bytes object without making one."""

    def __init__(self, array):
        self.array = array


_PLAIN = {type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, type, _RawData}


class _Writer(pickle._Pickler):
    """The standard library's Python pickler; the C one cannot write a global under another module's name."""

    dispatch = pickle._Pickler.dispatch.copy()

    def __init__(self, file, protocol, convert):
        super().__init__(file, protocol, fix_imports=True)
        self._convert = convert

    def reducer_override(self, obj):
        if type(obj) in _PLAIN:
            return NotImplemented
        if type(obj) is np.ndarray:
            return self._reduce_array(obj)
        if type(obj) is NamedArray:
            return tuple, ((obj.name, obj.array),)
        stand_in = None if self._convert is None else self._convert(obj)
        return NotImplemented if stand_in is None else self.reducer_override(stand_in)

    def _reduce_array(self, array):
        if array.dtype.hasobject:
            raise TypeError("save(): arrays of Python objects (dtype object) cannot be saved; use lists")
        rebuild, arguments, state = _reduction_of(array)
        raw = state[4]
        if self.proto >= 3:
            raw = _RawData(array.T if state[3] else array)
        elif array.size:
            raw = (array.T if state[3] else array).tobytes()
        return rebuild, arguments, (*state[:4], raw)

    def _save_raw(self, raw):
        array = np.ascontiguousarray(raw.array)
        data = memoryview(array.reshape(-1)).cast("B") if array.size else memoryview(b"")
        size = len(data)
        if size <= 0xFF:
            self.write(pickle.SHORT_BINBYTES + bytes([size]) + data)
        elif size > 0xFFFFFFFF and self.proto >= 4:
            self._write_large_bytes(pickle.BINBYTES8 + struct.pack("<Q", size), data)
        elif size > 0xFFFFFFFF:
            raise ValueError(f"save(): an array of {size} bytes needs protocol 4")
        elif size >= self.framer._FRAME_SIZE_TARGET:
            self._write_large_bytes(pickle.BINBYTES + struct.pack("<I", size), data)
        else:
            self.write(pickle.BINBYTES + struct.pack("<I", size) + data)
        self.memoize(raw)

    dispatch[_RawData] = _save_raw

    def save_global(self, obj, name=None):
        module = getattr(obj, "__module__", None)
        if not isinstance(module, str) or not module.startswith("numpy._core."):
            super().save_global(obj, name)
            return
        module, name = "numpy.core." + module.removeprefix("numpy._core."), name or obj.__qualname__
        if self.proto >= 4:
            self.save(module)
            self.save(name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)


def _reduction_of(array):
    # A one-element view shares dtype and order with the array but costs nothing to turn into bytes.
    rebuild, arguments, state = array[(slice(0, 0),) * array.ndim].__reduce__() if array.ndim else array.__reduce__()
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return rebuild, arguments, (state[0], array.shape, array.dtype, fortran, b"")
