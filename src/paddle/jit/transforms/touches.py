"""Assignments to attributes and items tell what they change, before they do (see ``paddle.jit.journal``)."""

import ast

from . import build

_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load, ast.expr_context, ast.UnaryOp, ast.USub, ast.Slice)


class Touches(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_Assign(self, node):
        return self.told(node, node.targets)

    def visit_AugAssign(self, node):
        return self.told(node, [node.target], node.target if isinstance(node.target, ast.Name) else None)

    def visit_Delete(self, node):
        return self.told(node, node.targets)

    def told(self, node, targets, name=None):
        self.generic_visit(node)
        calls = [] if name is None else [build.helper("touch", build.name(name.id))]
        for inner in (n for target in targets for n in ast.walk(target)):
            if isinstance(getattr(inner, "ctx", None), ast.Load) or not isinstance(inner, (ast.Attribute, ast.Subscript)):
                continue
            if all(isinstance(part, _SIMPLE) for part in ast.walk(inner.value)):  # it may be evaluated twice
                attribute = [build.constant(inner.attr)] if isinstance(inner, ast.Attribute) else []
                calls.append(build.helper("touch", inner.value, *attribute))
        return [*build.placed([ast.Expr(value=call) for call in calls], node), node]
