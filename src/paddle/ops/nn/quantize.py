"""Numbers on a grid of 2^bits steps: rounded to it, and back."""

import numpy as np

from ...core.op import op


def _limit(bit_length):
    """The largest step: 127 for 8 bits."""
    if not 2 <= bit_length <= 16:
        raise ValueError(f"bit_length must be from 2 to 16, got {bit_length}")
    return 2 ** (bit_length - 1) - 1


def _along(scale, x, axis):
    """A scale for all of x, or one for each slice along an axis, in a form that fits x."""
    if scale.size == 1:
        return scale.reshape(())
    if scale.size != x.shape[axis]:
        raise ValueError(f"scale has {scale.size} numbers, axis {axis} of x {list(x.shape)} needs {x.shape[axis]}")
    return scale.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)])


def _safe(scale):
    return np.where(scale == 0, scale.dtype.type(1e-30), scale)


@op("fake_quantize_dequantize_moving_average_abs_max(X, InScale, InAccum?, InState?) -> Out, OutScale, OutState, OutAccum",
    family="own", shapes=lambda x, scale, accum, state: (x, scale, state, accum))
def fake_quantize(x, scale, accum=None, state=None, moving_rate=0.9, bit_length=8, is_test=False):
    """x rounded to steps of a scale that follows the largest magnitude, and that scale with what it is made of."""
    limit = _limit(bit_length)
    if not is_test:
        largest = np.abs(x).max(initial=0).astype(scale.dtype)
        state, accum = state * state.dtype.type(moving_rate) + 1, accum * accum.dtype.type(moving_rate) + largest
        scale = accum / state
    size = _safe(scale.reshape(()))
    steps = np.clip(x, -size, size) * (limit / size)
    steps = np.trunc(steps + np.copysign(x.dtype.type(0.5), steps))  # halves go away from 0
    return (steps * (size / limit)).astype(x.dtype), scale + 0, state, accum


@op("quantize_linear(X, Scale, ZeroPoint) -> Y", family="same")
def quantize_linear(x, scale, zero_point, quant_axis=-1, bit_length=8):
    """The numbers of the steps that x is nearest to."""
    limit = _limit(bit_length)
    steps = np.rint(x / _safe(_along(scale, x, quant_axis)) * limit) + _along(zero_point, x, quant_axis)
    return np.clip(steps, -limit - 1, limit).astype(x.dtype)


@op("dequantize_linear(X, Scale, ZeroPoint) -> Y", family="same")
def dequantize_linear(x, scale, zero_point, quant_axis=-1, bit_length=8):
    """Numbers from the numbers of steps."""
    size = _along(scale, x, quant_axis) / x.dtype.type(_limit(bit_length))
    return ((x - _along(zero_point, x, quant_axis)) * size).astype(x.dtype)
