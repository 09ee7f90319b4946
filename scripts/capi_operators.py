"""Writes src/capi/pir_operators.inc: the table of operators of Paddle 3 (operators.json of serialization/pir) as C reads it.

    python scripts/capi_operators.py            # after a change of operators.json
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "src" / "paddle" / "serialization" / "pir" / "operators.json"
TARGET = ROOT / "src" / "capi" / "pir_operators.inc"


def text(value):
    """A C string."""
    return json.dumps(value, ensure_ascii=True)


def rows():
    """One row for each operator that has a counterpart in older files."""
    for name, row in sorted(json.loads(TABLE.read_text(encoding="utf-8")).items()):
        if row.get("type") is None:
            continue
        adds = ",".join(f"{key}={int(value)}" for key, value in row.get("adds", {}).items() if isinstance(value, (bool, int)))
        parts = [name, row["type"], *(",".join(row[part]) for part in ("in", "attrs", "out")), row.get("via", ""), adds]
        yield "{" + ", ".join(map(text, parts)) + "},"


def content():
    """The whole file."""
    head = "/* Written by scripts/capi_operators.py: name, type, operands, attributes, results, via, adds. */"
    return "\n".join([head, *rows(), ""])


if __name__ == "__main__":
    TARGET.write_text(content(), encoding="utf-8")
