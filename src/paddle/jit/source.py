"""From a function to its translated twin: find its source, rewrite the tree, compile, and rebuild with the same closure.

The twin keeps the user's file and line numbers, so tracebacks and debuggers show the user's own text. Nothing is
executed to make it: the code object of the function is taken out of the compiled module.
"""

import ast
import copy
import linecache
import sys
import types

from . import settings, transforms
from .errors import Untranslatable
from .transforms.build import HELPER

_trees = {}  # file -> (lines, first line -> nodes of functions and lambdas there)
_twins = {}  # code object -> translated code object, or the reason why there is none

helpers = []  # the module ``convert``, which translated code calls; it puts itself here


def translated(function):
    """The translated twin of a Python function; Untranslatable if its source is not there or can't be read."""
    code = function.__code__
    made = _twins.get(code)
    if made is None:
        try:
            made = _twins[code] = _compile(function, translated_tree(function))
        except Untranslatable as error:
            _twins[code] = str(error)
            raise
    elif isinstance(made, str):
        raise Untranslatable(made)
    return _rebuild(function, made)


def function_of_tree(function, node):
    """A function whose text is the given tree, with everything else of another one."""
    node = copy.deepcopy(node)
    _bare(node)
    return _rebuild(function, _compile(function, node))


def _bare(node):
    """Take decorators, defaults and annotations off the tree of a function or lambda: those of the original stay."""
    if not isinstance(node, ast.Lambda):
        node.decorator_list, node.returns = [], None
    arguments = node.args
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if a is not None:
            a.annotation = None


def translated_source(function):
    """Source text of the translated twin."""
    return ast.unparse(ast.fix_missing_locations(translated_tree(function)))


def translated_tree(function):
    """The rewritten tree of a function."""
    node = copy.deepcopy(find_tree(function))
    if isinstance(node, ast.Lambda):
        node = transforms.rewrite_lambda(node)
    else:
        node.decorator_list, node.returns = [], None
        node = transforms.rewrite(node)
    _bare(node)
    if settings.code_level:
        print(f"# translated {function.__qualname__}\n{ast.unparse(ast.fix_missing_locations(node))}",
              file=sys.stdout if settings.also_to_stdout else sys.stderr)
    return node


def find_tree(function):
    """The FunctionDef or Lambda of a function in the tree of its file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise Untranslatable(f"the source of {function.__qualname__} is not available")
    known = _trees.get(code.co_filename)
    if known is None or known[0] != lines:
        try:
            known = _trees[code.co_filename] = (lines, _index(ast.parse("".join(lines))))
        except SyntaxError as error:
            raise Untranslatable(f"the source of {function.__qualname__} can't be parsed: {error}") from error
    found = [node for node in known[1].get(code.co_firstlineno, ()) if _matches(node, code)]
    if len(found) > 1 and code.co_name == "<lambda>":
        found = _by_position(found, code)
    if len(found) != 1:
        raise Untranslatable(f"the source of {function.__qualname__} was not found at {code.co_filename}:{code.co_firstlineno}")
    return found[0]


def _index(tree):
    """First line -> nodes of functions and lambdas that begin there."""
    table = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Lambda, ast.FunctionDef)):
            first = min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]])
            for line in {first, node.lineno}:
                table.setdefault(line, []).append(node)
    return table


def _matches(node, code):
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and _arguments(node) == _code_arguments(code)
    return node.name == code.co_name


def _arguments(node):
    a = node.args
    return [x.arg for x in [*a.posonlyargs, *a.args, *a.kwonlyargs]]


def _code_arguments(code):
    return list(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])


def _by_position(nodes, code):
    """Which of several lambdas on a line the code belongs to, by the columns of its instructions."""
    if not hasattr(code, "co_positions"):
        return nodes
    columns = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column]
    return [n for n in nodes if columns and all((n.body.lineno, n.body.col_offset) <= p <=
                                                (n.body.end_lineno, n.body.end_col_offset) for p in columns)]


def _class_name(function):
    """The class around a method, whose name goes into private names (__x)."""
    parts = function.__qualname__.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else None


def _compile(function, node):
    """The code object of a rewritten function."""
    code = function.__code__
    inner = node
    if isinstance(node, ast.Lambda):
        inner = ast.copy_location(ast.Expr(value=node), node)
    else:
        node.name = "__jit_twin__"
    cls = _class_name(function)
    if cls is not None:
        inner = ast.ClassDef(name=cls, bases=[], keywords=[], body=[inner], decorator_list=[], type_params=[])
    names = [HELPER, *code.co_freevars]
    arguments = ast.arguments(posonlyargs=[], args=[ast.arg(arg=n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[])
    outer = ast.FunctionDef(name="__jit_outer__", args=arguments, body=[inner], decorator_list=[], type_params=[])
    module = ast.Module(body=[outer], type_ignores=[])
    for part in (outer, inner):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    try:
        made = compile(ast.fix_missing_locations(module), code.co_filename, "exec", dont_inherit=True,
                       flags=code.co_flags & 0x1ff0000)
    except SyntaxError as error:
        raise Untranslatable(f"{function.__qualname__} can't be rewritten: {error}") from error
    path = ["__jit_outer__", *([cls] if cls else []), "<lambda>" if isinstance(node, ast.Lambda) else "__jit_twin__"]
    for name in path:
        made = next(c for c in made.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
    changes = {"co_name": code.co_name}
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = code.co_qualname
    return made.replace(**changes)


def _rebuild(function, code):
    """A function of the translated code with everything else of the original."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[HELPER] = types.CellType(helpers[0])
    closure = tuple([cells[name] for name in code.co_freevars])
    twin = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    for name in ("__kwdefaults__", "__qualname__", "__module__"):
        setattr(twin, name, getattr(function, name))
    twin.__dict__.update(function.__dict__)
    twin.__jit_original__ = function
    return twin
