"""Models that compute with few bits: trained for it (QAT), or rounded after training (PTQ)."""

from . import observers, quanters
from .config import QuantConfig
from .factory import BaseObserver, BaseQuanter, quanter
from .model import PTQ, QAT

__all__ = ["QuantConfig", "BaseQuanter", "BaseObserver", "quanter", "QAT", "PTQ", "observers", "quanters"]
