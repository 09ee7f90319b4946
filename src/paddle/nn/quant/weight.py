"""Weights of linear layers in 8 or 4 bits, with a scale for each output.

Codes lie in the order of the outputs, [outputs, inputs] (of 4 bits two neighbouring outputs share a byte, the first in its lower
half), whatever GPU they would be for: Paddle shuffles them for its GPU kernels.
"""

import numpy as np

from ...core import dtype as dtypes
from ...core.errors import check_choice
from ...core.tensor import wrap
from ...tensor.convert import as_tensor
from ...tensor.functions import matmul
from ..functional import linear

__all__ = ["weight_quantize", "weight_dequantize", "weight_only_linear", "llm_int8_linear"]

_LARGEST = {"weight_only_int8": 127, "llm.int8": 127, "weight_only_int4": 7}


def _get_arch_info():
    """The number of the GPU's architecture, which packages ask for before they choose kernels: there is none."""
    raise ValueError("_get_arch_info(): this is a CPU build, without CUDA: there is no architecture of a GPU to tell")


def weight_quantize(x, algo="weight_only_int8", arch=None, group_size=-1):
    """(codes, scales) of a weight [inputs, outputs]: code * scale of its output is about the weight.

    Args:
        x: the weight.
        algo: "weight_only_int8" or "llm.int8" (codes [outputs, inputs]), or "weight_only_int4" ([outputs / 2, inputs]).
        arch: the GPU that Paddle would lay the codes out for; without meaning here.
        group_size: -1, a scale for each output, or so many inputs that share one (64 or 128).

    >>> codes, scales = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.0, -2.0], [0.5, 2.0]]))
    >>> codes.tolist()
    [[127, 64], [-127, 127]]
    """
    check_choice(algo, _LARGEST, "weight_quantize", "algo")
    weight, largest = as_tensor(x, "weight_quantize")._data, _LARGEST[algo]
    if weight.ndim != 2:
        raise ValueError(f"weight_quantize(): x must be [inputs, outputs], got shape {list(weight.shape)}")
    if algo == "weight_only_int4" and weight.shape[1] % 2:
        raise ValueError(f"weight_quantize(): x must have an even number of outputs for 4 bits, got {weight.shape[1]}")
    wide = weight.astype(np.float32)
    groups = _grouped(wide, group_size, "weight_quantize")
    scales = (np.abs(groups).max(1) / np.float32(largest)).astype(weight.dtype)
    divisor = np.where(scales == 0, 1, scales).astype(np.float32)
    steps = groups / divisor[:, None]
    codes = np.clip(np.trunc(steps + np.copysign(0.5, steps)), -largest, largest).reshape(wide.shape).T.astype(np.int8)
    if algo == "weight_only_int4":
        codes = (codes[0::2] & 15) | (codes[1::2] << 4)
    return wrap(np.ascontiguousarray(codes)), wrap(scales[0] if group_size == -1 else scales)


def _grouped(weight, group_size, function):
    """The weight [groups, inputs of one, outputs]."""
    inputs, outputs = weight.shape
    if group_size == -1:
        return weight[None]
    if group_size not in (64, 128) or inputs % group_size:
        raise ValueError(f"{function}(): group_size must be -1, 64 or 128 and divide {inputs} inputs, got {group_size}")
    return weight.reshape(-1, group_size, outputs)


def weight_dequantize(x, scale, algo="weight_only_int8", out_dtype="float16", group_size=-1):
    """The weight [inputs, outputs] that codes and scales stand for.

    >>> codes, scales = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.0, -2.0], [0.5, 2.0]]))
    >>> paddle.nn.quant.weight_dequantize(codes, scales, out_dtype="float32").numpy().round(2).tolist()
    [[1.0, -2.0], [0.5, 2.0]]
    """
    check_choice(algo, _LARGEST, "weight_dequantize", "algo")
    codes, scales = as_tensor(x, "weight_dequantize")._data, as_tensor(scale, "weight_dequantize", "scale")._data
    if codes.ndim != 2 or codes.dtype != np.int8:
        raise ValueError(f"weight_dequantize(): x must be int8 codes [outputs, inputs], got {codes.dtype} {list(codes.shape)}")
    if algo == "weight_only_int4":
        codes = np.stack([(codes << 4) >> 4, codes >> 4], 1).reshape(-1, codes.shape[1])
    outputs, inputs = codes.shape
    groups = _grouped(codes.T.astype(np.float32), group_size, "weight_dequantize")
    if scales.size != groups.shape[0] * outputs:
        raise ValueError(f"weight_dequantize(): scale must have {groups.shape[0] * outputs} numbers, got {list(scales.shape)}")
    weight = groups * scales.reshape(groups.shape[0], 1, outputs).astype(np.float32)
    return wrap(weight.reshape(inputs, outputs).astype(dtypes.to_numpy(out_dtype, "weight_dequantize")))


def weight_only_linear(x, weight, bias=None, weight_scale=None, weight_dtype="int8", arch=None, group_size=-1):
    """x @ (the weight that codes and scales stand for) + bias; ``weight_dtype`` is "int8" or "int4".

    >>> codes, scales = paddle.nn.quant.weight_quantize(paddle.eye(2))
    >>> paddle.nn.quant.weight_only_linear(paddle.to_tensor([[1.0, 2.0]]), codes, None, scales).numpy().round(3).tolist()
    [[1.0, 2.0]]
    """
    check_choice(weight_dtype, ("int8", "int4"), "weight_only_linear", "weight_dtype")
    if weight_scale is None:
        raise ValueError("weight_only_linear(): weight_scale must be given: codes alone are no weight")
    x = as_tensor(x, "weight_only_linear")
    whole = weight_dequantize(weight, weight_scale, f"weight_only_{weight_dtype}", x.dtype, group_size)
    return linear(x, whole, bias)


def llm_int8_linear(x, weight, bias=None, weight_scale=None, threshold=6.0):
    """x @ weight + bias with x rounded to 8 bits, row by row, but for the columns with a number beyond ``threshold``.

    >>> codes, scales = paddle.nn.quant.weight_quantize(paddle.eye(2), "llm.int8")
    >>> paddle.nn.quant.llm_int8_linear(paddle.to_tensor([[1.0, 2.0]]), codes, None, scales).numpy().round(1).tolist()
    [[1.0, 2.0]]
    """
    if weight_scale is None:
        raise ValueError("llm_int8_linear(): weight_scale must be given: codes alone are no weight")
    x = as_tensor(x, "llm_int8_linear")
    numbers = x._data.astype(np.float32).reshape(-1, x.shape[-1])
    outlying = (np.abs(numbers) > threshold).any(0)
    usual = np.where(outlying, 0, numbers)
    steps = np.abs(usual).max(1, keepdims=True, initial=0) / 127
    rounded = np.rint(usual / np.where(steps == 0, 1, steps)) * steps
    whole = weight_dequantize(weight, weight_scale, "llm.int8", "float32")
    out = matmul(wrap((rounded + np.where(outlying, numbers, 0)).astype(np.float32)), whole)
    out = out.reshape([*x.shape[:-1], whole.shape[1]]).astype(x.dtype)
    return out if bias is None else out + bias
