"""What travels between workers: plain values, arrays and tensors. Functions go by their names; nothing that arrives is run as code.

A message is the length of its head, the head (JSON), and the bytes of its arrays one after the other.
"""

import importlib
import json
import struct
import sys

import numpy as np

from ...core import dtype as dtypes
from ...core.errors import describe
from ...core.tensor import Tensor, wrap

LARGEST_HEAD = 64 * 2**20
LENGTH = struct.Struct("!Q")


def _packed(value, arrays):
    """A value as JSON holds it; arrays are put aside."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (Tensor, np.ndarray)):
        array = np.ascontiguousarray(value._data if isinstance(value, Tensor) else value)
        if array.dtype.hasobject:
            raise TypeError("rpc: arrays of Python objects can't be sent")
        arrays.append(array)
        return {"array": [dtypes.of(array).name, list(array.shape)], "tensor": isinstance(value, Tensor)}
    if isinstance(value, (list, tuple)):
        return {"tuple" if isinstance(value, tuple) else "list": [_packed(v, arrays) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[_packed(k, arrays), _packed(v, arrays)] for k, v in value.items()]}
    raise TypeError(f"rpc: values may be numbers, strings, None, lists, tuples, dicts, arrays and Tensors; got {describe(value)}")


def _unpacked(value, take):
    if not isinstance(value, dict):
        return value
    if "array" in value:
        name, shape = value["array"]
        kind = dtypes.to_numpy(name)
        array = np.frombuffer(bytearray(take(int(np.prod(shape, dtype=np.int64)) * kind.itemsize)), kind).reshape(shape)
        return wrap(array) if value["tensor"] else array
    if "dict" in value:
        return {_unpacked(k, take): _unpacked(v, take) for k, v in value["dict"]}
    kind = "tuple" if "tuple" in value else "list"
    return (tuple if kind == "tuple" else list)(_unpacked(v, take) for v in value[kind])


def send(connection, value):
    """Send one value."""
    arrays = []
    head = json.dumps(_packed(value, arrays)).encode()
    connection.sendall(LENGTH.pack(len(head)) + head)
    for array in arrays:
        connection.sendall(array.reshape(-1).view(np.uint8))


def receive(connection):
    """The next value; ConnectionError at the end of the connection."""
    def take(count):
        data = bytearray()
        while len(data) < count:
            chunk = connection.recv(min(count - len(data), 1 << 20))
            if not chunk:
                raise ConnectionError("rpc: the other side closed the connection")
            data += chunk
        return bytes(data)

    length, = LENGTH.unpack(take(LENGTH.size))
    if length > LARGEST_HEAD:
        raise ConnectionError(f"rpc: a head of {length} bytes")
    return _unpacked(json.loads(take(length)), take)


def name_of(function):
    """``module:name`` of a function that the other side can look up."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not callable(function) or module is None or name is None or "<" in name:
        raise TypeError(f"rpc: the function is sent by its name, so it must be one of a module; got {describe(function)}")
    return f"{module}:{name}"


def function_of(text):
    """The function of this name here. Python's own library can't be called from another worker."""
    module, _, name = text.partition(":")
    if module.partition(".")[0] in {*sys.stdlib_module_names, "builtins"} - {"__main__"}:
        raise PermissionError(f"rpc: {text} is of Python's library, which other workers can't call")
    found = sys.modules["__main__"] if module == "__main__" else importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"rpc: {text} is no function")
    return found
