"""Which names a piece of code binds, reads and changes."""

import ast

FUNCTION, FLAG = "__jit_fn_", "__jit_"
MUTATORS = {"append", "pop", "insert", "extend", "remove", "clear", "update", "setdefault", "sort", "reverse", "add", "discard",
            "popitem"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def walk_scope(nodes):
    """All nodes below, without going into other scopes (the scope's own node is given)."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, _COMPREHENSIONS):
            stack.extend(n for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(node))))


def bound(nodes):
    """Names that the statements bind, in order of appearance."""
    found = {}
    for node in walk_scope(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] = True
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = True
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = True
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = True
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            found[node.name] = True
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found[node.rest] = True
    return [n for n in found if not n.startswith(FUNCTION)]


def declared(nodes, kind):
    """Names in ``global`` or ``nonlocal`` statements of the scope."""
    return {name for node in walk_scope(nodes) if isinstance(node, kind) for name in node.names}


def chain(node):
    """'a.b.c' of plain attribute access on a name, or None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def changed(nodes):
    """Attributes that are set, and containers that are changed in place, as dotted chains: (attributes, containers)."""
    attributes, containers = {}, {}
    for node in walk_scope(nodes):
        target = None
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            name = chain(node)
            if name:
                attributes[name] = True
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            target = node.value
        elif isinstance(node, ast.Attribute) and node.attr in MUTATORS:
            target = node.value
        while isinstance(target, ast.Subscript):
            target = target.value
        name = chain(target) if target is not None else None
        if name:
            containers[name] = True
    return list(attributes), list(containers)


def loads(nodes):
    """How often each name is read anywhere below, inner scopes included."""
    count = {}
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                count[inner.id] = count.get(inner.id, 0) + 1
            elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                count[inner.target.id] = count.get(inner.target.id, 0) + 1
    return count
