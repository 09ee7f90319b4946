"""``if``, ``while`` and ``for``: bodies become functions, so that they can be run, or traced into the graph."""

import ast
import itertools

from . import build
from .names import FUNCTION, bound, changed, declared, loads


def rewrite(function):
    """Rewrite the statements of a function in place."""
    _Branches(function).run()


class _Branches(ast.NodeTransformer):
    def __init__(self, function):
        self.function, self.numbers = function, itertools.count()
        a = function.args
        self.parameters = {x.arg for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg] if x is not None}
        self.globals = declared(function.body, ast.Global)
        self.nonlocals = declared(function.body, ast.Nonlocal)
        self.locals = set(bound(function.body)) | self.parameters
        self.loads = loads(function.body)
        self.initial = {}
        self.inside = 0  # depth of loops

    def run(self):
        first = self.function.body[0]
        body = []
        for statement in self.function.body:
            new = self.visit(statement)
            body += new if isinstance(new, list) else [new]
        missing = [n for n in self.initial if n not in self.parameters and n not in self.globals and n not in self.nonlocals]
        begin = [build.assign(n, build.helper("unset", build.constant(n))) for n in missing]
        if missing:
            body = [_Have(missing).visit(statement) for statement in body]
        k = 1 if ast.get_docstring(self.function) is not None else 0
        self.function.body = [*body[:k], *build.placed(begin, first), *body[k:]] or [ast.Pass()]

    def visit_FunctionDef(self, node):
        return node  # rewritten on its own

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    # ---- what a piece of code changes ----
    def state(self, nodes):
        names = [n for n in bound(nodes) if n in self.locals or n in self.globals]
        attributes, containers = changed(nodes)
        for c in containers:
            if "." in c:
                if c not in attributes:
                    attributes.append(c)
            elif c not in names:
                names.append(c)
        owned = [n for n in names if n in self.locals or n in self.globals]
        seen = [n for n in names if n not in owned]  # changed in place, but bound elsewhere
        for n in owned:
            self.initial[n] = True
        return owned, seen, attributes

    def accessors(self, k, nodes):
        """(definitions of the functions that read and write the state, arguments for the helper)."""
        owned, seen, attributes = self.state(nodes)
        parts = [c.rpartition(".") for c in attributes]
        values = [*[build.name(n) for n in owned], *[build.name(n) for n in seen],
                  *[build.helper("attribute", build.thunk(_expression(base)), build.constant(attr)) for base, _, attr in parts]]
        get = build.function(f"{FUNCTION}get_{k}", [ast.Return(value=ast.Tuple(elts=values, ctx=ast.Load()))])
        body = self.declarations(owned)
        items = [ast.Subscript(value=build.name("__jit_state"), slice=build.constant(i),
                               ctx=ast.Load()) for i in range(len(values))]
        body += [build.assign(n, items[i]) for i, n in enumerate(owned)]
        for i, n in enumerate(seen, len(owned)):
            body.append(ast.Expr(value=build.helper("unmoved", build.name(n), items[i], build.constant(n))))
        for i, (base, _, attr) in enumerate(parts, len(owned) + len(seen)):
            body.append(ast.Expr(value=build.helper("set_attribute", build.thunk(_expression(base)), build.constant(attr),
                                                    items[i])))
        put = build.function(f"{FUNCTION}set_{k}", body, "__jit_state")
        names = [*owned, *seen, *attributes]
        return [get, put], [build.name(get.name), build.name(put.name), build.texts(names)], owned

    def declarations(self, names):
        inner = [n for n in names if n not in self.globals]
        outer = [n for n in names if n in self.globals]
        return ([ast.Nonlocal(names=inner)] if inner else []) + ([ast.Global(names=outer)] if outer else [])

    def body(self, statements, owned):
        made = []
        for statement in statements:
            new = self.visit(statement)
            made += new if isinstance(new, list) else [new]
        return [*self.declarations(owned), *made]

    # ---- constructs ----
    def visit_If(self, node):
        k = next(self.numbers)
        defined, access, owned = self.accessors(k, [*node.body, *node.orelse])
        yes = build.function(f"{FUNCTION}true_{k}", self.body(node.body, owned))
        no = build.function(f"{FUNCTION}false_{k}", self.body(node.orelse, owned))
        call = ast.Expr(value=build.helper("if_", node.test, build.name(yes.name), build.name(no.name), *access,
                                              self.live(node, [e.value for e in access[2].elts])))
        return build.placed([*defined, yes, no, call], node)

    def live(self, node, names):
        """Which names are read outside the statement too."""
        inside = loads([node])
        return ast.Tuple(elts=[build.constant(self.inside > 0 or self.loads.get(n, 0) > inside.get(n, 0) or "." in n
                                              or n.startswith("__jit_") or n in self.globals or n in self.nonlocals)
                               for n in names], ctx=ast.Load())

    def visit_While(self, node):
        k = next(self.numbers)
        defined, access, owned = self.accessors(k, [*node.body, ast.Expr(value=node.test)])
        live = self.live(node, [e.value for e in access[2].elts])
        stop = getattr(node, "jit_stop", None)
        test = build.function(f"{FUNCTION}test_{k}", self.declarations(owned) + [ast.Return(value=node.test)])
        self.inside += 1
        body = build.function(f"{FUNCTION}body_{k}", self.body(node.body, owned))
        self.inside -= 1
        stopped = build.constant(None) if stop is None else build.thunk(build.name(stop))
        call = ast.Expr(value=build.helper("while_", build.name(test.name), build.name(body.name), *access, live, stopped))
        return build.placed([*defined, test, body, call], node)

    def visit_For(self, node):
        k = next(self.numbers)
        item = f"__jit_item_{k}"
        take = build.placed(ast.Assign(targets=[node.target], value=build.name(item)), node)
        defined, access, owned = self.accessors(k, [take, *node.body])
        live = self.live(node, [e.value for e in access[2].elts])
        stop = getattr(node, "jit_stop", None)
        self.inside += 1
        body = build.function(f"{FUNCTION}body_{k}", self.body([take, *node.body], owned), item)
        self.inside -= 1
        stopped = build.constant(None) if stop is None else build.thunk(build.name(stop))
        call = ast.Expr(value=build.helper("for_", node.iter, build.name(body.name), *access, live, stopped))
        return build.placed([*defined, body, call], node)


class _Have(ast.NodeTransformer):
    """Reads of names that may have no value yet go through a helper."""

    def __init__(self, names):
        self.names = {n for n in names if not n.startswith("__jit_")}

    def visit_Name(self, node):
        if node.id in self.names and isinstance(node.ctx, ast.Load):
            return build.placed(build.helper("have", build.name(node.id)), node)
        return node

    def visit_FunctionDef(self, node):
        """Ours, but those that read and write the state; a user's function is rewritten on its own."""
        if node.name.startswith(FUNCTION) and not node.name.startswith((f"{FUNCTION}get_", f"{FUNCTION}set_")):
            self.generic_visit(node)
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


def _expression(dotted):
    """The expression ``a.b.c``."""
    first, *rest = dotted.split(".")
    node = build.name(first)
    for part in rest:
        node = ast.Attribute(value=node, attr=part, ctx=ast.Load())
    return node
