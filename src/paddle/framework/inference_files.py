"""Parameters of exported models, read as a plain dict of arrays."""

import os

from ..serialization import lod_tensor, pir
from ..serialization import program_desc as pd
from ..serialization.errors import FormatError


def load_folder(folder, model_filename=None, params_filename=None):
    """Parameters of a 1.x inference folder; without a program in it, every file below it as a variable."""
    model = os.path.join(folder, model_filename or "__model__")
    if os.path.isfile(model):
        names = read_program(model).persistable_names()
        if params_filename is not None:
            return combined(os.path.join(folder, params_filename), names)
        return {name: _single(_inside(folder, name), name) for name in names}
    if model_filename is not None:
        raise FileNotFoundError(f"load(): there is no {model!r}")
    arrays = {}
    for path, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            full = os.path.join(path, file)
            name = os.path.relpath(full, folder).replace(os.sep, "/")
            arrays[name] = _single(full, name)
    return arrays


def read_program(path):
    """The program of a file of either form, as the file describes it."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        return pir.read(data) if data[:64].lstrip()[:1] == b"{" else pd.read(data)
    except FormatError as error:
        raise error.within(f"load(): {path}") from error


def combined(path, names):
    """The arrays of a file that has those of all names."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"load(): the program has {len(names)} parameters, but there is no {path!r}")
    try:
        return {name: tensor.array for name, tensor in lod_tensor.read_combined(path, names).items()}
    except FormatError as error:
        raise error.within(f"load(): {path}") from error


def _single(path, name):
    try:
        return lod_tensor.read_tensor(path).array
    except FileNotFoundError:
        raise FileNotFoundError(f"load(): there is no file {path!r} for the program's variable {name!r}; if all "
                                f"parameters are in one file, give its name as params_filename") from None
    except FormatError as error:
        raise error.within(f"load(): {path}") from error


def _inside(folder, name):
    # A variable's name is a path below the folder; a program cannot make us open other files.
    parts = name.split("/")
    if os.path.isabs(name) or ".." in parts or "" in parts or "\0" in name or (os.sep != "/" and os.sep in name):
        raise FormatError(f"load(): the program has a variable {name!r}, which is not a file below {folder!r}")
    return os.path.join(folder, *parts)
