"""Fast kernels: arrays in, arrays out. docs/kernels.md describes every function.

``process.native`` (core/context.py) is the extension module ``paddle._native``, or ``None`` when it was not built or is turned off
(``FLAGS_use_fast_kernels=0``); callers then take the NumPy reference of their operator.
"""

from __future__ import annotations

from typing import Any

from ..core import built as _sources
from ..core import flags as _flags
from ..core import op as _op
from ..core.context import process

try:
    import paddle._native as _built
except ImportError as error:  # no compiler at install, or kernels for another processor: the references do the work
    _built = None
    _missing = ("paddle._native was not built: reinstall with a C compiler to get the fast kernels"
                if isinstance(error, ModuleNotFoundError) else str(error))
if _built is not None:
    _sources.check(_built)

from . import allocator, threads


def built() -> Any:
    """Whether the extension module is installed, in use or not."""
    return _built is not None


def enabled() -> bool:
    """Whether fast kernels are in use."""
    return process.native is not None


def use(on: bool = True) -> bool:
    """Turn the fast kernels on (where they are installed) or off; returns whether they were on before."""
    before = enabled()
    _op.use_native(_built if on else None)
    return before


def describe() -> Any:
    """One line about the engine in use, for ``paddle.utils.run_check()``."""
    if enabled():
        return f"C kernels ({_built.isa()}), {_built.num_threads()} threads"
    if _built is not None:
        return "NumPy references (fast kernels are turned off by FLAGS_use_fast_kernels)"
    return f"NumPy references ({_missing})"


def use_winograd(on: Any = True) -> None:
    """Allow Winograd's algorithm for 3x3 convolutions (faster, less accurate: docs/kernels.md) or not."""
    if _built is not None:
        _built.set_winograd(on)


use()
_flags.define("FLAGS_use_winograd", True, "use Winograd's algorithm for convolutions with many channels", use_winograd)
_flags.define("FLAGS_use_fast_kernels", True, "run operators on the C kernels where they have one", use)
threads.start(_built)
allocator.start(_built)
