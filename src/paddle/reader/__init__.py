"""Readers and what decorates them, as programs of fluid and 2.0 alpha use them. In 2.x: paddle.io.

A *reader* is a function without arguments that returns an iterator over samples; a *reader creator* returns a reader.
Decorators take readers and give readers, so they can be nested::

    paddle.batch(paddle.reader.shuffle(paddle.dataset.mnist.train(), buf_size=500), batch_size=64)
"""

from . import creator, decorator
from .decorator import *  # noqa: F403

__all__ = [*decorator.__all__, "creator", "decorator"]
