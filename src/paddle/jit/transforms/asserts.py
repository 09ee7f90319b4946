"""``assert``: checked when the program runs, if it looks at tensors."""

import ast

from . import build as b
from .logic import binds


class Asserts(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_Assert(self, node):
        self.generic_visit(node)
        if node.msg is not None and binds(node.msg):
            return node
        message = [] if node.msg is None else [b.thunk(node.msg)]
        return b.placed(ast.Expr(value=b.helper("check", node.test, *message)), node)
