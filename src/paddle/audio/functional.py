"""Functions of audio processing: window functions."""

from ..core import dtype as dtypes
from ..core.errors import check_choice, describe
from ..core.tensor import wrap
from ..ops.windows import WINDOWS
from ..ops.windows import window as make

__all__ = ["get_window"]


def get_window(window, win_length, fftbins=True, dtype="float64"):
    """A window function by name, or by a tuple of name and parameters.

    Args:
        window: one of bohman, blackman, cosine, exponential, gaussian, general_gaussian, hamming, hann, triang, tukey, or a
            tuple such as ``('gaussian', 7)``.
        win_length: number of elements.
        fftbins: periodic (for spectra) rather than symmetric.
        dtype: element type of the result.

    >>> import paddle
    >>> [round(v, 6) for v in paddle.audio.functional.get_window('hann', 4).tolist()]
    [0.0, 0.5, 1.0, 0.5]
    """
    name, *parameters = window if isinstance(window, tuple) else (window,)
    if not isinstance(name, str):
        raise ValueError(f"get_window(): window must be a name or a tuple that begins with one, got {describe(window)}")
    check_choice(name, WINDOWS, "get_window", "window")
    if not isinstance(win_length, int) or isinstance(win_length, bool) or win_length < 0:
        raise ValueError(f"get_window(): win_length must be an int of at least 0, got {describe(win_length)}")
    if not all(isinstance(p, (int, float)) or p is None for p in parameters):
        raise ValueError(f"get_window(): parameters of a window must be numbers, got {describe(window)}")
    return wrap(make(name, win_length, bool(fftbins), *parameters).astype(dtypes.to_numpy(dtype, "get_window")))
