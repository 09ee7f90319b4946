"""``a if c else b``, ``del name``, and formatted strings."""

import ast

from . import build
from .logic import binds


class Expressions(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_IfExp(self, node):
        self.generic_visit(node)
        if binds(node.body) or binds(node.orelse):
            return node
        return build.placed(build.helper("choose", node.test, build.thunk(node.body), build.thunk(node.orelse)), node)

    def visit_Delete(self, node):
        """A deleted name becomes one without a value, so that branches can be compared."""
        self.generic_visit(node)
        kept, made = [], []
        for target in node.targets:
            if isinstance(target, ast.Name):
                made.append(build.placed(build.assign(target.id, build.helper("unset", build.constant(target.id))), node))
            else:
                kept.append(target)
        if kept:
            node.targets = kept
            made.append(node)
        return made
