"""Parameters that are filled later: LazyGuard."""

from ..core.context import context
from ..core.tensor import Parameter


class LazyGuard:
    """Layers made inside it leave their parameters zero until ``param.initialize()`` is called on each.

    >>> with paddle.LazyGuard():
    ...     layer = paddle.nn.Linear(2, 3)
    >>> for parameter in layer.parameters():
    ...     parameter.initialize()
    """

    def __enter__(self):
        context.lazy = (context.lazy or 0) + 1
        return self

    def __exit__(self, *error):
        context.lazy -= 1


class _State:
    """Whether a LazyGuard is open, as Paddle's own object tells it."""

    @property
    def _state(self):
        return bool(context.lazy)


_helper = _State()


def lazy_init_helper():
    """An object whose ``_state`` says whether layers are being made inside a LazyGuard."""
    return _helper


def postpone(parameter, initializer):
    """Inside a LazyGuard: remember how to fill the parameter and return True."""
    if not context.lazy:
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
