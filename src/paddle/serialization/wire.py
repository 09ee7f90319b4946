"""Protocol-buffer messages as dataclasses: a bounds-checked reader and a writer of the wire format.

A message class lists its fields with `required`, `optional` and `repeated`. Fields are written in the order of their
numbers and unknown ones after them, as the protobuf library does, so files keep their bytes through a round trip.
An optional field that a file leaves out is None.
"""

import dataclasses
import reprlib
import struct

from .errors import FormatError, check_room

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_U64 = (1 << 64) - 1
_TEXT = "surrogateescape"  # protobuf 2 does not insist on UTF-8; this keeps other bytes through a round trip
_FLOAT = struct.Struct("<f")
_DOUBLE = struct.Struct("<d")


def required(number, kind):
    """Declare a field that every file must have."""
    return dataclasses.field(default=None, metadata={"wire": (number, kind, "required")})


def optional(number, kind):
    """Declare a field that is None where a file leaves it out."""
    return dataclasses.field(default=None, metadata={"wire": (number, kind, "optional")})


def repeated(number, kind):
    """Declare a list field."""
    return dataclasses.field(default_factory=list, metadata={"wire": (number, kind, "repeated")})


def packed(number, kind):
    """Declare a list field whose scalars are written as one block."""
    return dataclasses.field(default_factory=list, metadata={"wire": (number, kind, "packed")})


def unknown():
    """Declare the list that keeps the bytes of fields the class does not list."""
    return dataclasses.field(default_factory=list, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    name: str
    number: int
    kind: object
    label: str
    wire_type: int

    @property
    def is_list(self):
        return self.label in ("repeated", "packed")


def message(cls):
    """Turn a class of declared fields into a dataclass that `encode` and `decode` understand."""
    cls.__annotations__["unknown_fields"] = list
    cls.unknown_fields = unknown()
    cls = dataclasses.dataclass(slots=True)(cls)
    fields = []
    for item in dataclasses.fields(cls):
        if "wire" in item.metadata:
            number, kind, label = item.metadata["wire"]
            wire_type = _LENGTH if not isinstance(kind, str) else _SCALARS[kind][0]
            fields.append(_Field(item.name, number, kind, label, wire_type))
    fields.sort(key=lambda field: field.number)
    cls.__wire_fields__ = tuple(fields)
    cls.__wire_numbers__ = {field.number: field for field in fields}
    return cls


# ---------------------------------------------------------------- reading

def decode(cls, data):
    """Build the message `cls` from `data` (bytes-like); FormatError names the position of anything wrong."""
    data = bytes(data)
    return _decode_into(cls(), data, 0, len(data))


def _decode_into(target, data, pos, end):
    cls = type(target)
    numbers = cls.__wire_numbers__
    start = pos
    while pos < end:
        begin = pos
        tag, pos = _read_varint(data, pos, end)
        wire_type = tag & 7
        field = numbers.get(tag >> 3)
        if field is None or wire_type != field.wire_type:
            if field is not None and field.is_list and wire_type == _LENGTH and isinstance(field.kind, str):
                size, pos = _read_length(data, pos, end, cls, field)
                _read_packed(getattr(target, field.name), field, data, pos, pos + size)
                pos += size
                continue
            pos = _skip(data, pos, end, tag, begin)
            target.unknown_fields.append(data[begin:pos])
            continue
        kind = field.kind
        if isinstance(kind, str):
            value, pos = _SCALARS[kind][1](data, pos, end)
        else:
            size, pos = _read_length(data, pos, end, cls, field)
            # A message that occurs twice is merged, as the format asks.
            earlier = None if field.is_list else getattr(target, field.name)
            value = _decode_into(kind() if earlier is None else earlier, data, pos, pos + size)
            pos += size
        if field.is_list:
            getattr(target, field.name).append(value)
        else:
            setattr(target, field.name, value)
    for field in cls.__wire_fields__:
        if field.label == "required" and getattr(target, field.name) is None:
            raise FormatError(f"{cls.__name__}: the required field {field.name!r} is missing", start)
    return target


def _read_varint(data, pos, end):
    value = shift = 0
    begin = pos
    while pos < end:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _U64, pos
        shift += 7
        if shift > 63:
            raise FormatError("a variable-length integer has more than 10 bytes", begin)
    raise FormatError("the data ends inside an integer", begin)


def _read_length(data, pos, end, cls, field):
    begin = pos
    size, pos = _read_varint(data, pos, end)
    if size > end - pos:
        raise FormatError(f"{cls.__name__}.{field.name}: announces {size} bytes, {end - pos} are left", begin)
    return size, pos


def _read_signed(bits):
    wrap, half = 1 << bits, 1 << (bits - 1)

    def read(data, pos, end):
        value, pos = _read_varint(data, pos, end)
        value &= wrap - 1
        return (value - wrap if value >= half else value), pos

    return read


def _read_bool(data, pos, end):
    value, pos = _read_varint(data, pos, end)
    return value != 0, pos


def _read_fixed(layout, what):
    def read(data, pos, end):
        check_room(what, pos, layout.size, end)
        return layout.unpack_from(data, pos)[0], pos + layout.size

    return read


def _read_bytes(data, pos, end):
    begin = pos
    size, pos = _read_varint(data, pos, end)
    if size > end - pos:
        raise FormatError(f"a text announces {size} bytes, {end - pos} are left", begin)
    return data[pos:pos + size], pos + size


def _read_string(data, pos, end):
    value, pos = _read_bytes(data, pos, end)
    return value.decode("utf-8", _TEXT), pos


def _read_packed(values, field, data, pos, end):
    if field.wire_type == _LENGTH:
        raise FormatError(f"{field.name}: texts cannot be packed", pos)
    read = _SCALARS[field.kind][1]
    while pos < end:
        value, pos = read(data, pos, end)
        values.append(value)


def _skip(data, pos, end, tag, begin):
    wire_type = tag & 7
    if tag >> 3 == 0:
        raise FormatError("a field has the number 0", begin)
    if wire_type == _VARINT:
        return _read_varint(data, pos, end)[1]
    if wire_type == _LENGTH:
        return _read_bytes(data, pos, end)[1]
    if wire_type in (_FIXED32, _FIXED64):
        size = 4 if wire_type == _FIXED32 else 8
        check_room(f"field {tag >> 3}", pos, size, end)
        return pos + size
    raise FormatError(f"field {tag >> 3} has the unknown wire type {wire_type}", begin)


# ---------------------------------------------------------------- writing

def encode(value):
    """Return the bytes of a message."""
    out = bytearray()
    _encode_into(out, value)
    return bytes(out)


def _encode_into(out, value):
    for field in type(value).__wire_fields__:
        content = getattr(value, field.name)
        if content is None:
            if field.label == "required":
                raise ValueError(f"{type(value).__name__}: the required field {field.name!r} is not set")
            continue
        try:
            if not field.is_list:
                _encode_field(out, field, content)
            elif field.label == "repeated":
                for item in content:
                    _encode_field(out, field, item)
            elif content:
                block = bytearray()
                for item in content:
                    _SCALARS[field.kind][2](block, item)
                _write_varint(out, field.number << 3 | _LENGTH)
                _write_block(out, block)
        except OverflowError as error:
            raise ValueError(f"{type(value).__name__}.{field.name}: {error}, got {reprlib.repr(content)}") from error
        except (TypeError, AttributeError, struct.error) as error:
            kind = field.kind if isinstance(field.kind, str) else field.kind.__name__
            raise TypeError(f"{type(value).__name__}.{field.name}: expected {'a list of ' * field.is_list}{kind}, "
                            f"got {reprlib.repr(content)}") from error
    for raw in value.unknown_fields:
        out += raw


def _encode_field(out, field, content):
    _write_varint(out, field.number << 3 | field.wire_type)
    if isinstance(field.kind, str):
        _SCALARS[field.kind][2](out, content)
        return
    if not isinstance(content, field.kind):
        raise TypeError(content)
    block = bytearray()
    _encode_into(block, content)
    _write_block(out, block)


def _write_varint(out, value):
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _write_block(out, block):
    _write_varint(out, len(block))
    out += block


def _write_integer(bits):
    half = 1 << (bits - 1)

    def write(out, value):
        value = value.__index__()
        if not -half <= value < half:
            raise OverflowError(f"{value} does not fit into {bits} bits")
        _write_varint(out, value & _U64)  # negative numbers take ten bytes, whatever their width

    return write


def _write_bool(out, value):
    out.append(1 if value else 0)


def _write_fixed(layout):
    def write(out, value):
        out += layout.pack(value)

    return write


def _write_string(out, value):
    _write_block(out, value.encode("utf-8", _TEXT))


def _write_bytes(out, value):
    _write_block(out, memoryview(value).cast("B"))


_SCALARS = {
    "int32": (_VARINT, _read_signed(32), _write_integer(32)),
    "int64": (_VARINT, _read_signed(64), _write_integer(64)),
    "enum": (_VARINT, _read_signed(32), _write_integer(32)),
    "bool": (_VARINT, _read_bool, _write_bool),
    "float": (_FIXED32, _read_fixed(_FLOAT, "a float"), _write_fixed(_FLOAT)),
    "double": (_FIXED64, _read_fixed(_DOUBLE, "a double"), _write_fixed(_DOUBLE)),
    "string": (_LENGTH, _read_string, _write_string),
    "bytes": (_LENGTH, _read_bytes, _write_bytes),
}
