"""Numbers on a grid of 2^bits steps: rounded to it, and back."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..library import by_library


def limit_of(bit_length):
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


def _divisor(scale):
    """What a step's number is divided by: the scale, a little more where it is next to nothing, as Paddle has it."""
    return np.where(scale <= 1e-30, scale + scale.dtype.type(1e-6), scale)


def steps_of(x, scale, limit, round_type):
    """The numbers of the steps that x is nearest to; halves go to even numbers (``round_type`` 0) or away from 0 (1)."""
    if round_type not in (0, 1):
        raise ValueError(f"round_type must be 0 (halves to even numbers) or 1 (halves away from 0), got {round_type}")
    finer = limit / _divisor(scale)
    if round_type == 0:
        return np.clip(np.rint(x * finer), -limit - 1, limit).astype(x.dtype)
    steps = np.clip(x, -scale, scale) * finer
    return np.trunc(steps + np.copysign(x.dtype.type(0.5), steps)).astype(x.dtype)


def _back(steps, scale, limit):
    """Numbers from the numbers of steps."""
    return (steps * (scale / steps.dtype.type(limit))).astype(steps.dtype)


def _largest(x, axis=None):
    """The largest magnitude, or that of each slice along an axis, as an array of one axis."""
    others = None if axis is None else tuple(k for k in range(x.ndim) if k != axis % x.ndim)
    return np.abs(x).max(axis=others, initial=0).reshape(-1).astype(x.dtype)


def _following(x, scale, accum, state, moving_rate, is_test):
    """Scale, state and accum after x was seen: the scale is a mean of the largest magnitudes, the past ones by a rate less."""
    if is_test or accum is None or state is None:
        return scale + 0, state, accum
    state = state * state.dtype.type(moving_rate) + 1
    accum = accum * accum.dtype.type(moving_rate) + np.abs(x).max(initial=0).astype(accum.dtype)
    return accum / state, state, accum


def _scale_per_slice(x, quant_axis):
    return x, x.like((x.shape[quant_axis],))


def _like_inputs(x, scale, accum, state):
    return x, scale, state, accum


_STRAIGHT = {"x": lambda g: g[0]}  # the gradient passes as if nothing were rounded


@op("fake_quantize_abs_max(X) -> Out, OutScale", family="own", shapes="*x -> *x, 1")
def fake_quantize_abs_max(x, bit_length=8, round_type=1):
    """The numbers of steps, and the largest magnitude, which is their scale."""
    scale = _largest(x)
    return steps_of(x, scale.reshape(()), limit_of(bit_length), round_type), scale


@op("fake_quantize_dequantize_abs_max(X) -> Out, OutScale", family="own", shapes="*x -> *x, 1")
def fake_quantize_dequantize_abs_max(x, bit_length=8, round_type=1):
    """x rounded to steps of a scale that is its largest magnitude, and that scale."""
    scale, limit = _largest(x), limit_of(bit_length)
    return _back(steps_of(x, scale.reshape(()), limit, round_type), scale.reshape(()), limit), scale


@op("fake_channel_wise_quantize_abs_max(X) -> Out, OutScale", family="own", shapes=_scale_per_slice)
def fake_channel_wise_quantize_abs_max(x, bit_length=8, quant_axis=0, is_test=False, round_type=1):
    """The numbers of steps, with a scale for each slice along an axis: its largest magnitude."""
    scale = _largest(x, quant_axis)
    return steps_of(x, _along(scale, x, quant_axis), limit_of(bit_length), round_type), scale


@op("fake_channel_wise_quantize_dequantize_abs_max(X) -> Out, OutScale", family="own", shapes=_scale_per_slice)
def fake_channel_wise_quantize_dequantize_abs_max(x, bit_length=8, quant_axis=0, round_type=1):
    """x rounded to steps of a scale for each slice along an axis, and those scales."""
    scale, limit = _largest(x, quant_axis), limit_of(bit_length)
    size = _along(scale, x, quant_axis)
    return _back(steps_of(x, size, limit, round_type), size, limit), scale


@op("fake_quantize_moving_average_abs_max(X, InScale, InAccum?, InState?) -> Out, OutScale, OutState, OutAccum",
    family="own", shapes=_like_inputs)
def fake_quantize_moving_average_abs_max(x, scale, accum=None, state=None, moving_rate=0.9, bit_length=8, is_test=False,
                                         round_type=1):
    """The numbers of steps of a scale that follows the largest magnitude, and that scale with what it is made of."""
    scale, state, accum = _following(x, scale, accum, state, moving_rate, is_test)
    return steps_of(x, scale.reshape(()), limit_of(bit_length), round_type), scale, state, accum


@op("fake_quantize_dequantize_moving_average_abs_max(X, InScale, InAccum?, InState?) -> Out, OutScale, OutState, OutAccum",
    family="own", shapes=_like_inputs)
def fake_quantize(x, scale, accum=None, state=None, moving_rate=0.9, bit_length=8, is_test=False, round_type=1):
    """x rounded to steps of a scale that follows the largest magnitude, and that scale with what it is made of."""
    limit = limit_of(bit_length)
    scale, state, accum = _following(x, scale, accum, state, moving_rate, is_test)
    return _back(steps_of(x, scale.reshape(()), limit, round_type), scale.reshape(()), limit), scale, state, accum


@op("fake_quantize_range_abs_max(X, InScale, Iter?) -> Out, OutScale", family="own", shapes=lambda x, scale, step: (x, scale))
def fake_quantize_range_abs_max(x, scale, step=None, bit_length=8, window_size=10000, is_test=False, round_type=1):
    """The numbers of steps of the largest magnitude that was met in training."""
    if not is_test:
        raise NotImplementedError("fake_quantize_range_abs_max: training with a window of scales is not supported; "
                                  "use moving_average_abs_max")
    return steps_of(x, scale.reshape(()), limit_of(bit_length), round_type), scale + 0


@op("moving_average_abs_max_scale(X, InAccum?, InState?) -> Out, OutScale, OutState, OutAccum", family="own",
    shapes=lambda x, accum, state: (x, x.like((1,)), state, accum))
def moving_average_abs_max_scale(x, accum=None, state=None, moving_rate=0.9, is_test=False):
    """x as it is, and a scale that follows its largest magnitude with what it is made of."""
    scale, state, accum = _following(x, np.zeros([1], x.dtype), accum, state, moving_rate, is_test)
    return x.copy(), scale, state, accum


@op("fake_dequantize_max_abs(X, Scale) -> Out", family="own", shapes=lambda x, scale: x)
def fake_dequantize_max_abs(x, scale, max_range=127.0):
    """x * scale / max_range: numbers from the numbers of steps."""
    return (x * (scale.reshape(()) / x.dtype.type(max_range))).astype(x.dtype)


@op("dequantize_abs_max(X, Scale) -> Out", family="own", shapes="*x -> *x:float32")
def dequantize_abs_max(x, scale, max_range=127.0):
    """Steps of int8 or int16 as float32: x * scale / max_range."""
    if x.dtype not in (np.int8, np.int16):
        raise ElementTypeError(f"dequantize_abs_max(): X must be int8 or int16, got {x.dtype.name}")
    return x.astype(np.float32) * np.float32(scale.reshape(-1)[0] / max_range)


@op("dequantize_log(X, Dict) -> Out", family="own", shapes="*x -> *x:float32")
def dequantize_log(x, values):
    """int8 numbers as those of a dictionary of 128: values[x], and -values[x + 128] for negative ones."""
    if x.dtype != np.int8 or values.size != 128:
        raise ElementTypeError(f"dequantize_log(): X must be int8 and Dict have 128 numbers, got {x.dtype.name} and {values.size}")
    place = x.astype(np.int64)
    found = values.reshape(-1)[place % 128].astype(np.float32, copy=False)
    return np.where(x < 0, -found, found)


@op("lookup_table_dequant(W, Ids) -> Out", family="own", rows="keep Ids",
    shapes=lambda w, ids: w.like((*ids.shape[:-1], -1 if w.shape[1] < 0 else (w.shape[1] - 2) * 4)))
def lookup_table_dequant(w, ids, padding_idx=-1):
    """Rows of a table of bytes as float32: a row [least, greatest, four bytes to a number ...] gives byte / 256 of the way from the
    least to the greatest number; zeros for ``padding_idx``."""
    if w.ndim != 2 or w.shape[1] < 2 or w.dtype != np.float32 or ids.shape[-1:] != (1,):
        raise ValueError(f"lookup_table_dequant(): W must be float32 rows of at least 2 numbers and Ids end in an axis of 1, got "
                         f"{w.dtype.name} {list(w.shape)} and {list(ids.shape)}")
    rows = ids[..., 0]
    padded = (rows == padding_idx) & (padding_idx != -1)
    if rows.size and ((rows < 0) & ~padded | (rows >= len(w))).any():
        raise ValueError(f"lookup_table_dequant(): Ids must be in [0, {len(w)}), got {rows.min()} to {rows.max()}")
    found = np.ascontiguousarray(w[np.where(padded, 0, rows)])
    least, span = found[..., :1], (found[..., 1:2] - found[..., :1]) / np.float32(256)
    steps = found[..., 2:].copy().view(np.uint8).astype(np.float32)
    return np.where(padded[..., None], np.float32(0), span * steps + least)


@op("fake_channel_wise_dequantize_max_abs(X, Scales*) -> Out", family="own", shapes=lambda x, scales: x)
def fake_channel_wise_dequantize_max_abs(x, scales, quant_bits=(8,), quant_axis=0, x_num_col_dims=1):
    """Numbers from the numbers of steps: of one scale for each slice of an axis, or of a product of two grids' steps, whose first
    scales belong to the slices along the axis behind ``x_num_col_dims``."""
    if len(scales) not in (1, 2) or len(quant_bits) < len(scales):
        raise ValueError(f"fake_channel_wise_dequantize_max_abs: takes one or two scales and the bits of each, got {len(scales)} "
                         f"scales and quant_bits {list(quant_bits)}")
    size = _along(scales[0], x, quant_axis if len(scales) == 1 else x_num_col_dims)
    if len(scales) == 2:
        size = size * scales[1].reshape(()) / x.dtype.type(limit_of(quant_bits[1]))
    return (x * (size / x.dtype.type(limit_of(quant_bits[0])))).astype(x.dtype)


@op("quantize_linear(X, Scale, ZeroPoint, InAccum?, InState?) -> Y, OutState, OutAccum, OutScale", family="own",
    shapes=lambda x, scale, zero_point, accum, state: (x, state, accum, scale))
def quantize_linear(x, scale, zero_point, accum=None, state=None, quant_axis=-1, bit_length=8, round_type=0, is_test=True,
                    only_observer=False, moving_rate=0.9):
    """The numbers of the steps that x is nearest to; in training of a scale that follows x. An observer leaves x as it is."""
    if not is_test and quant_axis >= 0:
        scale = _largest(x, quant_axis).astype(scale.dtype)
    elif not is_test:
        scale, state, accum = _following(x, scale, accum, state, moving_rate, is_test)
    limit = limit_of(bit_length)
    out = x + 0 if only_observer else np.clip(steps_of(x, _along(scale, x, quant_axis), limit, round_type)
                                              + _along(zero_point, x, quant_axis).astype(x.dtype), -limit - 1, limit)
    return out, state, accum, scale + 0


@op("dequantize_linear(X, Scale, ZeroPoint) -> Y", family="own", shapes=lambda x, scale, zero_point: x.like(x.shape, scale.dtype))
def dequantize_linear(x, scale, zero_point, quant_axis=-1, bit_length=8, only_observer=False):
    """Numbers from the numbers of steps, which integers may hold. An observer leaves x as it is."""
    if only_observer:
        return x.astype(scale.dtype)
    size = _along(scale, x, quant_axis) / scale.dtype.type(limit_of(bit_length))
    return ((x - _along(zero_point, x, quant_axis).astype(scale.dtype)) * size).astype(scale.dtype)


@op("on_grid(X) -> Out", family="same")
def on_grid(x, scale=1.0, limit=127, round_type=0):
    """x rounded to steps of a fixed scale: what programs with fixed parameters are rewritten to (``static/ir/passes``)."""
    scale = x.dtype.type(scale)
    return _back(steps_of(x, scale, limit, round_type), scale, limit)


@on_grid.kernel(when=lambda x, *_: x.dtype.char == "f")
def _(k, x, scale, limit, round_type):
    return k.on_grid(dense(x), scale, limit, bool(round_type))


by_library(fake_quantize_abs_max, fake_quantize_dequantize_abs_max, fake_channel_wise_quantize_abs_max,
           fake_channel_wise_quantize_dequantize_abs_max)
by_library(fake_quantize_moving_average_abs_max, fake_quantize, when=lambda x, scale, accum, state, moving_rate, bit_length,
           is_test, round_type: is_test)  # the library has no moving scales: they are for training
by_library(fake_quantize_range_abs_max)
by_library(quantize_linear, when=lambda x, scale, zero_point, accum, state, quant_axis, bit_length, round_type, is_test,
           only_observer, moving_rate: is_test and not only_observer)
by_library(dequantize_linear)
by_library(fake_dequantize_max_abs, when=lambda x, scale, max_range: x.dtype == scale.dtype)
by_library(fake_channel_wise_dequantize_max_abs, when=lambda x, scales, *_: all(scale.dtype == x.dtype for scale in scales))
by_library(moving_average_abs_max_scale, when=lambda x, accum, state, moving_rate, is_test: is_test)

for _op in (fake_quantize_dequantize_abs_max, fake_channel_wise_quantize_dequantize_abs_max, fake_quantize,
            moving_average_abs_max_scale):
    _op.grad(**_STRAIGHT)
