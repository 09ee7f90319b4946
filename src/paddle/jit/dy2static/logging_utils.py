"""paddle.jit.dy2static.logging_utils: what translation tells of itself (``paddle.jit.log``), as functions."""

from ...core.addresses import lookup as _lookup
from ...utils import gast
from ..api import set_code_level, set_verbosity
from ..log import ALL, CODE_LEVEL_ENV_NAME, VERBOSITY_ENV_NAME, TranslatorLogger, translator  # noqa: F401

__all__ = ["TranslatorLogger", "error", "get_code_level", "get_verbosity", "log", "log_transformed_code", "set_code_level",
           "set_verbosity", "warn"]

LOG_AllTransformer, _TRANSLATOR_LOGGER = ALL, translator
log, warn, error = translator.log, translator.warn, translator.error


def get_verbosity():
    """The level of ``set_verbosity``, or that of the environment."""
    return translator.verbosity_level


def get_code_level():
    """The level of ``set_code_level``, or that of the environment."""
    return translator.transformed_code_level


def log_transformed_code(level, ast_node, transformer_name):
    """Tell the source of a tree, of Python's ast or of gast, if code is wanted."""
    translator.code(level, gast.gast_to_ast(ast_node), transformer_name)


__getattr__ = _lookup(__name__)
