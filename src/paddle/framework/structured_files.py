"""Parameters of exported models by the names that layers give them."""

import os

from ..serialization import params_info
from ..serialization.errors import FormatError
from .inference_files import combined, read_program


def load_prefix(prefix):
    """Parameters of an exported model, by structured name if there is a `.pdiparams.info`, else by variable name."""
    names = read_program(next(filter(os.path.isfile, (prefix + ".pdmodel", prefix + ".json")))).persistable_names()
    params = prefix + ".pdiparams"
    arrays = combined(params, names) if names else {}
    if not os.path.isfile(params + ".info"):
        return arrays
    infos = params_info.read(params + ".info")
    result = {}
    for name, array in arrays.items():
        structured = infos[name].structured_name if name in infos else None
        if structured is None:
            raise FormatError(f"load(): {params}.info does not give the structured name of variable {name!r}")
        result[structured] = array
    return result
