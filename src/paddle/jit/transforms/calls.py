"""Calls: the function called is translated in turn, if it is the user's; ``super()`` gets its arguments."""

import ast

from . import build

_BY_FRAME = {"locals", "globals", "vars", "dir", "breakpoint"}  # look at the frame that calls them


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
            if function.id in _BY_FRAME:
                return node
        node.func = build.placed(build.helper("call", function), function)
        return node
