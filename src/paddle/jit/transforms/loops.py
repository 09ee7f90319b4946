"""``while`` whose condition binds names (``:=``): the condition moves into the body, where names are carried."""

import ast

from . import build
from .logic import binds


class Loops(ast.NodeTransformer):
    """``while test: body else: rest`` becomes ``while True: if not test: rest; break`` and then the body."""

    def __init__(self, function):
        self.function = function

    def visit_While(self, node):
        self.generic_visit(node)
        if not binds(node.test):
            return node
        ends = ast.If(test=ast.UnaryOp(op=ast.Not(), operand=node.test), body=[*node.orelse, ast.Break()], orelse=[])
        node.body, node.orelse, node.test = [build.placed(ends, node), *node.body], [], build.placed(build.constant(True), node)
        return node
