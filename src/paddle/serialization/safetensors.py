"""Reading and writing `.safetensors` files: a JSON header and the raw bytes of named tensors."""

import json
import math

import numpy as np

from .atomic import atomic_open
from .errors import FormatError
from .source import open_source
from .stored import DTYPES, StoredTensor

_CODES = {"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
          "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64", "C64": "complex64"}
_NAMES = {name: code for code, name in _CODES.items()}
_CODES["U16"] = "bfloat16"  # how the package safetensors before 0.7 wrote the bfloat16 of Paddle, whose arrays are uint16
_MAX_HEADER = 100_000_000  # the limit that the format's own reader sets
_METADATA = "__metadata__"


def read(origin):
    """Read a file; returns (dict of StoredTensors in the file's order, dict of the writer's remarks)."""
    with open_source(origin) as source:
        size = int.from_bytes(source.read("length of the header", 8), "little")
        if size > _MAX_HEADER:
            raise FormatError(f"a header of {size} bytes is not possible (limit {_MAX_HEADER}); "
                              f"is this a .safetensors file?", 0)
        entries = _parse_header(source.read("header", size))
        metadata = entries.pop(_METADATA, {})
        if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
            raise FormatError(f"{_METADATA} must be a dict of texts")
        begin = source.position
        plan = _checked_layout(entries, source.remaining)
        tensors = {}
        for name, (dtype, shape, offset) in plan.items():
            array = np.empty(shape, DTYPES[dtype][1])
            source.seek(begin + offset)
            source.fill(f"tensor {name!r}", array)
            tensors[name] = StoredTensor(array.view(np.uint8) != 0 if dtype == "bool" else array, dtype)
    return {name: tensors[name] for name in entries}, metadata


def write(target, tensors, metadata=None):
    """Write a dict of StoredTensors (and remarks: a dict of texts) to a path (atomically) or a binary file object."""
    header = {}
    if metadata:
        if not all(isinstance(part, str) for item in metadata.items() for part in item):
            raise TypeError(f"safetensors: metadata must be a dict of texts, got {metadata!r}")
        header[_METADATA] = dict(metadata)
    offset = 0
    # Wide types first: then every tensor starts at a multiple of its item size.
    order = sorted(tensors.items(), key=lambda item: (-item[1].array.itemsize, item[0]))
    for name, tensor in order:
        if name == _METADATA or not isinstance(name, str):
            raise ValueError(f"safetensors: {name!r} cannot be a tensor's name")
        if tensor.dtype not in _NAMES:
            raise TypeError(f"safetensors: tensor {name!r} is {tensor.dtype}; the format has {', '.join(_NAMES)}")
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.array.shape),
                        "data_offsets": [offset, offset + tensor.array.nbytes]}
        offset += tensor.array.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > _MAX_HEADER:
        raise ValueError(f"safetensors: the header would take {len(text)} bytes, more than {_MAX_HEADER}")
    if hasattr(target, "write"):
        _write_parts(target, text, order)
    else:
        with atomic_open(target) as file:
            _write_parts(file, text, order)


def _write_parts(file, text, order):
    file.write(len(text).to_bytes(8, "little"))
    file.write(text)
    for _, tensor in order:
        if tensor.array.size:
            file.write(memoryview(np.ascontiguousarray(tensor.array).reshape(-1)).cast("B"))


def _parse_header(text):
    if text[:1] != b"{":
        raise FormatError("the header is not a JSON object", 8)
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_unique)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the header is not valid JSON: {error}", 8) from None


def _unique(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise FormatError("a name occurs twice in the header", 8)
    return result


def _checked_layout(entries, room):
    """name -> (dtype, shape, offset), ordered by offset; the tensors must cover the data exactly once."""
    plan = {}
    for name, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise FormatError(f"tensor {name!r}: expected dtype, shape and data_offsets")
        dtype = _CODES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
        if dtype is None:
            raise FormatError(f"tensor {name!r}: element type {entry['dtype']!r} is unknown; "
                              f"known: {', '.join(_CODES)}")
        shape, offsets = entry["shape"], entry["data_offsets"]
        if not _whole_numbers(shape) or not _whole_numbers(offsets) or len(offsets) != 2 or len(shape) > 32:
            raise FormatError(f"tensor {name!r}: impossible shape or data_offsets")
        size = math.prod(shape) * DTYPES[dtype][1].itemsize
        if offsets[1] - offsets[0] != size:
            raise FormatError(f"tensor {name!r}: {dtype} {shape} takes {size} bytes, "
                              f"its offsets {offsets} leave {offsets[1] - offsets[0]}")
        if math.prod(max(length, 1) for length in shape) * 16 >= 2 ** 63:
            raise FormatError(f"tensor {name!r}: impossible shape {shape}")
        plan[name] = (dtype, shape, offsets[0], size)
    end = 0
    ordered = sorted(plan.items(), key=lambda item: (item[1][2], item[1][3]))
    for name, (_, _, offset, size) in ordered:
        if offset != end:
            fault = "overlaps the tensor before it" if offset < end else "leaves a gap before it"
            raise FormatError(f"tensor {name!r} {fault}: it starts at {offset}, expected {end}")
        end += size
    if end != room:
        raise FormatError(f"the tensors take {end} bytes, the file has {room} after its header")
    return {name: (dtype, shape, offset) for name, (dtype, shape, offset, _) in ordered}


def _whole_numbers(values):
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2 ** 63 for value in values)
