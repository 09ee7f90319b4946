"""Data parallel training in fluid's names (1.x; successor: paddle.DataParallel, paddle.distributed)."""

from ...core.addresses import lookup as _lookup
from ...distributed import LegacyDataParallel as DataParallel
from ...distributed import ParallelEnv, prepare_context

Env = ParallelEnv

__all__ = ["DataParallel", "ParallelEnv", "Env", "prepare_context"]


__getattr__ = _lookup(__name__)
