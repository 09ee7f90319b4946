"""Conversions beyond renaming between operators of ``.json`` and ``.pdmodel`` files, by the name that the operator table gives.

Those of reading change the attributes of the operator that is made; those of writing return the attributes to be written.
"""

from __future__ import annotations

from ..ir.lower import VarName


def _axes(attrs: dict) -> str:
    return "dim" if "dim" in attrs else "axis"


def _is_computed(value) -> bool:
    return isinstance(value, VarName) or isinstance(value, (list, tuple)) and any(isinstance(v, VarName) for v in value)


def _read_reduce(attrs: dict, operand_dtype) -> None:
    """No axes mean all of them, which old files say with an attribute of its own."""
    key = _axes(attrs)
    value = attrs.get(key)
    if not _is_computed(value):
        axes = [] if value is None else list(value)
        attrs["reduce_all"] = not axes or bool(attrs.get("reduce_all"))
        attrs[key] = axes or [0]


def _write_reduce(attrs: dict) -> dict:
    key = _axes(attrs)
    axes = attrs.get(key)
    if not isinstance(axes, (list, tuple)):
        axes = [] if axes is None else [axes]
    return {**attrs, key: [] if attrs.get("reduce_all") else list(axes)}


def _read_cast(attrs: dict, operand_dtype) -> None:
    if operand_dtype is not None:
        attrs["in_dtype"] = operand_dtype.code


def _read_split(attrs: dict, operand_dtype) -> None:
    attrs.setdefault("num", 0)
    attrs.setdefault("sections", [])


_TO_THE_BEGINNING = -2 ** 31  # where a slice of negative step ends that takes in the first element; old files say -1
_BEHIND = 2 ** 31 - 1


def _ends(attrs: dict, change) -> dict:
    """Attributes with the ends changed of axes whose step is negative."""
    steps, ends = attrs.get("strides", attrs.get("steps")), attrs.get("ends")
    if not steps or not ends or _is_computed(steps) or _is_computed(ends):
        return attrs
    return {**attrs, "ends": [change(end) if step < 0 else end for end, step in zip(ends, steps)]}


def _read_slice(attrs: dict, operand_dtype) -> None:
    """Old files say for each axis whether its bounds are known (Paddle 2.6 crashes without), and another word for the beginning."""
    if "strides" in attrs:
        attrs["infer_flags"] = [1] * len(attrs.get("axes", []))
    attrs.update(_ends(attrs, lambda end: -1 if end < -2 ** 30 else _BEHIND if end == -1 else end))


def _write_slice(attrs: dict) -> dict:
    return _ends(attrs, lambda end: _TO_THE_BEGINNING if end == -1 else end)


READ = {"reduce": _read_reduce, "cast": _read_cast, "split": _read_split, "slice": _read_slice}
WRITE = {"reduce": _write_reduce, "slice": _write_slice}


def choose(candidates, op) -> object:
    """The row of the operator table that an operator of a program is written as, where several have its type."""
    if len(candidates) == 1:
        return candidates[0]
    named = {row.name: row for row in candidates}
    if op.type == "split":
        return named["split_with_num" if op.attrs.get("num") else "split"]
    if op.type == "tril_triu":
        return named["tril" if op.attrs.get("lower", True) else "triu"]
    if op.type == "fill_constant":
        computed = any(op.input(s) for s in ("ShapeTensor", "ShapeTensorList", "ValueTensor"))
        return named["full_with_tensor" if computed else "full"]
    if op.type == "set_value":
        return named["set_value_with_tensor"]
    return next(row for row in candidates if not row.name.endswith("_"))
