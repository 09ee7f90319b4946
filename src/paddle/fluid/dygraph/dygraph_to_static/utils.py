"""Trees of Python code, of the module ast or of the package gast, as functions and as text (1.8)."""

import ast
import importlib

from ....core.addresses import lookup as _lookup
from ....jit.calls import function_of_tree

_STANDS_FOR = {"paddle": "paddle", "fluid": "paddle.fluid", "layers": "paddle.fluid.layers", "dygraph": "paddle.fluid.dygraph"}


def _standard(node):
    """The tree in the classes of the module ast."""
    if type(node).__module__.split(".")[0] == "gast":
        import gast  # the package that made the tree
        return gast.gast_to_ast(node)
    return node


def ast_to_func(ast_root, dyfunc):
    """(a function of the tree of its source, that tree's text): globals, closure and defaults are those of ``dyfunc`` (1.8;
    successor: paddle.jit.to_static)."""
    if not isinstance(ast_root, ast.AST):
        raise TypeError(f"ast_to_func(): Type of ast_root should be gast.AST or ast.AST, got {type(ast_root).__name__}")
    root = _standard(ast_root)
    nodes = [node for node in ast.walk(root) if isinstance(node, ast.FunctionDef) and node.name == dyfunc.__name__]
    if not nodes:
        raise ValueError(f"ast_to_func(): the tree has no function {dyfunc.__name__!r}")
    return function_of_tree(dyfunc, nodes[0]), ast.unparse(nodes[0])


def ast_to_source_code(ast_node):
    """The text of a tree (1.8; successor: ast.unparse)."""
    if not isinstance(ast_node, ast.AST):
        raise TypeError(f"ast_to_source_code(): Type of ast_root should be gast.AST or ast.AST, got {type(ast_node).__name__}")
    return ast.unparse(ast.fix_missing_locations(_standard(ast_node))) + "\n"


def _called(node):
    """What a call's tree calls, where it is named as programs of 1.8 name Paddle's modules; None for others."""
    if type(node).__name__ != "Call":
        raise AssertionError(f"a tree of a call is expected, got {type(node).__name__}")
    first, *names = ast.unparse(_standard(node.func)).split(".")
    found = importlib.import_module(_STANDS_FOR.get(first, "paddle.fluid.dygraph"))
    for name in names if first in _STANDS_FOR else [first, *names]:
        found = getattr(found, name, None)
    return found


def is_paddle_api(node):
    """Does the tree of a call call a function of Paddle (1.8; successor: none)?"""
    return getattr(_called(node), "__module__", "").startswith("paddle.")


def is_dygraph_api(node):
    """Does the tree of a call call a function of paddle.fluid.dygraph (1.8; successor: none)?"""
    return getattr(_called(node), "__module__", "").startswith("paddle.fluid.dygraph.") and not _called(
        node).__module__.startswith(__package__)


def index_in_list(array_list, item):
    """Where an item is in a list, -1 if it is not (1.8; successor: list.index)."""
    return array_list.index(item) if item in array_list else -1


__getattr__ = _lookup(__name__)
