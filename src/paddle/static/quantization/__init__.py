"""``paddle.static.quantization``: programs that compute with few bits, by passes over their graphs or by calibration."""

from ...core.addresses import lookup as _lookup
from . import quant_config, utils
from .inference import (
    AddQuantDequantForInferencePass,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    QuantizationFreezePass,
    QuantWeightPass,
    ReplaceFakeQuantDequantPass,
    TransformForMobilePass,
)
from .post_training import PostTrainingQuantization, PostTrainingQuantizationProgram
from .quant_config import ARMCPUQuantizer, BaseQuantizer, MKLDNNQuantizer, TensorRTQuantizer
from .quanter import convert, quant_aware
from .training import (
    AddQuantDequantForResidual,
    AddQuantDequantPass,
    AddQuantDequantPassV2,
    OutScaleForTrainingPass,
    QuantizationTransformPass,
    QuantizationTransformPassV2,
)
from .weights import WeightQuantization

__all__ = ["ARMCPUQuantizer", "AddQuantDequantForInferencePass", "AddQuantDequantForResidual", "AddQuantDequantPass",
           "AddQuantDequantPassV2", "BaseQuantizer",
           "ConvertToInt8Pass", "MKLDNNQuantizer", "OutScaleForInferencePass", "OutScaleForTrainingPass",
           "PostTrainingQuantization", "PostTrainingQuantizationProgram", "QuantWeightPass",
           "QuantizationFreezePass", "QuantizationTransformPass", "QuantizationTransformPassV2",
           "ReplaceFakeQuantDequantPass", "TensorRTQuantizer", "TransformForMobilePass", "WeightQuantization",
           "convert", "quant_aware", "quant_config", "utils"]

__getattr__ = _lookup(__name__)
