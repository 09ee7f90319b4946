"""fluid.dygraph.layer_object_helper: what layers of a guard make their parameters and operators with."""

from ..layer_helper import LayerObjectHelper

__all__ = ["LayerObjectHelper"]
