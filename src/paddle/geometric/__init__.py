"""Graphs: rows sent along edges, segments of rows, neighbours of nodes."""

from .message import segment_max, segment_mean, segment_min, segment_sum, send_u_recv, send_ue_recv, send_uv
from .neighbors import reindex_graph, reindex_heter_graph, sample_neighbors, weighted_sample_neighbors

__all__ = ["send_u_recv", "send_ue_recv", "send_uv", "segment_sum", "segment_mean", "segment_min", "segment_max", "reindex_graph",
           "reindex_heter_graph", "sample_neighbors", "weighted_sample_neighbors"]
