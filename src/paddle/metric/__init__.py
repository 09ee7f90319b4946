"""Metrics: how good predictions are."""

from ..core.addresses import lookup as _lookup
from ..core.generation import published as _published
from .functional import accuracy as _accuracy
from .metrics import Accuracy, Auc, Metric, Precision, Recall

__all__ = ["Metric", "Accuracy", "Precision", "Recall", "Auc", "accuracy"]


accuracy = _published(_accuracy)


__getattr__ = _lookup(__name__)
