"""Dynamic to static: eager code made into static programs, saved, and loaded again."""

from ..core.addresses import lookup as _lookup
from . import dy2static  # noqa: F401
from .api import enable_to_static, ignore_module, not_to_static, set_code_level, set_verbosity  # noqa: F401
from .dy2static.program_translator import ProgramTranslator  # noqa: F401
from .save_load import TranslatedLayer, load, save  # noqa: F401
from .static_function import StaticFunction, to_static  # noqa: F401
from .static_function import to_static as declarative  # noqa: F401
from .traced_layer import TracedLayer  # noqa: F401

__all__ = ["save", "load", "to_static", "ignore_module", "TranslatedLayer", "set_code_level", "set_verbosity", "not_to_static",
           "enable_to_static"]


__getattr__ = _lookup(__name__)
