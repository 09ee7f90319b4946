"""``and``, ``or``, ``not``, chained comparison, ``is``: evaluated as Python does, or in the graph for tensors."""

import ast

from . import build

_OPS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
        ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}


def binds(node):
    """Does an expression bind a name (``:=``)? Then it can't move into a lambda."""
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


class Logic(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function
        self.asked = set()  # ids of the expressions of which only the truth is asked

    def ask(self, node):
        self.asked.add(id(node))
        for part in node.values if isinstance(node, ast.BoolOp) else ():
            self.ask(part)

    def visit_If(self, node):
        self.ask(node.test)
        return self.generic_visit(node)

    visit_While = visit_IfExp = visit_Assert = visit_If

    def visit_BoolOp(self, node):
        asked = id(node) in self.asked
        self.generic_visit(node)
        if any(binds(v) for v in node.values[1:]):
            return node
        kind = ("both" if asked else "and_") if isinstance(node.op, ast.And) else "either" if asked else "or_"
        return build.placed(build.helper(kind, node.values[0], *[build.thunk(v) for v in node.values[1:]]), node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self.ask(node.operand)
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return build.placed(build.helper("not_", node.operand), node)

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1:
            if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
                return build.placed(build.helper("is_" if isinstance(node.ops[0], ast.Is) else "is_not", node.left,
                                                 node.comparators[0]), node)
            return node
        if any(binds(v) for v in node.comparators[1:]):
            return node
        ops = build.texts([_OPS[type(op)] for op in node.ops])
        return build.placed(build.helper("compare", ops, node.left, node.comparators[0],
                                         *[build.thunk(v) for v in node.comparators[1:]]),
                            node)
