"""Bilinear, Unflatten, and the losses that have parameters or lengths: hierarchical sigmoid, CTC, transducer."""

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ...tensor.shapes import dims, ints
from .. import functional as F
from .layers import Layer

__all__ = ["Bilinear", "Unflatten", "HSigmoidLoss", "CTCLoss", "RNNTLoss"]


class Bilinear(Layer):
    """out[n, k] = x1[n] @ weight[k] @ x2[n] + bias[k].

    Args:
        in1_features, in2_features, out_features (int): sizes of x1, x2 and the result.
        weight_attr (ParamAttr or None): of the weight [out_features, in1_features, in2_features].
        bias_attr (ParamAttr, None or False): of the bias [1, out_features]; False leaves it out.
    Shape:
        [N, in1_features] and [N, in2_features] give [N, out_features].
    Raises:
        ValueError: an input has another number of features.

    >>> paddle.nn.Bilinear(3, 4, 5)(paddle.ones([2, 3]), paddle.ones([2, 4])).shape
    [2, 5]
    """

    def __init__(self, in1_features, in2_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self._in1_features, self._in2_features, self._out_features = in1_features, in2_features, out_features
        self._name = name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([out_features, in1_features, in2_features], weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1, x2):
        return F.bilinear(x1, x2, self.weight, self.bias, self._name)

    def extra_repr(self):
        return (f"in1_features={self._in1_features}, in2_features={self._in2_features}, out_features={self._out_features}, "
                f"dtype={self._dtype}" + (f", name={self._name}" if self._name else ""))


class Unflatten(Layer):
    """Make one axis several, of the given sizes (one may be -1).

    >>> paddle.nn.Unflatten(1, [2, -1])(paddle.ones([3, 6])).shape
    [3, 2, 3]
    """

    def __init__(self, axis, shape, name=None):
        super().__init__()
        self.axis, self.shape, self.name = axis, shape, name

    def forward(self, input):
        sizes = dims(input)
        axis = self.axis % len(sizes)
        return input.reshape([*sizes[:axis], *ints(self.shape, "Unflatten", "shape"), *sizes[axis + 1:]])

    def extra_repr(self):
        return f"axis={self.axis}, shape={self.shape}" + (f", name={self.name}" if self.name else "")


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid over a binary tree of classes (see nn.functional.hsigmoid_loss).

    >>> paddle.nn.HSigmoidLoss(3, 5)(paddle.ones([2, 3]), paddle.to_tensor([0, 4])).shape
    [2, 1]
    """

    def __init__(self, feature_size, num_classes, weight_attr=None, bias_attr=None, is_custom=False, is_sparse=False,
                 name=None):
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise ValueError(f"HSigmoidLoss(): num_classes must be at least 2, got {num_classes}")
        self._feature_size, self._num_classes, self._is_custom, self._is_sparse = (feature_size, num_classes, is_custom,
                                                                                   is_sparse)
        rows = num_classes if is_custom else num_classes - 1
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        self.weight = self.create_parameter([rows, feature_size], weight_attr)
        self.bias = self.create_parameter([rows, 1], bias_attr, is_bias=True)

    def forward(self, input, label, path_table=None, path_code=None):
        if self._is_custom and (path_table is None or path_code is None):
            raise ValueError("HSigmoidLoss(): is_custom=True needs path_table and path_code")
        return F.hsigmoid_loss(input, label, self._num_classes, self.weight, self.bias, path_table, path_code,
                               self._is_sparse, self._name)


class CTCLoss(Layer):
    """Connectionist temporal classification (see nn.functional.ctc_loss).

    Args:
        blank (int): index of the blank label.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.

    >>> loss, two = paddle.nn.CTCLoss(), paddle.to_tensor([2])
    >>> round(float(loss(paddle.zeros([2, 1, 2]), paddle.to_tensor([[1]]), two, paddle.to_tensor([1]))), 4)
    0.2877
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def forward(self, log_probs, labels, input_lengths, label_lengths, norm_by_times=False):
        further = {"zero_infinity": True} if self.zero_infinity else {}
        return F.ctc_loss(log_probs, labels, input_lengths, label_lengths, self.blank, self.reduction, norm_by_times, **further)


@documented_like(CTCLoss)
class RNNTLoss(Layer):
    """Transducer loss (see nn.functional.rnnt_loss).

    >>> one, label = paddle.to_tensor([1], dtype="int32"), paddle.to_tensor([[1]], dtype="int32")
    >>> round(float(paddle.nn.RNNTLoss()(paddle.full([1, 1, 2, 2], 0.5).log(), label, one, one)), 4)
    1.3863
    """

    def __init__(self, blank=0, fastemit_lambda=0.001, reduction="mean", name=None):
        super().__init__()
        self.blank, self.fastemit_lambda, self.reduction, self.name = blank, fastemit_lambda, reduction, name

    def forward(self, input, label, input_lengths, label_lengths):
        return F.rnnt_loss(input, label, input_lengths, label_lengths, self.blank, self.fastemit_lambda, self.reduction)


__getattr__ = _lookup(__name__)
