"""``assert``: checked when the program runs, if it looks at tensors."""

import ast

from . import build
from .logic import binds


class Asserts(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_Assert(self, node):
        self.generic_visit(node)
        if node.msg is not None and binds(node.msg):
            return node
        message = [] if node.msg is None else [build.thunk(node.msg)]
        return build.placed(ast.Expr(value=build.helper("check", node.test, *message)), node)
