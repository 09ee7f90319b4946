"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.fluid.contrib.layers.rnn_impl import BasicGRUUnit as BasicGRUUnit
from paddle.fluid.contrib.layers.rnn_impl import BasicLSTMUnit as BasicLSTMUnit
from paddle.fluid.contrib.decoder.beam_search_decoder import BeamSearchDecoder as BeamSearchDecoder
from paddle.fluid.contrib.decoder.beam_search_decoder import InitState as InitState
from paddle.fluid.contrib.decoder.beam_search_decoder import StateCell as StateCell
from paddle.fluid.contrib.decoder.beam_search_decoder import TrainingDecoder as TrainingDecoder
from paddle.fluid.contrib.layers.rnn_impl import basic_gru as basic_gru
from paddle.fluid.contrib.layers.rnn_impl import basic_lstm as basic_lstm
from paddle.fluid.contrib.layers.nn import batch_fc as batch_fc
from paddle.fluid.contrib.layers.metric_op import ctr_metric_bundle as ctr_metric_bundle
from . import decoder as decoder
from . import estimates as estimates
from paddle.fluid.contrib.layers.nn import fused_elemwise_activation as fused_elemwise_activation
from paddle.fluid.contrib.layers.nn import fused_embedding_seq_pool as fused_embedding_seq_pool
from . import layers as layers
from paddle.fluid.contrib.estimates import memory_usage as memory_usage
from paddle.fluid.contrib.layers.nn import multiclass_nms2 as multiclass_nms2
from paddle.fluid.contrib.estimates import op_freq_statistic as op_freq_statistic
from paddle.fluid.contrib.layers.nn import partial_concat as partial_concat
from paddle.fluid.contrib.layers.nn import partial_sum as partial_sum
from paddle.fluid.contrib.layers.nn import rank_attention as rank_attention
from . import reader as reader
from paddle.fluid.contrib.layers.nn import shuffle_batch as shuffle_batch
from paddle.fluid.layers.misc import tree_conv as tree_conv
