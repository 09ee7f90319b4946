"""Callbacks of paddle.Model."""

from .core.addresses import lookup as _lookup
from .hapi.callbacks import (
    Callback,
    CSVLogger,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ProgBarLogger,
    ReduceLROnPlateau,
    VisualDL,
    WandbCallback,
)

__all__ = ["Callback", "ProgBarLogger", "ModelCheckpoint", "VisualDL", "LRScheduler", "EarlyStopping", "ReduceLROnPlateau",
           "WandbCallback", "CSVLogger"]


__getattr__ = _lookup(__name__)
