"""paddle.save and paddle.load: state dicts and nested objects in Paddle's own files.

A program is written and read through a codec that paddle.static puts into `core.rooms`.
"""

import collections
import contextlib
import importlib
import os
import sys
import warnings

import numpy as np

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.errors import describe, suggest
from ..core.folding import hidden
from ..core.op import Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor, wrap
from ..distributed.env import warn_shared_path
from ..serialization import foreign, lod_tensor, pickle_safe, pickle_write, safetensors, torch_file
from ..serialization.atomic import atomic_open
from ..serialization.errors import FormatError, UnpicklingError
from ..serialization.pickle_write import NamedArray
from ..serialization.state_dict import NAME_TABLE, join_big_arrays, split_big_arrays
from ..serialization.stored import StoredTensor
from .inference_files import load_folder
from .loaded import loaded, revive, revive_state, to_stored
from .structured_files import load_prefix

_SAVE_CONFIGS = ("use_binary_format", "pickle_protocol")
_LOAD_CONFIGS = ("model_filename", "params_filename", "keep_name_table", "return_numpy", "safe_globals")
_OWN_GLOBALS = (dtypes.convert,)  # what a pickled paddle.float32 calls

def save(obj, path, protocol=4, **configs):
    """Write a state dict, a Tensor, a Program or a nested object holding Tensors to a file.

    The file takes the place of an older one only when it is complete. Real Paddle 2.x reads it.

    Args:
        obj (dict, Tensor, Program or nested object): a `state_dict()` of a Layer or an optimizer; a Tensor; any mix of dicts,
            lists, tuples and plain values with Tensors inside; a static Program.
        path (str or file object): file name (folders are created; ``.pdparams`` and ``.pdopt`` are the usual endings) or binary
            file object such as BytesIO. A name ending in ``.safetensors`` writes a flat dict of Tensors in that format.
        protocol (int): pickle protocol, 2, 3 or 4.
        configs (keywords): ``use_binary_format`` writes a single Tensor as Paddle's raw tensor record instead of a pickle.
    Returns:
        None.
    Raises:
        ValueError: the path has no file name, ``protocol`` is not 2, 3 or 4, or the object is a Layer.

    >>> import io
    >>> file = io.BytesIO()
    >>> paddle.save({"w": paddle.to_tensor([1., 2.])}, file)
    >>> _ = file.seek(0)
    >>> paddle.load(file)["w"].numpy().tolist()
    [1.0, 2.0]
    """
    _check_configs("save", configs, _SAVE_CONFIGS)
    target = _prepare_target(path)
    if isinstance(target, str) and "PADDLE_TRAINERS_NUM" in os.environ:
        warn_shared_path(target)
    binary = configs.get("use_binary_format", False)
    if not isinstance(binary, bool):
        raise TypeError(f"save(): use_binary_format must be a bool, got {describe(binary)}")
    if configs.get("pickle_protocol") is not None:
        warnings.warn("save(): pickle_protocol is the old name of protocol", stacklevel=2)
        protocol = configs["pickle_protocol"]
    if protocol not in pickle_write.PROTOCOLS or isinstance(protocol, bool):
        raise ValueError(f"save(): protocol must be 2, 3 or 4, got {protocol!r}")
    if binary:
        obj = _as_tensor(obj)
        if not isinstance(obj, Tensor):
            raise NotImplementedError(f"save(): use_binary_format=True writes a single Tensor, got {describe(obj)}")
        lod_tensor.write_tensor(target, to_stored(obj))
    elif isinstance(target, str) and target.endswith(".safetensors"):
        _save_safetensors(obj, target)
    elif _is_program(obj):
        _write_bytes(target, rooms.program_codec.to_bytes(obj))
    elif _is_state_dict(obj):
        if not obj:
            warnings.warn("save(): the state dict is empty", stacklevel=2)
        pickle_write.dump(split_big_arrays(_state_for_file(obj), protocol), target, protocol)
    else:
        pickle_write.dump(obj, target, protocol, convert=_array_for_file)


def load(path, **configs):
    """Read what `save`, `paddle.jit.save`, `paddle.static.save` or an earlier Paddle wrote.

    Files are read without running code from them. A pickle that names a class other than plain data and arrays is
    refused, with the name of the class.

    Args:
        path (str or file object): a file name or binary file object; or the prefix of an exported model (``prefix.pdmodel``,
            ``prefix.pdiparams``) or the folder of a 1.x inference model, whose parameters are returned as a dict of NumPy
            arrays.
        configs (keywords): ``return_numpy`` gives NumPy arrays instead of Tensors; ``keep_name_table`` keeps the entry that
            maps a state dict's keys to parameter names; ``model_filename`` and ``params_filename`` name the files in a 1.x
            folder (``__model__`` and one file per parameter by default); ``safe_globals`` are further classes that the file may
            contain (see `paddle.serialization.pickle_safe`).
    Returns:
        What was saved: a dict, Tensor, Program or nested object, with Tensors (or arrays) where there were Tensors.
    Raises:
        ValueError: there is no such file, or it is damaged.
        pickle.UnpicklingError: the file asks for more than data.

    >>> paddle.save(paddle.to_tensor([1., 2.]), "two.pdtensor")
    >>> paddle.load("two.pdtensor").tolist()
    [1.0, 2.0]
    """
    _check_configs("load", configs, _LOAD_CONFIGS)
    return_numpy = bool(configs.get("return_numpy", False))
    label = "the file object"
    if not hasattr(path, "read"):
        label = path = _path_text(path, "load")
        if not os.path.isfile(path):
            return _load_model(path, configs.get("model_filename"), configs.get("params_filename"))
    with _open_file_buffer(path, "rb") as file:
        return _load_file(file, label, configs, return_numpy)


# ---------------------------------------------------------------- saving

def _check_configs(function, configs, known):
    for name in configs:
        if name not in known:
            raise ValueError(f"{function}(): there is no option {name!r}{suggest(name, known)}; "
                             f"known: {', '.join(known)}")


def _open_file_buffer(path_or_buffer, mode):
    """A file by its name, closed in the end, or the file object given, which stays open."""
    return open(path_or_buffer, mode) if isinstance(path_or_buffer, str) else contextlib.nullcontext(path_or_buffer)


def _path_text(path, function):
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    raise ValueError(f"{function}(): path must be a file name or a binary file object, got {describe(path)}")


def _prepare_target(path):
    if hasattr(path, "write"):
        return path
    path = _path_text(path, "save")
    if not os.path.basename(path):
        raise ValueError(f"save(): path must end with a file name, got {path!r}")
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    return path


def _write_bytes(target, data):
    if hasattr(target, "write"):
        target.write(data)
    else:
        with atomic_open(target) as file:
            file.write(data)


def _is_layer(obj):
    nn = sys.modules.get("paddle.nn")  # where it was never imported, there are no layers
    return nn is not None and isinstance(obj, getattr(nn, "Layer", ()))


def _is_lod_tensor(obj):
    return rooms.has("lod_tensor") and isinstance(obj, rooms.lod_tensor)


def _as_tensor(obj):
    """A LoDTensor as a Tensor; other things as they are."""
    if not _is_lod_tensor(obj):
        return obj
    if not obj._is_initialized():
        raise ValueError("save(): obj must have values, got a LoDTensor whose array was not set")
    tensor = wrap(obj._need("save"))
    tensor.name = getattr(obj, "_name", tensor.name)
    return tensor


def _is_ours(obj):
    return isinstance(obj, (Tensor, Symbolic)) or _is_lod_tensor(obj) or _is_layer(obj) or _is_program(obj)


def _contains_ours(obj):
    if _is_ours(obj):
        return True
    if type(obj) in (dict, collections.OrderedDict):
        return any(map(_contains_ours, obj.values()))
    return type(obj) in (list, tuple) and any(map(_contains_ours, obj))


def _is_state_dict(obj):
    # Paddle's own rule: every value is a Tensor, or a dict in which there is none.
    return isinstance(obj, dict) and all(
        not any(map(_contains_ours, value.values())) if isinstance(value, dict) else isinstance(_as_tensor(value), Tensor)
        for value in obj.values())


def _state_for_file(state):
    state = {key: _as_tensor(value) for key, value in state.items()}
    stored = {key: to_stored(value).array if isinstance(value, Tensor) else value for key, value in state.items()}
    stored[NAME_TABLE] = {key: value.name for key, value in state.items() if isinstance(value, Tensor)}
    return stored


def _array_for_file(obj):
    if isinstance(obj, Tensor):
        return NamedArray(obj.name, to_stored(obj).array)
    if _is_lod_tensor(obj):
        return to_stored(_as_tensor(obj)).array
    if _is_layer(obj):
        raise ValueError(f"save(): a Layer cannot be saved ({type(obj).__name__}); save its state_dict()")
    if _is_ours(obj):
        raise ValueError(f"save(): a {type(obj).__name__} cannot be saved inside another object")
    return None


def _save_safetensors(obj, path):
    values = {key: _as_tensor(value) for key, value in obj.items()} if isinstance(obj, dict) else None
    if values is None or not all(isinstance(value, (Tensor, np.ndarray)) for value in values.values()):
        raise TypeError("save(): a .safetensors file holds a flat dict of Tensors; other objects need another ending")
    stored = {key: to_stored(value) if isinstance(value, Tensor) else StoredTensor(value) for key, value in values.items()}
    safetensors.write(path, stored, {"format": "pd"})


# ---------------------------------------------------------------- loading

def _load_file(file, label, configs, return_numpy):
    head = _head_of(file)
    clause = None if head is None else foreign.what_it_is(head)
    if clause is not None:
        raise UnpicklingError(f"load(): {label} is not a file that Paddle writes: {clause}")
    kind = _kind_of(head)
    try:
        if kind == "tensor":
            return _load_binary(file, label, return_numpy)
        if kind == "program":
            return _parse_program(file.read())
        if kind == "safetensors":
            tensors, _ = safetensors.read(file)
            return {name: tensor.array if return_numpy else loaded(tensor.array, name, tensor.dtype)
                    for name, tensor in tensors.items()}
        if kind == "torch":
            return revive(torch_file.read(file), return_numpy)
        allowed = (*_OWN_GLOBALS, *(configs.get("safe_globals") or ()))
        result = pickle_safe.load(file, safe_globals=allowed)
        if isinstance(result, dict):
            join_big_arrays(result)
            if NAME_TABLE in result:
                return revive_state(result, return_numpy, bool(configs.get("keep_name_table")))
        return revive(result, return_numpy)
    except FormatError as error:
        if head is not None and kind == "pickle" and foreign.is_text(head):
            label += " looks like a text file, not one that Paddle writes"
        raise error.within(f"load(): {label}") from (None if hidden() else error)


def _head_of(file):
    """The first bytes, or None of what can be read only once."""
    if not (hasattr(file, "seekable") and file.seekable()):
        return None
    begin = file.tell()
    head = file.read(256)
    file.seek(begin)
    return head


def _kind_of(head):
    # No two of the formats begin alike: a pickle never with a zero byte or a newline.
    if head is None:
        return "pickle"
    if head[:4] == b"\0\0\0\0":
        return "tensor"
    if head[:1] in (b"\n", b"{"):
        return "program"
    if head[:4] == b"PK\3\4":
        return "torch"
    if head[8:9] == b"{" and head[4:8] == b"\0\0\0\0":
        return "safetensors"
    return "pickle"


def _load_binary(file, label, return_numpy):
    prefix, ending = os.path.splitext(label)
    if ending == ".pdiparams" and any(map(os.path.isfile, (prefix + ".pdmodel", prefix + ".json"))):
        return load_prefix(prefix)  # all parameters of a model, whose names only the program knows
    tensor = lod_tensor.read_tensor(file)
    return tensor.array if return_numpy else loaded(tensor.array, None, tensor.dtype)


def _parse_program(data):
    importlib.import_module("paddle.static")  # puts its codec in
    return rooms.program_codec.from_bytes(data)


def _is_program(obj):
    """Is it a static Program? There is none before paddle.static is imported."""
    return rooms.has("default_main_program") and isinstance(obj, rooms.program_codec.kind)


def _load_model(path, model_filename, params_filename):
    exported = next(filter(os.path.isfile, (path + ".pdmodel", path + ".json")), None)
    folder = os.path.isdir(path)
    if exported and folder:
        raise ValueError(f"load(): both {exported} and the folder {path} exist; which of them is meant?")
    if exported:
        if model_filename is not None or params_filename is not None:
            warnings.warn("load(): model_filename and params_filename belong to 1.x folders and have no meaning for "
                          "the prefix of an exported model", stacklevel=3)
        return load_prefix(path)
    if folder:
        return load_folder(path, model_filename, params_filename)
    near = [path + ending for ending in (".pdparams", ".pdopt") if os.path.exists(path + ending)]
    hint = f"; give the full name: {' or '.join(near)}" if near else ""
    raise ValueError(f"load(): there is no file, exported model or folder {path!r}{hint}")


def _transformed_from_lodtensor(obj):
    """Is this how files hold a tensor: a bare array?"""
    return isinstance(obj, np.ndarray)


def _to_LodTensor(ndarray):
    """A LoDTensor with an array's values."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"_to_LodTensor(): needs an array, got {type(ndarray).__name__}")
    return rooms.lod_tensor(np.array(ndarray))


def _legacy_save(obj, path, protocol=2):
    """`save` with the protocol that files of 1.x have."""
    save(obj, path, protocol)


def _legacy_load(path, **configs):
    """`load`, arrays for tensors."""
    return load(path, **configs, return_numpy=True)


def _parse_every_object(obj, condition_func, convert_func):
    """What is in dicts, lists, tuples and sets, those for which a condition holds converted; dicts and lists change."""
    if condition_func(obj):
        return convert_func(obj)
    if type(obj) in (dict, collections.OrderedDict, list):
        for key in list(range(len(obj)) if type(obj) is list else obj):
            obj[key] = _parse_every_object(obj[key], condition_func, convert_func)
    elif type(obj) in (tuple, set):
        return type(obj)(_parse_every_object(item, condition_func, convert_func) for item in obj)
    return obj


__getattr__ = _lookup(__name__)
