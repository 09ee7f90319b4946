"""Products of matrices of 8-bit floats: computed in float32, rounded once."""

import numpy as np
import pytest

import paddle
from paddle.linalg import fp8_fp8_half_gemm_fused

rng = np.random.default_rng(0)
X, Y, BIAS = rng.standard_normal((4, 8)), rng.standard_normal((8, 3)), rng.standard_normal(3)


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("output, digits", [("float16", 2e-3), ("bfloat16", 1.6e-2)])
@pytest.mark.parametrize("act", ["identity", "relu"])
def test_product_with_scale_bias_and_activation(kind, output, digits, act):
    x, y, bias = paddle.to_tensor(X).astype(kind), paddle.to_tensor(Y).astype(kind), paddle.to_tensor(BIAS).astype(output)
    wide = [t.astype("float64").numpy() for t in (x, y, bias)]
    want = wide[0] @ wide[1] * 0.5 + wide[2]
    want = np.maximum(want, 0) if act == "relu" else want
    out = fp8_fp8_half_gemm_fused(x, y, bias=bias, scale=0.5, output_dtype=output, act=act)
    assert out.dtype == getattr(paddle, output)
    np.testing.assert_allclose(out.astype("float64").numpy(), want, rtol=digits, atol=1e-6)
    turned = fp8_fp8_half_gemm_fused(x.t(), y.t(), True, True, bias, 0.5, output, act)
    np.testing.assert_array_equal(turned.astype("float32").numpy(), out.astype("float32").numpy())


def test_gelu():
    x = paddle.ones([2, 2]).astype("float8_e4m3fn")
    out = fp8_fp8_half_gemm_fused(x, x, act="gelu")
    np.testing.assert_allclose(out.astype("float32").numpy(), 1.9545, rtol=1e-3)


def test_refusals():
    x = paddle.ones([2, 2]).astype("float8_e4m3fn")
    with pytest.raises(TypeError, match="y must be of type float8"):
        fp8_fp8_half_gemm_fused(x, paddle.ones([2, 2]))
    with pytest.raises(TypeError, match="bias must be of type float16"):
        fp8_fp8_half_gemm_fused(x, x, bias=paddle.ones([2]))
    with pytest.raises(ValueError, match="output_dtype"):
        fp8_fp8_half_gemm_fused(x, x, output_dtype="float32")
    with pytest.raises(ValueError, match="act"):
        fp8_fp8_half_gemm_fused(x, x, act="tanh")
