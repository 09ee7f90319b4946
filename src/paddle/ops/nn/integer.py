"""Products of whole numbers, as predictors' plans of quantized models have them.

Users and files never name this op; ``static/ir/passes/whole_products.py`` puts it in.
"""

import math

import numpy as np

from ...core.op import op
from ...core.steps import dense
from .blocked import ACTIVATIONS
from .fused import activated
from .quantize import steps_of

LONGEST = 131071  # products of two bytes whose sum fits 32 bits


@op("integer_linear(X, W, Factors, Bias?) -> Out", family="own")
def integer_linear(x, w, factors, bias=None, act="", summed=1, scale=1.0, limit=127, round_type=0, out_scale=0.0, out_limit=127,
                   out_round_type=0):
    """The numbers of steps that x is nearest to, or that its bytes hold, times the rows of w, summed over the last ``summed`` axes
    of x; one in the sums is worth the factor of the column. With an ``out_scale`` as bytes: the result's steps, and 128."""
    whole = steps_of(x, x.dtype.type(scale), limit, round_type) if x.dtype != np.uint8 else x.astype(np.float32) - 128
    sums = whole.reshape(-1, w.shape[1]).astype(np.float64) @ w.T.astype(np.float64)  # exact
    y = (sums * factors + (0 if bias is None else bias)).astype(np.float32).reshape(*x.shape[:x.ndim - summed], len(w))
    y = activated(y, act)
    if not out_scale or np.isnan(y).any():  # no byte stands for NaN: whoever reads it rounds the rest
        return y
    return (steps_of(y, np.float32(out_scale), out_limit, out_round_type) + 128).astype(np.uint8)


def _ready(x, w, factors, bias, act, summed, *grids):
    floats = all(a is None or a.dtype.char == "f" for a in (factors, bias))
    return x.dtype.char in "fB" and w.dtype.char == "b" and floats and math.prod(x.shape[x.ndim - summed:]) == w.shape[1] <= LONGEST


@integer_linear.kernel(when=_ready)
def _(k, x, w, factors, bias, act, summed, scale, limit, away, out_scale, out_limit, out_away):
    rows = dense(x) if x.ndim == 2 and summed == 1 else dense(x).reshape(-1, w.shape[1])
    y = k.integer_linear(rows, dense(w), dense(bias), ACTIVATIONS.index(act), None, dense(factors), scale, limit, bool(away),
                         out_scale, out_limit, bool(out_away))
    return y if x.ndim == 2 and summed == 1 or y is NotImplemented else y.reshape(*x.shape[:x.ndim - summed], w.shape[0])
