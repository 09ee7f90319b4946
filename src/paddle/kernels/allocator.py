"""What malloc does with large blocks.

glibc returns every large block to the system when it is freed, and gets it back page by page, each page a fault that
zeroes it; a training step that frees and allocates the same activations again and again spends more time in faults
than in its sums. So, at import, freed blocks up to 1 GB (32 MB with some versions of glibc) are told to stay with the
process (mallopt: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD). ``FLAGS_keep_freed_memory=0`` leaves malloc as it is.
"""

from __future__ import annotations

from typing import Any

from ..core import flags as _flags

keeps_freed_memory = False


def start(native: Any) -> None:
    """Change malloc's setting unless the flag says no; called once, at import."""
    global keeps_freed_memory
    flag = _flags.define("FLAGS_keep_freed_memory", True, "keep large freed blocks for reuse (read at import)")
    if native is not None and flag.value:
        keeps_freed_memory = native.keep_freed_memory()
