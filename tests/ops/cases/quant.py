"""Rounding to a grid of steps, and back."""

import numpy as np
from opcase import OpCase, bad, const, f

from paddle.ops.nn import quantize as quant

ONE, ZERO = const([0.5]), const([0.0])


def moving(x, scale, accum, state, moving_rate, bit_length):
    state, accum = state * moving_rate + 1, accum * moving_rate + np.abs(x).max()
    scale, limit = accum / state, 2 ** (bit_length - 1) - 1
    steps = np.clip(x / scale, -1, 1) * limit
    return [np.sign(steps) * np.floor(np.abs(steps) + 0.5) * scale / limit, scale, state, accum]


CASES = [
    OpCase(quant.fake_quantize, [f(3, 4), ONE, const([0.7]), const([1.5])], moving_rate=0.9, bit_length=4, ref=moving, grad=False,
           tol=1e-5, rejects_text=False, unknown=False,
           errors=[bad(ValueError, f(3), ONE, const([0.7]), const([1.5]), bit_length=1, match="bit_length", named=False)]),
    OpCase(quant.fake_quantize, [const([[0.3, -0.9]]), ONE], is_test=True, bit_length=3, grad=False, rejects_text=False, unknown=False,
           ref=lambda x, s, **_: [np.array([[0.5 * 2 / 3, -0.5]]), s], static=False),
    OpCase(quant.quantize_linear, [f(3, 4), ONE, ZERO], bit_length=8, grad=False, rejects_text=False, noncontiguous=False,
           ref=lambda x, s, z, bit_length: np.clip(np.rint(x / 0.5 * 127), -128, 127)),
    OpCase(quant.quantize_linear, [f(2, 3), const([0.5, 1.0, 2.0]), ZERO], quant_axis=1, grad=False, rejects_text=False,
           unknown=False, ref=lambda x, s, z, quant_axis: np.clip(np.rint(x / s * 127), -128, 127),
           errors=[bad(ValueError, f(2, 4), const([0.5, 1.0, 2.0]), ZERO, quant_axis=1, match="needs 4")]),
    OpCase(quant.dequantize_linear, [const([[10.0, -3.0], [0.0, 127.0]]), const([0.5, 2.0]), ZERO], quant_axis=0, grad=False,
           rejects_text=False, unknown=False, ref=lambda x, s, z, quant_axis: x * s[:, None] / 127),
]
