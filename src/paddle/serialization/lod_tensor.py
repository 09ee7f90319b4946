"""Paddle's binary tensor stream: single-variable files and combined `.pdiparams` files.

A combined file is one record after another without names; both sides order the records by variable name.
"""

import math
import struct

import numpy as np

from . import wire
from .atomic import atomic_open
from .errors import FormatError
from .program_desc import TensorDesc
from .source import open_source
from .stored import DTYPE_NAMES, DTYPES, StoredTensor

_MAX_RANK = 64
_MAX_DESC = 4096  # generous: a type and 64 sizes take at most 715 bytes


def read_tensor(origin):
    """Read a file that holds exactly one tensor."""
    with open_source(origin) as source:
        tensor = _read_record(source, "the tensor")
        if source.remaining:
            raise FormatError(f"{source.remaining} bytes follow the tensor; combined files are read with the names "
                              f"of their variables", source.position)
        return tensor


def read_combined(origin, names):
    """Read a combined file into a dict; `names` are the variables it holds, in any order.

    The file itself has no names: a wrong number of them is noticed, a wrong name is not.
    """
    names = sorted(names)
    tensors = {}
    with open_source(origin) as source:
        for number, name in enumerate(names):
            if not source.remaining:
                raise FormatError(f"the file holds {number} tensors, {len(names)} are asked for; "
                                  f"{name!r} is the first one missing", source.position)
            tensors[name] = _read_record(source, f"tensor {name!r}")
        if source.remaining:
            raise FormatError(f"{source.remaining} bytes follow the last of {len(names)} tensors: the file belongs "
                              f"to a program with more variables", source.position)
    return tensors


def read_unnamed(origin):
    """The tensors of a combined file in its order, which is that of their names."""
    tensors = []
    with open_source(origin) as source:
        while source.remaining:
            tensors.append(_read_record(source, f"tensor {len(tensors)}"))
    return tensors


def write_tensor(target, tensor):
    """Write one StoredTensor to a path (atomically) or a binary file object."""
    _write(target, [("the tensor", tensor)])


def write_combined(target, tensors):
    """Write a dict of StoredTensors, ordered by name, to a path (atomically) or a binary file object."""
    _write(target, sorted(tensors.items()))


# ---------------------------------------------------------------- one record

def _read_record(source, what):
    begin = source.position
    try:
        return _read_lod_tensor(source, what)
    except FormatError:
        source.seek(begin)
        if _looks_like_selected_rows(source):
            raise FormatError(f"{what} is a SelectedRows (sparse rows of an embedding's gradient or of a parameter "
                              f"server table), which is not supported", begin) from None
        raise


def _read_lod_tensor(source, what):
    begin = source.position
    version, levels = struct.unpack("<IQ", source.read(f"{what}: head", 12))
    if version != 0:
        raise FormatError(_wrong_version(what, version), begin)
    # Every level takes at least 8 bytes, which bounds the loop by the file's size.
    source.check(f"{what}: {levels} LoD levels", levels * 8)
    lod = [_read_level(source, f"{what}: LoD level {level}") for level in range(levels)]
    desc_position = source.position
    version, desc_size = struct.unpack("<Ii", source.read(f"{what}: description's head", 8))
    if version != 0:
        raise FormatError(f"{what}: tensor version {version} is unknown, only 0 exists", desc_position)
    if not 0 <= desc_size <= _MAX_DESC:
        raise FormatError(f"{what}: a description of {desc_size} bytes is not possible", desc_position + 4)
    desc_bytes = source.read(f"{what}: description", desc_size)
    try:
        desc = wire.decode(TensorDesc, desc_bytes)
    except FormatError as error:
        raise FormatError(f"{what}: damaged description: {error}", desc_position + 8) from None
    dtype = DTYPE_NAMES.get(desc.data_type)
    if dtype is None:
        raise FormatError(f"{what}: element type {desc.data_type} is unknown", desc_position + 8)
    if len(desc.dims) > _MAX_RANK or any(size < 0 for size in desc.dims):
        raise FormatError(f"{what}: impossible shape {desc.dims[:_MAX_RANK]}", desc_position + 8)
    holder = DTYPES[dtype][1]
    source.check(f"{what}: data of {dtype} {desc.dims}", math.prod(desc.dims) * holder.itemsize)
    try:
        array = np.empty(desc.dims, holder)
    except ValueError as error:  # e.g. [0, 2**62, 2**62]: empty, yet its sizes overflow, or more axes than NumPy has
        raise FormatError(f"{what}: impossible shape {desc.dims}: {error}", desc_position + 8) from None
    source.fill(f"{what}: data", array)
    if dtype == "bool":  # one with other bits than 0 and 1 makes NumPy's results depend on the operation
        array = array.view(np.uint8) != 0
    return StoredTensor(array, dtype, lod)


def _read_level(source, what):
    (size,) = struct.unpack("<Q", source.read(f"{what}: length", 8))
    if size % 8:
        raise FormatError(f"{what}: {size} bytes are not a whole number of offsets", source.position - 8)
    source.check(what, size)
    return list(struct.unpack(f"<{size // 8}Q", source.read(what, size)))


def _wrong_version(what, version):
    first = version.to_bytes(4, "little")
    if first[0] == 0x80 and first[1] in range(2, 6):
        return f"{what}: this is a pickled object (.pdparams, .pdopt), not a binary tensor: open it with paddle.load"
    return f"{what}: LoD version {version} is unknown, only 0 exists; is this a tensor file?"


def _looks_like_selected_rows(source):
    try:
        version, rows = struct.unpack("<IQ", source.read("head", 12))
        source.check("rows", rows * 8)
        source.seek(source.position + rows * 8)
        _height, inner, desc_size = struct.unpack("<qIi", source.read("height", 16))
        if version or inner or not 0 < desc_size <= _MAX_DESC:
            return False
        desc = wire.decode(TensorDesc, source.read("description", desc_size))
    except FormatError:
        return False
    return desc.data_type in DTYPE_NAMES and len(desc.dims) > 0 and desc.dims[0] == rows


def _write(target, tensors):
    if hasattr(target, "write"):
        for _, tensor in tensors:
            _write_record(target, tensor)
    else:
        with atomic_open(target) as file:
            for _, tensor in tensors:
                _write_record(file, tensor)


def _write_record(file, tensor):
    desc = wire.encode(TensorDesc(DTYPES[tensor.dtype][0], list(tensor.array.shape)))
    head = [struct.pack("<IQ", 0, len(tensor.lod))]
    head += [struct.pack(f"<Q{len(level)}Q", len(level) * 8, *level) for level in tensor.lod]
    head += [struct.pack("<Ii", 0, len(desc)), desc]
    file.write(b"".join(head))
    if tensor.array.size:
        file.write(memoryview(np.ascontiguousarray(tensor.array).reshape(-1)).cast("B"))
