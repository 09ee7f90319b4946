"""fluid.layers.device: places as a program of 1.x asked for them."""

from ..framework import cpu_places

__all__ = ["get_places"]


def get_places(device_count=None, device_type=None):
    """Places of this machine's CPU (1.x; successor: paddle.static.cpu_places)."""
    if device_type not in (None, "CPU", "cpu"):
        raise ValueError(f"get_places(): device_type must be 'CPU': there is no other device, got {device_type!r}")
    return cpu_places(device_count)
