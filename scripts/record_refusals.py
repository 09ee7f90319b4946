"""Adds to src/paddle/tensor/argument_checks.json what functions of 2.6 refuse that their source does not say in one line.

    REAL scripts/record_refusals.py record refused.json      with the Python of an environment that has real Paddle 2.6.2
    python scripts/record_refusals.py merge refused.json

Every function whose required arguments are all tensors is called while a program is built, with each element type and with an
array, a list and a number in place of each tensor. Only TypeErrors count. What the file has already stays; functions that
stand behind operators (+, @ ...) are left out, since operators take more.
"""

import inspect
import json
import os
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/paddle/tensor/argument_checks.json"
KINDS = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
TENSORS = {"x", "y", "input", "label", "other", "index", "weight", "tensor", "logit", "positive", "negative", "indices", "values",
           "arr", "mask", "condition", "updates", "vec", "value", "mat2"}
POSITIONS, TRUTHS = ("index", "indices"), ("mask", "condition")
OPERATORS = {"add", "subtract", "multiply", "divide", "matmul", "pow", "remainder", "mod", "floor_mod", "floor_divide", "mm", "neg",
             "abs", "equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal", "assign"}


def _refused(paddle, numpy, function, parameters, kinds, which, value):
    """Does a call while a program is built raise TypeError? ``value`` stands for the argument ``which``."""
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        args = [value if k == which else paddle.static.data(f"v{k}", [4, 4], kind) for k, kind in enumerate(kinds)]
        try:
            function(*args)
        except TypeError:
            return True
        except Exception:
            return None
    return False


def _row(paddle, numpy, function, parameters):
    """{argument: [types or None, element types or None]} of one function, {} where a plain call fails."""
    plain = ["int64" if p in POSITIONS else "bool" if p in TRUTHS else "float32" for p in parameters]
    if _refused(paddle, numpy, function, parameters, plain, -1, None) is not False:
        return {}
    allowed = [kind for kind in KINDS if not _refused(paddle, numpy, function, parameters,
                                                      [kind if p == "float32" else p for p in plain], -1, None)]
    row = {}
    for k, (parameter, kind) in enumerate(zip(parameters, plain)):
        fixed = kind != "float32"
        takes = [each for each in KINDS
                 if not _refused(paddle, numpy, function, parameters, [*plain[:k], each, *plain[k + 1:]], -1, None)]
        others = [_refused(paddle, numpy, function, parameters, plain, k, value)
                  for value in (numpy.ones((4, 4), "float32"), [1.0, 2.0], 1.0)]
        types = "Variable" if others[0] and others[1] is not False else None
        types = f"{types} int float bool" if types and others[2] is False else types
        limit = [each for each in KINDS if each in takes or not fixed and each in allowed]  # alone, or in all arguments
        if types or limit != KINDS:
            row[parameter] = [types, None if limit == KINDS else " ".join(sorted(limit))]
    return row


def record(target):
    """Write {function: row}; each function is called in a process of its own, as some calls end it."""
    import numpy

    import paddle
    paddle.enable_static()
    found = {}
    for home in (paddle, paddle.nn.functional, paddle.linalg):
        for name in dir(home):
            function = getattr(home, name)
            if name.startswith("_") or name.endswith("_") or name in OPERATORS or not inspect.isfunction(function):
                continue
            parameters = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind < 2]
            if not parameters or not set(parameters) <= TENSORS:
                continue
            reader, writer = os.pipe()
            child = os.fork()
            if not child:
                os.close(reader)
                os.write(writer, json.dumps(_row(paddle, numpy, function, parameters)).encode())
                os._exit(0)
            os.close(writer)
            text = os.fdopen(reader).read()
            os.waitpid(child, 0)
            if text and text != "{}":
                found[name] = json.loads(text)
    Path(target).write_text(json.dumps(found, indent=0, sort_keys=True))


def merge(source):
    """Take what the file lacks."""
    table, found = json.loads(TARGET.read_text()), json.loads(Path(source).read_text())
    lists, functions = table["element types"], table["functions"]
    for name, row in found.items():
        known = functions.setdefault(name, {}).setdefault("2.6", {})
        for argument, (types, kinds) in row.items():
            if argument in known:
                continue
            if kinds not in lists:
                lists.append(kinds)
            known[argument] = [types, lists.index(kinds)]
        if not known:
            del functions[name]["2.6"]
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(functions.items()) if row)
    sets = ",\n".join(map(json.dumps, lists))
    TARGET.write_text(f'{{"element types": [\n{sets}\n],\n"functions": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    {"record": record, "merge": merge}[sys.argv[1]](sys.argv[2])
