"""fluid.reader: loaders over generators (1.x; successor: paddle.io.DataLoader)."""

from ..core import flags
from ..core.addresses import lookup as _lookup
from ..core.errors import check_type
from ..io.generator_loader import DataLoaderBase, GeneratorLoader, PyReader  # noqa: F401
from ..io.reader import DataLoader

__all__ = ["DataLoader", "PyReader"]
_ORDER = flags.define("FLAGS_keep_data_loader_order", True, "what fluid.reader.keep_data_loader_order was told last")


def keep_data_loader_order(*keep):
    """Whether several places get batches in the reader's order: asked without an argument, told with one (1.7, 1.8). They do here
    in any case, since one thread reads."""
    if len(keep) > 1:
        raise TypeError(f"keep_data_loader_order(): takes at most one argument, got {len(keep)}")
    if keep:
        check_type(keep[0], bool, "keep_data_loader_order", "keep")
        _ORDER.value = keep[0]
    return _ORDER.value


__getattr__ = _lookup(__name__)
