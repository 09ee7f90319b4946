"""From the bytes of a ``.json`` program to a checked `Program`; anything else raises FormatError."""

from __future__ import annotations

import json

from ..errors import FormatError
from .model import DIALECTS, ELEMENTS, NON_FINITE, NULL, Attr, Block, Op, Program, Type

MAX_DEPTH = 60  # of regions inside of regions, and of types and attributes inside of each other
MAX_RANK = 64
_INTEGER = 2 ** 63
_PARAMETER = ("is_distributed", "is_parameter", "need_clip", "parameter_name")


def read(data: bytes) -> Program:
    """The program in the bytes of a ``.json`` file."""
    document = _document(data)
    base = _field(document, "base_code", dict, "the file")
    if base.get("magic") != "pir":
        raise FormatError(f"base_code.magic must be 'pir', got {_short(base.get('magic'))}: this is not a program of Paddle 3")
    version = base.get("version")
    if not _is_int(version) or version < 1:
        raise FormatError(f"base_code.version must be a positive integer, got {_short(version)}")
    regions = _field(_field(document, "program", dict, "the file"), "regions", list, "program")
    if len(regions) != 1:
        raise FormatError(f"a program has one region, this one {len(regions)}")
    return Program(_Reader().region(regions[0], set(), 0), version, bool(base.get("trainable", False)))


def _document(data: bytes):
    try:
        text = bytes(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("a .json program is UTF-8 text, this is not", error.start) from error
    try:
        found = json.loads(text, parse_int=_parse_int, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", error.pos) from error
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None
    if not isinstance(found, dict):
        raise FormatError(f"a .json program is an object, this is a {type(found).__name__}")
    return found


def _parse_int(digits: str) -> int:
    if len(digits) > 20:
        raise FormatError(f"the integer {digits[:20]}... is too large")
    return int(digits)


def _refuse_constant(name: str):
    raise FormatError(f"not JSON: {name}")


def _short(value) -> str:
    text = repr(value) if not isinstance(value, (dict, list)) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _is_int(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _field(table: dict, key: str, kind, where: str):
    value = table.get(key)
    if not isinstance(value, kind):
        raise FormatError(f"{where}: {key!r} must be a {kind.__name__}, got {_short(value) if key in table else 'nothing'}")
    return value


def _list_of(value, kind, where: str) -> list:
    if not isinstance(value, list) or not all(isinstance(v, kind) and (kind is bool or not isinstance(v, bool)) for v in value):
        raise FormatError(f"{where} must be a list of {kind.__name__}s, got {_short(value)}")
    return value


class _Reader:
    """Reads blocks; every number may be defined once, and used only where it is defined already."""

    def __init__(self):
        self.numbers = set()

    def region(self, table, outer: set, depth: int) -> Block:
        """The one block of a region; ``outer``: the numbers that may be used in it."""
        if depth > MAX_DEPTH:
            raise FormatError(f"regions are nested more than {MAX_DEPTH} deep")
        if not isinstance(table, dict):
            raise FormatError(f"a region must be an object, got {_short(table)}")
        blocks = _field(table, "blocks", list, "a region")
        if len(blocks) != 1 or not isinstance(blocks[0], dict):
            raise FormatError(f"a region must have one block, got {len(blocks)}")
        where = f"block {_short(blocks[0].get('#'))}"
        if blocks[0].get("kwargs"):
            raise FormatError(f"{where}: keyword arguments of blocks are not supported")
        block, known = Block(), set(outer)
        for arg in _list_of(_field(blocks[0], "args", list, where), dict, f"{where}: args"):
            number = self.define(arg.get("#"), known, where, negative=True)
            block.args.append((number, read_type(arg.get("TT"), where)))
        for k, op in enumerate(_field(blocks[0], "ops", list, where)):
            block.ops.append(self.op(op, known, f"{where}, operation {k}", depth))
        return block

    def define(self, number, known: set, where: str, negative: bool = False) -> int:
        """Note a new number; results are positive, arguments of blocks negative."""
        if not _is_int(number) or not (number < 0 if negative else number > 0) or abs(number) >= _INTEGER:
            raise FormatError(f"{where}: {_short(number)} can't number a value")
        if number in self.numbers:
            raise FormatError(f"{where}: the number {number} is defined twice")
        self.numbers.add(number)
        known.add(number)
        return number

    def op(self, table, known: set, where: str, depth: int) -> Op:
        """One operation."""
        if not isinstance(table, dict):
            raise FormatError(f"{where} must be an object, got {_short(table)}")
        tag = _field(table, "#", str, where)
        if tag == "p":
            return self.parameter(table, known, where)
        where = f"{where} ({_short(tag)})"
        dialect, dot, name = tag.partition(".")
        if not dot or not dialect.isdecimal() or len(dialect) > 2 or int(dialect) not in DIALECTS or not name:
            raise FormatError(f"{where}: an operation is named by a dialect's number, a dot and a name")
        op = Op(int(dialect), name, attrs=_attributes(table.get("A", []), where), about=_about(table.get("OA", []), where))
        for item in _list_of(table.get("I", []), dict, f"{where}: I"):
            number = item.get("%")
            if number != 0 and number not in known or not _is_int(number):
                raise FormatError(f"{where}: the operand {_short(number)} is not defined before it is used")
            op.operands.append(number)
        inner = _list_of(table.get("regions", []), dict, f"{where}: regions")
        op.regions = [self.region(region, known, depth + 1) for region in inner]
        for item in _list_of(table.get("O", []), dict, f"{where}: O"):
            kind = read_type(item.get("TT"), where)
            absent = item.get("%") == 0 and kind.kind == "null"
            op.results.append((0 if absent else self.define(item.get("%"), known, where), kind))
        return op

    def parameter(self, table: dict, known: set, where: str) -> Op:
        """The short form of builtin.parameter."""
        values, about = _field(table, "A", list, where), _list_of(table.get("OA", []), int, f"{where}: OA")
        if len(values) != 4 or not isinstance(values[3], str) or not values[3] or not all(map(_is_int, values[:3])):
            raise FormatError(f"{where}: a parameter's A must be three numbers and a name, got {_short(values)}")
        if about and len(about) != 3:
            raise FormatError(f"{where}: a parameter's OA must be three numbers, got {len(about)}")
        result = _field(table, "O", dict, where)
        kind = read_type(result.get("TT"), where)
        if kind.kind != "tensor":
            raise FormatError(f"{where}: the parameter {_short(values[3])} must be a tensor, is {kind.kind}")
        attrs = {n: Attr("str" if isinstance(v, str) else "bool", v if isinstance(v, str) else bool(v))
                 for n, v in zip(_PARAMETER, values)}
        names = ("persistable", "stop_gradient", "trainable")
        return Op(0, "parameter", [], [(self.define(result.get("%"), known, where), kind)], attrs,
                  {n: [bool(v)] for n, v in zip(names, about)})


def _attributes(items, where: str) -> dict[str, Attr]:
    found = {}
    for item in _list_of(items, dict, f"{where}: A"):
        name = _field(item, "N", str, f"{where}: A")
        if name in found:
            raise FormatError(f"{where}: the attribute {_short(name)} is there twice")
        found[name] = read_attr(item.get("AT"), f"{where}: attribute {_short(name)}")
    return found


def _about(items, where: str) -> dict[str, list[bool]]:
    """What is said about results; things other than lists of truth values are left aside."""
    return {name: attr.plain() for name, attr in _attributes(items, where).items()
            if attr.kind == "array" and all(item.kind == "bool" for item in attr.value)}


def read_type(table, where: str, depth: int = 0) -> Type:
    """A value's type."""
    if not isinstance(table, dict) or depth > MAX_DEPTH:
        raise FormatError(f"{where}: a type must be an object{' that is not nested too deeply' * (depth > 0)}, got {_short(table)}")
    tag = _field(table, "#", str, f"{where}: type")
    if tag == "NULL":
        return NULL
    name = tag.partition(".")[2]
    if name in ELEMENTS:
        return Type("scalar", ELEMENTS[name])
    content = table.get("D")
    if tag == "0.t_vec" and isinstance(content, list):
        return Type("vec", items=[read_type(item, where, depth + 1) for item in content])
    if tag in ("0.t_dtensor", "1.t_dense_tensor_array") and isinstance(content, list) and len(content) >= 2:
        element = read_type(content[0], where, depth + 1)
        dims = _list_of(content[1], int, f"{where}: dims")
        if element.kind != "scalar" or len(dims) > MAX_RANK or any(abs(n) >= _INTEGER for n in dims):
            raise FormatError(f"{where}: damaged type {_short(tag)}")
        layout = content[2] if len(content) > 2 and isinstance(content[2], str) else "NCHW"
        return Type("tensor" if tag == "0.t_dtensor" else "array", element.dtype, list(dims), layout=layout)
    raise FormatError(f"{where}: the type {_short(tag)} is not supported")


_PLAIN = {"a_bool": bool, "a_i32": int, "a_i64": int, "a_index": int, "a_str": str, "a_tensorname": str, "a_dtype": str,
          "a_layout": str}


def read_attr(table, where: str, depth: int = 0) -> Attr:
    """An attribute's value."""
    if not isinstance(table, dict) or depth > MAX_DEPTH:
        raise FormatError(f"{where}: a value must be an object that is not nested too deeply, got {_short(table)}")
    tag = _field(table, "#", str, where)
    name, content = tag.partition(".")[2], table.get("D")
    if name in _PLAIN:
        expected = _PLAIN[name]
        if not isinstance(content, expected) or expected is int and (isinstance(content, bool) or abs(content) >= 2 * _INTEGER):
            raise FormatError(f"{where}: {_short(tag)} needs a {expected.__name__}, got {_short(content)}")
    elif name in ("a_f32", "a_f64"):
        not_finite = NON_FINITE.get(table.get("VD")) if content is None else None
        content = float(_number(content, where)) if not_finite is None else not_finite
    elif name == "a_intarray":
        content = [_bounded(v, where) for v in _list_of(content, int, where)]
    elif name == "a_type":
        content = read_type(content, where, depth + 1)
    else:
        content = _read_list(name, content, where, depth) if isinstance(content, list) else None
        if content is None:
            raise FormatError(f"{where}: the kind of value {_short(tag)} is not supported, or damaged")
    return Attr(name[2:], content)


def _read_list(name: str, content: list, where: str, depth: int) -> list | None:
    """The value of a kind that files have as a list; None if there is no such kind, or it is damaged."""
    if name == "a_array":
        return [read_attr(item, where, depth + 1) for item in content]
    if name in ("a_c64", "a_c128") and len(content) == 2:
        return [_number(v, where) for v in content]
    if name == "a_scalar" and len(content) in (2, 3) and isinstance(content[0], str):
        return [content[0], *[v if isinstance(v, bool) else _number(v, where) for v in content[1:]]]
    return [v for v in content if isinstance(v, (int, str))] if name == "a_place" else None


def _bounded(value: int, where: str) -> int:
    if abs(value) >= 2 * _INTEGER:
        raise FormatError(f"{where}: {_short(value)} is not a 64-bit integer")
    return value


def _number(value, where: str):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise FormatError(f"{where}: a number is expected, got {_short(value)}")
    return value
