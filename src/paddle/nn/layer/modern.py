"""Layers that Paddle 3 added, and the names that it took over from PyTorch."""

import collections

from ...core.docstrings import documented_like
from ...core.tensor import Parameter as CoreParameter
from ...core.tensor import Tensor
from ...ops.nn import softmax as softmax_ops
from ...tensor.creation import as_array, empty
from ...tensor.joining import concat
from .. import functional as F
from .activation import Silu
from .common import _Dropout
from .container import LayerDict, LayerList
from .conv import Conv1D, Conv2D, Conv3D
from .function_layer import FunctionLayer
from .layers import Layer
from .pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
)
from .vision import _Pad

_FORMATS = {1: "NCL", 2: "NCHW", 3: "NCDHW"}
_SHAPES = {1: "[N, C, L]: an int or [left, right]", 2: "[N, C, H, W]: an int or [left, right, top, bottom]",
           3: "[N, C, D, H, W]: an int or [left, right, top, bottom, front, back]"}


def _padding(kind, mode, what, axes):
    """The class that pads with one mode."""
    name = f"{kind}Pad{axes}D"

    def __init__(self, padding, data_format=_FORMATS[axes], name=None):
        _Pad.__init__(self, padding, mode, 0.0, data_format, name)

    cells = "[" + ", ".join(["1", "1"] + ["3"] * axes) + "]"
    shown = "[" + ", ".join(["1", "1"] + ["5"] * axes) + "]"
    example = f">>> paddle.nn.{name}(1)(paddle.ones({cells})).shape\n    {shown}\n    "
    doc = f"{what} added around {_SHAPES[axes]}.\n\n    {example}"
    return type(name, (_Pad,), {"__init__": __init__, "__doc__": doc, "__module__": __name__, "axes": axes})


_KINDS = {"Circular": ("circular", "Cells of the other side"), "Reflection": ("reflect", "Mirrored cells"),
          "Replication": ("replicate", "Copies of the border"), "Zero": ("constant", "Zeros")}
_PADS = {f"{kind}Pad{axes}D": _padding(kind, mode, what, axes) for kind, (mode, what) in _KINDS.items() for axes in (1, 2, 3)
         if (kind, axes) != ("Zero", 2)}
globals().update(_PADS)


class _ConstantPad(_Pad):
    def __init__(self, padding, value, data_format=None, name=None):
        super().__init__(padding, "constant", value, data_format or _FORMATS[self.axes], name)


class ConstantPad1D(_ConstantPad):
    """Constant padding before and after [N, C, L]: an int or [left, right].

    Args:
        padding (int, list or Tensor): elements before and after each axis, the last axis first.
        value (float): what is added in mode 'constant'.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.ConstantPad1D(1, 9.)(paddle.ones([1, 1, 2])).tolist()
    [[[9.0, 1.0, 1.0, 9.0]]]
    """

    axes = 1


@documented_like(ConstantPad1D)
class ConstantPad2D(_ConstantPad):
    """Constant padding around [N, C, H, W]: an int or [left, right, top, bottom].

    >>> paddle.nn.ConstantPad2D([1, 0, 0, 0], 9.)(paddle.ones([1, 1, 1, 1])).tolist()
    [[[[9.0, 1.0]]]]
    """

    axes = 2


@documented_like(ConstantPad1D)
class ConstantPad3D(_ConstantPad):
    """Constant padding around [N, C, D, H, W]: an int or [left, right, top, bottom, front, back].

    >>> paddle.nn.ConstantPad3D(1, 9.)(paddle.ones([1, 1, 1, 1, 1])).shape
    [1, 1, 3, 3, 3]
    """

    axes = 3


class LPPool1D(FunctionLayer, function="lp_pool1d"):
    """The root of the sum of powers over each window of [N, C, L].

    Args:
        norm_type (float): the exponent p of the p-norm.
        kernel_size (int or tuple): size of the window.
        stride (int, tuple or None): stride of the window; None means ``kernel_size``.
        padding (int, tuple or str): padding on each side, 'SAME' or 'VALID'.
        ceil_mode (bool): keep an incomplete last window.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.LPPool1D(2, 2)(paddle.to_tensor([[[3., 4.]]])).tolist()
    [[[5.0]]]
    """

    def __init__(self, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCL", name=None):
        if isinstance(padding, bool):  # PyTorch's fourth argument
            padding, ceil_mode = 0, padding
        super().__init__(name, norm_type=float(norm_type), kernel_size=kernel_size, stride=stride, padding=padding,
                         ceil_mode=ceil_mode, data_format=data_format)

    def forward(self, x):
        return super().forward(x)

    def extra_repr(self):
        given = self._given()
        return ", ".join(f"{k}={given[k]}" for k in ("norm_type", "kernel_size", "stride", "padding"))


@documented_like(LPPool1D)
class LPPool2D(LPPool1D, function="lp_pool2d"):
    """The root of the sum of powers over each window of [N, C, H, W].

    >>> paddle.nn.LPPool2D(2, 2)(paddle.ones([1, 1, 2, 2])).tolist()
    [[[[2.0]]]]
    """

    def __init__(self, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCHW", name=None):
        super().__init__(norm_type, kernel_size, stride, padding, ceil_mode, data_format, name)


class FractionalMaxPool2D(FunctionLayer, function="fractional_max_pool2d"):
    """Largest element of windows of pseudo-random sizes (see nn.functional.fractional_max_pool2d).

    >>> paddle.nn.FractionalMaxPool2D(2, random_u=0.3)(paddle.ones([1, 1, 5, 5])).shape
    [1, 1, 2, 2]
    """

    def __init__(self, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
        super().__init__(name, output_size=output_size, kernel_size=kernel_size, random_u=random_u, return_mask=return_mask)

    def extra_repr(self):
        return f"output_size={self.output_size}, return_mask={self.return_mask}"


class FractionalMaxPool3D(FractionalMaxPool2D, function="fractional_max_pool3d"):
    """Largest element of windows of pseudo-random sizes in [N, C, D, H, W].

    >>> paddle.nn.FractionalMaxPool3D(2, random_u=0.3)(paddle.ones([1, 1, 4, 5, 5])).shape
    [1, 1, 2, 2, 2]
    """


class FeatureAlphaDropout(_Dropout, function="feature_alpha_dropout"):
    """Alpha dropout of whole channels in training.

    >>> paddle.nn.FeatureAlphaDropout()(paddle.ones([1, 2, 3])).shape
    [1, 2, 3]
    """

    def __init__(self, p=0.5, name=None):
        super().__init__(name, p=p)


class MultiLabelMarginLoss(FunctionLayer, function="multi_label_margin_loss"):
    """The margin loss of several labels per row (see nn.functional.multi_label_margin_loss).

    Args:
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.

    >>> float(paddle.nn.MultiLabelMarginLoss()(paddle.to_tensor([[1., 2.]]), paddle.to_tensor([[0, -1]])))
    1.0
    """

    def __init__(self, reduction="mean", name=None):
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"MultiLabelMarginLoss(): reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
        super().__init__(name, reduction=reduction)

    def forward(self, input, label):
        return self._call(input, label)


class AdaptiveLogSoftmaxWithLoss(Layer):
    """A softmax in two levels for many classes, frequent ones first: the head has those and one entry per cluster of others.

    Args:
        in_features, n_classes (int): sizes of the input and number of classes.
        cutoffs (list of int): where clusters begin, rising.
        div_value (float): factor by which each cluster's inner size is smaller than that of the previous one.
        head_bias (bool): has the head a bias?
        weight_attr (ParamAttr or None): of all weights.
        bias_attr (ParamAttr, None or False): of the head's bias.
    Shape:
        ``layer(x, label)``: [N, in_features] and [N] give (log probabilities [N], loss without axes).
    Raises:
        ValueError: ``cutoffs`` do not rise, the shapes are incompatible, or a label is not a class index.

    >>> layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 6, [2, 4], div_value=2.)
    >>> out, loss = layer(paddle.ones([3, 8]), paddle.to_tensor([0, 3, 5])); out.shape, layer.predict(paddle.ones([3, 8])).shape
    ([3], [3])
    """

    def __init__(self, in_features, n_classes, cutoffs, weight_attr=None, bias_attr=None, div_value=4.0, head_bias=False,
                 name=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs or cutoffs != sorted(set(cutoffs)) or not 0 < cutoffs[0] or cutoffs[-1] >= n_classes:
            raise ValueError(f"AdaptiveLogSoftmaxWithLoss(): cutoffs must rise from 1 to {n_classes - 1}, got {cutoffs}")
        self.in_features, self.n_classes, self.cutoffs, self.div_value = in_features, n_classes, [*cutoffs, n_classes], div_value
        self.n_clusters, self.shortlist_size = len(cutoffs), cutoffs[0]
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self.create_parameter([in_features, self.head_size], weight_attr)
        self.head_bias = self.create_parameter([self.head_size], bias_attr, is_bias=True) if head_bias else None
        self.tail_weights = []
        for k in range(self.n_clusters):
            inner, size = int(in_features // div_value ** (k + 1)), self.cutoffs[k + 1] - self.cutoffs[k]
            pair = [self.create_parameter([in_features, inner], weight_attr), self.create_parameter([inner, size], weight_attr)]
            for position, parameter in enumerate(pair):
                self.add_parameter(f"tail_{k}_{position}", parameter)
            self.tail_weights.append(pair)

    def forward(self, input, label):
        return F.adaptive_log_softmax_with_loss(input, label, self.head_weight, self.tail_weights, self.cutoffs, self.head_bias)

    def log_prob(self, input):
        """The log-probabilities of all classes: [N, n_classes]."""
        head = softmax_ops.log_softmax(F.linear(input, self.head_weight, self.head_bias), 1)
        parts = [head[:, :self.shortlist_size]]
        for k, (narrow, wide) in enumerate(self.tail_weights):
            inner = softmax_ops.log_softmax(F.linear(F.linear(input, narrow), wide), 1)
            parts.append(inner + head[:, self.shortlist_size + k].unsqueeze(1))
        return concat(parts, 1)

    def predict(self, input):
        """The most probable class of each row."""
        return self.log_prob(input).argmax(1)


class ParameterDict(Layer):
    """A dict of parameters that are registered.

    Args:
        parameters (dict or list of pairs, None): its first items. It behaves like a dict; keys are names in ``state_dict``.

    >>> table = paddle.nn.ParameterDict({'a': paddle.create_parameter([2], 'float32')})
    >>> list(table.keys()), len(table), 'a' in table
    (['a'], 1, True)
    """

    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return self._parameters[str(key)]

    def __setitem__(self, key, parameter):
        self.add_parameter(str(key), parameter)

    def __delitem__(self, key):
        del self._parameters[str(key)]

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters)

    def __contains__(self, key):
        return str(key) in self._parameters

    def keys(self):
        """The names."""
        return self._parameters.keys()

    def values(self):
        """The parameters."""
        return self._parameters.values()

    def items(self):
        """Pairs (name, parameter)."""
        return self._parameters.items()

    def update(self, parameters):
        """Add parameters from a dict or from (name, parameter) pairs."""
        for key, parameter in parameters.items() if isinstance(parameters, collections.abc.Mapping) else parameters:
            self[key] = parameter


class _ParameterKind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, CoreParameter)


class Parameter(metaclass=_ParameterKind):
    """A trainable tensor with the values of another one; registered when it is set as an attribute of a layer.

    Args:
        data: Tensor or array; an empty one for None.
        requires_grad: do gradients reach it?

    >>> paddle.nn.Parameter(paddle.ones([2])).stop_gradient
    False
    """

    def __new__(cls, data=None, requires_grad=True):
        array = empty([0]).numpy() if data is None else data._data.copy() if isinstance(data, Tensor) else as_array(data)
        parameter = CoreParameter(array, None)
        parameter.stop_gradient = not requires_grad
        return parameter


Module, ModuleList, ModuleDict, SiLU = Layer, LayerList, LayerDict, Silu
Conv1d, Conv2d, Conv3d = Conv1D, Conv2D, Conv3D
AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = AdaptiveAvgPool1D, AdaptiveAvgPool2D, AdaptiveAvgPool3D
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = AdaptiveMaxPool1D, AdaptiveMaxPool2D, AdaptiveMaxPool3D
LPPool1d, LPPool2d = LPPool1D, LPPool2D
_CONSTANT = {"ConstantPad1D": ConstantPad1D, "ConstantPad2D": ConstantPad2D, "ConstantPad3D": ConstantPad3D}
_LOWER = {name[:-1] + "d": value for name, value in {**_PADS, **_CONSTANT}.items()}
globals().update(_LOWER)
__all__ = [*_PADS, *_LOWER, "ConstantPad1D", "ConstantPad2D", "ConstantPad3D", "LPPool1D", "LPPool2D", "LPPool1d", "LPPool2d",
           "FractionalMaxPool2D", "FractionalMaxPool3D", "FeatureAlphaDropout", "MultiLabelMarginLoss",
           "AdaptiveLogSoftmaxWithLoss", "ParameterDict", "Parameter", "Module", "ModuleList", "ModuleDict", "SiLU",
           "Conv1d", "Conv2d", "Conv3d",
           "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
           "AdaptiveMaxPool3d"]
