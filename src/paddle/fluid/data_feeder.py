"""fluid.data_feeder: DataFeeder (1.x; successor: paddle.io.DataLoader)."""

from ..base.data_feeder import DataFeeder
from ..core.addresses import lookup as _lookup

__all__ = ["DataFeeder"]


__getattr__ = _lookup(__name__)
