"""paddle.distributed.parallel_helper: is this process one of several that train together?"""

from .buckets import broadcast_tensors
from .group import get_world_size, init_parallel_env, is_initialized


def _is_parallel_ctx_initialized():
    """Have the ranks found each other?"""
    return is_initialized()


def _is_data_parallel_mode():
    """Are there several ranks, and have they found each other?"""
    return is_initialized() and get_world_size() > 1


def _init_parallel_ctx():
    """Let the ranks find each other."""
    init_parallel_env()


def _broadcast_parameters(parameters):
    """Give every rank rank 0's values of parameters; cut ones stay."""
    whole = [p for p in parameters if not getattr(p, "is_distributed", False)]
    if get_world_size() > 1:
        broadcast_tensors(whole, init_parallel_env().comm)
