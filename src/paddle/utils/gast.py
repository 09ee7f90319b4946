"""paddle.utils.gast: Python's syntax trees with parameters written as names.

A tree here is one of Python's ``ast`` in which each parameter of a function, and the name that an ``except`` binds, is a ``Name``
(``ctx`` is ``Param`` or ``Store``) with the fields ``annotation`` and ``type_comment``: all names meet ``visit_Name``.
``parse`` gives such a tree, ``gast_to_ast`` Python's again.
"""

import ast
import copy
from ast import *  # noqa: F403  (all other nodes and functions are Python's own)

__all__ = ["Name", "Param", "ast_to_gast", "gast_to_ast", "parse", "unparse"]


class Param(ast.expr_context):
    """The context of a parameter's name."""


class Name(ast.Name):
    """A name: a variable, or a parameter with its annotation."""

    _fields = ("id", "ctx", "annotation", "type_comment")

    def __init__(self, id="", ctx=None, annotation=None, type_comment=None, **places):  # noqa: A002  (the field's name)
        super().__init__(id, ast.Load() if ctx is None else ctx, **places)
        self.annotation, self.type_comment = annotation, type_comment


class _Inwards(ast.NodeTransformer):
    """From Python's nodes to those with names for parameters."""

    def visit_Name(self, node):
        return ast.copy_location(Name(node.id, node.ctx), node)

    def visit_arg(self, node):
        note = None if node.annotation is None else self.visit(node.annotation)
        return ast.copy_location(Name(node.arg, Param(), note, node.type_comment), node)

    def visit_ExceptHandler(self, node):
        self.generic_visit(node)
        if node.name is not None:
            node.name = ast.copy_location(Name(node.name, ast.Store()), node)
        return node


class _Outwards(ast.NodeTransformer):
    """Back to Python's nodes."""

    def visit_Name(self, node):
        if isinstance(node.ctx, Param):
            note = getattr(node, "annotation", None)
            return ast.copy_location(ast.arg(node.id, None if note is None else self.visit(note),
                                             getattr(node, "type_comment", None)), node)
        return ast.copy_location(ast.Name(node.id, node.ctx), node)

    def visit_ExceptHandler(self, node):
        self.generic_visit(node)
        if isinstance(node.name, ast.Name):
            node.name = node.name.id
        return node


def ast_to_gast(node):
    """A tree of Python's with names for parameters, as a copy."""
    return _Inwards().visit(copy.deepcopy(node))


def gast_to_ast(node):
    """Python's tree of one of this module, as a copy."""
    return _Outwards().visit(copy.deepcopy(node))


def parse(*args, **kwargs):
    """The tree of a text, with names for parameters; arguments as of ``ast.parse``.

    >>> from paddle.utils import gast
    >>> [type(name.ctx).__name__ for name in gast.walk(gast.parse("def f(x): return x")) if isinstance(name, gast.Name)]
    ['Param', 'Load']
    """
    return ast_to_gast(ast.parse(*args, **kwargs))


def unparse(node):
    """The source of a tree, of this module or of Python's."""
    return ast.unparse(ast.fix_missing_locations(gast_to_ast(node)))
