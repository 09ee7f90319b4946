"""Arrays in steps of a scale, outside of operators: weights that are frozen."""

import numpy as np

_SMALL = 1e-8  # stands for a scale of 0


def _along(scale, x, axis):
    """Scales in a form that fits x, none of them 0."""
    scale = np.asarray(scale, x.dtype)
    scale = np.where(scale == 0, x.dtype.type(_SMALL), scale)
    return scale.reshape(()) if scale.size == 1 else scale.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)])


def quant_tensor(x, scale, quant_axis=0, weight_bits=8, onnx_format=False):
    """x in steps of a scale, or of one for each slice along an axis; rounded in the ONNX format only."""
    limit, size = 2 ** (weight_bits - 1) - 1, _along(scale, x, quant_axis)
    if onnx_format:
        return np.clip(np.round(x / size * limit), -limit - 1, limit)
    return np.clip(x, -size, size) / size * limit


def dequant_tensor(x, scale, quant_axis=0, weight_bits=8):
    """Numbers from the numbers of steps."""
    return x * _along(scale, x, quant_axis) / (2 ** (weight_bits - 1) - 1)


def bias_correction_w(x, x_quant, scale_v, quant_axis, weight_bits=8):
    """Steps of a weight moved so that mean and spread of what they stand for are those of the weight."""
    back = dequant_tensor(x_quant, scale_v, quant_axis, weight_bits)
    others = tuple(k for k in range(x.ndim) if k != quant_axis) if isinstance(scale_v, list) else None
    mean = (x - back).mean(axis=others, keepdims=True)
    spread = x.std(axis=others, keepdims=True) / (back.std(axis=others, keepdims=True) + _SMALL)
    return quant_tensor((mean + back) * spread, scale_v, quant_axis, weight_bits)


def stable_sigmoid(x):
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def calculate_quant_cos_error(orig_tensor, qdq_tensor):
    """The cosine between a tensor and what rounding made of it."""
    a, b = np.ravel(orig_tensor), np.ravel(qdq_tensor)
    return np.inner(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


def l2_loss(gt, pred):
    """The mean of the squared differences."""
    return ((gt - pred) ** 2).mean()
