"""Protocol-buffer messages as plain objects: a bounds-checked reader and a writer of the wire format.

A message class lists its fields with `required`, `optional` and `repeated`. Fields are written in the order of their
numbers and unknown ones after them, as the protobuf library does, so files keep their bytes through a round trip.
An optional field that a file leaves out is None.
"""

import reprlib
import struct

from .errors import FormatError, check_room

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_U64 = (1 << 64) - 1
_TEXT = "surrogateescape"  # protobuf 2 does not insist on UTF-8; this keeps other bytes through a round trip
_FLOAT = struct.Struct("<f")
_DOUBLE = struct.Struct("<d")


class _Field:
    """A declared field; `message` gives it the name under which the class lists it."""

    __slots__ = ("name", "number", "kind", "label", "wire_type", "is_list")

    def __init__(self, number, kind, label):
        self.name, self.number, self.kind, self.label = None, number, kind, label
        self.wire_type = _SCALARS[kind][0] if isinstance(kind, str) else _LENGTH
        self.is_list = label in ("repeated", "packed")


def required(number, kind):
    """Declare a field that every file must have."""
    return _Field(number, kind, "required")


def optional(number, kind):
    """Declare a field that is None where a file leaves it out."""
    return _Field(number, kind, "optional")


def repeated(number, kind):
    """Declare a list field."""
    return _Field(number, kind, "repeated")


def packed(number, kind):
    """Declare a list field whose scalars are written as one block."""
    return _Field(number, kind, "packed")


def _set_fields(self, *args, **kwargs):
    """Fields by position, in the order in which the class lists them, or by name; others are None, or an empty list."""
    cls, values = type(self), self.__dict__
    values.update(cls.__wire_blank__)
    for name in cls.__wire_lists__:
        values[name] = []
    if not args and not kwargs:
        return
    names = [*cls.__wire_blank__]
    given = dict(zip(names, args))
    wrong = [name for name in kwargs if name in given or name not in cls.__wire_blank__]
    if wrong or len(args) > len(names):
        raise TypeError(f"{cls.__name__}(): takes each of {', '.join(names)} once, got {len(args)} by position"
                        + (f" and {', '.join(wrong)}" if wrong else ""))
    values.update(given, **kwargs)


def _show_fields(self):
    shown = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items() if name != "unknown_fields")
    return f"{type(self).__name__}({shown})"


def _have_equal_fields(self, other):
    return self.__dict__ == other.__dict__ if type(other) is type(self) else NotImplemented


def message(cls):
    """Turn a class of declared fields into a message that `encode` and `decode` understand; also the bytes of fields that it
    does not list are kept, in `unknown_fields`.

    What `dataclasses` would do, which compiles a text for each method of each class: a fifth of the start of a predictor."""
    listed = {name: vars(cls)[name] for name in cls.__annotations__}
    for name, field in listed.items():
        field.name = name
        delattr(cls, name)
    cls.__wire_fields__ = tuple(sorted(listed.values(), key=lambda field: field.number))
    cls.__wire_numbers__ = {field.number: field for field in cls.__wire_fields__}
    cls.__wire_blank__ = dict.fromkeys([*listed, "unknown_fields"])
    cls.__wire_lists__ = [*[name for name, field in listed.items() if field.is_list], "unknown_fields"]
    cls.__init__, cls.__repr__, cls.__eq__, cls.__hash__ = _set_fields, _show_fields, _have_equal_fields, None
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
