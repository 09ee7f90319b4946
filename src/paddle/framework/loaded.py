"""Turning what files hold into Tensors, and Tensors into what files hold."""

import collections

import numpy as np

from ..core import dtype as dtypes
from ..core.context import in_dynamic_mode
from ..core.rooms import rooms
from ..core.tensor import wrap
from ..serialization.errors import FormatError
from ..serialization.state_dict import NAME_TABLE
from ..serialization.stored import DTYPES, StoredTensor

_TENSOR_TYPES = {holder for _, holder in DTYPES.values()}  # uint16 among them: the bits of bfloat16


def to_stored(tensor):
    """A Tensor's values as files hold them."""
    if tensor._placed:
        raise TypeError("save(): a tensor is cut over ranks; use dist.save_state_dict, or save dist.unshard_dtensor(tensor)")
    array = tensor._data
    if tensor.dtype.name == "bfloat16":
        return StoredTensor(array.view(np.uint16), "bfloat16")
    return StoredTensor(array, tensor.dtype.name)


def tensor_of(array, name=None, dtype=None):
    """A Tensor over an array from a file; uint16 holds the bits of bfloat16."""
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.c_contiguous:
        array = np.array(array, order="C")
    if dtype == "bfloat16" or array.dtype == np.uint16:
        array = array.view(dtypes.ALL["bfloat16"].dtype)
    tensor = wrap(array)
    if name:
        tensor.name = name
    return tensor


def loaded(array, name=None, dtype=None):
    """What `load` gives for a stored tensor: a Tensor, or in static mode a LoDTensor."""
    tensor = tensor_of(array, name, dtype)
    return tensor if in_dynamic_mode() else rooms.lod_tensor(tensor._data)


def revive_state(state, return_numpy, keep_table):
    """Make Tensors, under their parameters' names, of the arrays of a state dict; changes and returns it."""
    table = state[NAME_TABLE]
    if not isinstance(table, dict):
        raise FormatError(f"{NAME_TABLE} must map keys to names, found a {type(table).__name__}")
    if not return_numpy:
        for key, name in table.items():
            if isinstance(state.get(key), np.ndarray):
                state[key] = loaded(state[key], name)
    if not keep_table:
        del state[NAME_TABLE]
    return state


def revive(obj, return_numpy):
    """Make Tensors of the arrays in a nested object; changes its containers.

    Tensors are stored as pairs (name, array). An object without a single pair comes from a writer that did not store
    names; then every array was a Tensor.
    """
    try:
        if _contains_pair(obj, set()):
            def convert(item):
                if _is_pair(item):
                    return item[1] if return_numpy else loaded(item[1], item[0])
                return item
        elif return_numpy:
            return obj
        else:
            def convert(item):
                is_tensor = isinstance(item, np.ndarray) and item.dtype.newbyteorder("=") in _TENSOR_TYPES
                return loaded(item) if is_tensor else item
        return _convert(obj, convert, {})
    except RecursionError:
        raise FormatError("the object is nested too deeply") from None


def _is_pair(obj):
    return type(obj) is tuple and len(obj) == 2 and isinstance(obj[0], str) and isinstance(obj[1], np.ndarray)


def _children(obj):
    if type(obj) in (dict, collections.OrderedDict):
        return obj.values()
    return obj if type(obj) in (list, tuple) else ()


def _contains_pair(obj, seen):
    if _is_pair(obj):
        return True
    if id(obj) in seen:
        return False
    children = _children(obj)
    if children:
        seen.add(id(obj))
    return any(_contains_pair(item, seen) for item in children)


def _convert(obj, convert, done):
    """Replace what `convert` changes; shared and self-containing parts stay so (`done`: id -> (old, new))."""
    if id(obj) in done:
        return done[id(obj)][1]
    new = convert(obj)
    if new is not obj:
        done[id(obj)] = obj, new
        return new
    kind = type(obj)
    if kind in (dict, collections.OrderedDict, list):
        done[id(obj)] = obj, obj
        for key in list(obj) if kind is not list else range(len(obj)):
            obj[key] = _convert(obj[key], convert, done)
    elif kind is tuple and obj:
        done[id(obj)] = obj, obj  # for a tuple that contains itself through a list
        new = tuple([_convert(item, convert, done) for item in obj])
        if any(left is not right for left, right in zip(new, obj)):
            done[id(obj)] = obj, new
            return new
    return obj
