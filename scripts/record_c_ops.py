"""Writes src/paddle/base/c_ops.json: the argument order of 2.6.2's C++ functions (``paddle._C_ops``, ``paddle._legacy_C_ops``).

    python scripts/record_c_ops.py MIRROR NAMES

needs PyYAML. MIRROR is a git directory of Paddle's sources, NAMES a file with {"new": dir(paddle._C_ops), "legacy":
dir(paddle._legacy_C_ops)} of real 2.6.2.

Operators that C++ has no function of for Python are under "kernels", for ``Tracer._get_kernel_signature``.
Only facts are taken: names, order, kinds and slots. Of operators that this package does not have nothing is written.
"""

import json
import os
import re
import subprocess
import sys

import yaml

from paddle.static.program import registry

TAG = "v2.6.2"
TARGET = os.path.join(os.path.dirname(__file__), "..", "src", "paddle", "base", "c_ops.json")
FOLDER = "paddle/phi/api/yaml/"
# slots and attributes that C++ renames in code rather than in op_compat.yaml
RENAMED = {"cast": {"dtype": "out_dtype"}, "increment": {"value": "step"}, "mish": {"lambda": "threshold"},
           "one_hot": {"num_classes": "depth"}, "shape": {"input": "Input", "out": "Out"}, "assign_value_": {"out": "Out"},
           "distribute_fpn_proposals": {"fpn_rois": "FpnRois", "rois_num": "RoisNum", "multi_fpn_rois": "MultiFpnRois",
                                        "multi_level_rois_num": "MultiLevelRoIsNum", "restore_index": "RestoreIndex"}}


def show(mirror, path):
    command = ["git", f"--git-dir={mirror}", "show", f"{TAG}:{path}"]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def main(mirror, names):
    with open(names, encoding="utf8") as file:
        known = json.load(file)
    compat = {re.match(r"\w+", row["op"]).group(): row for row in yaml.safe_load(show(mirror, FOLDER + "op_compat.yaml"))}
    rows, tensors = {}, {}
    for file in ("ops.yaml", "legacy_ops.yaml", "fused_ops.yaml"):
        for row in yaml.safe_load(show(mirror, FOLDER + file)):
            entry = function(row, compat.get(row["op"], {}))
            if row["op"] in known["new"] and registry.find(entry["type"]) is not None:
                rows[row["op"]] = entry
                standing = slots_of_attributes(compat.get(row["op"], {}))
                if standing:
                    tensors[entry["type"]] = standing
    static = (function(row, compat.get(row["op"], {})) for row in yaml.safe_load(show(mirror, FOLDER + "static_ops.yaml")))
    types = {entry["type"] for entry in rows.values()}
    kernels = [entry for entry in static if entry["type"] not in types and registry.find(entry["type"]) is not None]
    header = show(mirror, "paddle/fluid/pybind/eager_generator.h")
    legacy = {kind: {op: slots for op, slots in slot_map(header, f"op_{table}_map").items() if op in known["legacy"]}
              for kind, table in (("ins", "ins"), ("outs", "outs"), ("passed", "passing_outs"))}
    legacy["passed"] = {op: slots for op, slots in sorted(legacy["passed"].items()) if registry.find(op) is not None}
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items())]
    rest = {"kernels": kernels, "tensors": tensors, "legacy": legacy}
    with open(TARGET, "w", encoding="utf8") as file:
        file.write('{"functions": {\n' + ",\n".join(lines) + "\n}"
                   + "".join(f",\n{json.dumps(name)}: {json.dumps(part)}" for name, part in rest.items()) + "}\n")
    print(f"{len(rows)} of {len(known['new'])} functions; {len(legacy['ins'])} operators with further slots")


def function(row, compat):
    """{"type", "args": ["x=X", "axis:axis"] in order (= a tensor's slot, : an attribute), "out", "inplace"} of one function."""
    old = re.search(r"\((.*)\)", compat.get("op", ""))
    renamed = RENAMED.get(row["op"], {})
    slots, attrs = {**(compat.get("inputs") or {}), **renamed}, {**(compat.get("attrs") or {}), **renamed}
    args = []
    for text in re.split(r",(?![^{}]*\})", re.sub(r"^\(|\)$", "", row["args"].strip())):
        kind, _, name = text.partition("=")[0].strip().rpartition(" ")
        if kind.startswith("Tensor"):
            args.append(f"{name}={slots.get(name, name)}")
        elif kind:
            args.append(f"{name}:{attrs.get(name, name)}")
    hidden = re.split(r"\s*,\s*", str(row.get("intermediate", "")))
    outs = [re.search(r"\((\w+)\)", text) for text in re.split(r",(?![^()]*\))", row["output"])]
    outs = [m.group(1) if m else "out" for m in outs]
    where = {**(compat.get("outputs") or {}), **renamed}
    plain = row["op"] if registry.find(row["op"]) is not None else row["op"].rstrip("_")
    entry = {"type": old.group(1) if old else plain, "args": args,
             "out": [f"{name}={where.get(name, name)}" for name in outs if name not in hidden]}
    if "inplace" in row:
        entry["inplace"] = dict(re.findall(r"(\w+) -> (\w+)", row["inplace"]))
    return entry


def slots_of_attributes(compat):
    """{attribute: slots} whose tensors may stand for an attribute; where several are given, the first one does."""
    found = {}
    for kind in ("int_array", "scalar"):
        for name, entry in (compat.get(kind) or {}).items():
            slots = [entry[key] for key in ("tensors_name", "tensor_name") if key in entry]
            if slots:
                found[(compat.get("attrs") or {}).get(name, name)] = slots
    return found


def slot_map(header, name):
    """{operator: slots} of one of the C++ tables that add slots to a function, or take results as arguments."""
    body = header[header.index(name):]
    body = body[:body.index("};")]
    return {op: re.findall(r'"(\w+)"', slots) for op, slots in re.findall(r'\{"(\w+)",\s*\{([^{}]*)\}\}', body)}


if __name__ == "__main__":
    main(*sys.argv[1:])
