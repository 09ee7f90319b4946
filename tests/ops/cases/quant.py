"""Rounding to a grid of steps, and back."""

import numpy as np
from opcase import OpCase, bad, const, f

from paddle.ops.nn import quantize as quant

BYTES = np.array([[-1, 1, 0], [2, 6, 0], [0, 0, 0]], np.float32)  # least, greatest, and four bytes of steps
BYTES[:2, 2:] = np.array([[0, 0, 0, 128], [0, 32, 64, 255]], np.uint8).view(np.float32)
ONE, ZERO = const([0.5]), const([0.0])


def moving(x, scale, accum, state, moving_rate, bit_length):
    state, accum = state * moving_rate + 1, accum * moving_rate + np.abs(x).max()
    scale, limit = accum / state, 2 ** (bit_length - 1) - 1
    steps = np.clip(x / scale, -1, 1) * limit
    return [np.sign(steps) * np.floor(np.abs(steps) + 0.5) * scale / limit, scale, state, accum]


def away_from_zero(steps):
    return np.sign(steps) * np.floor(np.abs(steps) + 0.5)


def largest(x, bit_length=8, quant_axis=None, back=False):
    limit = 2 ** (bit_length - 1) - 1
    others = None if quant_axis is None else tuple(k for k in range(x.ndim) if k != quant_axis)
    scale = np.abs(x).max(axis=others, keepdims=True)
    steps = away_from_zero(x / scale * limit)
    return [steps * scale / limit if back else steps, scale.reshape(-1)]


def followed(x, scale, accum, state, moving_rate, bit_length):
    out, scale, state, accum = moving(x, scale, accum, state, moving_rate, bit_length)
    return [np.round(out / scale * (2 ** (bit_length - 1) - 1)), scale, state, accum]


def noted(x, accum, state):
    return [x, (accum * 0.9 + np.abs(x).max()) / (state * 0.9 + 1), state * 0.9 + 1, accum * 0.9 + np.abs(x).max()]


PLAIN = {"grad": False, "rejects_text": False, "unknown": False, "tol": 1e-5}
CASES = [
    OpCase(quant.fake_quantize_abs_max, [f(3, 4)], bit_length=4, ref=largest, small=False, **PLAIN),
    OpCase(quant.fake_quantize_dequantize_abs_max, [f(3, 4)], bit_length=4, small=False, straight=True, **PLAIN,
           ref=lambda x, bit_length: largest(x, bit_length, back=True)),
    OpCase(quant.fake_channel_wise_quantize_abs_max, [f(2, 3, 4)], bit_length=4, quant_axis=1, ref=largest, **PLAIN),
    OpCase(quant.fake_channel_wise_quantize_dequantize_abs_max, [f(2, 3, 4)], bit_length=4, quant_axis=0, straight=True, **PLAIN,
           ref=lambda x, bit_length, quant_axis: largest(x, bit_length, quant_axis, back=True)),
    OpCase(quant.fake_quantize_moving_average_abs_max, [f(3, 4), ONE, const([0.7]), const([1.5])], moving_rate=0.9, bit_length=4,
           ref=followed, **PLAIN),
    OpCase(quant.fake_quantize_range_abs_max, [f(3, 4), ONE], is_test=True, **PLAIN,
           ref=lambda x, s, is_test: [away_from_zero(np.clip(x, -0.5, 0.5) / 0.5 * 127), s],
           errors=[bad(NotImplementedError, f(3, 4), ONE, match="window", named=False)]),
    OpCase(quant.moving_average_abs_max_scale, [f(3, 4), const([0.7]), const([1.5])], ref=noted, straight=True, **PLAIN),
    OpCase(quant.fake_dequantize_max_abs, [f(3, 4), ONE], max_range=7.0, ref=lambda x, s, max_range: x * 0.5 / 7, **PLAIN),
    OpCase(quant.fake_channel_wise_dequantize_max_abs, [f(2, 3), [const([0.5, 1.0, 2.0])]], quant_axis=1, **PLAIN,
           ref=lambda x, scales, quant_axis: x * scales[0] / 127),
    OpCase(quant.fake_quantize, [f(3, 4), ONE, const([0.7]), const([1.5])], moving_rate=0.9, bit_length=4, ref=moving, grad=False, straight=True,
           tol=1e-5, rejects_text=False, unknown=False,
           errors=[bad(ValueError, f(3), ONE, const([0.7]), const([1.5]), bit_length=1, match="bit_length", named=False)]),
    OpCase(quant.fake_quantize, [const([[0.3, -0.9]]), ONE], is_test=True, bit_length=3, grad=False, straight=True,
           rejects_text=False, unknown=False,
           ref=lambda x, s, **_: [np.array([[0.5 * 2 / 3, -0.5]]), s], static=False),
    OpCase(quant.quantize_linear, [f(3, 4), ONE, ZERO], bit_length=8, grad=False, rejects_text=False, noncontiguous=False,
           ref=lambda x, s, z, bit_length: [np.clip(np.rint(x / 0.5 * 127), -128, 127), s], static=False),
    OpCase(quant.quantize_linear, [f(2, 3), const([0.5, 1.0, 2.0]), ZERO], quant_axis=1, grad=False, rejects_text=False,
           unknown=False, ref=lambda x, s, z, quant_axis: [np.clip(np.rint(x / s * 127), -128, 127), s], static=False,
           errors=[bad(ValueError, f(2, 4), const([0.5, 1.0, 2.0]), ZERO, quant_axis=1, match="needs 4")]),
    OpCase(quant.dequantize_linear, [const([[10.0, -3.0], [0.0, 127.0]]), const([0.5, 2.0]), ZERO], quant_axis=0, grad=False,
           rejects_text=False, unknown=False, ref=lambda x, s, z, quant_axis: x * s[:, None] / 127),
    OpCase("dequantize_abs_max", [const(np.array([-127, 0, 64]), "int8"), const(np.array([2.0], np.float32))], max_range=127.0, **PLAIN,
           dtypes=["float32"], ref=lambda x, scale, max_range: x.astype("float32") * 2 / 127,
           errors=[bad(TypeError, const([1.0]), ONE, named=False)]),
    OpCase("dequantize_log", [const(np.array([-128, -1, 0, 127]), "int8"), f(128)], **PLAIN, dtypes=["float32"],
           ref=lambda x, values: np.array([-values[0], -values[127], values[0], values[127]])),
    OpCase("lookup_table_dequant", [const(BYTES, "float32"), const(np.array([[1], [0], [2], [1]]))], padding_idx=2, **PLAIN, dtypes=["float32"],
           ref=lambda w, ids, padding_idx: np.array([[2.0, 2.5, 3.0, 5.984375], [-1, -1, -1, 0], [0] * 4, [2.0, 2.5, 3.0, 5.984375]]),
           errors=[bad(ValueError, const(BYTES, "float32"), const(np.array([[3]])), named=False)]),
]
