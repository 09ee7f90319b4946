"""to_static and the switches around it."""

import contextlib
import functools
import types
from typing import Any

from ..core.addresses import lookup as _lookup
from ..core.errors import check_type, describe
from ..nn.layer.layers import Layer
from ..static.strategy import BuildStrategy
from ..utils.environments import BooleanEnvironmentVariable, EnvironmentVariableGuard
from . import settings
from .static_function import StaticFunction

# may functions that can't be translated run eagerly, where to_static's full_graph doesn't say it?
ENV_ENABLE_SOT = BooleanEnvironmentVariable("ENABLE_FALL_BACK", True)


@contextlib.contextmanager
def sot_mode_guard(value):
    """Within the block, to_static without ``full_graph`` lets what it can't translate run eagerly (True) or raises (False)."""
    with EnvironmentVariableGuard(ENV_ENABLE_SOT, value):
        yield


def to_static(function=None, input_spec=None, build_strategy=None, backend=None, **kwargs) -> Any:
    """Make a function, method or Layer run as a static program, Python control flow included.

    What can't be translated runs eagerly after all, with one warning.

    Args:
        function (function, Layer or None): None as a decorator with arguments.
        input_spec (list of InputSpec or None): for the leading tensor arguments; sizes None there take any
            size.
        build_strategy (BuildStrategy or None): which passes the program goes through.
        backend (str or None): None; other compilers ('CINN') are not part of this build.
        full_graph (bool): True raises where the code can't be translated; not given, the variable ``ENABLE_FALL_BACK`` of the
            environment decides (off: as True).
        property (bool): a function of no tensors, whose result is saved as a constant by ``jit.save``.
    Returns:
        A callable in place of the function, or the Layer itself with such a ``forward``; a decorator if ``function`` is None.

    >>> @paddle.jit.to_static
    ... def f(x):
    ...     return x * 2 if x.sum() > 0 else -x
    >>> f(paddle.to_tensor([1.])).tolist(), f(paddle.to_tensor([-1.])).tolist()
    ([2.0], [1.0])
    """
    full_graph = kwargs.pop("full_graph", None)
    is_property = kwargs.pop("property", False)
    for name in ("build_strategy", "backend"):
        kwargs.pop(name, None)
    if kwargs:
        raise TypeError(f"to_static(): unknown argument {next(iter(kwargs))!r}")
    check_type(full_graph, (bool, type(None)), "to_static", "full_graph")
    build_strategy = None if build_strategy is False else build_strategy  # as Paddle reads it
    if build_strategy is not None:
        check_type(build_strategy, BuildStrategy, "to_static", "build_strategy")
    if backend is not None and str(backend).upper() == "CINN":
        raise ValueError("to_static(): backend 'CINN' is not available; leave it out")
    options = {"input_spec": input_spec, "full_graph": full_graph, "build_strategy": build_strategy, "backend": backend,
               "property": is_property}
    if function is None:
        return functools.partial(to_static, input_spec=input_spec, build_strategy=build_strategy, backend=backend,
                                 full_graph=full_graph, property=is_property)
    if full_graph is None:
        full_graph = options["full_graph"] = not ENV_ENABLE_SOT.get()
    if isinstance(function, StaticFunction):
        return function
    if isinstance(function, Layer):
        forward = function.forward
        if not isinstance(forward, StaticFunction):
            static = StaticFunction(type(function).forward if not isinstance(forward, types.MethodType) else forward.__func__,
                                    instance=function, **options)
        else:
            static = StaticFunction(forward.dygraph_function, instance=function, **options)
        function.__dict__["forward"] = static
        return function
    if isinstance(function, types.MethodType):
        return StaticFunction(function.__func__, instance=function.__self__, **options)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(to_static(function.__func__, **{**options, "full_graph": full_graph}))
    if not callable(function):
        raise TypeError(f"to_static(): function must be a function, method or Layer, got {describe(function)}")
    if not isinstance(function, types.FunctionType):
        return StaticFunction(type(function).__call__, instance=function, **options)
    return StaticFunction(function, **options)


def not_to_static(func=None):
    """Leave a function as it is when code that calls it is translated.

    >>> @paddle.jit.not_to_static
    ... def helper(x):
    ...     return x + 1
    """
    if func is None:
        return not_to_static
    if not callable(func):
        raise TypeError(f"not_to_static(): func must be callable, got {describe(func)}")
    func.__jit_ignored__ = True
    return func


def ignore_module(modules):
    """Never translate functions of these modules.

    >>> import json
    >>> paddle.jit.ignore_module([json])
    """
    for module in modules if isinstance(modules, (list, tuple)) else [modules]:
        if not isinstance(module, (types.ModuleType, str)):
            raise TypeError(f"ignore_module(): modules must hold modules, got {describe(module)}")
        settings.ignored_modules.add(module if isinstance(module, str) else module.__name__)


def enable_to_static(enable_to_static_bool):
    """Turn all translated functions on, or (False) let them run eagerly.

    >>> paddle.jit.enable_to_static(True)
    """
    check_type(enable_to_static_bool, bool, "enable_to_static", "enable_to_static_bool")
    settings.enabled = enable_to_static_bool


def set_code_level(level=100, also_to_stdout=False):
    """Print the translated source of every function when it is made (level 0: not).

    Args:
        level (int): 0 prints nothing, other numbers the final code.
        also_to_stdout (bool): print it to the output as well as to the log.
    Returns:
        None.

    >>> paddle.jit.set_code_level(0)
    """
    check_type(level, int, "set_code_level", "level")
    settings.code_level, settings.also_to_stdout = level, also_to_stdout


def set_verbosity(level=0, also_to_stdout=False):
    """How much is told about translation; from level 1 on, every traced program is printed."""
    check_type(level, int, "set_verbosity", "level")
    if level < 0:
        raise ValueError(f"set_verbosity(): level must not be negative, got {level}")
    settings.verbosity, settings.also_to_stdout = level, also_to_stdout


def __getattr__(name):
    if name == "ProgramTranslator":  # made of these functions, and of this module in 2.6
        from .dy2static.program_translator import ProgramTranslator
        return ProgramTranslator
    return _lookup(__name__)(name)
