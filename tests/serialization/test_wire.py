"""The protobuf wire format, against bytes from its specification."""

import pytest

from paddle.serialization import wire
from paddle.serialization.errors import FormatError


@wire.message
class Inner:
    a: int = wire.optional(1, "int32")
    b: list = wire.repeated(2, "int64")


@wire.message
class Outer:
    name: str = wire.required(2, "string")
    inner: Inner = wire.optional(3, Inner)
    numbers: list = wire.packed(4, "int32")
    real: float = wire.optional(5, "double")
    raw: bytes = wire.optional(6, "bytes")


def test_specification_samples():
    assert wire.encode(Inner(a=150)) == bytes.fromhex("089601")
    assert wire.encode(Outer(name="testing", inner=Inner(a=150))) == bytes.fromhex("120774657374696e67 1a03089601")
    assert wire.encode(Outer("", numbers=[3, 270, 86942])) == bytes.fromhex("1200 2206038e029ea705")
    assert wire.encode(Inner(a=-1)) == b"\x08" + b"\xff" * 9 + b"\x01"


def test_packed_and_single_numbers_are_both_read():
    assert wire.decode(Inner, bytes.fromhex("1203 01 02 03 10 04")).b == [1, 2, 3, 4]
    assert wire.decode(Outer, bytes.fromhex("1200 2005 2202 0607")).numbers == [5, 6, 7]


def test_unknown_fields_are_kept_at_the_end():
    raw = bytes.fromhex("5003 1a00 120161 5d01020304 59 0102030405060708")
    message = wire.decode(Outer, raw)
    assert message.name == "a" and message.inner == Inner()
    assert wire.encode(message) == bytes.fromhex("120161 1a00 5003 5d01020304 59 0102030405060708")


def test_repeated_single_fields_merge():
    message = wire.decode(Outer, bytes.fromhex("120161 1a020801 120162 1a021005 1a020802"))
    assert message == Outer("b", Inner(2, [5]))


def test_text_that_is_not_utf8_survives():
    raw = bytes.fromhex("1202ff61")
    assert wire.encode(wire.decode(Outer, raw)) == raw


@pytest.mark.parametrize("raw, words, position", [
    ("12", "ends inside an integer", 1),
    ("1205 6161", "announces 5 bytes, 2 are left", 1),
    ("1201 61 1aff", "ends inside an integer", 4),
    ("1201 61 1a7f 00", "Outer.inner: announces 127 bytes, 1 are left", 4),
    ("1201 61 29 00", "a double: needs 8 bytes", 4),
    ("1200 5b", "unknown wire type 3", 2),
    ("1200 00", "number 0", 2),
    ("1a00", "required field 'name' is missing", 0),
    ("08" + "ff" * 11, "more than 10 bytes", 1),
    ("1200 12ffffffffffffffffff01", "announces 18446744073709551615 bytes", 3),
])
def test_damage_is_located(raw, words, position):
    with pytest.raises(FormatError, match=words) as info:
        wire.decode(Outer, bytes.fromhex(raw))
    assert info.value.position == position
    assert f"byte {position}" in str(info.value)


@pytest.mark.parametrize("message, error, words", [
    (Outer(), ValueError, "required field 'name' is not set"),
    (Outer(5), TypeError, "Outer.name: expected string, got 5"),
    (Inner(a=1 << 31), ValueError, "does not fit into 32 bits"),
    (Inner(b=[1 << 63]), ValueError, "Inner.b: 9223372036854775808 does not fit"),
    (Inner(b=["x"]), TypeError, "expected a list of int64"),
    (Outer("a", Outer("b")), TypeError, "Outer.inner: expected Inner"),
])
def test_wrong_values_are_named(message, error, words):
    with pytest.raises(error, match=words):
        wire.encode(message)
