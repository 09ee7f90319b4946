"""Weights in 8 and 4 bits: what Paddle 2.6.2 computes for llm.int8, and what comes back."""

import numpy as np
import pytest

import paddle
from paddle.nn.quant import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize

WEIGHT = paddle.to_tensor(np.random.RandomState(0).uniform(-2.5, 2.5, (64, 16)).astype("float16"))


def test_codes_and_scales_of_paddle():
    codes, scales = weight_quantize(WEIGHT, "llm.int8")
    assert (codes.shape, codes.dtype, scales.dtype) == ([16, 64], paddle.int8, paddle.float16)
    assert codes[0, :10].tolist() == [13, -127, -12, -49, -80, -48, 23, 53, 42, 81]  # 2.6.2's
    np.testing.assert_allclose(scales[:4].numpy(), [0.0189056, 0.0191956, 0.0192871, 0.0196075], rtol=1e-3)  # it cuts off bits


@pytest.mark.parametrize("algo, group, error", [("weight_only_int8", -1, 0.5), ("weight_only_int8", 64, 0.5),
                                                ("weight_only_int4", -1, 0.5)])
def test_what_comes_back_is_half_a_step_away(algo, group, error):
    codes, scales = weight_quantize(WEIGHT, algo, group_size=group)
    back = weight_dequantize(codes, scales, algo, "float32", group)
    steps = np.abs(back.numpy() - WEIGHT.numpy().astype("float32")) / scales.numpy().astype("float32")
    assert steps.max() < error + 0.01 and steps.max() > 0.3


@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_linear_with_codes(kind):
    x = paddle.linspace(-1, 1, 128).reshape([2, 64])
    codes, scales = weight_quantize(WEIGHT.astype("float32"), f"weight_only_{kind}")
    whole = weight_dequantize(codes, scales, f"weight_only_{kind}", "float32")
    out = weight_only_linear(x, codes, paddle.ones([16]), scales, kind)
    np.testing.assert_allclose(out.numpy(), x.numpy() @ whole.numpy() + 1, rtol=1e-5, atol=1e-5)


def test_columns_with_large_numbers_are_not_rounded():
    x = paddle.linspace(-1, 1, 128).reshape([2, 64]) ** 3
    x[0, 5] = 100.0
    codes, scales = weight_quantize(WEIGHT.astype("float32"), "llm.int8")
    exact = x.numpy() @ weight_dequantize(codes, scales, "llm.int8", "float32").numpy()
    near, far = (np.abs(llm_int8_linear(x, codes, None, scales, threshold=t).numpy() - exact).max() for t in (6.0, 1e9))
    assert 0 < near < 0.2 < far


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"weight_quantize\(\): algo must be one of"):
        weight_quantize(WEIGHT, "int3")
    with pytest.raises(ValueError, match=r"weight_only_linear\(\): weight_scale"):
        weight_only_linear(paddle.ones([1, 64]), weight_quantize(WEIGHT)[0])
    with pytest.raises(ValueError, match="even number of outputs"):
        weight_quantize(paddle.ones([4, 3]), "weight_only_int4")


def test_float16_is_rounded_to_nearest():
    exact = np.random.RandomState(1).rand(100).astype("float32")
    np.testing.assert_array_equal(paddle.to_tensor(exact).astype("float16").numpy(), exact.astype("float16"))
