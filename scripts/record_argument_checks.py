"""Writes src/paddle/tensor/argument_checks.json: what functions of Paddle take for which argument while a program is built.

    python scripts/record_argument_checks.py MIRROR      from a git directory of Paddle's sources

Paddle refuses arguments of other types, and Variables of other element types, with a TypeError. The file has the different lists of
element types once, and ``{function or layer: {column: {argument: [types or null, number of its list]}}}``; ``argument[]`` stands
for the members of a list. Column 1.8, of fluid.layers, has what a function checks in every call, and allows None where the check
stands behind ``is not None``. Column 2.6, of the functions of 2.x, has what they check of a Variable.
"""

import ast
import json
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/paddle/tensor/argument_checks.json"
FLUID = ["python/paddle/fluid/layers", "python/paddle/fluid/input.py", "python/paddle/fluid/dygraph/nn.py",
          "python/paddle/fluid/nets.py", "python/paddle/fluid/backward.py", "python/paddle/fluid/io.py"]
MODERN = [f"python/paddle/{part}" for part in ("tensor", "nn/functional", "vision/ops.py", "signal.py", "geometric",
                                               "static/nn/common.py", "static/nn/metric.py")]
NAMES = {"uint16": "bfloat16", "unit8": "uint8"}  # what Paddle calls bfloat16, and a slip
TYPES = {"Variable", "list", "tuple", "str", "int", "float", "bool", "dict", "set", "ndarray", "None"}


KINDS = {"bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "complex64", "complex128"}
FLOATS, NUMBERS = ["float16", "float32", "float64"], ["float16", "float32", "float64", "int32", "int64"]
UNARY = {name: {"x": [["Variable"], FLOATS]} for name in (
    "sigmoid", "logsigmoid", "tanh", "atan", "tanh_shrink", "sqrt", "rsqrt", "ceil", "floor", "cos", "acos", "asin", "sin", "round",
    "reciprocal", "softplus", "softsign", "sinh", "cosh")}
SHARED = {**UNARY, **{name: {"x": [["Variable"], NUMBERS]} for name in ("abs", "exp", "square")},
          **{"elementwise_" + name: {"x": [["Variable"], NUMBERS], "y": [["Variable"], NUMBERS]}
             for name in ("add", "sub", "mul", "div", "max", "min", "pow", "mod", "floordiv")}}  # what one helper checks for many
SIZES = [["Variable", "list", "tuple"], ["int32", "int64"]]
# functions of 2.6 that leave the check of shape and dtype to others: to one function, to one that gets the types handed over
ALIKE = {"zeros": "fill_constant", "ones": "fill_constant", "full": "fill_constant", "zeros_like": "full_like",
         "ones_like": "full_like"}
DRAWS = {**{name: {"shape": SIZES, "dtype": [None, ["bfloat16", *FLOATS]]}
            for name in ("gaussian", "standard_normal", "randn", "uniform", "rand")},
         "randint": {"shape": SIZES, "dtype": [None, ["int32", "int64"]]}, "normal": {"shape": SIZES},
         "tile": {"repeat_times": SIZES}}


def git(mirror, *command):
    return subprocess.run(["git", f"--git-dir={mirror}", *command], capture_output=True, text=True, check=True).stdout


def functions(tree):
    """(name, function) of the functions of a module and the ``forward`` of its layers."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == "forward":
                    yield node.name, part


def checks(function):
    """(the call, the condition under which it is made) for each check that every call of a function meets."""
    for statement in function.body:
        optional = ""
        if isinstance(statement, ast.If) and not statement.orelse and " is not None" in ast.unparse(statement.test):
            optional, body = ast.unparse(statement.test), statement.body
        else:
            body = [statement]
        for one in body:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Name):
                yield one.value, optional


def members(function):
    """(argument, the check of each of its members) of the loops over an argument."""
    for loop in ast.walk(function):
        if isinstance(loop, ast.For):
            over, item = ast.unparse(loop.iter), ast.unparse(loop.target)
            over, item = over.removeprefix("enumerate(").rstrip(")"), item.strip("()").split(", ")[-1]
            for one in loop.body:
                if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and len(one.value.args) > 2:
                    if ast.unparse(one.value.args[0]) == item:
                        yield over, one.value


def words(node, known=None):
    """The names in a tuple or list of types or element types; None if it is computed."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    found = []
    for part in parts:
        text = part.value if isinstance(part, ast.Constant) else ast.unparse(part).split(".")[-1]
        if text == "type(None)":
            text = "None"
        if not isinstance(text, str) or known is not None and text not in known:
            return None
        found.append(text)
    return found


def row(function):
    """{argument: [types, element types]} of one function."""
    arguments = {a.arg for a in function.args.args}
    found = {}
    for call, optional in checks(function):
        kind = call.func.id
        if kind not in ("check_variable_and_dtype", "check_type", "check_dtype") or len(call.args) < 3:
            continue
        name = ast.unparse(call.args[0])
        if optional and optional != f"{name} is not None":
            continue  # about another argument
        if kind == "check_dtype":
            name = name.removesuffix(".dtype")
        if name not in arguments:
            continue
        types, kinds = found.setdefault(name, [None, None])
        if kind == "check_type":
            types = words(call.args[2], TYPES)
        else:
            kinds = words(call.args[2], KINDS)
            types = ["Variable"] if kind == "check_variable_and_dtype" else types
        found[name] = [types + ["None"] if types and optional else types, kinds]
    for name, call in members(function):
        if name in arguments and ast.unparse(call.func) == "check_variable_and_dtype":
            found[name + "[]"] = [["Variable"], words(call.args[2], KINDS)]
        elif name in arguments and ast.unparse(call.func) == "check_type":
            found[name + "[]"] = [words(call.args[2], TYPES), None]
    return {name: values for name, values in found.items() if values != [None, None]}


def fluid_column(mirror):
    """{function: {argument: [types, element types]}} of 1.8."""
    table = {}
    for tree in trees(mirror, "v1.8.5", FLUID):
        for name, function in functions(tree):
            found = row(function)
            if found:
                table[name] = found
    logical = table.pop("_logical_op")
    table.update(dict.fromkeys(("logical_and", "logical_or", "logical_xor", "logical_not"), logical))
    table.update(SHARED)
    for argument in ("input", "input[]"):
        table["fc"][argument][1] = FLOATS  # of each input in a loop of its own
    return table


def modern_column(mirror):
    """The same of 2.6, whose checks stand in the branch for programs."""
    table = {}
    for tree in trees(mirror, "v2.6.2", MODERN):
        for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            arguments = {a.arg for a in function.args.args}
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call) and len(node.args) > 2):
                kind, name = ast.unparse(call.func), ast.unparse(call.args[0])
                kinds = words(call.args[2], KINDS | {*NAMES, "bfloat16"})
                kinds = kinds and sorted({NAMES.get(kind, kind) for kind in kinds})
                if name in arguments and kinds and (kind == "check_variable_and_dtype" or (kind, name) == ("check_dtype", "dtype")):
                    limit = [None if name == "dtype" else ["Variable"], kinds]
                    table.setdefault(function.name, {}).setdefault(name, limit)
                elif (kind, name) == ("check_type", "shape") and "Variable" in (words(call.args[2], TYPES) or ()):
                    table.setdefault(function.name, {}).setdefault(name, SIZES)
    for name, other in ALIKE.items():
        table[name] = {**table.get(name, {}), **{part: table[other][part] for part in ("shape", "dtype") if part in table[other]}}
    for name, limits in DRAWS.items():
        table[name] = {**table.get(name, {}), **limits}
    return table


def trees(mirror, tag, places):
    """The parsed sources of a release below these places."""
    for path in git(mirror, "ls-tree", "-r", "--name-only", tag, "--", *places).split():
        if path.endswith(".py"):
            yield ast.parse(git(mirror, "show", f"{tag}:{path}"))


def main(mirror):
    lists, table = [], {}
    for column, rows in (("1.8", fluid_column(mirror)), ("2.6", modern_column(mirror))):
        for name, limits in rows.items():
            for argument, (types, kinds) in limits.items():
                kinds = kinds and " ".join(kinds)
                if kinds not in lists:
                    lists.append(kinds)
                table.setdefault(name, {}).setdefault(column, {})[argument] = [types and " ".join(types), lists.index(kinds)]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table))
    sets = ",\n".join(map(json.dumps, lists))
    TARGET.write_text(f'{{"element types": [\n{sets}\n],\n"functions": {{\n{lines}\n}}}}\n')
    print(len(table), "functions,", len(lists), "lists of element types")


if __name__ == "__main__":
    main(*sys.argv[1:])
