"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.incubate.optimizer import LookAhead as LookAhead
from paddle.incubate.optimizer import ModelAverage as ModelAverage
from paddle.incubate.graph import graph_khop_sampler as graph_khop_sampler
from paddle.incubate.graph import graph_reindex as graph_reindex
from paddle.incubate.graph import graph_sample_neighbors as graph_sample_neighbors
from paddle.incubate.graph import graph_send_recv as graph_send_recv
from paddle.incubate.functional import identity_loss as identity_loss
from paddle.geometric.message import segment_max as segment_max
from paddle.geometric.message import segment_mean as segment_mean
from paddle.geometric.message import segment_min as segment_min
from paddle.geometric.message import segment_sum as segment_sum
from paddle.incubate.functional import softmax_mask_fuse as softmax_mask_fuse
from paddle.incubate.functional import softmax_mask_fuse_upper_triangle as softmax_mask_fuse_upper_triangle
