"""paddle.jit.dy2static.convert_call_func: which functions are translated, and which are left as they are."""

from ...core.addresses import lookup as _lookup
from ..api import NOT_TRANSLATED as CONVERSION_OPTIONS
from ..api import ConversionOptions
from ..log import translator as translator_logger
from ..settings import ignored_modules as BUILTIN_LIKELY_MODULES

__all__ = ["BUILTIN_LIKELY_MODULES", "CONVERSION_OPTIONS", "ConversionOptions", "translator_logger"]

__getattr__ = _lookup(__name__)
