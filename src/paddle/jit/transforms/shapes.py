"""``x.shape``: sizes that are not known before the program runs become tensors."""

import ast

from . import build


class Shapes(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr != "shape" or not isinstance(node.ctx, ast.Load):
            return node
        return build.placed(build.helper("shape", node.value), node)
