"""Small pieces of tree."""

import ast

HELPER = "__jit__"  # how translated code calls its run-time helpers (the module convert)


def name(identifier, store=False):
    return ast.Name(id=identifier, ctx=ast.Store() if store else ast.Load())


def helper(function, *arguments):
    """``__jit__.function(arguments)``."""
    return ast.Call(func=ast.Attribute(value=name(HELPER), attr=function, ctx=ast.Load()), args=list(arguments), keywords=[])


def assign(identifier, value):
    return ast.Assign(targets=[name(identifier, True)], value=value)


def thunk(expression):
    """``lambda: expression``."""
    return ast.Lambda(args=arguments(), body=expression)


def arguments(*names):
    return ast.arguments(posonlyargs=[], args=[ast.arg(arg=n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[])


def function(identifier, body, *names):
    """``def identifier(names): body``."""
    body = body or [ast.Pass()]
    return ast.FunctionDef(name=identifier, args=arguments(*names), body=body, decorator_list=[], type_params=[])


def constant(value):
    return ast.Constant(value=value)


def texts(values):
    return ast.Tuple(elts=[constant(v) for v in values], ctx=ast.Load())


def placed(new, old):
    """The new nodes with the place of an old one (where they have none of their own)."""
    for part in new if isinstance(new, list) else [new]:
        for inner in ast.walk(part):
            if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
                inner.lineno = inner.end_lineno = old.lineno  # one line: a call that spans more is reported at its end
                inner.col_offset, inner.end_col_offset = old.col_offset, old.col_offset + 1
    return new
