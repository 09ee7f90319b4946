"""Products of matrices of 8-bit floats."""

from ..core.dtype import EIGHT_BITS, convert
from ..core.errors import describe
from ..ops.nn import activation
from ..utils import naming
from .convert import as_tensor
from .product import matmul

_ACTIVATIONS = {"identity": None, "relu": activation.relu, "gelu": activation.gelu}


def fp8_fp8_half_gemm_fused(x, y, transpose_x=False, transpose_y=False, bias=None, scale=1.0, output_dtype="float16",
                            act="identity", name=None):
    """``act(x @ y * scale + bias)`` of matrices of 8-bit floats, computed in float32 and rounded once.

    Args:
        x, y (Tensor): of type float8_e4m3fn or float8_e5m2; see ``matmul``.
        transpose_x, transpose_y (bool): swap the last two axes first.
        bias (Tensor or None): added to the scaled product, of the output's type.
        scale (float): what the product is multiplied by.
        output_dtype (str): "float16" or "bfloat16".
        act (str): "identity", "relu" or "gelu".
    Raises:
        TypeError: x, y or bias has another type.
        ValueError: ``output_dtype`` or ``act`` is another.

    >>> x = paddle.ones([2, 3]).astype('float8_e4m3fn')
    >>> paddle.linalg.fp8_fp8_half_gemm_fused(x, x, transpose_y=True, scale=0.5).tolist()
    [[1.5, 1.5], [1.5, 1.5]]
    """
    me = "fp8_fp8_half_gemm_fused"
    if output_dtype not in ("float16", "bfloat16"):
        raise ValueError(f"{me}(): output_dtype must be 'float16' or 'bfloat16', got {output_dtype!r}")
    if act not in _ACTIVATIONS:
        raise ValueError(f"{me}(): act must be one of {list(_ACTIVATIONS)}, got {act!r}")
    x, y = as_tensor(x, me, "x"), as_tensor(y, me, "y")
    for argument, value in (("x", x), ("y", y)):
        if convert(value.dtype, me).name not in EIGHT_BITS:
            raise TypeError(f"{me}(): {argument} must be of type {' or '.join(EIGHT_BITS)}, got {describe(value)}")
    out = matmul(x.astype("float32"), y.astype("float32"), transpose_x, transpose_y) * float(scale)
    if bias is not None:
        bias = as_tensor(bias, me, "bias")
        if convert(bias.dtype, me).name != output_dtype:
            raise TypeError(f"{me}(): bias must be of type {output_dtype}, got {describe(bias)}")
        out = out + bias.astype("float32")
    if _ACTIVATIONS[act] is not None:
        out = _ACTIVATIONS[act](out)
    return naming.named(out.astype(output_dtype), name)
