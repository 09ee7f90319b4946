"""Attributes of an op: Python arguments on one side, what files hold on the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import dtype as dtypes
from .signature import REQUIRED


class VarName(str):
    """An attribute that names a variable: its value is only known when the program runs."""


def named_in(attrs: Mapping[str, Any]) -> list[str]:
    """Names of the variables that stand in the places of attributes: an operator reads these like its inputs."""
    return [n for value in attrs.values() for n in (value if isinstance(value, list) else [value]) if isinstance(n, VarName)]


def exactly(value: Any) -> Any:
    """A key for tables that is equal for values of one type and the same bits: 1 is not 1.0, 0.0 is not -0.0, NaN is itself."""
    if isinstance(value, (float, complex)) and (not value or value != value or isinstance(value, complex)):
        return value.__class__, str(value)
    return value.__class__, value


def _plain(value: Any) -> Any:
    if isinstance(value, dtypes.DType):
        return value.code
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def to_file(op: Any, values: Any) -> dict[str, Any]:
    """File attributes from an op's attribute values (in the order of ``op.attr_names``)."""
    attrs = dict(zip(op.attr_names, values))
    if op.to_desc is not None:
        named = op.to_desc(attrs)
    else:
        named = {op.renames.get(k, k): v for k, v in attrs.items()}
    return {k: _plain(v) for k, v in {**op.extra, **named}.items() if v is not None}


def from_file(op: Any, attrs: Any) -> list[Any]:
    """An op's attribute values (in the order of ``op.attr_names``) from file attributes; unknown ones are dropped."""
    if op.from_desc is not None:
        given = op.from_desc(dict(attrs))
    else:
        back = {v: k for k, v in op.renames.items()}
        given = {back.get(k, k): v for k, v in attrs.items()}
    values = []
    for name, default in zip(op.attr_names, op.defaults[op.n_in:]):
        value = given.get(name, default)
        if value is REQUIRED:
            raise ValueError(f"{op.type}: the attribute {name!r} is missing")
        values.append(value)
    return values
