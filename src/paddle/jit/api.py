"""The switches around to_static."""

import types

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from ..core.errors import check_type, describe
from . import settings
from .log import ALL, translator
from .settings import NOT_TRANSLATED
from .static_function import ENV_ENABLE_SOT, StaticFunction, sot_mode_guard, to_static  # noqa: F401  (Paddle has them here)


class ConversionOptions:
    """How a function is to be translated: not at all (``not_convert``), or as others are."""

    def __init__(self, not_convert=False):
        self.not_convert = not_convert

    def attach(self, func):
        """Note it at a function, or at the function of a method."""
        setattr(getattr(func, "__func__", func), NOT_TRANSLATED, self)


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
    ConversionOptions(not_convert=True).attach(func)
    return func


def ignore_module(modules):
    """Never translate functions of these modules.

    >>> import json
    >>> paddle.jit.ignore_module([json])
    """
    for module in modules if isinstance(modules, (list, tuple)) else [modules]:
        if not isinstance(module, (types.ModuleType, str)):
            raise TypeError(f"ignore_module(): modules must hold modules, got {describe(module)}")
        settings.ignored_modules.append(module)


def enable_to_static(enable_to_static_bool):
    """Turn all translated functions on, or (False) let them run eagerly.

    >>> paddle.jit.enable_to_static(True)
    """
    check_type(enable_to_static_bool, bool, "enable_to_static", "enable_to_static_bool")
    settings.enabled = enable_to_static_bool


def set_code_level(level=ALL, also_to_stdout=False):
    """Tell the translated source of every function when it is made (level 0: not).

    The environment's TRANSLATOR_CODE_LEVEL holds where this was not called.

    Args:
        level (int): 0 tells nothing, other numbers the final code; None: as the environment has it.
        also_to_stdout (bool): print it to the output as well as to the log.
    Returns:
        None.
    Raises:
        TypeError: ``level`` is not an int.
        AssertionError: ``also_to_stdout`` is not a bool.

    >>> paddle.jit.set_code_level(0)
    """
    translator.transformed_code_level = level
    translator.need_to_echo_code_to_stdout = also_to_stdout


def set_verbosity(level=0, also_to_stdout=False):
    """How much is told about translation; from level 1 on, every traced program.

    The environment's TRANSLATOR_VERBOSITY holds where this was not called, or with None.
    """
    translator.verbosity_level = level
    translator.need_to_echo_log_to_stdout = also_to_stdout


# made of these functions, and of this module in 2.6
__getattr__, __dir__ = _late(__name__, _names_of({"paddle.jit.dy2static.program_translator": ["ProgramTranslator"],
                                                  "paddle.jit.into_program": ["dygraph_to_static_func"],
                                                  "paddle.jit.save_hooks": [
                                                      "HookRemoveHelper", "_clear_save_pre_hooks", "_register_save_pre_hook",
                                                      "_remove_save_pre_hook", "_run_save_pre_hooks", "_save_pre_hooks"]}))
