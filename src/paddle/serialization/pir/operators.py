"""The operators of ``.json`` programs and what each is called in ``.pdmodel`` files: one table, asked both ways.

A row ``{"type": "arg_max", "in": [...], "attrs": [...], "out": [...]}`` of ``operators.json`` belongs to an operator's new
name; its parts are short texts:

* ``x=X``: the operand x is in the slot X; ``x*=X``: a list of values. Behind ``=`` nothing: files of old have no such thing.
* ``axis:i=axis|AxisTensor``: an operand that is a constant mostly, and an attribute in old files; behind the bar the slot that
  holds it where it is computed (of several the first is preferred). Kinds: i one integer, f one number, t one number that old files
  hold as text, L integers, b a truth value.
* ``keepdim:b=keep_dim``: an attribute with its kind (b i l f d s, T element type, P place, L integers, ``[]`` an array of them).
  ``stable:b~false``: old files lack it, and it does not matter; ``ceil_mode:b!false``: old files lack it and mean this value;
  ``dtype:T@out``: it follows from the result's type.
* ``via``: the name of a conversion beyond renaming; ``adds``: attributes that only old files have; ``only: read``: other operators
  say the same when a file is written; ``special``: code knows the form (inputs, outputs, constants, tensor arrays).
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os

MISSING = object()


@dataclasses.dataclass(frozen=True, slots=True)
class Operand:
    """One operand: its name, the slot of old files, and for constants the old attribute and the kind of constant."""

    name: str
    slot: str = ""
    many: bool = False
    attr: str = ""
    kind: str = ""  # empty: always a tensor
    others: tuple[str, ...] = ()  # further slots in which old files have it


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: name, kind, the name in old files (empty: none), and what it is where old files lack it."""

    name: str
    kind: str
    attr: str
    default: object = MISSING
    matters: bool = True
    follows: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """One result: name, and the slot of old files (empty: none)."""

    name: str
    slot: str
    many: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """One row of the table."""

    name: str
    type: str | None
    operands: tuple[Operand, ...]
    attributes: tuple[Attribute, ...]
    results: tuple[Result, ...]
    via: str = ""
    adds: dict = dataclasses.field(default_factory=dict)
    readonly: bool = False
    special: bool = False

    @property
    def changes(self) -> dict[str, str]:
        """Result -> operand whose place it takes, for operators that work in place."""
        if not self.name.endswith("_"):
            return {}
        if self.name == "batch_norm_":
            return {"mean_out": "mean", "variance_out": "variance"}
        return {self.results[0].name: next((o.name for o in self.operands if o.name == "output"), self.operands[0].name)}


@functools.lru_cache(maxsize=1)
def table() -> dict[str, Operator]:
    """Name -> Operator."""
    with open(os.path.join(os.path.dirname(__file__), "operators.json"), encoding="utf-8") as file:
        rows = json.load(file)
    return {name: _operator(name, row) for name, row in rows.items()}


def by_name(name: str) -> Operator | None:
    """The operator of a name in ``.json`` files; one with an underscore behind it may be the in-place form of another."""
    found = table().get(name)
    if found is None and name.endswith("_") and name[:-1] in table():
        base = table()[name[:-1]]
        found = None if base.special or not base.operands else dataclasses.replace(base, name=name)
    return found


@functools.lru_cache(maxsize=1)
def _types() -> dict[str, tuple[Operator, ...]]:
    found: dict[str, list[Operator]] = {}
    for operator in table().values():
        if operator.type is not None and not operator.readonly:
            found.setdefault(operator.type, []).append(operator)
    return {kind: tuple(rows) for kind, rows in found.items()}


def by_type(kind: str) -> tuple[Operator, ...]:
    """The operators that an operator of ``.pdmodel`` files can become; conversions choose where there are several."""
    return _types().get(kind, ())


def _operator(name: str, row: dict) -> Operator:
    return Operator(name, row.get("type"), tuple(map(_operand, row["in"])), tuple(map(_attribute, row["attrs"])),
                    tuple(map(_result, row["out"])), row.get("via", ""), row.get("adds", {}), row.get("only") == "read",
                    row.get("special", False))


def _operand(text: str) -> Operand:
    left, _, right = text.partition("=")
    name, constant, kind = left.partition(":")
    if constant:
        attr, *slots = right.split("|")
        return Operand(name, slots[0] if slots else "", False, attr, kind, tuple(slots[1:]))
    return Operand(name.rstrip("*"), right, name.endswith("*"))


def _attribute(text: str) -> Attribute:
    name, _, rest = text.partition(":")
    for mark in "!~":
        kind, found, default = rest.partition(mark)
        if found:
            return Attribute(name, kind, "", json.loads(default), mark == "!")
    if rest.endswith("@out"):
        return Attribute(name, rest[:-4], "", matters=False, follows=True)
    kind, _, attr = rest.partition("=")
    return Attribute(name, kind, "", matters=False) if kind == "P" else Attribute(name, kind, attr or name)


def _result(text: str) -> Result:
    name, _, slot = text.partition("=")
    return Result(name.rstrip("*"), slot, name.endswith("*"))
