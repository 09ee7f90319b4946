"""Reading the files of ``torch.save``: a zip archive of a pickle and the bytes of its storages; nothing in it is run."""

from __future__ import annotations

import collections
import reprlib
from typing import TYPE_CHECKING

import numpy as np

from .errors import FormatError, UnpicklingError
from .pickle_machine import Machine
from .pickle_safe import Builder
from .source import open_source

if TYPE_CHECKING:
    import zipfile

_STORAGES = {"DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "uint16",
             "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8", "ByteStorage": "uint8",
             "BoolStorage": "bool", "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128"}


class _Name:
    """A global that the pickle may name, and only to say what follows."""

    def __init__(self, text: str) -> None:
        self.text = text


_GLOBALS = {f"torch.{name}": _Name(name) for name in _STORAGES}
_GLOBALS |= {f"torch._utils.{name}": _Name(name) for name in ("_rebuild_tensor_v2", "_rebuild_parameter")}
_GLOBALS |= {"torch.Size": _Name("Size"), "torch.device": _Name("device")}


class _TorchBuilder(Builder):
    """Makes arrays where the pickle asks for tensors.

    Args:
        read: gives the bytes of a storage by its key.
        size: bytes of the archive; copies made of its storages may not take much more.
    """

    def __init__(self, read, size: int) -> None:
        super().__init__({}, size)
        self.read, self.storages = read, {}

    def find(self, module: str, name: str):
        return _GLOBALS.get(f"{module}.{name}") or super().find(module, name)

    def call(self, function, arguments, keywords, new):
        if not isinstance(function, _Name):
            return super().call(function, arguments, keywords, new)
        if keywords or type(arguments) is not tuple:
            raise UnpicklingError(f"the pickle calls torch's {function.text} in an unknown way")
        if function.text == "_rebuild_tensor_v2" and len(arguments) in (6, 7):
            array = _strided(*arguments[:4])
            self.spend(array.nbytes)
            return array
        if function.text == "_rebuild_parameter" and len(arguments) == 3 and isinstance(arguments[0], np.ndarray):
            return arguments[0]
        if function.text == "Size" and len(arguments) == 1:
            return tuple(arguments[0])
        if function.text == "device":
            return ":".join(map(str, arguments))
        raise UnpicklingError(f"the pickle calls torch's {function.text} in an unknown way")

    def persistent(self, key):
        """The storage that a persistent id ('storage', type, key, place, count) names, as a flat array."""
        if not (type(key) is tuple and len(key) == 5 and key[0] == "storage" and isinstance(key[1], _Name)
                and key[1].text in _STORAGES and type(key[2]) is str and type(key[4]) is int):
            raise UnpicklingError(f"{reprlib.repr(key)} does not name a storage of torch")
        if key[2] not in self.storages:
            data, kind = self.read(key[2]), np.dtype(_STORAGES[key[1].text])
            if len(data) != key[4] * kind.itemsize:
                raise UnpicklingError(f"the storage {key[2]!r} of {key[4]} {kind.name} has {len(data)} bytes")
            self.storages[key[2]] = np.frombuffer(bytearray(data), kind)
        return self.storages[key[2]]

    def set_state(self, instance, state, shared) -> None:
        if type(instance) is collections.OrderedDict:  # a state dict's remarks on the versions of its layers
            return
        super().set_state(instance, state, shared)


def _strided(storage, offset, shape, strides) -> np.ndarray:
    """An array of its own with the elements of a storage that an offset, sizes and steps name."""
    whole = [offset, *shape, *strides] if type(shape) is tuple and type(strides) is tuple else [None]
    if not isinstance(storage, np.ndarray) or any(type(n) is not int or n < 0 for n in whole) or len(shape) != len(strides):
        raise UnpicklingError("a tensor of torch has an impossible shape")
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides))
    if 0 not in shape and last >= storage.size:
        raise UnpicklingError(f"a tensor of torch goes to element {last} of a storage of {storage.size}")
    if any(step == 0 and n > 1 for n, step in zip(shape, strides)):
        raise UnpicklingError("a tensor of torch repeats its elements; save it with .contiguous()")
    if 0 in shape:
        return np.empty(shape, storage.dtype)
    steps = [step * storage.itemsize for step in strides]
    return np.array(np.lib.stride_tricks.as_strided(storage[offset:], shape, steps), order="C")


def read(origin):
    """The object of a file of ``torch.save``, with arrays for its tensors (uint16 holds the bits of bfloat16)."""
    import zipfile  # with four kinds of compression, which few programs need
    with open_source(origin) as source:
        try:
            archive = zipfile.ZipFile(source.file)
        except zipfile.BadZipFile as error:
            raise FormatError(f"not an archive of torch.save: {error}") from None
        with archive:
            return _read(archive)


def _read(archive: zipfile.ZipFile):
    names = [n for n in archive.namelist() if n.endswith("/data.pkl")]
    if len(names) != 1:
        raise FormatError("an archive without data.pkl is not one of torch.save (TorchScript and .npz files are not read)")
    folder = names[0].removesuffix("data.pkl")

    def member(name: str) -> bytes:
        try:
            info = archive.getinfo(folder + name)
        except KeyError:
            raise FormatError(f"the archive lacks {folder}{name}") from None
        if info.compress_type:
            raise FormatError(f"{folder}{name} is compressed, which torch.save never does")
        return archive.read(info)

    if folder + "byteorder" in archive.namelist() and member("byteorder") != b"little":
        raise FormatError("the file was written on a big-endian machine")
    size = sum(info.file_size for info in archive.infolist())
    with open_source(member("data.pkl")) as source:
        return Machine(source, "latin1", _TorchBuilder(lambda key: member("data/" + key), size)).run()
