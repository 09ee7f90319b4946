"""`.meta` files beside exported programs: plain values that methods of the layer returned, by name."""

from . import atomic, wire
from .errors import FormatError
from .wire import message, optional, repeated, required

_KINDS = {1: "real", 2: "whole", 3: "text", 6: "reals", 7: "wholes", 8: "texts"}  # numbers in files -> fields below
_NUMBERS = {field: number for number, field in _KINDS.items()}
_FIELDS = {float: "real", int: "whole", bool: "whole", str: "text"}


@message
class Property:
    """One value; `kind` says which of the fields has it."""

    name: str = required(1, "string")
    kind: int = required(2, "enum")
    real: float = optional(3, "float")
    whole: int = optional(4, "int64")
    text: str = optional(5, "string")
    reals: list = repeated(7, "float")
    wholes: list = repeated(8, "int64")
    texts: list = repeated(9, "string")


@message
class Properties:
    """The whole file."""

    entries: list = repeated(1, Property)


def read(path):
    """Read a file into a dict: name -> number, text or list of them."""
    with open(path, "rb") as file:
        found = wire.decode(Properties, file.read())
    table = {}
    for entry in found.entries:
        if entry.kind not in _KINDS:
            raise FormatError(f"the .meta file gives {entry.name!r} a value of the unknown kind {entry.kind}")
        table[entry.name] = getattr(entry, _KINDS[entry.kind])
    return table


def write(path, table):
    """Write a dict of numbers, texts and lists of them (atomically)."""
    entries = []
    for name in sorted(table):
        value = table[name]
        many = isinstance(value, (list, tuple))
        kinds = {type(v) for v in value} if many else {type(value)}
        field = _FIELDS.get(next(iter(kinds))) if len(kinds) == 1 else None
        if field is None:
            raise TypeError(f"save(): the property {name} must be a number, a text, or a list of one kind of them, got {value!r}")
        field += "s" if many else ""
        entries.append(Property(name, _NUMBERS[field], **{field: list(value) if many else value}))
    atomic.write_bytes(path, wire.encode(Properties(entries)))
