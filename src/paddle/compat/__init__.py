"""paddle.compat: what programs of 1.x used to run on Python 2 and 3 alike, and what Paddle 3 has here: PyTorch's meanings."""

import math

from ..core.spelling import spelled as _spelled
from ..tensor import torchlike
from ..tensor.torchlike import equal, max, median, min, nanmedian, seed, slogdet, sort, split, unique  # noqa: F401
from . import nn  # noqa: F401
from .proxy import (  # noqa: F401
    disable_torch_proxy,
    enable_torch_proxy,
    extend_torch_proxy_blocked_modules,
    use_torch_proxy_guard,
)

globals().update({_name: _spelled("compat." + _name, globals()[_name]) for _name in torchlike.__all__})
__all__ = ["long_type", "to_text", "to_bytes", "round", "floor_division", "get_exception_message", *torchlike.__all__]

int_type = long_type = int


def _converted(obj, convert, inplace):
    """A str or bytes converted, or what a list, set or dict holds (in place if wanted); anything else as it is."""
    if isinstance(obj, list):
        made = [_converted(item, convert, inplace) for item in obj]
    elif isinstance(obj, set):
        made = {_converted(item, convert, inplace) for item in obj}
    elif isinstance(obj, dict):
        made = {_converted(key, convert, inplace): _converted(value, convert, inplace) for key, value in obj.items()}
    else:
        return convert(obj)
    if not inplace:
        return made
    if isinstance(obj, list):
        obj[:] = made
    else:
        obj.clear()
        obj.update(made)
    return obj


def to_text(obj, encoding="utf-8", inplace=False):
    """bytes as str, also inside lists, sets and dicts (1.x; successor: bytes.decode)."""
    return _converted(obj, lambda item: item.decode(encoding) if isinstance(item, bytes) else item, inplace)


def to_bytes(obj, encoding="utf-8", inplace=False):
    """str as bytes, also inside lists, sets and dicts (1.x; successor: str.encode)."""
    return _converted(obj, lambda item: item.encode(encoding) if isinstance(item, str) else item, inplace)


def round(x, d=0):
    """x rounded to d decimals, halves away from zero as in Python 2 (1.x; successor: Python's round)."""
    scale = 10 ** d
    if x > 0.0:
        return float(math.floor(x * scale + math.copysign(0.5, x))) / scale
    return float(math.ceil(x * scale + math.copysign(0.5, x))) / scale if x < 0.0 else math.copysign(0.0, x)


def floor_division(x, y):
    """x // y (1.x; successor: //)."""
    return x // y


def get_exception_message(exc):
    """The text of an exception (1.x; successor: str)."""
    if exc is None:
        raise AssertionError("get_exception_message(): exc must be an exception, got None")
    return str(exc)
