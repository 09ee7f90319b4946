"""fluid.reader: loaders over generators (1.x; successor: paddle.io.DataLoader)."""

from ..core.errors import typos as _typos
from ..io.generator_loader import PyReader
from ..io.reader import DataLoader

__all__ = ["DataLoader", "PyReader"]

__getattr__ = _typos(__name__)
