"""ProgramDesc against files written by real Paddle."""

import pytest

from paddle.serialization import program_desc as pd
from paddle.serialization.errors import FormatError

from .paths import FIXTURES, PROGRAMS, label


@pytest.mark.parametrize("path", PROGRAMS, ids=label)
def test_round_trip_keeps_every_byte(path):
    data = path.read_bytes()
    program = pd.read(data)
    assert pd.write(program) == data
    assert pd.read(pd.write(program)) == program


def test_every_attribute_type():
    program = pd.read((FIXTURES / "all_attributes.pdmodel").read_bytes())
    op = program.blocks[0].ops[0]
    low = -2 ** 63
    expected = {
        "i": -7, "f": pytest.approx(0.1, rel=1e-7), "s": "\u00fcber", "ints": [0, -1, 2147483647],
        "floats": [0.5, float("inf"), pytest.approx(-1e-30)], "strings": ["", "x"], "b": True, "bools": [True, False],
        "block": 1, "l": low, "blocks": [1, 1], "longs": [low, 2 ** 62], "float64s": [0.1, -0.0], "var": "a0",
        "vars": ["a0", "r0"], "float64": 1e300, "scalar": 1.5 - 2.5j, "scalars": [True, low, 0.25]}
    assert op.attributes() == expected
    assert {attr.type for attr in op.attrs} == set(pd.AttrType)
    rebuilt = [pd.Attr.of(attr.name, pd.AttrType(attr.type), attr.value) for attr in op.attrs]
    assert rebuilt == op.attrs


def test_reading_helpers():
    program = pd.read((FIXTURES / "all_attributes.pdmodel").read_bytes())
    op = program.blocks[0].ops[0]
    assert op.input("X") == ["a0", "r0"] and op.input("Empty") == [] == op.input("Absent")
    assert op.output("Out") == ["h\u00e9"]
    assert op.attribute("absent", 5) == 5
    assert program.op_version("roll") == 2 and program.op_version("relu") == 0
    kinds = {pd.VarKind(var.type.type).name: var.type.tensor_desc() for var in program.blocks[0].vars}
    assert kinds.pop("TUPLE") is None and kinds.pop("READER") is None
    assert all(tensor.dims == [-1, 3, 1 << 40] for tensor in kinds.values()) and len(kinds) == 8
    mlp = pd.read((FIXTURES / "paddle26/mlp.pdmodel").read_bytes())
    assert mlp.persistable_names() == ["linear_0.b_0", "linear_0.w_0", "linear_1.b_0", "linear_1.w_0"]
    assert mlp.version.version == 2006002


def test_text_form():
    text = pd.to_text(pd.read((FIXTURES / "paddle26/control_if.pdmodel").read_bytes()))
    assert "program of version 2.6.2" in text
    assert "    var linear_4.w_0: float32[4, 4] persistable\n" in text
    assert "    Out=[linear_0.tmp_0] = matmul_v2(X=[x], Y=[linear_4.w_0]) {trans_x=False, trans_y=False}\n" in text
    assert "sub_block=block 2" in text and "block 2, inside block 0 {" in text
    assert "op_role" not in text
    assert "op_role=0" in pd.to_text(pd.read((FIXTURES / "paddle26/mlp.pdmodel").read_bytes()), bookkeeping=True)


def test_text_form_shows_unknown_kinds():
    var = pd.VarDesc("v", pd.VarType(99))
    op = pd.OpDesc(type="t", attrs=[pd.Attr("a", 98)])
    text = pd.to_text(pd.ProgramDesc([pd.BlockDesc(0, -1, [var], [op])]))
    assert "var v: <kind 99>" in text and "a=<type 98>" in text


def program(*blocks):
    return pd.write(pd.ProgramDesc(list(blocks)))


def call(*numbers):
    return pd.OpDesc(type="while", attrs=[pd.Attr.of("sub_block", pd.AttrType.BLOCK, number) for number in numbers])


@pytest.mark.parametrize("data, words", [
    (b"", "at least one block"),
    (b"\x80\x04}q\x00.", "pickled object .* paddle.load"),
    (program(pd.BlockDesc(1, -1)), "calls itself 1"),
    (program(pd.BlockDesc(0, 0)), "inside of block 0"),
    (program(pd.BlockDesc(0, -1), pd.BlockDesc(1, 2), pd.BlockDesc(2, 1)), "inside of block 2"),
    (program(pd.BlockDesc(0, -1, [], [call(7)])), "refers to block 7 of 1"),
    (program(pd.BlockDesc(0, -1, [], [call(1)]), pd.BlockDesc(1, 0, [], [call(0)])), "contain each other"),
])
def test_impossible_programs(data, words):
    with pytest.raises(FormatError, match=words):
        pd.read(data)


def test_unknown_attribute_and_scalar_types_are_named():
    with pytest.raises(FormatError, match="'a' has the unknown type 50"):
        _ = pd.Attr("a", 50).value
    with pytest.raises(FormatError, match="unknown type 9"):
        _ = pd.Scalar(9).value
    with pytest.raises(TypeError, match="Python number"):
        pd.Scalar.of("x")
