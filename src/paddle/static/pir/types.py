"""Element types and attribute values: the words of ``.json`` files on one side, the numbers of ``.pdmodel`` files on the other."""

from __future__ import annotations

import math

import numpy as np

from ...core import dtype as dtypes
from ...serialization.errors import FormatError, UnsupportedError
from ...serialization.pir.model import UNDEFINED, Attr, Type

_KINDS = {"b": "bool", "i": "i32", "l": "i64", "f": "f32", "d": "f64", "s": "str", "L": "intarray", "T": "dtype", "P": "place"}
_PYTHON = {"b": bool, "i": int, "l": int, "f": float, "d": float, "s": str}
CPU = Attr("place", [1, 0, ""])  # where constants that are read as attributes lie
ANYWHERE = Attr("place", [0, 0, ""])


def element_type(name: str, where: str) -> dtypes.DType:
    """The element type of a name in a type or a dtype attribute."""
    if name == "index":
        name = "int64"
    if name not in dtypes.ALL:
        raise UnsupportedError(f"{where}: the element type {name!r} is not supported")
    return dtypes.ALL[name]


def shape_of(kind: Type) -> list[int]:
    """A type's sizes, -1 where they are not known."""
    return [n if n >= 0 else -1 for n in kind.dims]


def tensor_type(var) -> Type:
    """The type of a program's variable."""
    dtype = var.dtype.name if var.dtype is not None else "float32"
    return Type("array" if var.kind == 13 else "tensor", dtype, list(var.shape))


def shortest(value: float) -> float:
    """The number that was meant: 0.9 for the float32 nearest to it."""
    with np.errstate(over="ignore"):
        return float(str(np.float32(value)))


def to_python(attr: Attr, where: str):
    """An attribute of a ``.json`` file as ``.pdmodel`` files hold it: element types are numbers."""
    if attr.kind == "dtype":
        return -1 if attr.value == UNDEFINED else element_type(attr.value, where).code
    if attr.kind == "f32":
        return shortest(attr.value)
    if attr.kind == "array":
        return [to_python(item, where) for item in attr.value]
    if attr.kind in ("place", "type"):
        raise FormatError(f"{where}: a {attr.kind} is not expected here")
    return attr.plain()


def to_attr(kind: str, value, where: str) -> Attr:
    """The attribute of a ``.json`` file from a kind of the operator table and a value of a ``.pdmodel`` file."""
    if kind == "P":
        return ANYWHERE
    if kind == "T":
        return dtype_attr(value)
    try:
        if kind == "L":
            return Attr("intarray", [int(v) for v in _listed(value)])
        if kind.endswith("[]"):
            return Attr("array", [to_attr(kind[:-2], v, where) for v in _listed(value)])
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value, = value
        made = _PYTHON[kind](value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{where}: {value!r} can't be written as {_KINDS.get(kind, kind)}") from error
    return Attr(_KINDS[kind], _single(made) if kind == "f" else made)


def _listed(value) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        found = float(np.float32(value))
    return math.copysign(3.4028234663852886e38, value) if math.isinf(found) and math.isfinite(value) else found


def dtype_attr(code) -> Attr:
    """A dtype attribute from an element type or its number; -1 and None: as the input."""
    return Attr("dtype", UNDEFINED if code is None or code == -1 else dtypes.convert(code).name)
