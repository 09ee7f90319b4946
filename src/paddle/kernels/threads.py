"""How many threads the kernels use.

There is one pool, in the extension module; its workers sleep when there is nothing to do. NumPy's OpenBLAS is held to
one thread beside it: two pools on the same cores cost more than the second one gives (``FLAGS_limit_openblas=0``
leaves OpenBLAS as it is).

``FLAGS_deterministic`` holds the pool to one thread whatever number was set, so that sums are added up in one order.
"""

from __future__ import annotations

import os
from typing import Any

from ..core import flags as _flags

_native = None
_count = 1


def _quota() -> Any:
    """Processors that the control group of this process may use, or None if it sets no limit."""
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as limits:
            quota, period = limits.read().split()
        return None if quota == "max" else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return None


def default_count() -> Any:
    """OMP_NUM_THREADS if it is set to a positive number, else the processors this process may use."""
    wish = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wish.isdigit() and int(wish) > 0:
        return int(wish)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _quota() or available)


def get_num_threads() -> Any:
    """The number of threads that kernels use at most."""
    return _count


def set_num_threads(count: Any) -> None:
    """Let kernels use up to ``count`` threads."""
    global _count
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise TypeError(f"set_num_threads(): count must be an integer, got {type(count).__name__}")
    if count.__index__() < 1:
        raise ValueError(f"set_num_threads(): count must be at least 1, got {count}")
    _count = count.__index__()
    _apply(_flags.value("FLAGS_deterministic"))


def _apply(deterministic: Any) -> None:
    """Give the pool the number of threads that was set, or one."""
    if _native is not None:
        _native.set_num_threads(1 if deterministic else _count)


_flags.define("FLAGS_deterministic", False, "the same bits for any number of threads, by using one thread", _apply)


def start(native: Any) -> None:
    """Give the extension module its number of threads; called once, at import."""
    global _native
    _native = native
    set_num_threads(default_count())
    if native is not None and _flags.define("FLAGS_limit_openblas", True, "hold NumPy's OpenBLAS to one thread").value:
        native.limit_openblas(1)
