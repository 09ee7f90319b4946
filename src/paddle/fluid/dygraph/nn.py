"""Layers of fluid's dygraph, in the signatures of 1.4, 1.5 and (without name_scope) of 1.6 to 1.8.

Which signature a call uses is decided by its arguments: a leading string is a name_scope (1.4, 1.5).
"""

import numpy as np

from ...core import hooks
from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.tensor import Tensor
from ...nn import functional as F
from ...nn import initializer as inits
from ...nn.functional import conv as convolutions
from ...nn.layer import norm as layer_norms
from ...nn.param_attr import ParamAttr
from ...ops.nn.gating import prelu
from ...ops.sequence.dynamic_rnn import gru_unit
from .. import layers, state
from .arguments import bind, scope_of
from .layers import Layer
from .losses import BCELoss, L1Loss, MSELoss, NLLLoss
from .special import NCE, HSigmoid, RowConv, SequenceConv, TreeConv  # noqa: F401

__all__ = ["Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Pool2D", "FC", "Linear", "BatchNorm", "Dropout",
           "Embedding", "LayerNorm", "GroupNorm", "InstanceNorm", "PRelu", "BilinearTensorProduct", "GRUUnit", "SpectralNorm",
           "NCE", "TreeConv", "MSELoss", "L1Loss", "NLLLoss", "BCELoss"]


def _several(value, count):
    return list(value) if isinstance(value, (list, tuple)) else [value] * count


class _Conv(Layer):
    """What the convolutions share; parameters are made at once when the number of channels is known, else on first call."""

    dims, transposed = 2, False
    _former = {"_filter_param": "weight", "_img_filter": "weight", "_bias_param": "bias"}
    _14 = ["num_channels", "num_filters", "filter_size", "stride", "padding", "dilation", "groups", "use_cudnn", "act",
           "param_attr", "bias_attr", "dtype"]
    _15 = ["num_filters", "filter_size", "stride", "padding", "dilation", "groups", "param_attr", "bias_attr", "use_cudnn",
           "act", "dtype", "num_channels"]
    _18 = ["num_channels", "num_filters", "filter_size", "stride", "padding", "dilation", "groups", "param_attr", "bias_attr",
           "use_cudnn", "act", "dtype"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        who = type(self).__name__
        if scope is None:
            names = self._18
        else:  # 1.4 gives the number of channels, 1.5 does not
            three = len(args) + ("num_filters" in kwargs) + ("filter_size" in kwargs) > 2 and "num_filters" not in kwargs
            names = self._14 if "num_channels" in kwargs or three else self._15
            if "num_channels" in names[:1]:
                state.seems("1.4")
        a = bind(who, names, args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        self._output_size, self._data_format = a.get("output_size"), a.get("data_format") or ("NCHW", "NCDHW")[self.dims - 2]
        if "num_filters" not in a or a.get("filter_size") is None and self._output_size is None:
            raise TypeError(f"{who}() needs num_filters and filter_size")
        if not isinstance(a.get("use_cudnn", True), (bool, int)):
            raise ValueError(f"{who}(): use_cudnn must be True or False, got {a['use_cudnn']!r}")
        if self._output_size is not None and not isinstance(self._output_size, (int, list, tuple)):
            raise ValueError(f"{who}(): output_size must be an int, a list or a tuple, got {self._output_size!r}")
        self._num_filters, self._channels = a["num_filters"], a.get("num_channels")
        self._filter_size = None if a.get("filter_size") is None else _several(a["filter_size"], self.dims)
        self._stride, self._padding, self._dilation = a.get("stride", 1), a.get("padding", 0), a.get("dilation", 1)
        self._groups, self._act = a.get("groups") or 1, a.get("act")
        self._param_attr, self._bias_attr = a.get("param_attr"), a.get("bias_attr")
        if self._channels is not None and self._filter_size is not None:
            self._make()

    def _make(self):
        if self.transposed:
            shape = [self._channels, self._num_filters // self._groups, *self._filter_size]
            init = None
        else:
            shape = [self._num_filters, self._channels // self._groups, *self._filter_size]
            init = inits.Normal(0.0, float(2.0 / (np.prod(self._filter_size) * self._channels)) ** 0.5)
        self.weight = self.create_parameter(self._param_attr, shape, self._dtype, False, init)
        self.bias = self.create_parameter(self._bias_attr, [self._num_filters], self._dtype, True)

    def _build_once(self, input, *rest):
        if "weight" not in self._parameters:
            self._channels = input.shape[1]
            self._make()

    def forward(self, input):
        function = getattr(convolutions, f"conv{self.dims}d" + ("_transpose" if self.transposed else ""))
        y = function(input, self.weight, self.bias, stride=self._stride, padding=self._padding, dilation=self._dilation,
                     groups=self._groups, data_format=self._data_format)
        return layers.activate(y, self._act)


class Conv2D(_Conv):
    """2-d convolution (1.x; successor: paddle.nn.Conv2D)."""


class Conv3D(_Conv):
    """3-d convolution (1.x; successor: paddle.nn.Conv3D)."""

    dims = 3


class _ConvTranspose(_Conv):
    transposed = True
    _14 = _15 = ["num_filters", "output_size", "filter_size", "padding", "stride", "dilation", "groups", "param_attr",
                 "bias_attr", "use_cudnn", "act", "dtype", "num_channels"]
    _18 = ["num_channels", "num_filters", "filter_size", "output_size", "padding", "stride", "dilation", "groups", "param_attr",
           "bias_attr", "use_cudnn", "act", "dtype"]

    def _build_once(self, input, *rest):
        if self._filter_size is None:
            self._filter_size = convolutions.fitting_kernel(
                f"Conv{self.dims}DTranspose", self.dims, input, self._output_size, self._stride, self._padding, self._dilation,
                self._data_format)
        super()._build_once(input)

    def forward(self, input):
        function = getattr(convolutions, f"conv{self.dims}d_transpose")
        y = function(input, self.weight, self.bias, stride=self._stride, padding=self._padding, dilation=self._dilation,
                     groups=self._groups, output_size=self._output_size, data_format=self._data_format)
        return layers.activate(y, self._act)


class Conv2DTranspose(_ConvTranspose):
    """2-d transposed convolution (1.x; successor: paddle.nn.Conv2DTranspose)."""


class Conv3DTranspose(_ConvTranspose):
    """3-d transposed convolution (1.x; successor: paddle.nn.Conv3DTranspose)."""

    dims = 3


class Pool2D(Layer):
    """2-d pooling (1.x; successor: paddle.nn.MaxPool2D and AvgPool2D)."""

    _names = ["pool_size", "pool_type", "pool_stride", "pool_padding", "global_pooling", "use_cudnn", "ceil_mode", "exclusive",
              "dtype", "data_format"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        a = bind("Pool2D", self._names, args, kwargs)
        super().__init__(scope)
        a.pop("dtype", None)
        a.pop("use_cudnn", None)
        self._arguments = a

    def forward(self, input):
        return layers.pool2d(input, **self._arguments)


class FC(Layer):
    """Fully connected layer, built on first call (1.x; successor: paddle.nn.Linear)."""

    _former = {"_w": "_w0", "weight": "_w0", "bias": "_b"}

    _14 = ["size", "param_attr", "bias_attr", "num_flatten_dims", "dtype", "act", "is_test"]
    _15 = ["size", "num_flatten_dims", "param_attr", "bias_attr", "act", "is_test", "dtype"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        second = args[1] if len(args) > 1 else None
        older = second is not None and (isinstance(second, bool) or not isinstance(second, int))
        if older:
            state.seems("1.4")
        a = bind("FC", self._14 if older else self._15, args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        self._size, self._flatten, self._act = a["size"], a.get("num_flatten_dims", 1), a.get("act")
        self._param_attr, self._bias_attr = a.get("param_attr"), a.get("bias_attr")

    def _build_once(self, input, *rest):
        columns = int(np.prod(input.shape[self._flatten:]))
        self._w0 = self.create_parameter(self._param_attr, [columns, self._size], self._dtype)
        self._b = self.create_parameter(self._bias_attr, [self._size], self._dtype, True)

    def forward(self, input):
        if self._b is not None and isinstance(input, Tensor) and input._data.ndim == self._flatten + 1 and not hooks.installed():
            return layers.activate(F.linear(input, self._w0, self._b), self._act)  # the same in one operator
        y = layers.mul(input, self._w0, x_num_col_dims=self._flatten)
        if self._b is not None:
            y = layers.elementwise_add(y, self._b, axis=self._flatten)
        return layers.activate(y, self._act)


class Linear(Layer):
    """Fully connected layer of 1.7 on (1.x; successor: paddle.nn.Linear)."""

    def __init__(self, input_dim, output_dim, param_attr=None, bias_attr=None, act=None, dtype="float32"):
        super().__init__(None, dtype)
        self._act = act
        self.weight = self.create_parameter([input_dim, output_dim], param_attr, dtype)
        self.bias = self.create_parameter([output_dim], bias_attr, dtype, True)

    def forward(self, input):
        return layers.activate(F.linear(input, self.weight, self.bias), self._act)


class BatchNorm(Layer):
    """Batch norm (1.x; successor: paddle.nn.BatchNorm2D)."""

    _former = {"_scale": "weight", "_bias": "bias"}

    _names = ["num_channels", "act", "is_test", "momentum", "epsilon", "param_attr", "bias_attr", "dtype", "data_layout",
              "in_place", "moving_mean_name", "moving_variance_name", "do_model_average_for_mean_and_var",
              "fuse_with_relu", "use_global_stats", "trainable_statistics"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        a = bind("BatchNorm", self._names, args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        n = [a["num_channels"]]
        self._act, self._is_test = a.get("act"), a.get("is_test", False)
        self._momentum, self._epsilon = a.get("momentum", 0.9), a.get("epsilon", 1e-5)
        self._layout, self._global = a.get("data_layout", "NCHW"), a.get("use_global_stats", False)
        self._trainable_statistics = a.get("trainable_statistics", False)
        self.weight = self.create_parameter(a.get("param_attr"), n, self._dtype, False, inits.Constant(1.0))
        self.bias = self.create_parameter(a.get("bias_attr"), n, self._dtype, True)
        self._mean = self.create_parameter(ParamAttr(a.get("moving_mean_name"), trainable=False), n, self._dtype, False,
                                           inits.Constant(0.0))
        self._variance = self.create_parameter(ParamAttr(a.get("moving_variance_name"), trainable=False), n, self._dtype, False,
                                               inits.Constant(1.0))

    def forward(self, input):
        training = (self.training or self._trainable_statistics) and not self._is_test
        y = F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, training, self._momentum, self._epsilon,
                         self._layout, True if self._global else None)
        return layers.activate(y, self._act)


class Dropout(Layer):
    """Dropout of 1.x: by default kept elements are not rescaled in training (1.x; successor: paddle.nn.Dropout)."""

    def __init__(self, p=0.5, seed=None, dropout_implementation="downgrade_in_infer", is_test=False):
        super().__init__()
        self._p, self._seed, self._mode, self._is_test = p, seed, dropout_implementation, is_test

    def forward(self, input):
        return layers.dropout(input, self._p, is_test=self._is_test or not self.training, seed=self._seed,
                              dropout_implementation=self._mode)


class Embedding(Layer):
    """Rows of a table by index (1.x; successor: paddle.nn.Embedding); with a name_scope ids end in an axis of size 1."""

    _former = {"_w": "weight"}

    _names = ["size", "is_sparse", "is_distributed", "padding_idx", "param_attr", "dtype"]

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        a = bind("Embedding", self._names, args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        self._padding_idx = a.get("padding_idx")
        self.weight = self.create_parameter(a.get("param_attr"), list(a["size"]), self._dtype)
        self._sparse = bool(a.get("is_sparse", False)) and context.rules.sparse_gradients

    def forward(self, input):
        if self._scoped and input.shape[-1] == 1:
            input = input.squeeze(-1)
        return F.embedding(input, self.weight, self._padding_idx, self._sparse)


class LayerNorm(Layer):
    """Layer norm (1.x; successor: paddle.nn.LayerNorm)."""

    _former = {"_scale_w": "weight", "_bias_w": "bias"}

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        names = ["scale", "shift", "begin_norm_axis", "epsilon", "param_attr", "bias_attr", "act", "dtype"]
        if scope is None:
            names = ["normalized_shape", "scale", "shift", "epsilon", "param_attr", "bias_attr", "act", "dtype"]
        a = bind("LayerNorm", names, args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        self._a, self._begin = a, a.get("begin_norm_axis", 1)
        self._epsilon, self._act = a.get("epsilon", 1e-5), a.get("act")
        self.weight = self.bias = None
        shape = a.get("normalized_shape")
        if shape is not None:
            self._shape = [shape] if isinstance(shape, int) else list(shape)
            self._make()

    def _make(self):
        size = [int(np.prod(self._shape))]
        if self._a.get("scale", True):
            self.weight = self.create_parameter(self._a.get("param_attr"), size, self._dtype, False, inits.Constant(1.0))
        if self._a.get("shift", True):
            self.bias = self.create_parameter(self._a.get("bias_attr"), size, self._dtype, True)

    def _build_once(self, input, *rest):
        if self.weight is None and self.bias is None:
            self._shape = list(input.shape[self._begin:])
            self._make()

    def __getattr__(self, name):
        found = super().__getattr__(name)
        if found is None and name in self._former and not context.rules.none_for_missing:
            raise AttributeError(f"LayerNorm: {name} is there with scale=True or shift=True only")
        return found

    def forward(self, input):
        return layers.activate(F.layer_norm(input, self._shape, self.weight, self.bias, self._epsilon), self._act)


class GroupNorm(Layer):
    """Group norm (1.x; successor: paddle.nn.GroupNorm)."""

    _former = {"_scale": "weight", "_bias": "bias"}

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        names = ["groups", "epsilon", "param_attr", "bias_attr", "act", "data_layout"]
        a = bind("GroupNorm", names if scope is not None else ["channels", *names], args, kwargs)
        super().__init__(scope)
        self._groups, self._epsilon, self._act, self._a = a["groups"], a.get("epsilon", 1e-5), a.get("act"), a
        if "channels" in a:
            self._make(a["channels"])

    def _make(self, channels):
        self.weight = self.create_parameter(self._a.get("param_attr"), [channels], self._dtype, False, inits.Constant(1.0))
        self.bias = self.create_parameter(self._a.get("bias_attr"), [channels], self._dtype, True)

    def _build_once(self, input, *rest):
        if "weight" not in self._parameters:
            self._make(input.shape[1])

    def forward(self, input):
        return layers.activate(F.group_norm(input, self._groups, self._epsilon, self.weight, self.bias), self._act)


class InstanceNorm(Layer):
    """Instance norm (1.x; successor: paddle.nn.InstanceNorm2D)."""

    def __init__(self, num_channels, epsilon=1e-5, param_attr=None, bias_attr=None, dtype="float32"):
        super().__init__(None, dtype)
        self._epsilon = epsilon
        self.scale = self.create_parameter(param_attr, [num_channels], dtype, False, inits.Constant(1.0))
        self.bias = self.create_parameter(bias_attr, [num_channels], dtype, True)

    def forward(self, input):
        return F.instance_norm(input, weight=self.scale, bias=self.bias, eps=self._epsilon)


class PRelu(Layer):
    """Leaky ReLU with learned slopes: one, one per channel, or one per element (1.x; successor: paddle.nn.PReLU)."""

    _former = {"_alpha": "weight"}

    _own_name = "prelu"

    def __init__(self, *args, **kwargs):
        if len(args) > 1 and isinstance(args[1], str) or "mode" in kwargs:  # a string alone is the mode
            scope, args = scope_of(args, kwargs)
        else:
            scope = None
        a = bind("PRelu", ["mode", "param_attr"] if scope is not None else ["mode", "channel", "input_shape", "param_attr",
                                                                             "dtype"], args, kwargs)
        super().__init__(scope)
        self._mode, self._attr = a["mode"], a.get("param_attr")
        if self._mode not in ("all", "channel", "element"):
            raise ValueError(f"PRelu(): mode must be 'all', 'channel' or 'element', got {self._mode!r}")
        if scope is None:
            if a.get({"channel": "channel", "element": "input_shape"}.get(self._mode, "mode")) is None:
                raise ValueError(f"PRelu(): mode {self._mode!r} needs channel or input_shape")
            self._make({"all": [1], "channel": [1, a.get("channel"), 1, 1],
                        "element": [1, *list(a.get("input_shape") or [])[1:]]}[self._mode])

    def _make(self, shape):
        self.weight = self.create_parameter(self._attr, shape, self._dtype, False, inits.Constant(1.0))

    def _build_once(self, input, *rest):
        if "weight" not in self._parameters:
            self._make({"all": [1], "channel": [1, input.shape[1], 1, 1], "element": [1, *input.shape[1:]]}[self._mode])

    def forward(self, input):
        return prelu(input, self.weight, "NCHW", self._mode)


class BilinearTensorProduct(Layer):
    """x W y for each output (1.x; successor: paddle.nn.Bilinear)."""

    _former = {"_w": "weight", "_bias_param": "bias"}

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        names = ["size", "name", "act", "param_attr", "bias_attr"]
        if scope is None:
            names = ["input1_dim", "input2_dim", "output_dim", "name", "act", "param_attr", "bias_attr", "dtype"]
        a = bind("BilinearTensorProduct", names, args, kwargs)
        super().__init__(scope)
        self._size, self._act, self._a = a.get("output_dim", a.get("size")), a.get("act"), a
        if "input1_dim" in a:
            self._make(a["input1_dim"], a["input2_dim"])

    def _make(self, first, second):
        self.weight = self.create_parameter(self._a.get("param_attr"), [self._size, first, second], self._dtype)
        self.bias = self.create_parameter(self._a.get("bias_attr"), [1, self._size], self._dtype, True)

    def _build_once(self, x, y, *rest):
        if "weight" not in self._parameters:
            self._make(x.shape[1], y.shape[1])

    def forward(self, x, y):
        left = x.matmul(self.weight.transpose([1, 0, 2]).reshape([x.shape[1], -1])).reshape([-1, self._size, y.shape[1]])
        out = (left * y.unsqueeze(1)).sum(-1)
        return layers.activate(out if self.bias is None else out + self.bias, self._act)


class GRUUnit(Layer):
    """One GRU step on a projected input [N, 3 * H] (1.x; successor: paddle.nn.GRUCell); returns (hidden, reset part, gates)."""

    _former = {"_weight": "weight", "_bias": "bias"}

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        a = bind("GRUUnit", ["size", "param_attr", "bias_attr", "activation", "gate_activation", "origin_mode", "dtype"], args,
                  kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        self._hidden, self._origin = a["size"] // 3, a.get("origin_mode", False)
        self._act, self._gate = a.get("activation", "tanh"), a.get("gate_activation", "sigmoid")
        self.weight = self.create_parameter(a.get("param_attr"), [self._hidden, 3 * self._hidden], self._dtype)
        self.bias = self.create_parameter(a.get("bias_attr"), [1, 3 * self._hidden], self._dtype, True)

    def forward(self, input, hidden):
        gates, reset, out = gru_unit(input, hidden, self.weight, self.bias, self._act, self._gate, self._origin)
        return out, reset, gates


class SpectralNorm(Layer):
    """A weight divided by its largest singular value (1.x; successor: paddle.nn.SpectralNorm); with a name_scope the weight's shape
    is that of the first one."""

    def __init__(self, *args, **kwargs):
        scope, args = scope_of(args, kwargs)
        names = ["dim", "power_iters", "eps", "name", "dtype"]
        a = bind("SpectralNorm", names if scope is not None else ["weight_shape", *names], args, kwargs)
        super().__init__(scope, a.get("dtype", "float32"))
        self._dim, self._power_iters, self._eps = a.get("dim", 0), a.get("power_iters", 1), a.get("eps", 1e-12)
        if scope is None:
            self._make_vectors(a["weight_shape"])

    def _build_once(self, weight):
        if self._scoped:
            self._make_vectors(weight.shape)

    def _make_vectors(self, shape):
        """The vectors that follow the largest singular value, for weights of this shape."""
        rows, frozen = shape[self._dim], ParamAttr(trainable=False)
        self.weight_u, self.weight_v = (
            self.create_parameter([size], frozen, self._dtype, default_initializer=inits.Normal(0.0, 1.0))
            for size in (rows, int(np.prod(shape)) // rows))

    def forward(self, weight):
        vectors = self.weight_u, self.weight_v
        return layer_norms.by_largest_singular_value(weight, *vectors, self._dim, self._power_iters, self._eps)[0]


__getattr__ = _lookup(__name__)
