"""fluid.layers: functions of one tensor, one line each, straight from the 2.x functions."""

import importlib

from ..state import fluid_call

# name in fluid: where it lives today
TABLE = {
    **{n: "paddle.tensor:" + n for n in (
        "abs", "exp", "log", "sqrt", "rsqrt", "square", "reciprocal", "sign", "floor", "ceil", "round", "sin", "cos", "tan",
        "acos", "asin", "atan", "sinh", "cosh", "logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "eye",
        "diag", "expand_as", "gather_nd", "scatter_nd", "scatter_nd_add", "unique", "strided_slice", "shard_index", "unbind", "stanh",
        "erf", "triu", "tril", "kron", "roll")},
    **{n: "paddle.nn.functional:" + n for n in (
        "relu", "relu6", "sigmoid", "tanh", "elu", "selu", "gelu", "softplus", "softsign", "leaky_relu", "swish", "maxout", "pad2d",
        "pixel_shuffle", "log_loss", "dice_loss", "npair_loss", "grid_sample", "affine_grid", "temporal_shift", "unfold",
        "kldiv_loss", "smooth_l1", "mse_loss", "sequence_mask", "ctc_greedy_decoder")},
    "logsigmoid": "paddle.nn.functional:log_sigmoid", "hard_sigmoid": "paddle.nn.functional:hardsigmoid",
    "hard_swish": "paddle.nn.functional:hardswish", "tanh_shrink": "paddle.nn.functional:tanhshrink",
    "hard_shrink": "paddle.nn.functional:hardshrink", "thresholded_relu": "paddle.nn.functional:thresholded_relu",
    "kldiv_loss": "paddle.nn.functional:kl_div", "margin_rank_loss": "paddle.nn.functional:margin_ranking_loss",
    "cos_sim": "paddle.nn.functional:cosine_similarity", "while_loop": "paddle.static.nn:while_loop",
    "cond": "paddle.static.nn:cond", "case": "paddle.static.nn:case", "switch_case": "paddle.static.nn:switch_case",
    "Print": "paddle.static:Print", "py_func": "paddle.static:py_func", "auc": "paddle.static:auc",
    "create_array": "paddle.tensor:create_array", "array_write": "paddle.tensor:array_write",
    "array_read": "paddle.tensor:array_read", "array_length": "paddle.tensor:array_length",
}


def find(name):
    """The fluid function of that name from the table, or None."""
    entry = TABLE.get(name)
    if entry is None:
        return None
    module, _, attribute = entry.partition(":")
    found = getattr(importlib.import_module(module), attribute, None)
    return None if found is None else fluid_call(found)
