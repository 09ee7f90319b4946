"""The .json programs of Paddle 3: byte for byte as it writes them, and the table of operators asked both ways."""

import pytest

from paddle.serialization import pir
from paddle.serialization.errors import FormatError
from paddle.serialization.pir import operators
from paddle.static.ir.lower import is_special
from paddle.static.pir.composite import FUNCTIONS
from paddle.static.program.op_table import table as old_table
from paddle.static.program.registry import declared

from .paths import FIXTURES

PROGRAMS = sorted(p for p in (FIXTURES / "paddle33").glob("*.json") if p.name != "manifest.json")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_round_trip(path):
    data = path.read_bytes()
    assert pir.write(pir.read(data)) == data.strip()


def test_numbers_that_json_lacks():
    for text, value in (("NaN", "nan"), ("INF", "inf"), ("-INF", "-inf")):
        attr = pir.reader.read_attr({"#": "0.a_f32", "VD": text}, "here")
        assert str(attr.value) == value
        assert pir.writer.write_attr(attr) == {"#": "0.a_f32", "VD": text}


@pytest.mark.parametrize("data, message", [
    (b"", "not JSON"), (b"{", "not JSON"), (b"[1]", "is an object"), (b"\xff{}", "UTF-8"), (b"{}", "base_code"),
    (b"[" * 100_000, "nested too deeply"), (b'{"a":' * 100_000, "nested too deeply"),
    (b'{"base_code": ' + b"9" * 100_000 + b"}", "too large"), (b'{"a": NaN}', "NaN")])
def test_hostile_bytes(data, message):
    with pytest.raises(FormatError, match=message):
        pir.read(data)


def nested(depth):
    """A program of conditions inside of each other."""
    begin = '{"#":"1.if","A":[],"I":[],"O":[],"OA":[],"regions":[{"#":"r","blocks":[{"#":"b","args":[],"ops":['
    text = begin * depth + "]}]}]}" * depth
    return ('{"base_code":{"magic":"pir","version":1,"trainable":true},"program":{"regions":[{"#":"r","blocks":[{"#":"b","args":[],'
            f'"ops":[{text}]}}]}}]}}}}').encode()


def test_depth_of_regions():
    assert pir.read(nested(50)).block.ops
    with pytest.raises(FormatError, match="deep"):
        pir.read(nested(70))
    with pytest.raises(FormatError, match="deep"):
        pir.read(nested(5000))


# ---- operators -----------------------------------------------------------------------------------------------------------
ROWS = operators.table()


def test_every_operator_is_known():
    """289 operators of Paddle 3.3.1 and some more; each is read, by an operator of old or by several."""
    assert len(ROWS) >= 330
    lost = [name for name, row in ROWS.items() if not (
        is_special(row.type) or row.type is not None and declared(row.type)[0] is not None
        or name in FUNCTIONS or name == "create_array")]
    assert lost == []


@pytest.mark.parametrize("name", sorted(n for n, row in ROWS.items() if row.type in old_table() and not row.special))
def test_both_ways(name):
    """Slots and attributes are those of the old operator, and its type leads back to the row (or to one that says the same)."""
    row = ROWS[name]
    old = old_table()[row.type]
    slots = {slot.rstrip("*?") for slot in old["in"]}
    used = [o.slot for o in row.operands if o.slot]
    assert set(used) <= slots and len(used) == len(set(used))
    assert all(o.attr in old["attrs"] for o in row.operands if o.kind)
    given = [a.attr for a in row.attributes if a.attr] + [o.attr for o in row.operands if o.kind] + list(row.adds)
    assert len(given) == len(set(given))
    assert set(given) <= set(old["attrs"]), set(given) - set(old["attrs"])
    assert {r.slot for r in row.results if r.slot} <= {slot.rstrip("*?~") for slot in old["out"]}
    required = {slot for slot in old["in"] if slot[-1] not in "*?"} - set(used)
    assert not required, f"{required} of {row.type} has no operand"
    back = operators.by_type(row.type)
    assert back and (row.readonly or row in back)


def test_what_does_not_lead_back_by_itself():
    """Operators that become several old ones, or one of another name, are written as those; code knows the special ones."""
    assert {n for n, row in ROWS.items() if row.type is None and not row.special} == {
        "gumbel_softmax", "kldiv_loss", "masked_fill", "median", "swiglu"} == {n for n, row in ROWS.items() if n in FUNCTIONS}
    others = {n: row.type for n, row in ROWS.items() if row.readonly and row.type is not None and not row.special}
    assert others == {"bmm": "matmul_v2", "hardtanh": "clip", "mv": "matmul_v2", "shape64": "shape"}
    assert all(operators.by_type(kind) for kind in others.values())


@pytest.mark.parametrize("kind", sorted({row.type for row in ROWS.values() if row.type is not None and not row.readonly}))
def test_old_types_lead_to_rows_that_lead_back(kind):
    rows = operators.by_type(kind)
    assert rows and all(row.type == kind and operators.by_name(row.name) is row for row in rows)


def test_in_place_forms():
    assert operators.by_name("relu_").changes == {"out": "x"}
    assert operators.by_name("batch_norm_").changes == {"mean_out": "mean", "variance_out": "variance"}
    assert operators.by_name("no_such_") is None and operators.by_name("relu").changes == {}
