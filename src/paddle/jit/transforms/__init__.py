"""Rewriting of functions: one file per construct.

The order matters: expressions first, then ``return`` / ``break`` / ``continue`` become flags, then loops and branches become
functions.
"""

import ast

from ..errors import Untranslatable
from . import annotations, asserts, branches, calls, exits, expressions, loads, logic, loops, names, shapes, touches

_EXPRESSIONS = (annotations.Annotations, touches.Touches, loops.Loops, logic.Logic, expressions.Expressions, shapes.Shapes,
                asserts.Asserts, calls.Calls)


def rewrite(node):
    """The tree of a function rewritten, nested functions included."""
    _check(node)
    for transformer in _EXPRESSIONS:
        node = transformer(node).visit(node)
    node = loads.Loads(node).visit(rewrite_statements(node))
    calls.check_own_names(node)
    return node


def rewrite_statements(node):
    """Statements of a function rewritten; functions inside it first."""
    for inner in list(names.walk_scope(node.body)):
        if isinstance(inner, ast.FunctionDef):
            rewrite_statements(inner)
    exits.rewrite(node)
    branches.rewrite(node)
    return node


def rewrite_lambda(node):
    """The tree of a lambda rewritten."""
    _check(node)
    for transformer in (*_EXPRESSIONS, loads.Loads):
        node = transformer(node).visit(node)
    calls.check_own_names(node)
    return node


def _check(node):
    body = node.body if isinstance(node.body, list) else [node.body]
    for inner in names.walk_scope(body):
        if isinstance(inner, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)):
            raise Untranslatable(f"line {inner.lineno}: a generator or coroutine can't become part of a program")
