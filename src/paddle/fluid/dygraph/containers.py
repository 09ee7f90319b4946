"""Containers of layers in fluid's names."""

from ...nn import LayerList, ParameterList, Sequential

__all__ = ["Sequential", "LayerList", "ParameterList"]
