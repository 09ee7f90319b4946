"""Which kernels of attention a block may use, as Paddle 3 names them."""

import contextlib
import enum

from ..core.addresses import lookup as _lookup
from ..core.errors import check_type, describe

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """The kernels that Paddle's GPU build has; here one kernel computes what all of them mean."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Say which kernels scaled_dot_product_attention may use inside the block; the results of all are the same.

    Args:
        backends: one SDPBackend or a list of them.
        set_priority: is the order of the list the order in which they are tried?

    >>> from paddle.nn.attention import SDPBackend, sdpa_kernel
    >>> x = paddle.ones([1, 2, 1, 4])
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     paddle.nn.functional.scaled_dot_product_attention(x, x, x).shape
    [1, 2, 1, 4]
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, (list, tuple)) or not chosen or not all(isinstance(one, SDPBackend) for one in chosen):
        raise TypeError(f"sdpa_kernel(): backends must be an SDPBackend or a list of them, got {describe(backends)}")
    check_type(set_priority, bool, "sdpa_kernel", "set_priority")
    yield


__path__ = []  # a package in Paddle: the paths below it are addresses
__getattr__ = _lookup(__name__)
