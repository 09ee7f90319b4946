"""Helpers around training: downloads, archives, checks of the installation."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from . import naming  # noqa: F401  (the package needs it: asking for it below would read the table of addresses)

_LAZY = _names_of({
    ".": ["archive", "cpp_extension", "dlpack", "download", "flops", "gast", "plot", "profiler", "unique_name"],
    ".compat": ["deprecated", "require_version", "try_import"],
    ".install_check": ["run_check"],
    ".plot": ["Ploter"],
    ".profiler": ["Profiler", "ProfilerOptions", "get_profiler"],
}, __name__)

__all__ = sorted(_LAZY)

__getattr__, __dir__ = _late(__name__, _LAZY)
