"""fluid.dygraph.dygraph_to_static: translation of dynamic code in 1.8's names (1.x; successor: paddle.jit)."""

from ....core.addresses import lookup as _lookup
from ....jit import ProgramTranslator
from ....jit.dy2static import convert_call
from ....jit.dy2static import convert_to_static as convert_function_with_cache
from .utils import ast_to_func, ast_to_source_code
from .variable_trans_func import create_fill_constant_node, data_layer_not_check

__all__ = ["ProgramTranslator", "ast_to_func", "ast_to_source_code", "convert_call", "convert_function_with_cache",
           "create_fill_constant_node", "data_layer_not_check"]

__getattr__ = _lookup(__name__)
