"""Static mode on and off."""

from ..core import place as places
from ..core.context import in_dynamic_mode, set_static  # noqa: F401
from ..core.rooms import rooms


def enable_static():
    """Turn static mode on: calls add to the default main Program instead of running.

    Returns:
        None.

    >>> paddle.enable_static(); paddle.in_dynamic_mode()
    False
    >>> paddle.disable_static()
    """
    if rooms.has("leave_fluid"):  # fluid's own switch is this one from 2.0 on
        rooms.leave_fluid()
    set_static(True)


def disable_static(place=None):
    """Turn static mode off: calls run at once again.

    Args:
        place (Place, str or None): device to run on; there is only the CPU.
    Returns:
        None.

    >>> paddle.disable_static(); paddle.in_dynamic_mode()
    True
    """
    if place is not None:
        places.convert(place, "disable_static")
    set_static(False)
    if rooms.has("enter_fluid"):
        rooms.enter_fluid()
