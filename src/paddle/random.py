"""paddle.random: the default generator's seed."""

from .core.context import process

__all__ = ["initial_seed"]


def initial_seed():
    """The seed that the random numbers started from.

    >>> _ = paddle.seed(7); paddle.random.initial_seed()
    7
    """
    return process.generator.initial_seed()
