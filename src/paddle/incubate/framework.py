"""Several states of the random generator, which programs switch between by numbers."""

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..core.random import default_generator
from ..framework import random

__all__ = []


def get_rng_state(device=None, use_index=False):
    """The state of the generator in a list, or the number of its registered state.

    >>> len(paddle.incubate.get_rng_state())
    1
    """
    state = random.get_rng_state(device)
    return [default_generator().get_state_index()] if use_index else state


def set_rng_state(state_list, device=None, use_index=False):
    """Continue from what ``get_rng_state`` or ``register_rng_state_as_index`` returned.

    >>> first = paddle.incubate.get_rng_state(use_index=True)
    >>> second = paddle.incubate.register_rng_state_as_index()
    >>> paddle.incubate.set_rng_state(first, use_index=True)
    """
    if not use_index:
        random.set_rng_state(state_list, device)
        return
    if not isinstance(state_list, (list, tuple)) or len(state_list) != 1:
        raise ValueError(f"set_rng_state(): state_list must be a list of one number, got {describe(state_list)}")
    default_generator().set_state_index(state_list[0])


def register_rng_state_as_index(state_list=None, device=None):
    """Go on with a further state, the present one's copy for None; returns its number in a list."""
    state_list = random.get_rng_state(device) if state_list is None else state_list
    if not isinstance(state_list, (list, tuple)) or len(state_list) != 1:
        raise ValueError(f"register_rng_state_as_index(): state_list must be a list of one state, got {describe(state_list)}")
    return [default_generator().register_state_index(state_list[0])]


__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
