"""Windows as Paddle 3 makes them: paddle.hann_window, hamming_window, blackman_window, bartlett_window, kaiser_window."""

import numpy as np

from ..core import dtype as dtypes
from ..core import place as places
from ..core.errors import describe
from ..core.tensor import Tensor, wrap
from ..ops.signal import tapers
from ..tensor.convert import real_arg

__all__ = ["hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"]


def _made(function, length, periodic, taper, *parameters, dtype, layout, device, pin_memory, requires_grad):
    """The window as a tensor, after a look at the arguments that all of them have."""
    if isinstance(length, bool) or not isinstance(length, (int, np.integer)) or length < 0:
        raise ValueError(f"{function}(): window_length must be an int of at least 0, got {describe(length)}")
    if layout is not None:
        raise NotImplementedError(f"{function}(): layout {layout!r} is not supported; None (dense) is")
    if pin_memory:
        raise RuntimeError(f"{function}(): pin_memory=True needs a GPU, this is a CPU build")
    if device is not None:
        places.convert(device, function)
    kind = dtypes.to_numpy(dtype, function)
    if kind.kind != "f":
        raise TypeError(f"{function}(): dtype must be a float type, got {describe(dtype)}")
    out = wrap(tapers.tapered(taper, int(length), bool(periodic), *parameters).astype(kind))
    out.stop_gradient = not requires_grad
    return out


def hann_window(window_length: int, periodic: bool = True, *, dtype="float32", layout=None, device=None, pin_memory=False,
                requires_grad=False) -> Tensor:
    """A window of Hann: one raised cosine.

    Args:
        window_length: number of elements.
        periodic: for spectra (one longer, the last element left out) rather than symmetric.

    >>> [round(v, 6) for v in paddle.hann_window(4).tolist()]
    [0.0, 0.5, 1.0, 0.5]
    """
    return _made("hann_window", window_length, periodic, tapers.WINDOWS["hann"], dtype=dtype, layout=layout, device=device,
                 pin_memory=pin_memory, requires_grad=requires_grad)


def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype="float32",
                   layout=None, device=None, pin_memory=False, requires_grad=False) -> Tensor:
    """A window of Hamming: alpha - beta cos.

    >>> [round(v, 6) for v in paddle.hamming_window(4).tolist()]
    [0.08, 0.54, 1.0, 0.54]
    """
    weights = real_arg(alpha, "hamming_window", "alpha"), real_arg(beta, "hamming_window", "beta")
    return _made("hamming_window", window_length, periodic, tapers.cosines, *weights, dtype=dtype, layout=layout, device=device,
                 pin_memory=pin_memory, requires_grad=requires_grad)


def blackman_window(window_length: int, periodic: bool = True, *, dtype="float32", layout=None, device=None, pin_memory=False,
                    requires_grad=False) -> Tensor:
    """A window of Blackman: a sum of three cosines.

    >>> [round(abs(v), 6) for v in paddle.blackman_window(4).tolist()]
    [0.0, 0.34, 1.0, 0.34]
    """
    return _made("blackman_window", window_length, periodic, tapers.WINDOWS["blackman"], dtype=dtype, layout=layout, device=device,
                 pin_memory=pin_memory, requires_grad=requires_grad)


def bartlett_window(window_length: int, periodic: bool = True, *, dtype="float32", layout=None, device=None, pin_memory=False,
                    requires_grad=False) -> Tensor:
    """A window of Bartlett: a triangle with zeros at its ends.

    >>> paddle.bartlett_window(4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _made("bartlett_window", window_length, periodic, np.bartlett, dtype=dtype, layout=layout, device=device,
                 pin_memory=pin_memory, requires_grad=requires_grad)


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype="float32", layout=None, device=None,
                  pin_memory=False, requires_grad=False) -> Tensor:
    """A window of Kaiser, the narrower the larger beta is.

    >>> [round(v, 6) for v in paddle.kaiser_window(4, beta=0.0).tolist()]
    [1.0, 1.0, 1.0, 1.0]
    """
    return _made("kaiser_window", window_length, periodic, np.kaiser, real_arg(beta, "kaiser_window", "beta"), dtype=dtype,
                 layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad)
