"""Helpers for parameters and gradients."""

from ...core.addresses import lookup as _lookup
from .gradients import clip_grad_norm_, clip_grad_value_
from .reparametrize import remove_weight_norm, spectral_norm, weight_norm
from .vector import parameters_to_vector, vector_to_parameters

__all__ = ["weight_norm", "remove_weight_norm", "spectral_norm", "parameters_to_vector", "vector_to_parameters",
           "clip_grad_norm_", "clip_grad_value_"]


__getattr__ = _lookup(__name__)
