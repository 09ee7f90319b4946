"""What the functions, loops and branches of a syntax tree bind, and the values of such names by a pair of functions."""

import ast

from ...core.errors import describe
from ..transforms import names

__all__ = ["FunctionNameLivenessAnalysis", "GetterSetterHelper", "NameScope"]


class NameScope:
    """Names of a function, or of a loop or branch in it: what its statements bind or change, and what they declare."""

    def __init__(self, father, bound, globals_, nonlocals, args, grown):
        self.father, self.w_vars, self.globals, self.nonlocals, self.args = father, bound, globals_, nonlocals, args
        self.push_pop_vars = grown

    def existed_vars(self):
        """Plain names that are bound here and belong to this function."""
        return {name for name in self.w_vars - self.globals - self.nonlocals - self.args if "." not in name}

    def modified_vars(self):
        """All that is bound, set as an attribute or by an index."""
        return self.w_vars

    def is_global_var(self, name):
        """Does a plain name stand for a variable of the module?"""
        scope = self
        while scope is not None:
            if name in scope.globals:
                return True
            if name in scope.nonlocals or name in scope.w_vars:
                return False
            scope = scope.father
        return True

    def is_local_var(self, name):
        """Does a plain name stand for a variable of this function or of one around it?"""
        return not self.is_global_var(name)

    def variadic_length_vars(self):
        """What append or pop is called on and is no variable of the module."""
        return {name for name in self.push_pop_vars if "." in name or "[" in name or not self.is_global_var(name)}


class FunctionNameLivenessAnalysis:
    """Gives every function, loop and branch below a tree (of ``ast`` or ``gast``) its ``NameScope``, as ``node.pd_scope``.

    >>> from paddle.jit.dy2static.utils import FunctionNameLivenessAnalysis
    >>> tree = paddle.utils.gast.parse("def f(x):\\n  out = []\\n  x = x + 1\\n  out.append(x)\\n  return out")
    >>> _ = FunctionNameLivenessAnalysis(tree)
    >>> scope = tree.body[0].pd_scope
    >>> sorted(scope.existed_vars()), sorted(scope.modified_vars()), sorted(scope.push_pop_vars)
    (['out'], ['out', 'x'], ['out'])
    """

    def __init__(self, root_node):
        if not isinstance(root_node, ast.AST):
            raise TypeError(f"FunctionNameLivenessAnalysis(): root_node must be a syntax tree, got {describe(root_node)}")
        self._visit(root_node, None)

    def _visit(self, node, father):
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            args = {a.id if isinstance(a, ast.Name) else a.arg for a in arguments if a is not None}
            father = node.pd_scope = _scope(node.body, father, args)
        elif isinstance(node, (ast.For, ast.While, ast.If)) and father is not None:
            node.pd_scope = _scope(list(ast.iter_child_nodes(node)), father, set())
        for inner in ast.iter_child_nodes(node):
            self._visit(inner, father)


def _scope(body, father, args):
    bound, grown = set(), set()
    for inner in names.walk_scope(body):
        if isinstance(inner, (ast.Name, ast.Attribute)) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            bound.add(ast.unparse(inner))
        elif isinstance(inner, ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            while isinstance(inner, ast.Subscript):
                inner = inner.value
            if isinstance(inner, ast.Name):
                bound.add(inner.id)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in ("append", "pop"):
            grown.add(ast.unparse(inner.func.value))
    return NameScope(father, bound, names.declared(body, ast.Global), names.declared(body, ast.Nonlocal), args, grown)


class GetterSetterHelper:
    """Reads and sets some of the values that one function gives and another takes, in the order of their sorted names.

    >>> from paddle.jit.dy2static.utils import GetterSetterHelper
    >>> values = [1, 2, 3]
    >>> helper = GetterSetterHelper(lambda: values, lambda new: values.__setitem__(slice(None), new), ["c", "a"], ["b"])
    >>> helper.set(["b"], [20])
    >>> helper.union(), helper.get(["b", "c"])
    (['a', 'b', 'c'], (20, 3))
    """

    def __init__(self, getter_func, setter_func, *name_lists):
        self.getter, self.setter = getter_func, setter_func
        self._union = sorted({name for part in name_lists for name in part or ()})
        self.name2id = {name: position for position, name in enumerate(self._union)}

    def union(self):
        """All names, sorted."""
        return self._union

    def get(self, names):
        """The values of some names."""
        values = self.getter()
        return () if values is None else tuple(values[position] for position in self._positions(names))

    def set(self, names, values):
        """Give some names new values."""
        old = self.getter()
        if old is None:
            return
        new = list(old)
        for position, value in zip(self._positions(names), values or ()):
            new[position] = value
        self.setter(new)

    def _positions(self, names):
        for name in names or ():
            if name not in self.name2id:
                raise ValueError(f"GetterSetterHelper: there is no name {name!r} among {', '.join(self._union)}")
        return [self.name2id[name] for name in names or ()]
