"""What is still being tried out."""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of

_LAZY = _names_of({
    ".": ["asp", "autograd", "autotune", "framework", "jit", "nn", "optimizer", "reader"],
    ".optimizer": ["LookAhead", "ModelAverage"],
    ".framework": ["get_rng_state", "set_rng_state", "register_rng_state_as_index"],
    ".graph": ["graph_khop_sampler", "graph_reindex", "graph_sample_neighbors", "graph_send_recv", "segment_max", "segment_mean",
               "segment_min", "segment_sum"],
    ".functional": ["identity_loss", "softmax_mask_fuse", "softmax_mask_fuse_upper_triangle"],
}, __name__)

__all__ = ["LookAhead", "ModelAverage", "softmax_mask_fuse_upper_triangle", "softmax_mask_fuse", "graph_send_recv",
           "graph_khop_sampler", "graph_sample_neighbors", "graph_reindex", "segment_sum", "segment_mean", "segment_max",
           "segment_min", "identity_loss"]

__getattr__, __dir__ = _late(__name__, _LAZY)
