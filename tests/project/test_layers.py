"""Which room may look into which: core <- kernels, ops <- everything else <- the older generations."""

import ast

import pytest
from project.sources import dotted, imports, modules

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
