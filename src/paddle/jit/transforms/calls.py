"""Calls: the function called is translated in turn, if it is the user's; ``super()`` gets its arguments."""

import ast

from ..errors import Untranslatable
from . import build
from .names import FUNCTION

_BY_FRAME = {"globals", "vars", "dir", "breakpoint"}  # look at the frame that calls them
_OWN_NAMES = {"locals", "vars", "dir"}  # without arguments: the names of the function, among which the translator has its own


class Calls(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        arguments = [*function.args.posonlyargs, *function.args.args]
        self.first = [arguments[0].arg if arguments else None]

    def visit_FunctionDef(self, node):
        arguments = [*node.args.posonlyargs, *node.args.args]
        self.first.append(arguments[0].arg if arguments else self.first[-1])
        self.generic_visit(node)
        self.first.pop()
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == build.HELPER:
            return node
        if isinstance(function, ast.Name):
            if function.id == "super":
                if not node.args and self.first[-1] is not None:
                    node.args = build.placed([build.name("__class__"), build.name(self.first[-1])], node)
                return node
            if function.id in _OWN_NAMES and not node.args:
                inside = ast.Call(func=build.name("locals"), args=[], keywords=[])
                return build.placed(build.helper("own_dir" if function.id == "dir" else "own_names", inside), node)
            if function.id in _BY_FRAME:
                return node
        node.func = build.placed(build.helper("call", function), function)
        return node


def check_own_names(node):
    """Refuse ``locals()`` in a piece of the function that has become a function: it would see other names there."""
    for part in ast.walk(node):
        if isinstance(part, ast.Lambda) or isinstance(part, ast.FunctionDef) and part.name.startswith(FUNCTION):
            for inner in ast.walk(part):
                if isinstance(inner, ast.Attribute) and inner.attr in ("own_names", "own_dir") and isinstance(
                        inner.value, ast.Name) and inner.value.id == build.HELPER:
                    raise Untranslatable(f"line {inner.lineno}: locals(), vars() or dir() in a branch or loop can't be translated")
