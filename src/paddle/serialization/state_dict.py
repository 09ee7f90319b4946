"""The layout of `.pdparams` and `.pdopt` files: arrays by key, a table of parameter names, large arrays in parts."""

import math

import numpy as np

from .errors import FormatError

NAME_TABLE = "StructuredToParameterName@@"
BIG_TABLE = "UnpackBigParamInfor@@"
_MAX_PART = 2 ** 30 - 1  # bytes; pickles of protocol 2 and 3 cannot hold objects beyond 4 GiB


def split_big_arrays(state, protocol, max_part=_MAX_PART):
    """Cut arrays that are too large for pickle protocol 2 or 3 into parts; without any, return `state` itself."""
    if protocol >= 4:
        return state
    table, parts = {}, {}
    for key, value in state.items():
        if not isinstance(value, np.ndarray) or value.nbytes == 0:
            continue
        step = int(max_part / value.itemsize)
        if value.size <= step:
            continue
        names = [f"{key}@@.{number}" for number in range(math.ceil(value.size / step))]
        flat = value.reshape(-1)
        parts.update({name: flat[number * step:(number + 1) * step] for number, name in enumerate(names)})
        table[key] = {"OriginShape": value.shape, "slices": names}
    if not table:
        return state
    rest = {key: value for key, value in state.items() if key not in table}
    return {**rest, **parts, BIG_TABLE: table}


def join_big_arrays(state):
    """Put arrays together again that `split_big_arrays` (or Paddle) has cut; changes and returns `state`."""
    table = state.pop(BIG_TABLE, None)
    if table is None:
        return state
    try:
        for key, entry in table.items():
            # Each part is taken out once, so a damaged table cannot multiply the data.
            arrays = [state.pop(name) for name in entry["slices"]]
            if any(not isinstance(array, np.ndarray) or array.ndim != 1 for array in arrays):
                raise ValueError("a part is not a one-dimensional array")
            state[key] = np.concatenate(arrays).reshape(entry["OriginShape"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"the table of divided arrays ({BIG_TABLE}) is damaged: "
                          f"{type(error).__name__}: {error}") from error
    return state
