"""Writes what the C library knows of operators as data, from the tables and records that Python runs on.

    python scripts/capi_operators.py            # after a change of operators.json, op_table.json or an operator of src/capi/ops

- src/capi/pir_operators.inc: operations of Paddle 3 as operators of older files (operators.json of serialization/pir);
- src/capi/attributes.inc: what attributes are when a file leaves them out (op_table.json of static/program; the records of
  operators that 2.6 has no more), without those that are 0, false, an empty text or list;
- src/capi/patterns.inc: shape rules that are patterns, the fact ``shapes`` of the records;
- src/capi/rows.inc: how sequence lengths travel, the fact ``rows`` of the records;
- src/capi/formulas.inc: elementwise operators as native steps, the fact ``step`` of the records.
"""

import itertools
import json
import math
import pathlib
import re
import textwrap

import numpy as np

from paddle.core.attributes import to_file
from paddle.core.formula import Result, Traced, Writer
from paddle.core.signature import REQUIRED
from paddle.static.program import op_table
from paddle.static.program.registry import find

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "src" / "paddle" / "serialization" / "pir" / "operators.json"
CAPI = ROOT / "src" / "capi"
SAME = {"sync_batch_norm": "batch_norm", "deformable_conv_v1": "deformable_conv"}  # without a row: attributes of another type


def literals(fields):
    """A row's fields as C strings with a zero byte behind each."""
    return " ".join(json.dumps(field, ensure_ascii=True)[:-1] + '\\0"' for field in fields)


def operations():
    """One row for each operation of Paddle 3 that has a counterpart in older files, or an operator of its own name in C."""
    for name, row in sorted(json.loads(TABLE.read_text(encoding="utf-8")).items()):
        if not any("=" in spec.rstrip("=") for spec in row["in"] + row["out"]):
            continue  # nothing says which slots it has: Python reads it as other operators
        adds = ",".join(f"{key}={int(value)}" for key, value in row.get("adds", {}).items() if isinstance(value, (bool, int)))
        parts = [name, row.get("type", name), *(",".join(row[part]) for part in ("in", "attrs", "out")), adds]
        yield parts


def types():
    """The operators that C has, from its tables."""
    for path in sorted((CAPI / "ops").glob("*.c")):
        for table in re.findall(r"OPERATOR_TABLE\(\w+\) = \{(.*?)\{0\}\};", path.read_text(encoding="utf-8"), re.DOTALL):
            yield from re.findall(r'[{(]"(\w+)"', table)


def defaults(op_type):
    """Attributes of files, with what they are when one leaves them out."""
    row = op_table.table().get(op_type)
    if row is not None:
        return {name: entry[1] for name, entry in {**row.get("extra", {}), **row["attrs"]}.items() if len(entry) > 1}
    op = find(op_type)
    if op is None:
        return {}
    given = [None if value is REQUIRED else value for value in op.defaults[op.n_in:]]
    return to_file(op, given) if op.to_desc is None else {}


def one(value):
    """A value as defaults.c reads it."""
    if isinstance(value, str):
        return f"'{value}"
    return " ".join(f"{float(v):.9g}" for v in (value if isinstance(value, list) else [value]))


def attributes():
    """One row for each operator with such attributes, in the order of their names."""
    for op_type in sorted(set(types())):
        found = {name: one(value) for name, value in defaults(SAME.get(op_type, op_type)).items() if value}
        if found:
            yield op_type, ";".join(f"{name}={value}" for name, value in sorted(found.items()))


def rows():
    """How sequence lengths travel: operator, the fact ``rows`` of its record, the input they come from."""
    for op_type in sorted(set(types())):
        op = find(op_type)
        kind, *names = ((op.facts.rows if op is not None else None) or "none").split()
        if kind not in ("none", "give", "pool") and op.inputs:
            yield op_type, "keep" if kind == "copy" else kind, names[0] if names else op.inputs[0].name


def patterns():
    """Shape rules that are patterns: operator, the words of its inputs, those of its outputs."""
    calls = "".join(path.read_text(encoding="utf-8") for path in (CAPI / "ops").glob("*.c"))
    used = set(re.findall(r'_by_record\(run, op, "(\w+)"', calls))
    for op_type in sorted(set(types())):
        op = find(op_type)
        if op is None or not isinstance(op.facts.shapes, str):
            continue
        left, _, right = op.facts.shapes.partition("->")
        slots = [[f"{slot.name}:{' '.join(words.partition(':')[0].split())}" for slot, words in zip(some, side.split(","))]
                 for some, side in ((op.inputs, left), ([s for s in op.outputs if not s.optional], right))]
        if any(entry.partition(":")[0] in used for entry in slots[1]):
            yield op_type, *map(";".join, slots)


class Answers:
    """What comparisons of attributes give while steps are written: those in the list, then yes; the same again if asked again."""

    def __init__(self, given):
        self.given, self.asked = given, {}

    def __call__(self, condition):
        count = len(self.asked)
        return self.asked.setdefault(condition, self.given[count] if count < len(self.given) else True)


class Probe(float):
    """An attribute while steps are written: a number that is found again among their constants."""

    def __new__(cls, value, name, answers):
        probe = super().__new__(cls, value)
        probe.name, probe.answers = name, answers
        return probe

    def __eq__(self, other):
        return self.answers(f"{self.name}={other:.9g}")

    def __ge__(self, other):
        return self.answers(f"{self.name}>={other:.9g}")

    def __bool__(self):
        return not self.answers(f"{self.name}=0")

    __hash__ = float.__hash__


def alternatives(op):
    """The ways that an op's steps may go, in the order in which they are to be tried: (conditions, writer, texts of constants)."""
    open_ways = [()]
    while open_ways:
        given = open_ways.pop()
        answers, writer = Answers(given), Writer()
        names = [op.renames.get(name, name) for name in op.attr_names]
        probes = [Probe(math.sqrt(2 + k) / 3, name, answers) for k, name in enumerate(names)]
        if op.step is not None:
            write = op.step.forward(probes)
            found = None if write is None else write(writer.emit, [0])
        else:  # an op that is written with others
            found = op.fn(Traced(writer.emit, 0, np.dtype(np.float32)), *probes).register
        for k in range(len(given), len(answers.asked)):  # no instead of yes, the last question first
            open_ways.append((*[*answers.asked.values()][:k], False))
        texts = {}
        for p in probes:
            texts |= {float(p): p.name, -float(p): f"-{p.name}", 1 - float(p): f"1-{p.name}"}
        if found is not None:
            if found.number != len(writer.steps) - 1:
                raise ValueError(f"{op.type}: the result is not the last step")
            yield [condition for condition, held in answers.asked.items() if held], writer, texts


def formulas():
    """Elementwise operators: type, where their steps begin, and for each alternative its conditions and constants."""
    STEPS.clear()
    for op_type in sorted(["abs", *re.findall(r'U\("(\w+)"\)', (CAPI / "ops" / "unary.c").read_text(encoding="utf-8"))]):
        ways = []
        for conditions, writer, texts in alternatives(find(op_type)):
            def text(constant, texts=texts):
                return texts.get(constant, f"{constant:.9g}")
            constants = list(dict.fromkeys(text(o) for _, operands in writer.steps for o in operands if isinstance(o, float)))
            steps = []
            for name, operands in writer.steps:
                places = [1 + len(constants) + o.number if isinstance(o, Result) else
                          1 + constants.index(text(o)) if isinstance(o, float) else o for o in operands]
                steps += [f"STEP_{name}", *places, *[0] * (3 - len(places))]
            if ways and ways[-1][1:] == (constants, steps) and set(conditions) < set(ways[-1][0]):
                ways.pop()  # the same, under one condition more
            ways.append((conditions, constants, steps))
        yield [op_type, str(len(STEPS)), *[f"{' '.join(conditions)}:{' '.join(numbers)}" for conditions, numbers, _ in ways], ""]
        for _, _, steps in ways:
            STEPS.extend([*steps, 255])


STEPS = []  # of all formulas, when these have been read; 255 behind each

FILES = {CAPI / "pir_operators.inc": ("operations", "name, type, operands, attributes, results, adds", operations),
         CAPI / "attributes.inc": ("defaults", "type, attributes that a file leaves out", attributes),
         CAPI / "patterns.inc": ("patterns", "type, words of the inputs' shapes, of the outputs'", patterns),
         CAPI / "rows.inc": ("travel", "type, how sequence lengths travel, the input that they come from", rows),
         CAPI / "formulas.inc": ("formulas", "type, where its steps begin, conditions and constants of each alternative", formulas)}


def content(path):
    """The whole of a file: a table as src/capi/table.h reads it, in the order of strcmp."""
    name, columns, rows = FILES[path]
    rows = sorted(map(list, rows()), key=lambda row: row[0].encode())
    ends = list(itertools.accumulate(sum(len(field.encode()) + 1 for field in row) for row in rows))
    steps = textwrap.fill(", ".join(map(str, STEPS)), 130) if name == "formulas" else None
    starts = textwrap.fill(", ".join(map(str, [0, *ends[:-1]])), 130)
    return "\n".join([f"/* Written by scripts/capi_operators.py: {columns}. */",
                      f"static const char {name}_texts[] =", *map(literals, rows), ";",
                      f"static const uint16_t {name}_starts[] = {{\n{starts}}};",
                      *([f"static const uint8_t {name}_steps[] = {{\n{steps}}};"] if steps else []), ""])


if __name__ == "__main__":
    for target in FILES:
        target.write_text(content(target), encoding="utf-8")
