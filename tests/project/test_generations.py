"""The package itself calls the functions of 2.x, whatever generation a program is of: never a public name that asks the context."""

import ast
import importlib
import pathlib

import paddle
from paddle.core import generation

SOURCE = pathlib.Path(paddle.__file__).parent


def _module(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts), parts[-1] == "__init__"


def _names(path):
    """Dotted names that a file uses through modules, or imports: {dotted name: line}."""
    module, package = _module(path)
    tree, aliases, found = ast.parse(path.read_text()), {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")[:len(module.split(".")) - node.level + package]
                base = ".".join([*above, *filter(None, [node.module])])
            for name in node.names:
                aliases[name.asname or name.name] = f"{base}.{name.name}"
                found[f"{base}.{name.name}"] = node.lineno
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            found[f"{aliases[node.value.id]}.{node.attr}"] = node.lineno
    return found


def test_the_package_calls_no_name_with_several_meanings():
    importlib.import_module("paddle.metric")
    paddle.nn  # noqa: B018  (declares its own)
    assert len(generation.DECLARED) == 46
    wrong = [f"{path.relative_to(SOURCE)}:{line} uses {name}" for path in sorted(SOURCE.rglob("*.py"))
             for name, line in _names(path).items() if name in generation.DECLARED]
    assert not wrong, "\n".join(wrong)


def test_what_a_declaration_names_exists_and_is_another_function():
    for name, alpha in generation.DECLARED.items():
        module, _, last = name.rpartition(".")
        public = getattr(importlib.import_module(module), last)
        older = generation.find(alpha)
        assert public.__wrapped__ is not older and callable(older), name
