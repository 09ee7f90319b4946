"""``a if c else b``, ``del name``, and formatted strings."""

import ast

from . import build as b
from .logic import binds


class Expressions(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_IfExp(self, node):
        self.generic_visit(node)
        if binds(node.body) or binds(node.orelse):
            return node
        return b.placed(b.helper("choose", node.test, b.thunk(node.body), b.thunk(node.orelse)), node)

    def visit_Delete(self, node):
        """A deleted name becomes one without a value, so that branches can be compared."""
        self.generic_visit(node)
        kept, made = [], []
        for target in node.targets:
            if isinstance(target, ast.Name):
                made.append(b.placed(b.assign(target.id, b.helper("unset", b.constant(target.id))), node))
            else:
                kept.append(target)
        if kept:
            node.targets = kept
            made.append(node)
        return made
