"""Which room may look into which: core <- kernels, ops <- everything else <- the older generations."""

import ast

import pytest
from project.sources import PACKAGE, dotted, imports, modules

from paddle.core import rooms as rooms_module

# What the lower rooms may import, besides themselves. A room that isn't here may import all but the top.
ALLOWED = {
    "core": set(),
    "kernels": {"core", "_native"},
    "ops": {"core", "kernels"},
    "serialization": {"core"},
    "reader": set(),
    "dataset": {"core", "reader", "serialization", "utils"},
}
TOP = {"fluid", "imperative", "declarative"}  # tables over the rest: nobody below asks them, but for a name it lacks
ARRAY_MATHS = {"matmul", "dot", "einsum", "tensordot", "exp", "log", "tanh", "sqrt", "convolve"}
NO_MATHS = {"tensor", "nn", "optimizer", "amp", "static", "jit", "fluid", "imperative", "hapi"}


def room(path):
    return path.split("/")[0] if "/" in path else path.removesuffix(".py")


@pytest.mark.parametrize("path", modules())
def test_imports_go_downwards(path):
    here = room(path)
    allowed = ALLOWED.get(here)
    missing = {line for node in ast.walk(modules()[path]) if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
               for line in range(node.lineno, node.end_lineno + 1)}
    for line, there in imports(path):
        if there == here or here == "__init__":
            continue
        assert allowed is None or there in allowed, f"{path}:{line}: {here} must not import {there}"
        assert there not in TOP or here in TOP or line in missing, f"{path}:{line}: only older generations import {there}"


@pytest.mark.parametrize("path", [p for p in modules() if room(p) in NO_MATHS])
def test_array_maths_stays_in_core_ops_and_kernels(path):
    for node in ast.walk(modules()[path]):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            assert not (name.startswith(("np.", "numpy.")) and name.split(".")[-1] in ARRAY_MATHS), \
                f"{path}:{node.lineno}: {name} is array maths; it belongs into an op"


# ---- imports inside functions, and cycles ----------------------------------------------------------------------------------
MOST_LATE = 51  # imports of ours inside functions; may only shrink
LARGEST_CYCLE = 13  # modules that lead back to each other, those imports counted; may only shrink


def names_of(path):
    """The dotted name of a module, and that of the package its relative imports start from."""
    parts = ["paddle", *path.removesuffix(".py").split("/")]
    return (".".join(parts[:-1]), parts[:-1]) if parts[-1] == "__init__" else (".".join(parts), parts[:-1])


def ours(path):
    """(node, modules it may mean) of every ``from ... import`` of the package."""
    package = names_of(path)[1]
    for node in ast.walk(modules()[path]):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == "paddle"):
            base = ".".join([*package[:len(package) - node.level + 1], *([node.module] if node.module else [])]
                            if node.level else [node.module])
            yield node, [(f"{base}.{alias.name}", base) for alias in node.names]


def late_imports():
    """(path, line, function) of imports of ours inside functions."""
    for path, tree in modules().items():
        inside = {id(node): function.name for function in ast.walk(tree) if isinstance(function, ast.FunctionDef)
                  for node in ast.walk(function) if isinstance(node, ast.ImportFrom)}
        yield from ((path, node.lineno, inside[id(node)]) for node, _ in ours(path) if id(node) in inside)


def cycles():
    """The sets of modules that lead back to each other, the largest first."""
    known = {names_of(path)[0] for path in modules()}
    edges = {names_of(path)[0]: {next((m for m in choice if m in known), None) for _, targets in ours(path) for choice in targets}
             for path in modules()}
    number, lowest, stack, found = {}, {}, [], []

    def visit(module):
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in edges[module] - {None}:
            if other not in number:
                visit(other)
            if other in stack:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            found.append(stack[stack.index(module):])
            del stack[stack.index(module):]
    for module in edges:
        if module not in number:
            visit(module)
    return sorted(found, key=len, reverse=True)


def test_few_imports_are_late_and_each_says_why():
    late = list(late_imports())
    assert len(late) <= MOST_LATE, f"{len(late)} imports stand inside functions; at most {MOST_LATE} may"
    for path, line, function in late:
        lines = (PACKAGE / path).read_text(encoding="utf-8").split("\n")
        reason = "#" in lines[line - 1] or lines[line - 2].lstrip().startswith("#")
        assert reason or function == "__getattr__", f"{path}:{line}: an import inside a function without its reason"


def test_modules_do_not_lead_back_to_each_other():
    largest = cycles()[0]
    assert len(largest) <= LARGEST_CYCLE, f"{len(largest)} modules lead back to each other: {sorted(largest)}"


def test_calls_upwards_exist():
    for name in rooms_module._HOMES:
        assert callable(getattr(rooms_module.rooms, name)) or name == "program_codec"
