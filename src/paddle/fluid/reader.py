"""fluid.reader: loaders over generators (1.x; successor: paddle.io.DataLoader)."""

from ..core.addresses import lookup as _lookup
from ..io.generator_loader import DataLoaderBase, GeneratorLoader, PyReader  # noqa: F401
from ..io.reader import DataLoader

__all__ = ["DataLoader", "PyReader"]

__getattr__ = _lookup(__name__)
