"""Helpers around training: downloads, archives, checks of the installation."""

import importlib

from ..core.addresses import find as _find_address
from . import naming  # noqa: F401  (the package needs it: asking for it below would read the table of addresses)

# name -> (module below this one, attribute or None for the module itself)
_LAZY = {
    "archive": ("archive", None),
    "cpp_extension": ("cpp_extension", None),
    "deprecated": ("compat", "deprecated"),
    "dlpack": ("dlpack", None),
    "download": ("download", None),
    "Ploter": ("plot", "Ploter"),
    "plot": ("plot", None),
    "require_version": ("compat", "require_version"),
    "run_check": ("install_check", "run_check"),
    "try_import": ("compat", "try_import"),
    "unique_name": ("unique_name", None),
}

__all__ = sorted(_LAZY)


def __getattr__(name):
    if name not in _LAZY:
        return _find_address(__name__, name, _LAZY)
    module_name, attribute = _LAZY[name]
    module = importlib.import_module(f"{__name__}.{module_name}")
    return module if attribute is None else getattr(module, attribute)


def __dir__():
    return [*globals(), *_LAZY]
