"""Calls in translated code: the user's functions are replaced by translated twins, library functions are left alone.

To make a twin, the function's source is found and its tree rewritten, compiled, and rebuilt with the same closure. It keeps the
user's file and line numbers, so tracebacks and debuggers show the user's own text. Nothing is executed to make it: the code object
of the function is taken out of the compiled module.
"""

import ast
import copy
import functools
import importlib
import inspect
import linecache
import os
import sys
import sysconfig
import types

from ..core.context import context
from ..core.generation import published
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from ..optimizer.lr import LRScheduler
from ..optimizer.optimizer import Optimizer
from ..tensor import joining
from . import settings, transforms
from .arrays import TensorList
from .errors import Unset, Untranslatable
from .log import ALL, translator
from .looping import join
from .reads import MUTATORS, go_through, mention, outer_places, touch, touch_scopes, watched
from .transforms.build import HELPER

_PADDLE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.join(sysconfig.get_paths()["stdlib"], "")
_FROZEN = {"numpy", "item", "tolist", "gradient", "__float__", "__int__", "__bool__"}  # methods that look at a tensor's value
_RATE = (Optimizer.set_lr, Optimizer.set_lr_scheduler)
# modules whose objects decide in Python by values of tensors
_BY_VALUE = {"paddle.amp.grad_scaler", "paddle.optimizer.lbfgs", "paddle.distributed.sharding", "paddle.distributed.fleet.fleet"}

_INCURIOUS = {isinstance, issubclass, type, id, callable, len, super, getattr}  # don't look into what they get, or tell themselves

REPLACED = {}  # built-in functions and types -> what translated code calls in place of them (``convert`` fills it)


def is_library(function):
    """Is a function part of this library, the standard one, or another that is never translated?"""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    file = code.co_filename
    module = getattr(function, "__module__", None) or ""
    if file.startswith((_PADDLE, "<frozen")) or module.split(".")[0] in settings.LIBRARIES or any(
            module == name or module.startswith(name + ".")
            for name in (getattr(m, "__name__", m) for m in settings.ignored_modules)):
        return True
    return file.startswith(_STANDARD) and "site-packages" not in file and "dist-packages" not in file


def _left_alone(function):
    """Was not_to_static called with a function?"""
    options = getattr(function, settings.NOT_TRANSLATED, None)
    return options is not None and options.not_convert


def call(function):
    """What translated code calls in place of a function."""
    made = convert_call(function)
    if isinstance(function, types.BuiltinFunctionType):
        by_itself = function.__self__ is None or isinstance(function.__self__, types.ModuleType)
        return watched(made) if by_itself and function not in _INCURIOUS else made
    if isinstance(function, type):
        return watched(made) if function not in _INCURIOUS else made
    left = made is function or made.__class__ is types.MethodType and made == function
    return watched(made) if left and isinstance(made, (types.FunctionType, types.MethodType)) else made


def convert_call(function):
    """What to call in place of a function while a program is traced."""
    if function.__class__ is Unset:
        function.fail()
    if function.__class__ is type or isinstance(function, type):
        return REPLACED.get(function, function)
    if isinstance(function, types.BuiltinFunctionType):
        return _for_builtin(function)
    trace = context.trace
    if trace is None or _left_alone(function):
        return function
    if isinstance(function, types.MethodType):
        return _for_method(function, trace)
    if isinstance(function, types.FunctionType):
        return _for_function(function, trace)
    if isinstance(function, functools.partial):
        return functools.partial(convert_call(function.func), *function.args, **function.keywords)
    if isinstance(function, LRScheduler):
        return functools.partial(trace.gradients.ask, function)
    if isinstance(function, Layer):
        trace.journal.meet(function)
        return function  # Layer.__call__ asks for its translated forward
    if hasattr(function, "dygraph_function"):  # a StaticFunction
        return convert_call(function.dygraph_function if function.instance is None else
                            types.MethodType(function.dygraph_function, function.instance))
    method = next((c.__dict__["__call__"] for c in type(function).__mro__ if "__call__" in c.__dict__), None)
    if isinstance(method, types.FunctionType) and not is_library(method):
        return types.MethodType(_for_function(method, trace), function)
    return function


def _for_builtin(function):
    if function.__name__ in MUTATORS:
        touch(function.__self__)
    elif isinstance(function.__self__, (list, dict)):
        go_through(function.__self__)
    try:
        return REPLACED.get(function, function)
    except TypeError:  # a method of something that has no hash
        return function


def _for_method(method, trace):
    owner, function = method.__self__, method.__func__
    if _left_alone(function):
        return method
    if trace.values_stay and isinstance(owner, (Tensor, Symbolic)) and (
            function.__name__ == "numpy" or function.__name__ == "item" and len(owner.shape) < 2):
        return lambda: owner
    if isinstance(owner, (Tensor, Symbolic)) and function.__name__ in _FROZEN:
        raise Untranslatable(f"{function.__name__}(): the value of a tensor is asked for while the program is built")
    function = getattr(function, "dygraph_function", function)  # that of a StaticFunction
    if isinstance(owner, Layer):
        trace.journal.meet(owner)
    elif isinstance(owner, (Optimizer, LRScheduler)) and function.__name__ == "get_lr":
        return functools.partial(trace.gradients.ask, method)
    elif isinstance(owner, LRScheduler) and function.__name__ == "step" or function in _RATE:
        return functools.partial(trace.gradients.later, method)
    elif type(owner).__module__ in _BY_VALUE and getattr(owner, "_enable", True) and function.__name__ != "scale":
        raise Untranslatable(f"{type(owner).__name__}.{function.__name__}(): values of tensors decide what it does")
    if not isinstance(function, types.FunctionType):
        return method
    return types.MethodType(_for_function(function, trace), owner)


def _for_function(function, trace):
    special = _special().get(function)
    if special is not None:
        return special
    if hasattr(function, "__jit_original__"):
        return function
    if is_library(function):
        return _rewrapped(function, trace)
    try:
        twin = translated(function)
    except Untranslatable:
        twin = function  # no source: what it does with tensors is recorded all the same
    touch_scopes(function, trace.journal)
    places, bounds = outer_places(function)
    trace.journal.look_around(places, bounds)
    for bound in bounds:
        mention(bound.place.get(), trace.journal)
    return twin


def _rewrapped(function, trace):
    """A library's wrapper (no_grad() as a decorator, ...) around a user's function: the same around its translated twin."""
    inner = getattr(function, "__wrapped__", None)
    if not isinstance(inner, types.FunctionType) or is_library(inner) or not function.__closure__:
        return function
    cells = tuple([types.CellType(_for_function(inner, trace)) if _holds(c, inner) else c for c in function.__closure__])
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _holds(cell, value):
    try:
        return cell.cell_contents is value
    except ValueError:
        return False


@functools.lru_cache(None)
def _special():
    """Library functions that know lists of the program."""
    def joined(function, stacks):
        @functools.wraps(function)
        def of_list(*args, **kwargs):
            x, axis = args[0] if args else kwargs.get("x", kwargs.get("input")), args[1] if len(args) > 1 else kwargs.get("axis", 0)
            if x.__class__ is TensorList:
                if isinstance(axis, (Symbolic, Tensor)):
                    raise Untranslatable(f"{function.__name__}(): axis must be a number for a list that depends on a tensor")
                return join(x, axis, stacks)
            return function(*args, **kwargs)
        return of_list
    stack, concat = joined(joining.stack, True), joined(published(joining.concat), False)
    public = importlib.import_module("paddle")  # above this room
    known = {joining.stack: stack, public.stack: stack, published(joining.concat): concat, public.concat: concat,
             public.cat: concat}
    older = sys.modules.get("paddle.fluid.layers")  # programs of 1.x have it
    return known if older is None else {**known, older.stack: joined(older.stack, True), older.concat: joined(older.concat, False)}


# ---- twins ---------------------------------------------------------------------------------------------------------------
_trees = {}  # file -> (lines, first line -> nodes of functions and lambdas there)
_twins = {}  # code object -> translated code object, or the reason why there is none

helpers = []  # the module ``convert``, which translated code calls; it puts itself here


def translated(function):
    """The translated twin of a Python function, or itself if it is left alone; Untranslatable if there is no source to read."""
    if _left_alone(function):
        return function
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
    """Source text of the translated twin; that of the function itself if it is left alone."""
    if _left_alone(function):
        return inspect.getsource(function)
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
    translator.code(ALL, node, f"translated {function.__qualname__}")
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
        names = [x.arg for x in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
        return code.co_name == "<lambda>" and names == list(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])
    return node.name == code.co_name


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
