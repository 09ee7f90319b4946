"""The operators of quantization give what real Paddle 2.6.2 gives (recorded by record_operators.py)."""

import json
import pathlib

import numpy as np
import pytest

import paddle
from paddle.ops.nn.quantize import steps_of

from .record_operators import X, run

CASES = json.loads(pathlib.Path(__file__).with_name("operators.json").read_text())


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]}")
def test_recorded_values(case):
    *given, expected = case
    for value, wanted in zip(run(*given), expected, strict=True):
        np.testing.assert_allclose(np.asarray(value).ravel(), wanted, rtol=5e-6, atol=1e-6)


def test_gradients_pass_as_if_nothing_were_rounded():
    paddle.disable_static()
    x = paddle.to_tensor(X, stop_gradient=False)
    out, scale = paddle._legacy_C_ops.fake_channel_wise_quantize_dequantize_abs_max(x, "bit_length", 4, "quant_axis", 1)
    assert list(scale.shape) == [3]
    (out * 3).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full_like(X, 3))


def test_bad_rounding_is_named():
    paddle.disable_static()
    with pytest.raises(ValueError, match="round_type"):
        paddle._legacy_C_ops.fake_quantize_abs_max(paddle.to_tensor(X), "round_type", 7)


@pytest.mark.parametrize("round_type", [0, 1])
@pytest.mark.parametrize("scale, steps", [(0.0, [0, 0, 0]), (5e-31, [0, 0, 0]), (2e-30, [127, -64, 0])])
def test_scales_next_to_nothing(scale, steps, round_type):
    """2.6.2's: up to 1e-30 it divides by a millionth more."""
    x = np.array([scale, -scale / 2, 0], "float32")
    with paddle.base.dygraph.guard():
        out, found = paddle._legacy_C_ops.fake_quantize_abs_max(paddle.to_tensor(x), "bit_length", 8, "round_type", round_type)
        assert (out.tolist(), found.tolist()) == (steps, [np.float32(scale)])
    assert steps_of(x, np.float32([scale]), 127, round_type).tolist() == steps
