"""The global generator's seed and state."""

from ..core import random as generators
from ..core.addresses import lookup as _lookup
from ..core.random import default_generator, seed
from ..core.rooms import rooms

__all__ = ["get_cuda_rng_state", "get_rng_state", "seed", "set_cuda_rng_state", "set_rng_state"]


def get_rng_state(device=None):
    """State of the random generators of a device, as a list of plain data that `paddle.save` can write.

    Args:
        device (str or None): None or ``"cpu"``; this build has no other device.
    Returns:
        list.

    >>> state = paddle.get_rng_state()
    >>> a = paddle.rand([3])
    >>> paddle.set_rng_state(state)
    >>> bool((paddle.rand([3]) == a).all())
    True
    """
    _check_device("get_rng_state", device)
    return [default_generator().get_state()]


def set_rng_state(state_list, device=None):
    """Continue from what `get_rng_state` returned, bit for bit.

    Args:
        state_list (list): what it returned.
        device (str or None): None or ``"cpu"``; this build has no other device.
    Returns:
        None.
    Raises:
        ValueError: ``state_list`` does not come from ``get_rng_state``.

    >>> paddle.set_rng_state(paddle.get_rng_state())
    """
    _check_device("set_rng_state", device)
    if not isinstance(state_list, (list, tuple)) or len(state_list) != 1:
        raise ValueError(f"set_rng_state(): state_list must be a list with the state of one generator, got "
                         f"{type(state_list).__name__} of {len(state_list) if hasattr(state_list, '__len__') else 1}")
    before = default_generator().get_state()
    try:
        default_generator().set_state(state_list[0])
    except (KeyError, TypeError, ValueError) as error:
        default_generator().set_state(before)
        raise ValueError(f"set_rng_state(): this is not a state that get_rng_state returned: {error}") from error


def get_cuda_rng_state():
    """State of the generators of CUDA devices; there are none, so the list is empty.

    >>> paddle.get_cuda_rng_state()
    []
    """
    return []


def set_cuda_rng_state(state_list):
    """Restore CUDA generators; only the empty list fits a build without CUDA.

    Args:
        state_list: what `get_cuda_rng_state` gave.

    >>> paddle.set_cuda_rng_state([])
    """
    if len(state_list):
        raise ValueError(f"set_cuda_rng_state(): this build has no CUDA devices, got states of {len(state_list)}")


def _check_device(function, device):
    if device not in (None, "cpu"):
        raise ValueError(f"{function}(): device must be None or 'cpu', got {device!r}")


def _manual_program_seed(seed):
    """Give the default programs, and every program that is made from now on, a seed."""
    for program in (rooms.default_main_program(), rooms.default_startup_program()):
        program.global_seed(seed)


def manual_seed(seed):
    """Seed the default generator, the default programs and every program that is made from now on (2.0 alpha; successor:
    paddle.seed)."""
    generator = generators.seed(seed)
    for program in (rooms.default_main_program(), rooms.default_startup_program()):
        program.global_seed(int(seed))
    return generator


__getattr__ = _lookup(__name__)
