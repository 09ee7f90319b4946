"""Programs in bfloat16, under the names that Paddle has for them."""

from .amp_lists import AutoMixedPrecisionListsBF16
from .amp_utils import bf16_guard, cast_model_to_bf16, cast_parameters_to_bf16, convert_float_to_uint16, rewrite_program_bf16
from .decorator import decorate_bf16

__all__ = ["AutoMixedPrecisionListsBF16", "bf16_guard", "cast_model_to_bf16", "cast_parameters_to_bf16", "convert_float_to_uint16",
           "decorate_bf16", "rewrite_program_bf16"]
