"""paddle.base.libpaddle: the C++ library of Paddle's wheels; what it has is in paddle.base.core."""

from .. import pir  # noqa: F401
from . import core as _core


def __getattr__(name):
    return getattr(_core, name)


def __dir__():
    return dir(_core)
