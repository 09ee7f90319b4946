"""``paddle.distributed.io``: persistable variables of a static Program, written by rank 0."""

from ..static import io
from .collective import barrier
from .env import is_writer
from .group import get_world_size, is_initialized


def is_persistable(var):
    """Does a variable outlive one run of its Program?"""
    return bool(getattr(var, "persistable", False))


def save_persistables(executor, dirname, main_program=None, filename=None):
    """Write the persistable variables of a Program into a folder, by rank 0; returns when they are there for all."""
    if is_writer():
        io.save_persistables(executor, dirname, main_program, filename)
    if is_initialized() and get_world_size() > 1:
        barrier()


def load_persistables(executor, dirname, main_program=None, filename=None):
    """Read the persistable variables of a Program from a folder, on every rank."""
    io.load_persistables(executor, dirname, main_program, filename)
