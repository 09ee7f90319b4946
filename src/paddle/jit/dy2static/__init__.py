"""The run-time helpers of translated code, under the names that Paddle gives them."""

from ...core.addresses import late as _late
from ...core.addresses import names_of as _names_of
from .. import convert
from ..calls import translated, translated_source
from ..errors import Unset
from ..into_program import convert_call
from ..static_function import StaticFunction

Call = convert_call
And, Or, Not, Shape, Len, Assert = convert.and_, convert.or_, convert.not_, convert.shape, convert.length, convert.check
UndefinedVar, convert_to_static, ast_to_source_code = Unset, translated, translated_source

__all__ = ["And", "Assert", "Call", "Len", "Not", "Or", "Shape", "StaticFunction", "UndefinedVar", "ast_to_source_code",
           "convert_call", "convert_to_static"]


__getattr__, __dir__ = _late(__name__, _names_of({".": [
    "convert_call_func", "logging_utils", "loop_transformer", "partial_program", "program_translator", "utils",
    "utils_helper"]}, __name__))
