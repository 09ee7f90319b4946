"""paddle.device.xpu as Paddle's CPU build has it: no such device is there."""

__all__ = ["synchronize"]


def synchronize(device=None):
    """Wait for an XPU's work: refused, there is no XPU."""
    raise RuntimeError("paddle.device.xpu.synchronize(): there is no XPU, this is a CPU build")
