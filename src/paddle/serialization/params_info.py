"""`.pdiparams.info` files: what a layer calls each variable of an exported program, and whether it is trained."""

import dataclasses

from . import pickle_safe, pickle_write
from .errors import FormatError


@dataclasses.dataclass(slots=True)
class ParamInfo:
    """One variable; `trainable` is None for buffers."""

    structured_name: str | None = None
    stop_gradient: bool = True
    trainable: bool | None = None


def read(origin):
    """Read a file into a dict: variable name -> ParamInfo."""
    table = pickle_safe.load(origin)
    if not isinstance(table, dict):
        raise FormatError(f"an .info file holds a dict of variables, this one a {type(table).__name__}")
    result = {}
    for name, entry in table.items():
        if not isinstance(name, str) or not isinstance(entry, dict):
            raise FormatError(f"the .info file has a damaged entry for {name!r}")
        structured, trainable = entry.get("structured_name"), entry.get("trainable")
        if not isinstance(structured, (str, type(None))):
            raise FormatError(f"the .info file gives {name!r} a structured name that is not a text")
        result[name] = ParamInfo(structured, bool(entry.get("stop_gradient", True)),
                                 None if trainable is None else bool(trainable))
    return result


def write(target, infos):
    """Write a dict of ParamInfos to a path (atomically) or a binary file object."""
    table = {}
    for name, info in infos.items():
        entry = {} if info.structured_name is None else {"structured_name": info.structured_name}
        entry["stop_gradient"] = info.stop_gradient
        if info.trainable is not None:
            entry["trainable"] = info.trainable
        table[name] = entry
    pickle_write.dump(table, target, protocol=2)
