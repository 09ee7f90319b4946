"""Writes src/paddle/tensor/static_checks.json: the element types that functions of Paddle 2.6 take of a Variable.

    python scripts/record_static_checks.py MIRROR [TAG]      from a git directory of Paddle's sources

While a program is built 2.6 refuses what is no Variable, and Variables of other element types, with a TypeError. The file has the
different lists of types once, and ``{function: {argument: number of its list}}``.
"""

import ast
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/paddle/tensor/static_checks.json"
NAMES = {"uint16": "bfloat16", "unit8": "uint8"}  # what Paddle calls bfloat16, and a slip
PLACES = ("tensor/", "nn/functional/", "vision/ops.py", "signal.py", "geometric/")


def literal(node):
    """The value of a constant expression, or None."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def checks(function):
    """(argument, element types) of each check of a function."""
    arguments = {a.arg for a in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "check_variable_and_dtype" and len(node.args) > 2:
            name, kinds = ast.unparse(node.args[0]), literal(node.args[2])
            kinds = [kinds] if isinstance(kinds, str) else kinds
            if name in arguments and kinds:
                yield name, tuple(sorted({NAMES.get(kind, kind) for kind in kinds}))


def main(mirror, tag="v2.6.2"):
    command = ["git", f"--git-dir={mirror}", "archive", tag, "python/paddle"]
    lists, table = [], {}
    with tarfile.open(fileobj=io.BytesIO(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)) as archive:
        for member in archive:
            path = member.name.removeprefix("python/paddle/")
            if not path.endswith(".py") or not path.startswith(PLACES):
                continue
            for node in ast.parse(archive.extractfile(member).read()).body:
                for name, kinds in checks(node) if isinstance(node, ast.FunctionDef) else ():
                    if kinds not in lists:
                        lists.append(kinds)
                    table.setdefault(node.name, {}).setdefault(name, lists.index(kinds))
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table))
    sets = ",\n".join(json.dumps(" ".join(kinds)) for kinds in lists)
    TARGET.write_text(f'{{"types": [\n{sets}\n],\n"functions": {{\n{rows}\n}}}}\n')
    print(len(table), "functions,", sum(map(len, table.values())), "arguments,", len(lists), "lists of types")


if __name__ == "__main__":
    main(*sys.argv[1:])
