"""Calls in translated code: the user's functions are translated in turn, library functions are left alone."""

import functools
import importlib
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
from . import settings
from .arrays import TensorList
from .errors import Unset, Untranslatable
from .journal import MUTATORS, go_through, outer_places, touch, touch_scopes
from .looping import join
from .source import translated

_PADDLE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.join(sysconfig.get_paths()["stdlib"], "")
_FROZEN = {"numpy", "item", "tolist", "gradient", "__float__", "__int__", "__bool__"}  # methods that look at a tensor's value
_RATE = (Optimizer.set_lr, Optimizer.set_lr_scheduler)
# modules whose objects decide in Python by values of tensors
_BY_VALUE = {"paddle.amp.grad_scaler", "paddle.optimizer.lbfgs", "paddle.distributed.sharding", "paddle.distributed.fleet.fleet"}

REPLACED = {}  # built-in functions and types -> what translated code calls in place of them (``builtin`` fills it)


def is_library(function):
    """Is a function part of this library, the standard one, or another that is never translated?"""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    file = code.co_filename
    module = getattr(function, "__module__", None) or ""
    if file.startswith((_PADDLE, "<frozen")) or module.split(".")[0] in settings.LIBRARIES or any(
            module == m or module.startswith(m + ".") for m in settings.ignored_modules):
        return True
    return file.startswith(_STANDARD) and "site-packages" not in file and "dist-packages" not in file


def convert_call(function):
    """What to call in place of a function while a program is traced."""
    if function.__class__ is Unset:
        function.fail()
    if function.__class__ is type or isinstance(function, type):
        return REPLACED.get(function, function)
    if isinstance(function, types.BuiltinFunctionType):
        return _for_builtin(function)
    trace = context.trace
    if trace is None or getattr(function, "__jit_ignored__", False):
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
    if getattr(function, "__jit_ignored__", False):
        return method
    if trace.values_stay and isinstance(owner, (Tensor, Symbolic)) and function.__name__ == "numpy":
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
    trace.journal.look_around(outer_places(function))
    touch_scopes(function, trace.journal)
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
