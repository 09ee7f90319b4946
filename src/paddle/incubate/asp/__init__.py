"""Weights of which n in every m are zero (2 of 4, say): masks, pruning, and training that keeps the zeros."""

from ...core.addresses import lookup as _lookup
from .masks import (
    CheckMethod,
    MaskAlgo,
    calculate_density,
    check_mask_1d,
    check_mask_2d,
    check_sparsity,
    create_mask,
    get_mask_1d,
    get_mask_2d_best,
    get_mask_2d_greedy,
)
from .pruning import (
    ASPHelper,
    OptimizerWithSparsityGuarantee,
    add_supported_layer,
    decorate,
    prune_model,
    reset_excluded_layers,
    set_excluded_layers,
)

__all__ = ["calculate_density", "decorate", "prune_model", "set_excluded_layers", "reset_excluded_layers", "add_supported_layer"]

__getattr__ = _lookup(__name__)
