"""paddle.jit.dy2static.utils: what is known of the functions that are translated."""

import ast
import functools
import inspect
import textwrap

from ...base import dygraph
from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...utils import gast
from ..calls import function_of_tree
from ..errors import Untranslatable
from .scopes import FunctionNameLivenessAnalysis, GetterSetterHelper, NameScope

__all__ = ["FunctionNameLivenessAnalysis", "GetterSetterHelper", "NameScope", "ast_to_func", "getfullargspec", "is_dygraph_api",
           "parse_arg_and_kwargs", "parse_varargs_name"]


Dygraph2StaticException = Untranslatable


def func_to_source_code(function, dedent=True):
    """The source of a function, at the left margin unless ``dedent`` is False; its lines of comment are empty."""
    function = function.func if isinstance(function, functools.partial) else function
    if not inspect.isfunction(function) and not inspect.ismethod(function):
        raise TypeError(f"func_to_source_code(): function must be a function or method, got {describe(function)}")
    lines = ["\n" if line.lstrip().startswith("#") else line for line in inspect.getsourcelines(function)[0]]
    return textwrap.dedent("".join(lines)) if dedent else "".join(lines)


def ast_to_func(ast_root, dyfunc, delete_on_exit=True):
    """(the function of a tree, the file it counts as part of): closure, defaults and module are those of ``dyfunc``.

    Nothing is written, so there is no file to delete on exit.

    >>> from paddle.jit.dy2static.utils import ast_to_func
    >>> def double(x):
    ...     return 2 * x
    >>> ast_to_func(paddle.utils.gast.parse("def triple(x): return 3 * x"), double)[0](5)
    15
    """
    if not isinstance(ast_root, ast.AST):
        raise TypeError(f"ast_to_func(): ast_root must be a tree of gast or ast, got {describe(ast_root)}")
    node = gast.gast_to_ast(ast_root)
    node = node.body[0] if isinstance(node, ast.Module) else node
    if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
        raise TypeError(f"ast_to_func(): ast_root must be the tree of a function, got one of {type(node).__name__}")
    dyfunc = inspect.unwrap(dyfunc)
    return function_of_tree(dyfunc, node), dyfunc.__code__.co_filename


def getfullargspec(function):
    """The arguments of a function; of the functions behind a partial or a decorator too."""
    return inspect.getfullargspec(inspect.unwrap(function))


def parse_arg_and_kwargs(function):
    """(names of a function's arguments, {name: default}).

    >>> from paddle.jit.dy2static.utils import parse_arg_and_kwargs
    >>> parse_arg_and_kwargs(lambda x, axis=-1: x)
    (['x', 'axis'], {'axis': -1})
    """
    spec = getfullargspec(function)
    defaults = spec.defaults or ()
    return spec.args, dict(zip(spec.args[len(spec.args) - len(defaults):], defaults))


def is_dygraph_api(node):
    """Does a call in a syntax tree (of ``ast`` or ``gast``) name something of ``paddle.base.dygraph``, by a path that ends in it?

    >>> from paddle.jit.dy2static.utils import is_dygraph_api
    >>> from paddle.utils import gast
    >>> [is_dygraph_api(gast.parse(text).body[0].value) for text in ("base.dygraph.to_variable(x)", "paddle.mean(x)")]
    [True, False]
    """
    if not isinstance(node, ast.Call):
        raise TypeError(f"is_dygraph_api(): node must be a call, got {describe(node)}")
    *path, name = gast.unparse(node.func).split(".")
    return path[-1:] == ["dygraph"] and hasattr(dygraph, name)


_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
                ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}


def cmpop_node_to_str(node):
    """The text of a comparison's operator in a syntax tree; KeyError for other nodes.

    >>> from paddle.jit.dy2static.utils import cmpop_node_to_str
    >>> cmpop_node_to_str(paddle.utils.gast.NotIn())
    'not in'
    """
    return _COMPARISONS[type(node)]


def parse_varargs_name(function):
    """The name of the argument that takes further positional ones, or None."""
    return getfullargspec(function).varargs


__getattr__ = _lookup(__name__)
