"""Programs and their variables in files: training state, and single variables as 1.x keeps them."""

import collections
import io as memory
import os
import warnings

import numpy as np

from ..core.errors import check_type, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..framework.inference_files import load_folder
from ..framework.io import load as load_object
from ..framework.loaded import tensor_of, to_stored
from ..serialization import lod_tensor, pickle_write
from ..serialization import program_desc as pd
from ..serialization.atomic import together
from .inference_io import (  # noqa: F401  (one interface for all of static's files)
    deserialize_persistables,
    deserialize_program,
    load_from_file,
    load_inference_model,
    persistable_names,
    save_inference_model,
    save_to_file,
    serialize_persistables,
    serialize_program,
    set_values,
    value_of,
    write_tensors,
)
from .model_files import parse
from .program import program as program_module
from .program.desc import to_desc
from .program.transform import normalize_program  # noqa: F401

_ProgramCodec = collections.namedtuple("_ProgramCodec", "kind to_bytes from_bytes")


def _to_bytes(program):
    return pd.write(to_desc(program))


def _from_bytes(data):
    return parse(data, check=False)


program_codec = _ProgramCodec(program_module.Program, _to_bytes, _from_bytes)


def is_parameter(var):
    """Is the variable a parameter?"""
    return var.is_parameter


def is_persistable(var):
    """Is the variable a tensor whose value stays between runs?"""
    return var.persistable and var.kind == program_module.LOD_TENSOR


# ---------------------------------------------------------------- training state

def save(program, model_path, protocol=4, **configs):
    """Write a program's state: ``.pdparams`` (parameters), ``.pdopt`` (other persistable variables), ``.pdmodel``.

    Args:
        program: a Program.
        model_path: file names without their endings; folders are made.
        protocol: of the pickles, 2 to 4.
    """
    protocol = configs.pop("pickle_protocol", protocol)
    if configs:
        raise TypeError(f"save(): unknown argument {next(iter(configs))!r}")
    program = getattr(program, "_program", program)
    check_type(program, program_module.Program, "save", "program")
    prefix = os.fspath(model_path)
    if not os.path.basename(prefix):
        raise ValueError(f"save(): model_path must end with a file name, got {model_path!r}")
    if os.path.dirname(prefix):
        os.makedirs(os.path.dirname(prefix), exist_ok=True)
    parameters = {v.name for v in program.list_vars() if v.is_parameter}
    names = persistable_names(program)
    with together():
        for ending, chosen in ((".pdparams", [n for n in names if n in parameters]),
                               (".pdopt", [n for n in names if n not in parameters])):
            arrays = {n: to_stored(wrap(value_of(program, n))).array for n in chosen}
            pickle_write.dump(arrays, prefix + ending, protocol)
        save_to_file(prefix + ".pdmodel", _to_bytes(program))


def load(program, model_path, executor=None, var_list=None):
    """Read into the global scope what ``save`` (or 1.x's separate files in a folder) wrote for a program.

    Args:
        program: the Program whose variables are set.
        model_path: file names without their endings, or a folder with one file per variable.
        executor: not needed.
        var_list: only these Variables, for folders and combined files.
    """
    program = getattr(program, "_program", program)
    check_type(program, program_module.Program, "load", "program")
    state = load_program_state(model_path, var_list)
    wanted = None if var_list is None else {v.name for v in var_list}
    missing = []
    for name in persistable_names(program):
        if wanted is not None and name not in wanted:
            continue
        if name in state:
            set_values(program, {name: state[name]})
        elif program.global_block().find(name).is_parameter or wanted is not None:
            missing.append(name)
    if missing:
        raise RuntimeError(f"load(): {model_path} has no value for {', '.join(missing)}")


def load_program_state(model_path, var_list=None):
    """A dict of name to array from what ``save`` or 1.x's ``save_params`` / ``save_persistables`` wrote.

    Args:
        model_path: file names without their endings; a folder of separate files; or one combined file with ``var_list``.
        var_list: the Variables that a combined file holds.
    """
    prefix = os.fspath(model_path)
    for var in var_list or ():
        check_type(var, Symbolic, "load_program_state", "var_list")
    for ending in (".pdparams", ".pdopt", ".pdmodel"):
        if prefix.endswith(ending) and os.path.isfile(prefix):
            prefix = prefix[:-len(ending)]
            break
    if os.path.isfile(prefix + ".pdparams"):
        state = dict(load_object(prefix + ".pdparams", return_numpy=True))
        if os.path.isfile(prefix + ".pdopt"):
            state.update({k: v for k, v in load_object(prefix + ".pdopt", return_numpy=True).items()
                          if isinstance(v, np.ndarray)})
        return state
    if os.path.isdir(prefix):
        return _separate(prefix, var_list)
    if os.path.isfile(prefix):
        if not var_list:
            raise ValueError(f"load_program_state(): {prefix!r} is a combined file without names; give var_list")
        tensors = lod_tensor.read_combined(prefix, [v.name for v in var_list])
        return {name: tensor_of(t.array, None, t.dtype)._data for name, t in tensors.items()}
    raise ValueError(f"load_program_state(): there is no {prefix}.pdparams, folder or file {prefix!r}")


def _separate(folder, var_list):
    if var_list is not None:
        return {v.name: _read_one(folder, v.name) for v in var_list}
    return {name: array for name, array in load_folder(folder, None, None).items() if name != "__model__"}


def _read_one(folder, name):
    if os.path.isabs(name) or ".." in name.split("/"):
        raise ValueError(f"load(): the variable's name {name!r} is not a file below {folder!r}")
    path = os.path.join(folder, *name.split("/"))
    if not os.path.isfile(path):
        raise FileNotFoundError(f"load(): there is no file {path!r} for the variable {name!r}")
    t = lod_tensor.read_tensor(path)
    return tensor_of(t.array, None, t.dtype)._data


def set_program_state(program, state_dict):
    """Put a dict of name to array into the global scope, for the program's persistable variables.

    Values that no variable of the program has are named in a warning.
    """
    check_type(state_dict, dict, "set_program_state", "state_dict")
    names = set(persistable_names(program))
    unused = [n for n in state_dict if n not in names]
    for name in names & set(state_dict):
        value = state_dict[name]
        set_values(program, {name: value._data if isinstance(value, Tensor) else np.asarray(value)})
    if unused:
        warnings.warn(f"set_program_state(): the program has no variables {', '.join(unused[:5])}"
                      f"{' ...' if len(unused) > 5 else ''}", stacklevel=2)


# ---------------------------------------------------------------- variables, as 1.x keeps them

def _chosen(main_program, variables, predicate, function):
    program = program_module.default_main_program() if main_program is None else getattr(main_program, "_program", main_program)
    check_type(program, program_module.Program, function, "main_program")
    if variables is None:
        variables = [v for v in program.list_vars() if predicate is None or predicate(v)]
    names = []
    for v in variables:
        if not isinstance(v, (str, Symbolic)):
            raise TypeError(f"{function}(): vars must be Variables, got {describe(v)}")
        name = v if isinstance(v, str) else v.name
        if name not in names and name not in ("feed", "fetch"):
            names.append(name)
    return program, names


def save_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Write variables to a folder: one file each, or all in one ``filename``; bytes for dirname and filename None."""
    program, names = _chosen(main_program, vars, predicate, "save_vars")
    stored = {name: to_stored(wrap(value_of(program, name))) for name in names}
    if dirname is None and filename is None:
        file = memory.BytesIO()
        lod_tensor.write_combined(file, stored)
        return file.getvalue()
    os.makedirs(dirname or ".", exist_ok=True)
    if filename is not None:
        lod_tensor.write_combined(os.path.join(dirname or "", filename), stored)
        return None
    write_tensors(dirname, stored)
    return None


def load_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Read variables that ``save_vars`` wrote into the global scope."""
    program, names = _chosen(main_program, vars, predicate, "load_vars")
    if filename is not None:
        origin = filename if isinstance(filename, bytes) else os.path.join(dirname or "", filename)
        if isinstance(origin, bytes):
                origin = memory.BytesIO(origin)
        tensors = lod_tensor.read_combined(origin, names)
        arrays = {name: tensor_of(t.array, None, t.dtype)._data for name, t in tensors.items()}
    else:
        arrays = {name: _read_one(dirname, name) for name in names}
    set_values(program, arrays)


def save_params(executor, dirname, main_program=None, filename=None):
    """Write all parameters of a program to a folder."""
    return save_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_params(executor, dirname, main_program=None, filename=None):
    """Read all parameters of a program from a folder."""
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(executor, dirname, main_program=None, filename=None):
    """Write all persistable variables of a program to a folder."""
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_persistables(executor, dirname, main_program=None, filename=None):
    """Read all persistable variables of a program from a folder."""
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


def get_program_persistable_vars(program):
    """The persistable tensors of a program."""
    return [v for v in program.list_vars() if is_persistable(v)]


def get_program_parameter(program):
    """The parameters of a program."""
    return [v for v in program.list_vars() if is_parameter(v)]

