"""``a.b``, ``a[k]`` and what comprehensions go over: values from around the function are noted (see ``paddle.jit.reads``)."""

import ast

from . import build


class Loads(ast.NodeTransformer):
    """See the module's text. It comes last: the other rewrites look at attributes."""

    def __init__(self, function):
        self.function = function

    def visit_Attribute(self, node):
        self.generic_visit(node)
        private = node.attr.startswith("__") and not node.attr.endswith("__")  # its real name depends on the class
        if not isinstance(node.ctx, ast.Load) or private or isinstance(node.value, ast.Name) and node.value.id == build.HELPER:
            return node
        return build.placed(build.helper("read", node.value, build.constant(node.attr)), node)

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        if any(isinstance(n, (ast.Slice, ast.Starred)) for n in ast.walk(node.slice)):
            node.value = build.placed(build.helper("go_through", node.value), node)
            return node
        return build.placed(build.helper("member", node.value, node.slice), node)

    def visit_comprehension(self, node):
        self.generic_visit(node)
        node.iter = build.placed(build.helper("go_through", node.iter), node.iter)
        return node
