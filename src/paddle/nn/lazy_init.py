"""Parameters that are filled later: LazyGuard."""

import threading

from ..core.tensor import Parameter

_state = threading.local()


class LazyGuard:
    """Layers made inside it leave their parameters zero until ``param.initialize()`` is called on each.

    >>> import paddle
    >>> with paddle.LazyGuard():
    ...     layer = paddle.nn.Linear(2, 3)
    >>> for parameter in layer.parameters():
    ...     parameter.initialize()
    """

    def __enter__(self):
        _state.depth = getattr(_state, "depth", 0) + 1
        return self

    def __exit__(self, *error):
        _state.depth -= 1


def postpone(parameter, initializer):
    """Inside a LazyGuard: remember how to fill the parameter and return True."""
    if not getattr(_state, "depth", 0):
        return False
    parameter._initializer = initializer
    return True


def initialize(parameter):
    """Fill a parameter that was made inside a LazyGuard."""
    initializer = parameter.__dict__.pop("_initializer", None)
    if initializer is None:
        raise RuntimeError(f"initialize(): the parameter {parameter.name!r} was not made inside a LazyGuard, "
                           "or is initialized already")
    initializer(parameter)


Parameter.initialize = initialize
