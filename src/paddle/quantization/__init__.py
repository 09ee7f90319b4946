"""Models that compute with few bits: trained for it (QAT), or rounded after training (PTQ)."""

from . import observers, quanters
from .config import QuantConfig
from .factory import BaseObserver, BaseQuanter, quanter
from .imperative import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    ImperativePTQ,
    ImperativeQuantAware,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    default_ptq_config,
)
from .model import PTQ, QAT

__all__ = ["QuantConfig", "BaseQuanter", "BaseObserver", "quanter", "QAT", "PTQ", "observers", "quanters",
           "SUPPORT_ACT_QUANTIZERS", "SUPPORT_WT_QUANTIZERS", "AbsmaxQuantizer", "BaseQuantizer", "HistQuantizer", "ImperativePTQ",
           "ImperativeQuantAware", "KLQuantizer", "PTQConfig", "PerChannelAbsmaxQuantizer", "default_ptq_config"]
