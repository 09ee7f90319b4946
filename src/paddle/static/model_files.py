"""Which file holds a model's program, and the Program in it: ``.pdmodel`` and ``__model__`` (protobuf) or ``.json`` (Paddle 3)."""

import os

from ..serialization import program_desc as pd
from ..serialization.errors import FormatError
from .program.desc import from_desc

ENDINGS = (".pdmodel", ".json")
_USUAL = ("__model__", "inference.pdmodel", "inference.json", "model.pdmodel", "model.json")


def is_json(data):
    """Are these bytes those of a ``.json`` program? Only the first sign is looked at."""
    return bytes(data[:64]).lstrip()[:1] == b"{"


def parse(data, check=True):
    """The Program in the bytes of a program file of either form; ``check``: refuse operators that can't run here."""
    if is_json(data):
        from .pir import program_of  # brings the layers' functions with it, which other files do without
        return program_of(data)
    return from_desc(pd.read(data), check=check)


def read_program(path, function="load_inference_model", check=True):
    """The Program of a file; errors name the file."""
    if not os.path.isfile(path):
        raise ValueError(f"{function}(): there is no file {path!r}")
    with open(path, "rb") as file:
        data = file.read()
    try:
        return parse(data, check)
    except FormatError as error:
        raise error.within(f"{function}(): {path}") from error
    except NotImplementedError as error:
        raise NotImplementedError(f"{function}(): {path}: {error}") from error


def split_ending(path):
    """A path without the ending of a program file."""
    for ending in ENDINGS:
        if path.endswith(ending):
            return path[:-len(ending)], ending
    return path, ""


def of_prefix(prefix):
    """The program file of a prefix, or None; of both kinds the one written last. A program file itself is one too."""
    found = [prefix + ending for ending in ENDINGS if os.path.isfile(prefix + ending)]
    found.sort(key=os.path.getmtime, reverse=True)  # they share one parameter file, which belongs to the later one
    if not found and split_ending(prefix)[1] and os.path.isfile(prefix):
        return prefix
    return found[0] if found else None


def of_folder(folder, name=None, function="load_inference_model"):
    """The program file in a folder: the one of that name, one of the usual names, or the only one there is."""
    if name is not None:
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            raise ValueError(f"{function}(): there is no file {path!r}")
        return path
    for usual in _USUAL:
        if os.path.isfile(os.path.join(folder, usual)):
            return os.path.join(folder, usual)
    names = sorted(os.listdir(folder))
    found = [n for n in names if n.endswith(".pdmodel")]
    found = found or [n for n in names if n.endswith(".json") and n[:-5] + ".pdiparams" in names]
    if len(found) != 1:
        what = f"several program files ({', '.join(found[:5])}): name one" if found else "no __model__, .pdmodel or .json program"
        raise ValueError(f"{function}(): the folder {folder!r} has {what}")
    return os.path.join(folder, found[0])
