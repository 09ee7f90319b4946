"""Convolutions over words, conditional random fields and the tagger of alpha's hapi."""

from ....fluid import layers
from ....fluid.dygraph.containers import LayerList
from ....fluid.dygraph.layers import Layer
from ....fluid.dygraph.nn import Conv2D, Embedding, Linear, Pool2D
from ....nn.initializer import Uniform
from ....nn.param_attr import ParamAttr
from ....ops.sequence import labelling
from ....regularizer import L2Decay
from .cells import BasicGRUCell
from .recurrent import RNN

__all__ = ["Conv1dPoolLayer", "CNNEncoder", "LinearChainCRF", "CRFDecoding", "SequenceTagging"]


class Conv1dPoolLayer(Layer):
    """A convolution and a pooling along sequences [N, channels, T] (2.0 alpha; successor: paddle.nn.Conv1D, MaxPool1D).

    Arguments are those of fluid.dygraph's Conv2D and Pool2D, with one number each.
    """

    def __init__(self, num_channels, num_filters, filter_size, pool_size, conv_stride=1, pool_stride=1, conv_padding=0,
                 pool_padding=0, act=None, pool_type="max", global_pooling=False, dilation=1, groups=None, ceil_mode=False,
                 exclusive=True, use_cudnn=False, param_attr=None, bias_attr=None):
        super().__init__()
        self._conv2d = Conv2D(num_channels, num_filters, [filter_size, 1], [conv_stride, 1], [conv_padding, 0], [dilation, 1],
                              groups, param_attr, bias_attr, use_cudnn, act)
        self._pool2d = Pool2D([pool_size, 1], pool_type, [pool_stride, 1], [pool_padding, 0], global_pooling, use_cudnn, ceil_mode,
                              exclusive)

    def forward(self, input):
        """[N, num_filters, T']."""
        return layers.squeeze(self._pool2d(self._conv2d(layers.unsqueeze(input, [-1]))), [-1])


class CNNEncoder(Layer):
    """Several Conv1dPoolLayers side by side, their outputs joined along the channels (2.0 alpha; successor: none).

    Sizes are one number for all layers or a list.
    """

    def __init__(self, num_channels, num_filters, filter_size, pool_size, num_layers=1, conv_stride=1, pool_stride=1,
                 conv_padding=0, pool_padding=0, act=None, pool_type="max", global_pooling=False, use_cudnn=False):
        super().__init__()
        sizes = [num_channels, num_filters, filter_size, pool_size, conv_stride, pool_stride, conv_padding, pool_padding, act]
        self.conv1d_pool_layers = LayerList([Conv1dPoolLayer(
            *[size[k] if isinstance(size, (list, tuple)) else size for size in sizes], pool_type, global_pooling,
            use_cudnn=use_cudnn) for k in range(num_layers)])

    def forward(self, input):
        """[N, all filters, T']."""
        return layers.concat([layer(input) for layer in self.conv1d_pool_layers], 1)


class _Transitions(Layer):
    """A layer with the transitions between ``size`` labels: from the start, to the end, then from row to column."""

    def __init__(self, size, param_attr=None, dtype="float32"):
        super().__init__(None, dtype)
        self._transition = self.create_parameter([size + 2, size], param_attr, dtype)

    @property
    def weight(self):
        """The transitions."""
        return self._transition

    @weight.setter
    def weight(self, value):
        self._transition = value


class LinearChainCRF(_Transitions):
    """-log of the probability of labels under a conditional random field (2.0 alpha; successor: paddlenlp's)."""

    def forward(self, input, label, length):
        """[N, 1] for scores [N, T, size], labels [N, T] and lengths [N]."""
        return labelling.linear_chain_crf(input, self._transition, label, length)


class CRFDecoding(_Transitions):
    """The most probable labels under a conditional random field (2.0 alpha; successor: paddle.text.ViterbiDecoder)."""

    def forward(self, input, length, label=None):
        """[N, T]; with labels given, whether each is right."""
        return labelling.crf_decoding(input, self._transition, label, length)


class _GRUEncoder(Layer):
    """GRUs forward and backward, layer above layer."""

    def __init__(self, input_dim, grnn_hidden_dim, init_bound, num_layers):
        super().__init__()

        def make(k, way):
            attr = ParamAttr(initializer=Uniform(-init_bound, init_bound), regularizer=L2Decay(1e-4))
            cell = BasicGRUCell(input_dim * 2 if k else input_dim, grnn_hidden_dim, attr)
            return self.add_sublayer(f"gru_{way}{k}", RNN(cell, is_reverse=way == "r_"))
        self._pairs = [(make(k, ""), make(k, "r_")) for k in range(num_layers)]

    def forward(self, x):
        """[N, T, 2 * hidden]."""
        for ahead, behind in self._pairs:
            x = layers.concat([ahead(x)[0], behind(x)[0]], -1)
        return x


class SequenceTagging(Layer):
    """Embedded words, GRUs both ways and a conditional random field (2.0 alpha; successor: paddlenlp's lexical analysis).

    Args:
        vocab_size, num_labels (int): numbers of words and labels.
        word_emb_dim, grnn_hidden_dim (int): sizes, which must agree.
        emb_learning_rate, crf_learning_rate (float): factors of the learning rate.
        bigru_num (int): layers of GRUs.
        init_bound (float): parameters begin between its negative and itself.
    """

    def __init__(self, vocab_size, num_labels, word_emb_dim=128, grnn_hidden_dim=128, emb_learning_rate=0.1, crf_learning_rate=0.1,
                 bigru_num=2, init_bound=0.1):
        super().__init__()
        draw = Uniform(-init_bound, init_bound)
        self.word_embedding = Embedding([vocab_size, word_emb_dim], dtype="float32", param_attr=ParamAttr(
            name="word_emb", learning_rate=emb_learning_rate, initializer=draw))
        self.gru_encoder = _GRUEncoder(grnn_hidden_dim, grnn_hidden_dim, init_bound, bigru_num)
        self.fc = Linear(grnn_hidden_dim * 2, num_labels, ParamAttr(initializer=draw, regularizer=L2Decay(1e-4)))
        self.linear_chain_crf = LinearChainCRF(num_labels, ParamAttr(name="linear_chain_crfw", learning_rate=crf_learning_rate))
        self.crf_decoding = CRFDecoding(num_labels, ParamAttr(name="crfw", learning_rate=crf_learning_rate))

    def forward(self, word, lengths, target=None):
        """(labels, lengths), or with a target (labels, mean loss, lengths)."""
        emission = self.fc(self.gru_encoder(self.word_embedding(word)))
        if target is None:
            self.linear_chain_crf.weight = self.crf_decoding.weight
            return self.crf_decoding(emission, lengths), lengths
        cost = layers.mean(self.linear_chain_crf(emission, target, lengths))
        self.crf_decoding.weight = self.linear_chain_crf.weight
        return self.crf_decoding(emission, lengths), cost, lengths
