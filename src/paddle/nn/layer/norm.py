"""Normalisation layers."""

import numbers

import numpy as np

from ...core import errors
from ...core import place as places
from ...core.addresses import lookup as _lookup
from ...core.autograd import no_grad
from ...core.docstrings import documented_like
from ...core.generation import construction
from ...ops.math import arithmetic, reduction, unary
from .. import functional as F
from ..activations import activate
from ..functional.norm import normalised
from ..initializer import Constant, Normal
from ..param_attr import ParamAttr
from . import pairs
from .layers import Layer, named_after

__all__ = ["BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "SyncBatchNorm", "LayerNorm", "GroupNorm",
           "InstanceNorm1D", "InstanceNorm2D", "InstanceNorm3D", "LocalResponseNorm", "SpectralNorm"]


class _BatchNormBase(Layer):
    """Scale, shift and running statistics of batch norm."""

    ranks = (2, 3, 4, 5)
    _statistics_average = True  # do averages of the model hold those of the statistics?

    def __init__(self, num_features, momentum=0.9, epsilon=1e-5, weight_attr=None, bias_attr=None, data_format="NCHW",
                 use_global_stats=None, name=None, dtype="float32"):
        super().__init__(dtype=dtype)
        self._num_features, self._momentum, self._epsilon = num_features, float(momentum), float(epsilon)
        self._data_format, self._use_global_stats, self._name = data_format, use_global_stats, name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        self._mean = self._statistic(name and name + "_mean", 0.0)
        self._variance = self._statistic(name and name + "_variance", 1.0)

    def _statistic(self, name, value):
        attr = ParamAttr(name, Constant(value), trainable=False, do_model_average=self._statistics_average)
        return self.create_parameter([self._num_features], attr)

    def _check_input_dim(self, input):
        """Networks of others define it to take inputs of further ranks."""
        if len(input.shape) not in self.ranks:
            raise ValueError(f"{type(self).__name__}(): input must have {' or '.join(map(str, self.ranks))} dimensions, got shape "
                             f"{list(input.shape)}")

    def _check_data_format(self, input):
        if input not in ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC"):
            raise ValueError(f"{type(self).__name__}(): data_format must be NCHW, NHWC or the like, got {errors.describe(input)}")

    def forward(self, input):
        self._check_input_dim(input)
        return F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, self.training, self._momentum,
                            self._epsilon, self._data_format, self._use_global_stats)

    def extra_repr(self):
        text = f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return text + (f", name={self._name}" if self._name else "")


@pairs.takes(_BatchNormBase.forward, "relu", "relu6")
def _with_relu(layer, x, act):
    layer._check_input_dim(x)
    return normalised(x, layer._mean, layer._variance, layer.weight, layer.bias, layer.training, layer._momentum, layer._epsilon,
                      layer._data_format, layer._use_global_stats, act)



class BatchNorm1D(_BatchNormBase):
    """Batch norm of [N, C] or [N, C, L]: y = (x - mean) / sqrt(variance + epsilon) * weight + bias for every channel.

    In training mean and variance are those of the batch, and running = momentum * running + (1 - momentum) * batch is kept
    (PyTorch's momentum is 1 - this one). After ``eval()`` the running ones are used.

    Args:
        num_features (int): number of channels C.
        momentum (float): fraction of the old running values.
        epsilon (float): added to the variance.
        weight_attr, bias_attr (ParamAttr, None or False): initialiser, name and settings of the parameters (None: the usual
            ones); ``bias_attr=False`` leaves the bias out.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
        use_global_stats (bool or None): True uses the running values in training too; None follows ``train()`` and ``eval()``.
    Returns:
        Tensor of the shape of x. ``_mean`` and ``_variance`` are the running values, part of ``state_dict()``.
    Raises:
        ValueError: x has another number of channels or axes.

    >>> paddle.nn.BatchNorm1D(3)(paddle.rand([4, 3])).shape
    [4, 3]
    """

    ranks = (2, 3)

    def __init__(self, num_features, momentum=0.9, epsilon=1e-5, weight_attr=None, bias_attr=None, data_format="NCL",
                 use_global_stats=None, name=None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)


@documented_like(BatchNorm1D)
class BatchNorm2D(_BatchNormBase):
    """Batch norm of [N, C, H, W]: y = (x - mean) / sqrt(variance + epsilon) * weight + bias for every channel.

    In training mean and variance are those of the batch, and running = momentum * running + (1 - momentum) * batch is kept
    (PyTorch's momentum is 1 - this one). After ``eval()`` the running ones are used.

    Args:
        dtype (str): data type of the parameters.

    >>> paddle.nn.BatchNorm2D(3)(paddle.rand([4, 3, 2, 2])).shape
    [4, 3, 2, 2]
    """

    ranks = (4,)


@documented_like(BatchNorm1D)
class BatchNorm3D(_BatchNormBase):
    """Batch norm of [N, C, D, H, W]: y = (x - mean) / sqrt(variance + epsilon) * weight + bias for every channel.

    In training mean and variance are those of the batch, and running = momentum * running + (1 - momentum) * batch is kept
    (PyTorch's momentum is 1 - this one). After ``eval()`` the running ones are used.

    >>> paddle.nn.BatchNorm3D(3)(paddle.rand([4, 3, 2, 2, 2])).shape
    [4, 3, 2, 2, 2]
    """

    ranks = (5,)

    def __init__(self, num_features, momentum=0.9, epsilon=1e-5, weight_attr=None, bias_attr=None, data_format="NCDHW",
                 use_global_stats=None, name=None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)


class BatchNorm(_BatchNormBase):
    """Batch norm as older programs have it: any rank, with an activation by name.

    ``in_place`` changes nothing: the input is never overwritten.

    Args:
        num_channels (int): size of the channels' axis.
        act (str, None): activation that follows, as 'relu'.
        is_test (bool, False): start in eval mode: normalise with the running statistics until ``train()`` is called.
        momentum (float, 0.9): fraction of the old running statistics at each step.
        epsilon (float, 1e-5): added to the variance.
        param_attr, bias_attr (ParamAttr, None or False): scale and shift.
        data_layout (str, 'NCHW'): or 'NHWC' for channels last.
        use_global_stats (bool, False): normalise with the running statistics in training, too.
        trainable_statistics (bool, False): use the batch's statistics in eval mode.
        dtype (str): data type of the parameters.
        in_place (bool): changes nothing.
        moving_mean_name, moving_variance_name (str or None): names of the running statistics.
        do_model_average_for_mean_and_var (bool): do they take part in model averaging?
    Shape:
        [N, C, ...] gives the same shape.
    Raises:
        ValueError: x has another number of channels, or there is no activation ``act``.

    >>> paddle.nn.BatchNorm(3, act='relu')(paddle.rand([4, 3, 2, 2])).shape
    [4, 3, 2, 2]
    """

    def __init__(self, num_channels, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None, bias_attr=None,
                 dtype="float32", data_layout="NCHW", in_place=False, moving_mean_name=None, moving_variance_name=None,
                 do_model_average_for_mean_and_var=True, use_global_stats=False, trainable_statistics=False):
        self._statistics_average = bool(do_model_average_for_mean_and_var)
        super().__init__(num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, use_global_stats, dtype=dtype)
        self._act, self._is_test, self._trainable_statistics = act, is_test, trainable_statistics
        self.training = not is_test
        self._param_attr, self._data_layout, self._in_place = param_attr, data_layout, in_place
        if moving_mean_name:
            self._mean.name = moving_mean_name
        if moving_variance_name:
            self._variance.name = moving_variance_name

    def forward(self, input):
        training = self.training or self._trainable_statistics
        with named_after(self, input):
            y = F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, training, self._momentum, self._epsilon,
                             self._data_layout, self._use_global_stats or None)
            return activate(y, self._act, "BatchNorm")

    def extra_repr(self):
        return ""


class SyncBatchNorm(_BatchNormBase):
    """Batch norm whose statistics are those of all ranks' batches together; plain batch norm in a world of one.

    Args:
        num_features (int): number of channels.
        momentum (float): fraction of the old running values.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr, None or False): of the scale; False leaves it out.
        bias_attr (ParamAttr, None or False): of the shift; False leaves it out.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
    Shape:
        [N, C, ...] gives the same shape.
    Raises:
        ValueError: x has another number of channels or axes.

    >>> paddle.nn.SyncBatchNorm(3)(paddle.rand([4, 3, 2, 2])).shape
    [4, 3, 2, 2]
    """

    def __init__(self, num_features, momentum=0.9, epsilon=1e-5, weight_attr=None, bias_attr=None, data_format="NCHW", name=None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, name=name)

    def forward(self, x):
        from ...distributed import get_world_size  # only a job of several processes needs the room
        if not self.training or get_world_size() < 2:
            return super().forward(x)
        from ...distributed.sync_batch_norm import sync_batch_norm  # likewise
        return sync_batch_norm(x, self._mean, self._variance, self.weight, self.bias, self._momentum, self._epsilon,
                               self._data_format)

    @classmethod
    def convert_sync_batchnorm(cls, layer):
        """The layer with every batch norm inside replaced by a SyncBatchNorm of the same parameters.

        Args:
            layer (Layer): the model.
        Returns:
            Layer: the model, or what replaces it if it is a batch norm itself.
        Raises:
            TypeError: ``layer`` is not a Layer.

        >>> type(paddle.nn.SyncBatchNorm.convert_sync_batchnorm(paddle.nn.BatchNorm2D(3))).__name__
        'SyncBatchNorm'
        """
        errors.check_type(layer, Layer, "convert_sync_batchnorm", "layer")
        result = layer
        if isinstance(layer, _BatchNormBase) and not isinstance(layer, cls):
            result = cls(layer._num_features, layer._momentum, layer._epsilon, None, None, layer._data_format)
            result.weight, result.bias = layer.weight, layer.bias
            result._mean, result._variance = layer._mean, layer._variance
            result.training = layer.training
        for name, child in list(layer._sub_layers.items()):
            if child is not None:
                result.add_sublayer(name, cls.convert_sync_batchnorm(child))
        return result


@construction("paddle.imperative.layers.LayerNorm", alpha_only={"act", "param_attr", "scale", "shift"},
              only_modern={"name", "weight_attr"}, again={"dtype"})
class LayerNorm(Layer):
    """Normalise over the last axes: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, each sample by itself.

    Args:
        normalized_shape (int or list): sizes of the last axes, over which mean and variance are taken.
        epsilon (float): added to the variance.
        weight_attr, bias_attr (ParamAttr, None or False): initialiser, name and settings of the parameters (None: the usual
            ones); ``bias_attr=False`` leaves the bias out. ``weight_attr=False`` leaves the scale out.
        elementwise_affine (bool): False leaves scale and shift out (Paddle 3).
        bias (bool): False leaves the bias out (Paddle 3).
        device, dtype (str or None): device, and data type of the parameters (Paddle 3).
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: the last axes of x are not ``normalized_shape``.

    >>> paddle.nn.LayerNorm(3)(paddle.rand([4, 3])).shape
    [4, 3]
    """

    def __init__(self, normalized_shape, epsilon=1e-5, weight_attr=None, bias_attr=None, name=None, *, elementwise_affine=True,
                 bias=True, device=None, dtype=None):
        super().__init__(dtype=dtype or "float32")
        if device is not None:
            places.convert(device, "LayerNorm")
        weight_attr = weight_attr if elementwise_affine else False
        bias_attr = bias_attr if elementwise_affine and bias else False
        one = isinstance(normalized_shape, numbers.Integral)
        self._normalized_shape = [int(n) for n in ([normalized_shape] if one else normalized_shape)]
        self._epsilon = float(epsilon)
        size = [int(np.prod(self._normalized_shape))]
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter(size, weight_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(size, bias_attr, dtype, is_bias=True)

    def forward(self, input):
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self):
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


@construction("paddle.imperative.layers.GroupNorm", alpha_only={"act", "channels", "data_layout", "groups", "param_attr"},
              only_modern={"data_format", "name", "num_channels", "num_groups", "weight_attr"}, again={"dtype"})
@documented_like(BatchNorm1D)
class GroupNorm(Layer):
    """Normalise each sample over groups of channels, then scale and shift.

    Args:
        num_groups, num_channels (int): groups, and channels of x [N, C, ...]; the second must be a multiple of the first.
        data_format (str): 'NCHW' or 'NHWC'.
        affine (bool): False leaves scale and shift out (Paddle 3).
        device, dtype (str or None): device, and data type of the parameters (Paddle 3).
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: x has another number of channels, or the groups do not divide them.

    >>> paddle.nn.GroupNorm(2, 4)(paddle.rand([1, 4, 2, 2])).shape
    [1, 4, 2, 2]
    """

    def __init__(self, num_groups, num_channels, epsilon=1e-5, weight_attr=None, bias_attr=None, data_format="NCHW", name=None, *,
                 affine=True, device=None, dtype=None):
        super().__init__(dtype=dtype or "float32")
        if device is not None:
            places.convert(device, "GroupNorm")
        if not affine:
            weight_attr = bias_attr = False
        self._num_groups, self._num_channels, self._epsilon, self._data_format = num_groups, num_channels, epsilon, data_format
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        # Without a weight or bias, Paddle's layer keeps a constant that is saved but not trained.
        kept = [ParamAttr(initializer=Constant(value), trainable=False) if attr is False else attr
                for attr, value in ((weight_attr, 1.0), (bias_attr, 0.0))]
        self.weight = self.create_parameter([num_channels], kept[0], dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], kept[1], dtype, is_bias=True)

    def forward(self, input):
        with named_after(self, input):
            return F.group_norm(input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format)

    def extra_repr(self):
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


class _InstanceNorm(Layer):
    ranks = (4,)

    def __init__(self, num_features, epsilon=1e-5, momentum=0.9, weight_attr=None, bias_attr=None, data_format=None, name=None):
        super().__init__()
        F.norm.check_channels_first(data_format, type(self).__name__)
        self._num_features, self._epsilon, self._momentum = num_features, epsilon, momentum
        self._data_format = data_format or {3: "NCL", 4: "NCHW", 5: "NCDHW"}[self.ranks[-1]]
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.scale = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)

    def _check_input_dim(self, input):
        if len(input.shape) not in self.ranks:
            raise ValueError(f"{type(self).__name__}(): x must have {' or '.join(map(str, self.ranks))} dimensions, got shape "
                             f"{list(input.shape)}")

    def forward(self, input):
        self._check_input_dim(input)
        return F.instance_norm(input, weight=self.scale, bias=self.bias, eps=self._epsilon)

    def extra_repr(self):
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


@documented_like(SyncBatchNorm)
class InstanceNorm1D(_InstanceNorm):
    """Instance norm of [N, C, L], or of [N, C], where the one element of each channel becomes 0.

    Shape:
        [N, C, L] or [N, C] gives the same shape.

    >>> paddle.nn.InstanceNorm1D(3)(paddle.rand([2, 3, 4])).shape
    [2, 3, 4]
    """

    ranks = (2, 3)


@documented_like(SyncBatchNorm)
class InstanceNorm2D(_InstanceNorm):
    """Instance norm of [N, C, H, W].

    Shape:
        [N, C, H, W] gives the same shape.

    >>> paddle.nn.InstanceNorm2D(3)(paddle.rand([2, 3, 4, 4])).shape
    [2, 3, 4, 4]
    """


@documented_like(SyncBatchNorm)
class InstanceNorm3D(_InstanceNorm):
    """Instance norm of [N, C, D, H, W].

    Shape:
        [N, C, D, H, W] gives the same shape.

    >>> paddle.nn.InstanceNorm3D(3)(paddle.rand([2, 3, 4, 4, 4])).shape
    [2, 3, 4, 4, 4]
    """

    ranks = (5,)


class LocalResponseNorm(Layer):
    """x / (k + alpha * mean of squares over ``size`` neighbouring channels)^beta.

    Args:
        size (int): neighbouring channels that count.
        alpha (float): factor on the sum of squares.
        beta (float): exponent.
        k (float): added to the sum.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.LocalResponseNorm(3)(paddle.rand([1, 4, 2, 2])).shape
    [1, 4, 2, 2]
    """

    def __init__(self, size, alpha=0.0001, beta=0.75, k=1.0, data_format="NCHW", name=None):
        super().__init__()
        self.size, self.alpha, self.beta, self.k, self.data_format, self.name = size, alpha, beta, k, data_format, name

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k, self.data_format, self.name)

    def extra_repr(self):
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        return text + (f", data_format={self.data_format}" if self.data_format != "NCHW" else "")


def by_largest_singular_value(x, u, v, axis, power_iters, eps, at_least=False):
    """(x / sigma, u, v): the estimate sigma is u @ matrix @ v after so many power iterations, x's ``axis`` the rows.

    Vectors are divided by their length and eps, added up; with ``at_least`` by their length, or by eps if that is longer.
    """
    order = [axis, *(i for i in range(len(x.shape)) if i != axis)]
    matrix = x.transpose(order).reshape([x.shape[axis], -1])

    def unit(t):
        length = unary.sqrt(reduction.sum(t * t))
        return t / (arithmetic.clip(length, min=eps) if at_least else length + eps)
    with no_grad():
        for _ in range(power_iters):
            v = unit(matrix.detach().t() @ u)
            u = unit(matrix.detach() @ v)
    return x / reduction.sum(u.detach() * (matrix @ v.detach())), u, v


class SpectralNorm(Layer):
    """A weight divided by an estimate of its largest singular value (power iteration).

    Args:
        weight_shape: shape of the weights that will be given to the layer.
        dim: the axis that becomes the rows of the matrix.
        power_iters: iterations per call, always from the vectors the layer was made with.

    >>> paddle.nn.SpectralNorm([2, 8], dim=0, power_iters=2)(paddle.rand([2, 8])).shape
    [2, 8]
    """

    def __init__(self, weight_shape, dim=0, power_iters=1, eps=1e-12, dtype="float32"):
        super().__init__(dtype=dtype)
        self._weight_shape, self._dim, self._power_iters, self._eps = list(weight_shape), dim, power_iters, eps
        if not weight_shape or any(n <= 0 for n in weight_shape):
            raise ValueError(f"SpectralNorm(): weight_shape must hold positive sizes, got {list(weight_shape)}")
        rows = self._weight_shape[dim]
        frozen = ParamAttr(trainable=False)
        self.weight_u = self.create_parameter([rows], frozen, default_initializer=Normal(0.0, 1.0))
        self.weight_v = self.create_parameter([int(np.prod(self._weight_shape)) // rows], frozen,
                                              default_initializer=Normal(0.0, 1.0))

    def forward(self, x):
        if list(x.shape) != self._weight_shape:
            raise ValueError(f"SpectralNorm(): the weight must have shape {self._weight_shape}, got {list(x.shape)}")
        with named_after(self, x):
            return by_largest_singular_value(x, self.weight_u, self.weight_v, self._dim, self._power_iters, self._eps)[0]


__getattr__ = _lookup(__name__)
