"""Dropout."""

import numpy as np

from .. import kernels
from ..core.op import op
from ..core.random import default_generator, numpy_generator
from .math import multiply, numpy_type


def _mask(x, p, seed):
    """Bool array shaped like x, false with probability p."""
    if p <= 0:
        return np.ones(x.shape, bool)
    if p >= 1:
        return np.zeros(x.shape, bool)
    return numpy_generator(seed).random(x.shape, np.float32) >= p


@op("dropout(X, Seed?) -> Out, Mask", family="probe", p="dropout_prob", mode="dropout_implementation")
def dropout(x, seed_tensor=None, p=0.5, is_test=False, mode="downgrade_in_infer", seed=0):
    """x with elements set to 0 at random; ``upscale_in_train`` divides the rest by 1 - p, ``downgrade_in_infer`` multiplies
    by 1 - p when testing. The mask of kept elements is the second output."""
    upscale = mode == "upscale_in_train"
    if is_test:
        return (x.copy() if upscale else x * x.dtype.type(1 - p)), np.ones(x.shape, np.uint8)
    mask = _mask(x, p, int(np.ravel(seed_tensor)[0]) if seed_tensor is not None else seed)
    y = np.where(mask, x, x.dtype.type(0))
    return (y / x.dtype.type(1 - p) if upscale and p < 1 else y), mask.astype(np.uint8)


def _fast(x, seed_tensor, p, is_test, mode, seed):
    return (kernels.native is not None and not is_test and seed_tensor is None and not seed and x.dtype.char in "fd"
            and x.flags.c_contiguous)


@dropout.kernel(when=_fast)
def _(x, seed_tensor, p, is_test, mode, seed):
    y, mask = kernels.native.dropout(x, p, default_generator().random(), 0, mode == "upscale_in_train")
    return y, mask.view(np.uint8)


@op("apply_mask(X, Mask) -> Out", family="same")
def apply_mask(x, mask, factor=1.0):
    """x * factor where the mask is set, else 0."""
    return np.where(mask != 0, x * x.dtype.type(factor), x.dtype.type(0))


apply_mask.grad(x=lambda g, mask, factor: apply_mask(g, mask, factor))


@dropout.vjp(takes_none=True)
def _(needs, g, out, p, is_test, mode):
    upscale = mode == "upscale_in_train"
    if is_test:
        return (multiply(g[0], np.asarray(1.0 if upscale else 1 - p, numpy_type(g[0]))), None)
    return apply_mask(g[0], out[1], 1 / (1 - p) if upscale and p < 1 else 1.0), None
