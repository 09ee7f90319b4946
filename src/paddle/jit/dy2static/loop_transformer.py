"""paddle.jit.dy2static.loop_transformer: which names a loop carries from turn to turn."""

import ast

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ..transforms.names import chain

__all__ = ["NameVisitor"]

_LOOPS = (ast.For, ast.While)


class NameVisitor:
    """What the loops in the tree of a function (of ``ast`` or ``gast``) read and bind.

    >>> from paddle.jit.dy2static.loop_transformer import NameVisitor
    >>> tree = paddle.utils.gast.parse("def f(x, n):\\n  for i in range(n):\\n    y = x + i\\n  return y")
    >>> carried, created = NameVisitor(tree).get_loop_var_names(tree.body[0].body[0])
    >>> sorted(carried), sorted(created)
    (['i', 'n', 'y'], ['y'])
    """

    def __init__(self, root_node):
        if not isinstance(root_node, ast.AST):
            raise TypeError(f"NameVisitor(): root_node must be a syntax tree, got {describe(root_node)}")
        self._uses = []  # (name, is it bound there, loops around it, the loop whose condition it is in), in the order of the text
        self._seen = {}  # loop -> all uses in its function and in those around it up to there
        self._functions = set()  # names of inner functions: they are no variables
        self._types = set()
        self._depth, self._loops, self._condition = 0, [], None
        self._visit(root_node)
        self._keep(0)

    def get_loop_var_names(self, node):
        """(names that a loop hands on from turn to turn, those of them that are not bound before it)."""
        if not isinstance(node, _LOOPS):
            raise TypeError(f"get_loop_var_names(): node must be a for or while loop, got {describe(node)}")
        uses = self._seen.get(node, [])
        inside = [use for use in uses if node in use[2]]
        first = uses.index(inside[0]) if inside else 0
        condition, written = {use[0] for use in inside if use[3] is node}, {use[0] for use in inside if use[1]}
        before = {use[0] for use in uses[:first]} | condition
        after = {use[0] for use in uses[first:] if node not in use[2] and not use[1]}
        carried, created = set(), set()
        for name in dict.fromkeys(use[0] for use in inside):
            if name in self._functions or name in self._types:
                continue
            if name in before:
                if name in condition or name in written:
                    carried.add(name)
            elif name in written and (name in after or not next(use[1] for use in inside if use[0] == name)):
                carried.add(name)
                created.add(name)
        return carried, created

    def _visit(self, node):
        visit = getattr(self, "_visit_" + type(node).__name__, None)
        if visit is None:
            self._below(node)
        else:
            visit(node)

    def _below(self, node):
        if isinstance(node, ast.Assign):  # the value is read before the names are bound
            order = [node.value, *node.targets]
        else:
            order = ast.iter_child_nodes(node)
        for inner in order:
            self._visit(inner)

    def _keep(self, known):
        uses = list(self._uses)
        for loop in {loop for use in uses[known:] for loop in use[2]}:
            self._seen.setdefault(loop, uses)

    def _note(self, name, binds):
        self._uses.append((name, binds, tuple(self._loops), self._condition))

    def _visit_Name(self, node):
        self._note(node.id, isinstance(node.ctx, (ast.Store, ast.Del)))

    def _visit_Attribute(self, node):
        name = chain(node)
        if name is None:
            self._visit(node.value)
        elif not name.startswith("self."):
            self._note(name, not isinstance(node.ctx, ast.Load))

    def _visit_AugAssign(self, node):
        self._visit(node.value)
        if isinstance(node.target, ast.Name):
            self._note(node.target.id, False)
        self._visit(node.target)

    def _visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2:
            self._types |= {ast.unparse(part) for part in getattr(node.args[1], "elts", [node.args[1]])}
        if not isinstance(node.func, ast.Name) and chain(node.func) is None:
            self._visit(node.func)
        for inner in [*node.args, *(k.value for k in node.keywords)]:
            self._visit(inner)

    def _visit_FunctionDef(self, node):
        self._functions.add(node.name)
        self._depth += 1
        known = len(self._uses)
        self._below(node)
        self._depth -= 1
        self._keep(known)
        if self._depth:  # its names are not seen outside
            del self._uses[known:]

    def _visit_Lambda(self, node):
        pass

    def _comprehension(self, node):
        own = {name.id for part in node.generators for name in ast.walk(part.target) if isinstance(name, ast.Name)}
        known = len(self._uses)
        self._below(node)
        self._uses[known:] = [use for use in self._uses[known:] if use[0] not in own]

    _visit_ListComp = _visit_SetComp = _visit_DictComp = _visit_GeneratorExp = _comprehension

    def _loop(self, node):
        self._loops.append(node)
        outer, self._condition = self._condition, node
        for part in (node.iter, node.target) if isinstance(node, ast.For) else (node.test,):
            self._visit(part)
        self._condition = outer
        for part in [*node.body, *node.orelse]:
            self._visit(part)
        self._loops.pop()

    _visit_For = _visit_While = _loop


__getattr__ = _lookup(__name__)
