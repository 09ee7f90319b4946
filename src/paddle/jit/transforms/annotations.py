"""``name: Type = value``: an assignment. Python evaluates no annotation inside a function, and refuses them for names that belong
to the function around, as those of a branch or loop do in translated code."""

import ast


class Annotations(ast.NodeTransformer):
    """See the module's text."""

    def __init__(self, function):
        self.function = function

    def visit_AnnAssign(self, node):
        made = ast.Pass() if node.value is None else ast.Assign(targets=[node.target], value=node.value)
        return ast.copy_location(made, node)

    def visit_ClassDef(self, node):
        return node  # where annotations mean something
