"""Mixed precision of static programs.

float16 is not used on CPUs, here as in dynamic programs (``paddle.amp``): a decorated optimizer says so once and trains in
float32, where a loss needs no scaling. With bfloat16 the program is rewritten: operators get the casts that ``paddle.amp``
makes in dynamic programs; parameters and what optimizers remember stay in float32.
"""

from ...core.addresses import lookup as _lookup
from . import amp_nn, bf16, debugging  # noqa: F401
from .decorator import (  # noqa: F401
    AutoMixedPrecisionLists,
    CustomOpLists,
    _keep_layer_norm_scale_bias_to_fp32,
    decorate,
    fp16_guard,
)

__all__ = ["AutoMixedPrecisionLists", "CustomOpLists", "decorate", "fp16_guard"]

__getattr__ = _lookup(__name__)
