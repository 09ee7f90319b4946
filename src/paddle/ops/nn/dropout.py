"""Dropout."""

import numpy as np

from ...core.op import op
from ...core.sharding import Travel
from ...core.tensor import wrap
from ..families.sharding import elementwise
from ..math.arithmetic import multiply, numpy_type
from ..random import draws
from ..short import through_float32

_IN_FILES = {"p": "dropout_prob", "mode": "dropout_implementation"}


def _to_desc(attrs):
    return {**{_IN_FILES.get(k, k): v for k, v in attrs.items()}, "fix_seed": bool(attrs["seed"])}


def _from_desc(attrs):
    """Files say apart whether the seed is meant; if it is not, the global generator draws."""
    given = {k: attrs[name] for k, name in _IN_FILES.items() if name in attrs}
    return {**attrs, **given, "seed": attrs.get("seed", 0) if attrs.get("fix_seed", True) else 0}


def _cut(op, inputs, attrs):
    """All ranks draw the mask of the whole tensor, so that the result does not depend on how it is cut."""
    shape, testing = inputs[0].shape, attrs["is_test"]
    labels = tuple(range(len(shape)))

    def run(op, args, parts):
        if testing or not parts:
            return op(*args)
        x, _, p, _, mode = args[:5]
        mask = draws.kept(_seed(None, args[5]), shape, p)
        mask = mask[tuple([slice(parts[k].start, parts[k].start + parts[k].size) if k in parts else slice(None)
                           for k in labels])]
        mask = np.ascontiguousarray(mask)
        return apply_mask(x, wrap(mask), p if mode == "upscale_in_train" else 0.0), wrap(mask.astype(np.uint8))

    return None if inputs[1] is not None else Travel([labels, None], [labels, labels], None, run)


@op("dropout(X, Seed?) -> Out, Mask", family="own", sharding=_cut, to_desc=_to_desc, from_desc=_from_desc, **_IN_FILES,
    random=True, rows="keep",
    flops=0, shapes="*x -> *x, *x:uint8")
def dropout(x, seed_tensor=None, p=0.5, is_test=False, mode="downgrade_in_infer", seed=0):
    """x with elements set to 0 at random; ``upscale_in_train`` divides the rest by 1 - p, ``downgrade_in_infer`` multiplies
    by 1 - p when testing. The mask of kept elements is the second output."""
    upscale = mode == "upscale_in_train"
    if is_test:
        return (x.copy() if upscale else x * x.dtype.type(1 - p)), np.ones(x.shape, np.uint8)
    mask = draws.kept(_seed(seed_tensor, seed), x.shape, p)
    y = np.where(mask, x, x.dtype.type(0))
    return (y / _share(x, p) if upscale and p < 1 else y), mask.astype(np.uint8)


def _seed(seed_tensor, seed):
    return int(np.ravel(seed_tensor)[0]) if seed_tensor is not None else seed


def _share(x, p):
    """What is kept on average, 1 - p worked out in float32, in the type of x."""
    return x.dtype.type(np.float32(1) - np.float32(p))


def _fast(x, seed_tensor, p, is_test, mode, seed):
    return not is_test and x.dtype.char in "fd" and x.flags.c_contiguous


@dropout.kernel(when=_fast, noted=False)
def _(k, x, seed_tensor, p, is_test, mode, seed):
    y, mask = draws.dropout(_seed(seed_tensor, seed), x, p, mode == "upscale_in_train")
    return y, mask.view(np.uint8)


@dropout.kernel(when=lambda x, seed_tensor, p, is_test, mode, seed: is_test and mode != "upscale_in_train" and x.dtype.char in "fd"
                and x.flags.c_contiguous, noted=False)
def _(k, x, seed_tensor, p, is_test, mode, seed):
    return k.binary("mul", x, np.array(1 - p, x.dtype)), np.ones(x.shape, np.uint8)


@op("apply_mask(X, Mask) -> Out", family="same", sharding=elementwise)
def apply_mask(x, mask, p=0.0):
    """x / (1 - p) where the mask is set, else 0; p = 1 divides by nothing."""
    return np.where(mask != 0, x / _share(x, p) if p < 1 else x, x.dtype.type(0))


def _fast_mask(x, mask, p):
    return (x.dtype.char in "fd" and mask.dtype.char in "?B" and x.shape == mask.shape
            and x.flags.c_contiguous and mask.flags.c_contiguous)


@apply_mask.kernel(when=_fast_mask)
def _(k, x, mask, p):
    return k.dropout_backward(x, mask.view(bool), p)


apply_mask.grad(x=lambda g, mask, p: apply_mask(g, mask, p))


@dropout.vjp(takes_none=True, reads=(1,))
def _(needs, g, out, p, is_test, mode):
    upscale = mode == "upscale_in_train"
    if is_test:
        return (multiply(g[0], np.asarray(1.0 if upscale else 1 - p, numpy_type(g[0]))), None)
    return apply_mask(g[0], out[1], p if upscale else 0.0), None


through_float32(dropout, apply_mask)
