"""Attributes in every form that the wire format has: single fields, packed lists, scalars; and fields that are cut off."""

import struct

import numpy as np
import pytest
from capi.library import Failed, Model

from paddle.serialization.program_desc import AttrType


def number(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(place, value):
    """A field: whole numbers, float32, text or bytes; ("d", x) is a double."""
    if isinstance(value, tuple):
        return number(place << 3 | 1) + struct.pack("<d", value[1])
    if isinstance(value, int):
        return number(place << 3) + number(value)
    if isinstance(value, float):
        return number(place << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return number(place << 3 | 2) + number(len(value)) + value


def attribute(name, type_, *fields):
    return field(1, name) + field(2, int(type_)) + b"".join(field(*one) for one in fields)


def operator(type_, ins, outs, *attributes):
    slots = [field(place, field(1, slot) + field(2, var)) for place, pairs in ((1, ins), (2, outs)) for slot, var in pairs.items()]
    return field(4, b"".join(slots) + field(3, type_) + b"".join(field(4, one) for one in attributes))


def variable(name, kind, dims=()):
    tensor = field(1, 5) + b"".join(field(2, n) for n in dims)
    return field(3, field(1, name) + field(2, field(1, kind) + (field(3, field(1, tensor)) if kind == 7 else b"")))


def program(*attributes):
    """A program whose one operator, assign_value, has these attributes."""
    return field(1, field(1, 0) + field(2, -1) + variable("y", 7, [2]) + variable("fetch", 10) + operator("assign_value", {},
     {"Out": "y"}, *attributes)
                 + operator("fetch", {"X": "y"}, {"Out": "fetch"}, attribute("col", AttrType.INT, (3, 0))))


DTYPE = attribute("dtype", AttrType.INT, (3, 5))
SHAPE = attribute("shape", AttrType.INTS, (6, 2))
VALUES = attribute("fp32_values", AttrType.FLOATS, (7, 1.5), (7, -2.0))
FORMS = [
    (SHAPE, VALUES, [1.5, -2]),
    (attribute("shape", AttrType.INTS, (6, number(2))), VALUES, [1.5, -2]),  # packed
    (attribute("shape", AttrType.INTS, (6, number(1)), (6, 2)), VALUES, [[1.5, -2]]),  # both
    (attribute("shape", AttrType.LONGS, (15, number(2) + number(1))), VALUES, [[1.5], [-2]]),
    (attribute("shape", AttrType.LONG, (13, 2)), VALUES, [1.5, -2]),
    (SHAPE, attribute("fp32_values", AttrType.FLOATS, (7, struct.pack("<2f", 1.5, -2))), [1.5, -2]),
    (SHAPE, attribute("fp64_values", AttrType.FLOAT64S, (16, ("d", 3.5)), (16, ("d", -4))), [3.5, -4]),
    (SHAPE, attribute("fp64_values", AttrType.FLOAT64S, (16, struct.pack("<2d", 3.5, -4))), [3.5, -4]),
    (SHAPE, attribute("int64_values", AttrType.LONGS, (15, -7), (15, 1 << 40)), [-7, 2.0**40]),
    (SHAPE, attribute("int32_values", AttrType.INTS, (6, -7), (6, 3)), [-7, 3]),
    (SHAPE, attribute("bool_values", AttrType.BOOLEANS, (11, 1), (11, 0)), [1, 0]),
    (SHAPE, attribute("values", AttrType.SCALARS, (21, field(1, 3) + field(4, ("d", 0.25))),
    (21, field(1, 2) + field(3, -9))), [0.25, -9]),
    (SHAPE, attribute("values", AttrType.SCALARS, (21, field(2, 1) + field(3, 5)), (21, b"")), [1, 0]),
    (SHAPE, attribute("values", AttrType.SCALARS, (21, 4), (21, field(3, 6)),
    (21, field(3, 7))), [6, 7]),  # of another kind: no value
    (SHAPE, attribute("fp32_values", AttrType.FLOATS, (7, 3), (7, 1.5), (7, -2.0)), [3, 1.5]),
    (SHAPE, attribute("fp32_values", AttrType.FLOATS, (3, 8), (7, 1.5), (7, -2.0), (90, 1)), [1.5, -2]),  # other types' fields
    (SHAPE, VALUES + field(90, 1) + field(9, "later"), [1.5, -2]),
]
DAMAGED = [
    (SHAPE, attribute("fp32_values", AttrType.FLOATS, (7, b"\0\0\0\0\0")), "cut off"),
    (SHAPE, attribute("fp64_values", AttrType.FLOAT64S, (16, b"\0" * 9)), "cut off"),
    (attribute("shape", AttrType.INTS, (6, b"\x82")), VALUES, "a number has no end"),
    (attribute("shape", AttrType.INTS, (6, b"\xff" * 11)), VALUES, "a number has no end"),
    (SHAPE, attribute("values", AttrType.SCALARS, (21, b"\x20\x80")), "a number has no end"),
    (SHAPE, VALUES[2 + len("fp32_values"):], "an attribute has no name"),
    (SHAPE, VALUES + b"\x08", "ends within|has no end"), (SHAPE, VALUES + b"\x09\0", "it ends within a field"),
    (SHAPE, VALUES + b"\x0a\x05a", "it ends within a field"), (SHAPE, VALUES + b"\x0b", "unknown wire type 3"),
    (SHAPE, VALUES + b"\x80", "a number has no end"), (SHAPE, VALUES + b"\x0a\x80", "a number has no end"),
    (attribute("shape", AttrType.INTS, *[(6, 1)] * 99), VALUES, "99 numbers"),
    (SHAPE, attribute("fp32_values", AttrType.FLOATS, (7, 1.5)), "too few numbers"),
    (SHAPE, attribute("fp32_values", 99, (7, 1.5), (7, -2.0)), "too few numbers"),
    (SHAPE, attribute("fp32_values", AttrType.STRING, (5, 1), (5, "text")), "too few numbers"),
]


@pytest.mark.parametrize("shape, values, wanted", FORMS)
def test_forms(shape, values, wanted):
    got, = Model(program(shape, DTYPE, values))()
    np.testing.assert_array_equal(got, np.array(wanted, "float32"))


@pytest.mark.parametrize("shape, values, message", DAMAGED)
def test_damaged_forms(shape, values, message):
    with pytest.raises(Failed, match=message):
        Model(program(shape, DTYPE, values))()
