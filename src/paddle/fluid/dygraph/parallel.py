"""Data parallel training in fluid's names (successor: paddle.DataParallel, paddle.distributed)."""

from ...distributed import DataParallel, ParallelEnv, prepare_context

Env = ParallelEnv

__all__ = ["DataParallel", "ParallelEnv", "Env", "prepare_context"]
