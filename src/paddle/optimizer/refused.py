"""Optimizers of Paddle that are known here by name alone: making one says why not, and what to use instead."""

from ..core.context import in_dynamic_mode

REASONS = {
    "DGCMomentumOptimizer": "gradients are not compressed here; use Momentum with paddle.DataParallel",
    "PipelineOptimizer": "a program is not split over devices here; use the inner optimizer",
}


def refused(name, dynamic=in_dynamic_mode):
    """The class of that name, which can't be made; ``dynamic()`` tells the mode."""
    def __init__(self, *args, **kwargs):
        if dynamic():
            raise NotImplementedError(f"In dygraph, don't support {name}.")
        raise NotImplementedError(f"{name}(): {REASONS[name]}")
    return type(name, (), {"__init__": __init__, "__doc__": f"Refused (1.x; successor: see the reason): {REASONS[name]}."})
