"""Written by scripts/stubs.py; change the functions, not this file."""

from typing import Any
from paddle.core.tensor import DTypeLike, IntsLike, Tensor, TensorLike
from paddle.fluid.layers.decoders import BasicDecoder as BasicDecoder
from paddle.fluid.layers.decoders import BeamSearchDecoder as BeamSearchDecoder
from paddle.fluid.layers.distributions import Categorical as Categorical
from paddle.fluid.layers.control_flow import ConditionalBlock as ConditionalBlock
from paddle.fluid.layers.decoders import DecodeHelper as DecodeHelper
from paddle.fluid.layers.decoders import Decoder as Decoder
from paddle.fluid.layers.blocks import DynamicRNN as DynamicRNN
from paddle.fluid.layers.cells import GRUCell as GRUCell
from paddle.fluid.layers.decoders import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from paddle.fluid.layers.control_flow import IfElse as IfElse
from paddle.fluid.layers.cells import LSTMCell as LSTMCell
from paddle.fluid.layers.distributions import MultivariateNormalDiag as MultivariateNormalDiag
from paddle.fluid.layers.distributions import Normal as Normal
from paddle.fluid.layers.cells import RNNCell as RNNCell
from paddle.fluid.layers.decoders import SampleEmbeddingHelper as SampleEmbeddingHelper
from paddle.fluid.layers.blocks import StaticRNN as StaticRNN
from paddle.static.nn.control_flow import Switch as Switch
from paddle.fluid.layers.decoders import TrainingHelper as TrainingHelper
from paddle.fluid.layers.distributions import Uniform as Uniform
from paddle.static.nn.control_flow import While as While
from paddle.fluid.layers.nn import accuracy as accuracy
from paddle.fluid.layers.image import adaptive_pool2d as adaptive_pool2d
from paddle.fluid.layers.image import adaptive_pool3d as adaptive_pool3d
from paddle.fluid.layers.misc import add_position_encoding as add_position_encoding
from paddle.fluid.layers.tensors import addcmul as addcmul
from paddle.fluid.layers.tensors import addmm as addmm
from paddle.fluid.layers.image import affine_channel as affine_channel
from paddle.fluid.layers.image import affine_grid as affine_grid
from paddle.fluid.layers.tensors import allclose as allclose
from paddle.fluid.layers.proposals import anchor_generator as anchor_generator
from paddle.fluid.layers.tensors import arange as arange
from paddle.fluid.layers.tensor import argmax as argmax
from paddle.fluid.layers.tensor import argmin as argmin
from paddle.fluid.layers.tensor import argsort as argsort
from paddle.fluid.layers.rank_table import array_to_lod_tensor as array_to_lod_tensor
from paddle.fluid.layers.tensor import assign as assign
from paddle.fluid.layers.misc import autoincreased_step_counter as autoincreased_step_counter
from paddle.fluid.layers.readers import batch as batch
from paddle.fluid.layers.nn import batch_norm as batch_norm
from paddle.fluid.layers.beams import beam_search as beam_search
from paddle.fluid.layers.beams import beam_search_decode as beam_search_decode
from . import beams as beams
from paddle.fluid.layers.misc import bilinear_tensor_product as bilinear_tensor_product
from paddle.fluid.layers.ssd import bipartite_match as bipartite_match
from paddle.fluid.layers.cells import birnn as birnn
from . import blocks as blocks
from paddle.fluid.layers.tensors import bmm as bmm
from paddle.fluid.layers.proposals import box_clip as box_clip
from paddle.fluid.layers.detection import box_coder as box_coder
from paddle.fluid.layers.proposals import box_decoder_and_assign as box_decoder_and_assign
from paddle.fluid.layers.loss import bpr_loss as bpr_loss
from paddle.fluid.layers.misc import brelu as brelu
from paddle.fluid.layers.tensor import cast as cast
from . import cells as cells
from paddle.fluid.layers.loss import center_loss as center_loss
from paddle.fluid.layers.sequence import chunk_eval as chunk_eval
from paddle.fluid.layers.tensors import clamp as clamp
from . import clicks as clicks
from paddle.fluid.layers.tensor import clip as clip
from paddle.fluid.layers.misc import clip_by_norm as clip_by_norm
from paddle.fluid.layers.proposals import collect_fpn_proposals as collect_fpn_proposals
from paddle.fluid.layers.tensor import concat as concat
from paddle.fluid.layers.clicks import continuous_value_model as continuous_value_model
from . import control_flow as control_flow
from paddle.fluid.layers.nn import conv2d as conv2d
from paddle.fluid.layers.nn import conv2d_transpose as conv2d_transpose
from paddle.fluid.layers.image import conv3d as conv3d
from paddle.fluid.layers.image import conv3d_transpose as conv3d_transpose
from paddle.fluid.layers.loss import cos_sim as cos_sim
from paddle.fluid.layers.learning_rate_scheduler import cosine_decay as cosine_decay
from paddle.fluid.layers.tensor import create_global_var as create_global_var
from paddle.fluid.layers.tensor import create_parameter as create_parameter
from paddle.fluid.layers.readers import create_py_reader_by_data as create_py_reader_by_data
from paddle.fluid.layers.misc import create_tensor as create_tensor
from paddle.fluid.layers.sequence import crf_decoding as crf_decoding
from paddle.fluid.layers.image import crop as crop
from paddle.fluid.layers.image import crop_tensor as crop_tensor
from paddle.fluid.layers.tensors import cross as cross
from paddle.fluid.layers.nn import cross_entropy as cross_entropy
from paddle.fluid.layers.sequence import ctc_greedy_decoder as ctc_greedy_decoder
from paddle.fluid.layers.misc import cumsum as cumsum
from paddle.fluid.layers.tensor import data as data
from . import decoders as decoders
from paddle.fluid.layers.detection import deformable_conv as deformable_conv
from paddle.fluid.layers.detection import deformable_roi_pooling as deformable_roi_pooling
from paddle.fluid.layers.ssd import density_prior_box as density_prior_box
from . import detection as detection
from paddle.fluid.layers.ssd import detection_map as detection_map
from paddle.fluid.layers.ssd import detection_output as detection_output
from . import device as device
from paddle.fluid.layers.misc import diag as diag
from paddle.fluid.layers.tensors import diag_embed as diag_embed
from paddle.fluid.layers.loss import dice_loss as dice_loss
from paddle.fluid.layers.tensors import dist as dist
from paddle.fluid.layers.proposals import distribute_fpn_proposals as distribute_fpn_proposals
from . import distributions as distributions
from paddle.fluid.layers.misc import dot as dot
from paddle.fluid.layers.readers import double_buffer as double_buffer
from paddle.fluid.layers.nn import dropout as dropout
from paddle.fluid.layers.recurrent import dynamic_gru as dynamic_gru
from paddle.fluid.layers.recurrent import dynamic_lstm as dynamic_lstm
from paddle.fluid.layers.recurrent import dynamic_lstmp as dynamic_lstmp
from paddle.fluid.layers.sequence import edit_distance as edit_distance
from paddle.fluid.layers.tensors import elementwise_equal as elementwise_equal
from paddle.fluid.layers.misc import elu as elu
from paddle.fluid.layers.nn import embedding as embedding
from paddle.fluid.layers.tensor import equal as equal
from paddle.fluid.layers.tensor import expand as expand
from paddle.fluid.layers.misc import expand_as as expand_as
from paddle.fluid.layers.learning_rate_scheduler import exponential_decay as exponential_decay
from paddle.fluid.layers.misc import eye as eye
from paddle.fluid.layers.nn import fc as fc
from paddle.fluid.layers.tensor import fill_constant as fill_constant
from paddle.fluid.layers.misc import fill_constant_batch_size_like as fill_constant_batch_size_like
from paddle.fluid.layers.clicks import filter_by_instag as filter_by_instag
from paddle.fluid.layers.tensor import flatten as flatten
from paddle.fluid.layers.tensors import flip as flip
from paddle.fluid.layers.misc import fsp_matrix as fsp_matrix
from paddle.fluid.layers.tensors import full as full
from paddle.fluid.layers.tensors import full_like as full_like
from paddle.fluid.layers.tensor import gather as gather
from paddle.fluid.layers.tensors import gather_nd as gather_nd
from paddle.fluid.layers.tensor import gaussian_random as gaussian_random
from paddle.fluid.layers.misc import gaussian_random_batch_size_like as gaussian_random_batch_size_like
from paddle.fluid.layers.proposals import generate_mask_labels as generate_mask_labels
from paddle.fluid.layers.proposals import generate_proposal_labels as generate_proposal_labels
from paddle.fluid.layers.proposals import generate_proposals as generate_proposals
from paddle.fluid.layers.device import get_places as get_places
from paddle.fluid.layers.clicks import get_tensor_from_selected_rows as get_tensor_from_selected_rows
from paddle.fluid.layers.tensor import greater_equal as greater_equal
from paddle.fluid.layers.tensor import greater_than as greater_than
from paddle.fluid.layers.image import grid_sampler as grid_sampler
from paddle.fluid.layers.image import group_norm as group_norm
from paddle.fluid.layers.recurrent import gru_unit as gru_unit
from paddle.fluid.layers.misc import hard_shrink as hard_shrink
from paddle.fluid.layers.misc import hard_sigmoid as hard_sigmoid
from paddle.fluid.layers.misc import hard_swish as hard_swish
from paddle.fluid.layers.misc import has_inf as has_inf
from paddle.fluid.layers.tensor import has_nan as has_nan
from paddle.fluid.layers.clicks import hash as hash
from paddle.fluid.layers.loss import hsigmoid as hsigmoid
from paddle.fluid.layers.loss import huber_loss as huber_loss
from paddle.fluid.layers.sequence import im2sequence as im2sequence
from . import image as image
from paddle.fluid.layers.image import image_resize as image_resize
from paddle.fluid.layers.image import image_resize_short as image_resize_short
from paddle.fluid.layers.tensor import increment as increment
from paddle.fluid.layers.tensors import index_sample as index_sample
from paddle.fluid.layers.tensors import index_select as index_select
from paddle.fluid.layers.misc import inplace_abn as inplace_abn
from paddle.fluid.layers.image import instance_norm as instance_norm
from paddle.fluid.layers.image import image_resize as interpolate
from paddle.fluid.layers.learning_rate_scheduler import inverse_time_decay as inverse_time_decay
from paddle.fluid.layers.detection import iou_similarity as iou_similarity
from paddle.fluid.layers.control_flow import is_empty as is_empty
from paddle.fluid.layers.tensor import isfinite as isfinite
from paddle.fluid.layers.loss import kldiv_loss as kldiv_loss
from paddle.fluid.layers.tensors import kron as kron
from paddle.fluid.layers.nn import l2_normalize as l2_normalize
from paddle.fluid.layers.nn import label_smooth as label_smooth
from paddle.fluid.layers.nn import layer_norm as layer_norm
from paddle.fluid.layers.misc import leaky_relu as leaky_relu
from . import learning_rate_scheduler as learning_rate_scheduler
from paddle.fluid.layers.tensor import less_equal as less_equal
from paddle.fluid.layers.tensor import less_than as less_than
from paddle.fluid.layers.sequence import linear_chain_crf as linear_chain_crf
from paddle.fluid.layers.learning_rate_scheduler import linear_lr_warmup as linear_lr_warmup
from paddle.fluid.layers.tensor import linspace as linspace
from paddle.fluid.layers.misc import load as load
from paddle.fluid.layers.proposals import locality_aware_nms as locality_aware_nms
from paddle.fluid.layers.sequence import lod_append as lod_append
from paddle.fluid.layers.rank_table import lod_rank_table as lod_rank_table
from paddle.fluid.layers.sequence import lod_reset as lod_reset
from paddle.fluid.layers.rank_table import lod_tensor_to_array as lod_tensor_to_array
from paddle.fluid.layers.tensors import log1p as log1p
from paddle.fluid.layers.loss import log_loss as log_loss
from paddle.fluid.layers.nn import log_softmax as log_softmax
from paddle.fluid.layers.tensor import logical_and as logical_and
from paddle.fluid.layers.tensor import logical_not as logical_not
from paddle.fluid.layers.tensor import logical_or as logical_or
from paddle.fluid.layers.tensor import logical_xor as logical_xor
from paddle.fluid.layers.tensors import logsumexp as logsumexp
from . import loss as loss
from paddle.fluid.layers.image import lrn as lrn
from paddle.fluid.layers.recurrent import lstm as lstm
from paddle.fluid.layers.recurrent import lstm_unit as lstm_unit
from paddle.fluid.layers.loss import margin_rank_loss as margin_rank_loss
from paddle.fluid.layers.nn import matmul as matmul
from paddle.fluid.layers.proposals import matrix_nms as matrix_nms
from paddle.fluid.layers.rank_table import max_sequence_len as max_sequence_len
from paddle.fluid.layers.misc import maxout as maxout
from paddle.fluid.layers.nn import mean as mean
from paddle.fluid.layers.misc import mean_iou as mean_iou
from paddle.fluid.layers.rank_table import merge_lod_tensor as merge_lod_tensor
from paddle.fluid.layers.clicks import merge_selected_rows as merge_selected_rows
from paddle.fluid.layers.tensors import meshgrid as meshgrid
from . import misc as misc
from paddle.fluid.layers.misc import mish as mish
from paddle.fluid.layers.loss import mse_loss as mse_loss
from paddle.fluid.layers.nn import mul as mul
from paddle.fluid.layers.ssd import multi_box_head as multi_box_head
from paddle.fluid.layers.proposals import multiclass_nms as multiclass_nms
from paddle.fluid.layers.misc import multiplex as multiplex
from paddle.fluid.layers.learning_rate_scheduler import natural_exp_decay as natural_exp_decay
from . import nn as nn
from paddle.fluid.layers.learning_rate_scheduler import noam_decay as noam_decay
from paddle.fluid.layers.tensors import nonzero as nonzero
from paddle.fluid.layers.tensor import not_equal as not_equal
from paddle.fluid.layers.loss import npair_loss as npair_loss
from paddle.fluid.layers.nn import one_hot as one_hot
from paddle.fluid.layers.tensor import ones as ones
from paddle.fluid.layers.tensor import ones_like as ones_like
from paddle.fluid.layers.image import pad as pad
from paddle.fluid.layers.image import pad2d as pad2d
from paddle.fluid.layers.image import pad_constant_like as pad_constant_like
from paddle.fluid.layers.learning_rate_scheduler import piecewise_decay as piecewise_decay
from paddle.fluid.layers.image import pixel_shuffle as pixel_shuffle
from paddle.fluid.layers.proposals import polygon_box_transform as polygon_box_transform
from paddle.fluid.layers.learning_rate_scheduler import polynomial_decay as polynomial_decay
from paddle.fluid.layers.nn import pool2d as pool2d
from paddle.fluid.layers.image import pool3d as pool3d
from paddle.fluid.layers.tensor import pow as pow
from paddle.fluid.layers.nn import prelu as prelu
from paddle.fluid.layers.detection import prior_box as prior_box
from . import proposals as proposals
from paddle.fluid.layers.detection import prroi_pool as prroi_pool
from paddle.fluid.layers.detection import psroi_pool as psroi_pool
from paddle.fluid.layers.readers import py_reader as py_reader
from paddle.fluid.layers.tensors import randint as randint
from paddle.fluid.layers.tensors import randn as randn
from paddle.fluid.layers.misc import random_crop as random_crop
from paddle.fluid.layers.tensors import randperm as randperm
from paddle.fluid.layers.tensor import range as range
from paddle.fluid.layers.misc import rank as rank
from paddle.fluid.layers.loss import rank_loss as rank_loss
from . import rank_table as rank_table
from paddle.fluid.layers.readers import read_file as read_file
from . import readers as readers
from . import recurrent as recurrent
from paddle.fluid.layers.tensor import reduce_all as reduce_all
from paddle.fluid.layers.tensor import reduce_any as reduce_any
from paddle.fluid.layers.tensor import reduce_prod as reduce_prod
from paddle.fluid.layers.misc import relu6 as relu6
from paddle.fluid.layers.rank_table import reorder_lod_tensor_by_rank as reorder_lod_tensor_by_rank
from paddle.fluid.layers.tensor import reshape as reshape
from paddle.fluid.layers.image import resize_bilinear as resize_bilinear
from paddle.fluid.layers.image import resize_linear as resize_linear
from paddle.fluid.layers.image import resize_nearest as resize_nearest
from paddle.fluid.layers.image import resize_trilinear as resize_trilinear
from paddle.fluid.layers.proposals import retinanet_detection_output as retinanet_detection_output
from paddle.fluid.layers.proposals import retinanet_target_assign as retinanet_target_assign
from paddle.fluid.layers.misc import reverse as reverse
from paddle.fluid.layers.cells import rnn as rnn
from paddle.fluid.layers.detection import roi_align as roi_align
from paddle.fluid.layers.detection import roi_perspective_transform as roi_perspective_transform
from paddle.fluid.layers.detection import roi_pool as roi_pool
from paddle.fluid.layers.tensors import roll as roll
from paddle.fluid.layers.misc import row_conv as row_conv
from paddle.fluid.layers.proposals import rpn_target_assign as rpn_target_assign
from . import sampled as sampled
from paddle.fluid.layers.sampled import sampled_softmax_with_cross_entropy as sampled_softmax_with_cross_entropy
from paddle.fluid.layers.misc import sampling_id as sampling_id
from paddle.fluid.layers.tensor import scale as scale
from paddle.fluid.layers.tensor import scatter as scatter
from paddle.fluid.layers.tensors import scatter_nd_add as scatter_nd_add
from . import sequence as sequence
from paddle.fluid.layers.sequence import sequence_erase as sequence_erase
from paddle.fluid.layers.tensor import shape as shape
from paddle.fluid.layers.rank_table import shrink_memory as shrink_memory
from paddle.fluid.layers.readers import shuffle as shuffle
from paddle.fluid.layers.image import shuffle_channel as shuffle_channel
from paddle.fluid.layers.nn import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from paddle.fluid.layers.proposals import sigmoid_focal_loss as sigmoid_focal_loss
from paddle.fluid.layers.misc import sign as sign
from paddle.fluid.layers.clicks import similarity_focus as similarity_focus
from paddle.fluid.layers.misc import size as size
from paddle.fluid.layers.tensor import slice as slice
from paddle.fluid.layers.loss import smooth_l1 as smooth_l1
from paddle.fluid.layers.misc import soft_relu as soft_relu
from paddle.fluid.layers.nn import softmax as softmax
from paddle.fluid.layers.nn import softmax_with_cross_entropy as softmax_with_cross_entropy
from paddle.fluid.layers.misc import softshrink as softshrink
from paddle.fluid.layers.image import space_to_depth as space_to_depth
from paddle.fluid.layers.misc import spectral_norm as spectral_norm
from paddle.fluid.layers.tensor import split as split
from paddle.fluid.layers.rank_table import split_lod_tensor as split_lod_tensor
from paddle.fluid.layers.nn import square_error_cost as square_error_cost
from paddle.fluid.layers.tensor import squeeze as squeeze
from . import ssd as ssd
from paddle.fluid.layers.ssd import ssd_loss as ssd_loss
from paddle.fluid.layers.tensor import stack as stack
from paddle.fluid.layers.misc import stanh as stanh
from paddle.fluid.layers.misc import strided_slice as strided_slice
from paddle.fluid.layers.tensor import sum as sum
from paddle.fluid.layers.tensor import sums as sums
from paddle.fluid.layers.misc import swish as swish
from paddle.fluid.layers.tensors import t as t
from paddle.fluid.layers.ssd import target_assign as target_assign
from paddle.fluid.layers.loss import teacher_student_sigmoid_loss as teacher_student_sigmoid_loss
from paddle.fluid.layers.image import temporal_shift as temporal_shift
from . import tensor as tensor
from paddle.fluid.layers.misc import tensor_array_to_tensor as tensor_array_to_tensor
from . import tensors as tensors
from paddle.fluid.layers.misc import thresholded_relu as thresholded_relu
from paddle.fluid.layers.tensor import topk as topk
from paddle.fluid.layers.tensors import trace as trace
from paddle.fluid.layers.tensor import transpose as transpose
from paddle.fluid.layers.misc import tree_conv as tree_conv
from paddle.fluid.layers.tensors import tril as tril
from paddle.fluid.layers.misc import triu as triu
from paddle.fluid.layers.image import unfold as unfold
from paddle.fluid.layers.tensor import uniform_random as uniform_random
from paddle.fluid.layers.misc import uniform_random_batch_size_like as uniform_random_batch_size_like
from paddle.fluid.layers.misc import unique as unique
from paddle.fluid.layers.misc import unique_with_counts as unique_with_counts
from paddle.fluid.layers.tensor import unsqueeze as unsqueeze
from paddle.fluid.layers.tensor import unstack as unstack
from . import utils as utils
from paddle.fluid.layers.sequence import warpctc as warpctc
from paddle.fluid.layers.tensor import where as where
from paddle.fluid.layers.detection import yolo_box as yolo_box
from paddle.fluid.layers.detection import yolov3_loss as yolov3_loss
from paddle.fluid.layers.tensor import zeros as zeros
from paddle.fluid.layers.tensor import zeros_like as zeros_like

Assert: Any
Print: Any
def abs(x: TensorLike, name: str | None = ...) -> Tensor: ...
def acos(x: TensorLike, name: str | None = ...) -> Tensor: ...
array_length: Any
array_read: Any
array_write: Any
def asin(x: TensorLike, name: str | None = ...) -> Tensor: ...
def atan(x: TensorLike, name: str | None = ...) -> Tensor: ...
auc: Any
case: Any
def ceil(x: TensorLike, name: str | None = ...) -> Tensor: ...
cond: Any
def cos(x: TensorLike, name: str | None = ...) -> Tensor: ...
def cosh(x: TensorLike, name: str | None = ...) -> Tensor: ...
create_array: Any
data_norm: Any
dynamic_decode: Any
elementwise_add: Any
elementwise_div: Any
elementwise_floordiv: Any
elementwise_max: Any
elementwise_min: Any
elementwise_mod: Any
elementwise_mul: Any
elementwise_pow: Any
elementwise_sub: Any
def erf(x: TensorLike, name: str | None = ...) -> Tensor: ...
def exp(x: TensorLike, name: str | None = ...) -> Tensor: ...
def floor(x: TensorLike, name: str | None = ...) -> Tensor: ...
def gather_tree(ids: Any, parents: Any) -> Tensor: ...
def gelu(x: TensorLike, approximate: bool = ..., name: str | None = ...) -> Tensor: ...
def isinf(x: TensorLike, name: str | None = ...) -> Tensor: ...
def isnan(x: TensorLike, name: str | None = ...) -> Tensor: ...
def log(x: TensorLike, name: str | None = ...) -> Tensor: ...
def logsigmoid(x: TensorLike, name: str | None = ...) -> Any: ...
nce: Any
py_func: Any
def reciprocal(x: TensorLike, name: str | None = ...) -> Tensor: ...
reduce_max: Any
reduce_mean: Any
reduce_min: Any
reduce_sum: Any
def relu(x: TensorLike, name: str | None = ...) -> Tensor: ...
def round(x: TensorLike, name: str | None = ...) -> Tensor: ...
def rsqrt(x: TensorLike, name: str | None = ...) -> Tensor: ...
def scatter_nd(index: Any, updates: Any, shape: IntsLike, name: str | None = ...) -> Tensor: ...
def selu(x: TensorLike, scale: Any = ..., alpha: Any = ..., name: str | None = ...) -> Tensor: ...
sequence_concat: Any
sequence_conv: Any
sequence_enumerate: Any
sequence_expand: Any
sequence_expand_as: Any
sequence_first_step: Any
sequence_last_step: Any
def sequence_mask(x: TensorLike, maxlen: Any = ..., dtype: DTypeLike | None = ..., name: str | None = ...) -> Tensor: ...
sequence_pad: Any
sequence_pool: Any
sequence_reshape: Any
sequence_reverse: Any
sequence_scatter: Any
sequence_slice: Any
sequence_softmax: Any
sequence_unpad: Any
def shard_index(input: TensorLike, index_num: Any, nshards: Any, shard_id: Any, ignore_value: Any = ...) -> Tensor: ...
def sigmoid(x: TensorLike, name: str | None = ...) -> Tensor: ...
def sin(x: TensorLike, name: str | None = ...) -> Tensor: ...
def sinh(x: TensorLike, name: str | None = ...) -> Tensor: ...
def softplus(x: TensorLike, beta: Any = ..., threshold: Any = ..., name: str | None = ...) -> Tensor: ...
def softsign(x: TensorLike, name: str | None = ...) -> Tensor: ...
def sqrt(x: TensorLike, name: str | None = ...) -> Tensor: ...
def square(x: TensorLike, name: str | None = ...) -> Tensor: ...
switch_case: Any
def tan(x: TensorLike, name: str | None = ...) -> Tensor: ...
def tanh(x: TensorLike, name: str | None = ...) -> Tensor: ...
def tanh_shrink(x: TensorLike, name: str | None = ...) -> Any: ...
def unbind(input: TensorLike, axis: IntsLike | None = ...) -> list[Tensor]: ...
while_loop: Any
