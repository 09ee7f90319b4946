"""Layers of fluid's dygraph for very many classes, for trees and for sequences."""

import numpy as np

from ...nn import functional as F
from ...nn import initializer as inits
from ...ops.loss import nce as sampling
from ...ops.nn import context_window as context
from ...ops.sequence import sequence_ops as sequences
from .. import layers, state
from .arguments import bind, scope_of
from .layers import Layer

__all__ = ["NCE", "TreeConv", "SequenceConv", "RowConv", "HSigmoid"]


class NCE(Layer):
    """Noise-contrastive estimation: the mean loss of a label among classes drawn at random, [N, 1] (1.x; successor:
    paddle.static.nn.nce).

    ``sampler`` is 'uniform', 'log_uniform' or 'custom_dist', whose probabilities are ``custom_dist``.
    """

    _former = {"_w": "weight", "_b": "bias"}

    _OPTIONS = ["param_attr", "bias_attr", "num_neg_samples", "sampler", "custom_dist", "seed", "is_sparse"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        names = ["num_total_classes", *self._OPTIONS, "sample_weight"]
        if scope is None:
            names = ["num_total_classes", "dim", "sample_weight", *self._OPTIONS, "dtype"]
        a = self._a = bind("NCE", names, args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        sampler = a.get("sampler", "uniform")
        if sampler not in sampling.SAMPLERS:
            raise ValueError(f"NCE(): sampler must be one of {', '.join(sampling.SAMPLERS)}, got {sampler!r}")
        if (sampler == "custom_dist") != (a.get("custom_dist") is not None):
            raise ValueError("NCE(): custom_dist holds the probabilities of sampler='custom_dist', and goes with it")
        self._classes, self._drawn = int(a["num_total_classes"]), int(a.get("num_neg_samples") or 10)
        self._distribution = [None] * 3
        if sampler == "custom_dist":
            chances = np.asarray(a["custom_dist"], "float32")
            if chances.shape != (self._classes,):
                raise ValueError(f"NCE(): custom_dist must have {self._classes} probabilities, got shape {list(chances.shape)}")
            self._distribution = [chances, *sampling.alias_table(chances)]
        self._sampler = sampling.SAMPLERS.index(sampler)
        if "dim" in a:
            self._make(a["dim"])

    def _make(self, width):
        self.weight = self.create_parameter(self._a.get("param_attr"), [self._classes, width], self._dtype)
        self.bias = self.create_parameter(self._a.get("bias_attr"), [self._classes, 1], self._dtype, True)

    def _build_once(self, input, *rest):
        if "weight" not in self._parameters:
            self._make(input.shape[1])

    def forward(self, input, label, sample_weight=None):
        weights = self._a.get("sample_weight") if sample_weight is None else sample_weight
        distribution = [None if d is None else layers.assign(d) for d in self._distribution]
        cost, _, _ = sampling.nce(input, label, self.weight, self.bias, weights, *distribution, self._classes, self._drawn,
                                  self._sampler, int(self._a.get("seed", 0)), bool(self._a.get("is_sparse", False)))
        return cost / float(self._drawn + 1)


class HSigmoid(Layer):
    """Hierarchical sigmoid over a binary tree of classes, [N, 1] (2.0 alpha; successor: paddle.nn.HSigmoidLoss)."""

    def __init__(self, feature_size, num_classes, param_attr=None, bias_attr=None, is_custom=False, is_sparse=False,
                 dtype="float32"):
        super().__init__(None, dtype)
        if num_classes < 2 and not is_custom:
            raise ValueError(f"HSigmoid(): num_classes must be at least 2, got {num_classes}")
        self._classes, self._custom, self._sparse = num_classes, is_custom, is_sparse
        rows = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter(param_attr, [rows, feature_size], dtype)
        self.bias = self.create_parameter(bias_attr, [rows, 1], dtype, True)

    def forward(self, input, label, path_table=None, path_code=None):
        if self._custom and (path_table is None or path_code is None):
            raise ValueError("HSigmoid(): is_custom=True needs path_table and path_code")
        return F.hsigmoid_loss(input, label, self._classes, self.weight, self.bias, path_table, path_code, self._sparse)


class TreeConv(Layer):
    """Windows over trees given by edges (parent, child), nodes counted from 1: [N, nodes, output_size, num_filters] (1.x;
    successor: none, compose it or use paddle.geometric)."""

    _former = {"W": "weight", "_bias_param": "bias"}

    _OPTIONS = ["output_size", "num_filters", "max_depth", "act", "param_attr", "bias_attr", "name", "dtype"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        a = self._a = bind("TreeConv", self._OPTIONS if scope is not None else ["feature_size", *self._OPTIONS], args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        if "feature_size" in a:
            self._make(a["feature_size"])

    def _make(self, width):
        a, filters = self._a, self._a.get("num_filters", 1)
        self.weight = self.create_parameter(a.get("param_attr"), [width, 3, a["output_size"], filters], self._dtype)
        self.bias = self.create_parameter(a.get("bias_attr"), [filters], self._dtype, True)

    def _build_once(self, nodes_vector, *rest):
        if "weight" not in self._parameters:
            self._make(nodes_vector.shape[2])

    def forward(self, nodes_vector, edge_set):
        y = context.tree_conv(nodes_vector, edge_set, self.weight, self._a.get("max_depth", 2))
        return layers.activate(y if self.bias is None else y + self.bias, self._a.get("act", "tanh"))

    W = property(lambda self: self.weight)


class SequenceConv(Layer):
    """Convolution along packed sequences (LoD) of a static program; as in 1.x it is not for guards (1.x; successor:
    paddle.static.nn.sequence_conv, or paddle.nn.Conv1D on padded sequences)."""

    _former = {"_filter_param": "weight", "_bias_param": "bias"}

    def __init__(self, name_scope, num_filters, filter_size=3, filter_stride=1, padding=None, bias_attr=None, param_attr=None,
                 act=None):
        if state.in_dygraph_mode():
            raise NotImplementedError("fluid.dygraph.SequenceConv(): sequence lengths exist in static programs only; in a "
                                      "guard pad the sequences and use paddle.nn.Conv1D")
        super().__init__(name_scope)
        if filter_stride != 1:
            raise ValueError(f"SequenceConv(): filter_stride must be 1, got {filter_stride}")
        self._filters, self._size, self._act = num_filters, filter_size, act
        self._param_attr, self._bias_attr = param_attr, bias_attr

    def _build_once(self, input):
        self.weight = self.create_parameter(self._param_attr, [self._size * input.shape[1], self._filters], self._dtype,
                                            False, inits.XavierUniform())
        self.bias = self.create_parameter(self._bias_attr, [self._filters], self._dtype, True)

    def forward(self, input):
        y = sequences.sequence_conv(input, None, self.weight, context_length=self._size, context_start=-(self._size // 2))
        return layers.activate(y if self.bias is None else y + self.bias, self._act)


class RowConv(Layer):
    """Each step plus weighted following steps, [N, T, D] (1.x; successor: paddle.static.nn.row_conv)."""

    _former = {"_filter_param": "weight"}

    def __init__(self, name_scope, future_context_size, param_attr=None, act=None):
        super().__init__(name_scope)
        self._future, self._param_attr, self._act = future_context_size, param_attr, act

    def _build_once(self, input):
        self.weight = self.create_parameter(self._param_attr, [self._future + 1, input.shape[-1]], self._dtype)

    def forward(self, input):
        return layers.activate(context.row_conv(input, self.weight), self._act)
