"""What is still being tried out."""

import importlib

from ..core.addresses import find as _find_address

# name -> (module below this one, attribute or None for the module itself)
_LAZY = {name: (name, None) for name in ("asp", "autograd", "autotune", "framework", "jit", "nn", "optimizer", "reader")}
_LAZY.update({name: ("optimizer", name) for name in ("LookAhead", "ModelAverage")})
_LAZY.update({name: ("framework", name) for name in ("get_rng_state", "set_rng_state", "register_rng_state_as_index")})
_LAZY.update({name: ("graph", name) for name in (
    "graph_khop_sampler", "graph_reindex", "graph_sample_neighbors", "graph_send_recv", "segment_max", "segment_mean",
    "segment_min", "segment_sum")})
_LAZY.update({name: ("functional", name) for name in (
    "identity_loss", "softmax_mask_fuse", "softmax_mask_fuse_upper_triangle")})

__all__ = ["LookAhead", "ModelAverage", "softmax_mask_fuse_upper_triangle", "softmax_mask_fuse", "graph_send_recv",
           "graph_khop_sampler", "graph_sample_neighbors", "graph_reindex", "segment_sum", "segment_mean", "segment_max",
           "segment_min", "identity_loss"]


def __getattr__(name):
    if name not in _LAZY:
        return _find_address(__name__, name, _LAZY)
    module, attribute = _LAZY[name]
    found = importlib.import_module(f"{__name__}.{module}")
    return found if attribute is None else getattr(found, attribute)


def __dir__():
    return [*globals(), *_LAZY]
