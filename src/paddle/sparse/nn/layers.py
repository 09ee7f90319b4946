"""Layers over sparse tensors; their parameters are those of dense layers."""

from ...core.errors import check_choice
from ...nn import BatchNorm1D, Layer
from ...nn import SyncBatchNorm as DenseSyncBatchNorm
from ...nn.initializer import Normal
from ..tensors import coo
from . import functional as F

__all__ = ["ReLU", "ReLU6", "LeakyReLU", "Softmax", "BatchNorm", "SyncBatchNorm", "Conv2D", "Conv3D", "SubmConv2D",
           "SubmConv3D", "MaxPool3D"]


class ReLU(Layer):
    """max(v, 0) of every value of a sparse tensor.

    >>> paddle.sparse.nn.ReLU()(paddle.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 2.0], [3])).values().tolist()
    [0.0, 2.0]
    """

    def __init__(self, name=None):
        super().__init__()

    def forward(self, x):
        return F.relu(x)


class ReLU6(ReLU):
    """min(max(v, 0), 6) of every value of a sparse tensor.

    >>> paddle.sparse.nn.ReLU6()(paddle.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 8.0], [3])).values().tolist()
    [0.0, 6.0]
    """

    def forward(self, x):
        return F.relu6(x)


class LeakyReLU(Layer):
    """v, or ``negative_slope`` * v below zero, of every value of a sparse tensor.

    >>> paddle.sparse.nn.LeakyReLU(0.5)(paddle.sparse.sparse_coo_tensor([[0, 2]], [-2.0, 2.0], [3])).values().tolist()
    [-1.0, 2.0]
    """

    def __init__(self, negative_slope=0.01, name=None):
        super().__init__()
        self._negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self._negative_slope)


class Softmax(Layer):
    """Softmax over the values of each row of a sparse tensor.

    >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [1.0, 1.0, 3.0], [2, 3])
    >>> paddle.sparse.nn.Softmax()(x).values().tolist()
    [0.5, 0.5, 1.0]
    """

    def __init__(self, axis=-1, name=None):
        super().__init__()
        self._axis = axis

    def forward(self, x):
        return F.softmax(x, self._axis)


class BatchNorm(BatchNorm1D):
    """Batch normalisation of the values [n, channels] of a sparse tensor: only what is written down counts.

    >>> x = paddle.ones([1, 2, 2, 2, 3]).to_sparse_coo(4)
    >>> paddle.sparse.nn.BatchNorm(3)(x).shape
    [1, 2, 2, 2, 3]
    """

    def __init__(self, num_features, momentum=0.9, epsilon=1e-05, weight_attr=None, bias_attr=None, data_format="NDHWC",
                 use_global_stats=None, name=None):
        if data_format not in ("NDHWC", "NHWC"):
            raise ValueError(f"sparse.nn.BatchNorm(): data_format must be 'NDHWC' or 'NHWC', got {data_format!r}")
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, "NC", use_global_stats, name)

    def forward(self, x):
        coo(x, "sparse.nn.BatchNorm")
        return x.with_values(super().forward(x.values()))


class SyncBatchNorm(DenseSyncBatchNorm):
    """``BatchNorm`` with statistics of the values of all ranks.

    >>> x = paddle.ones([1, 2, 2, 2, 3]).to_sparse_coo(4)
    >>> paddle.sparse.nn.SyncBatchNorm(3)(x).shape
    [1, 2, 2, 2, 3]
    """

    def forward(self, x):
        coo(x, "sparse.nn.SyncBatchNorm")
        return x.with_values(super().forward(x.values()))


class _Conv(Layer):
    dims = function = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, padding_mode="zeros",
                 weight_attr=None, bias_attr=None, data_format=None):
        super().__init__()
        name = type(self).__name__
        if padding_mode != "zeros":
            raise ValueError(f"sparse.nn.{name}(): padding_mode must be 'zeros', got {padding_mode!r}")
        kernel, known = F.each(kernel_size, self.dims, name, "kernel_size"), "NDHWC" if self.dims == 3 else "NHWC"
        check_choice(data_format or known, (known,), f"sparse.nn.{name}", "data_format")
        self._options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "data_format": known}
        fan_in = in_channels
        for n in kernel:
            fan_in *= n
        self.weight = self.create_parameter([*kernel, in_channels, out_channels], weight_attr,
                                            default_initializer=Normal(0.0, (2.0 / fan_in) ** 0.5))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x):
        return type(self).function(x, self.weight, self.bias, **self._options)


class Conv2D(_Conv):
    """Convolution over the sites of sparse images [N, H, W, C].

    >>> paddle.sparse.nn.Conv2D(2, 5, 3)(paddle.ones([1, 4, 4, 2]).to_sparse_coo(3)).shape
    [1, 2, 2, 5]
    """

    dims, function = 2, staticmethod(F.conv2d)


class Conv3D(_Conv):
    """Convolution over the sites of sparse volumes [N, D, H, W, C].

    >>> paddle.sparse.nn.Conv3D(2, 5, 3)(paddle.ones([1, 4, 4, 4, 2]).to_sparse_coo(4)).shape
    [1, 2, 2, 2, 5]
    """

    dims, function = 3, staticmethod(F.conv3d)


class _SubmanifoldConv(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, padding_mode="zeros",
                 key=None, weight_attr=None, bias_attr=None, data_format=None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode, weight_attr,
                         bias_attr, data_format)
        self._options["key"] = key


class SubmConv2D(_SubmanifoldConv):
    """Submanifold convolution of sparse images: outputs only at the sites of the input.

    >>> paddle.sparse.nn.SubmConv2D(2, 5, 3)(paddle.ones([1, 4, 4, 2]).to_sparse_coo(3)).shape
    [1, 4, 4, 5]
    """

    dims, function = 2, staticmethod(F.subm_conv2d)


class SubmConv3D(_SubmanifoldConv):
    """Submanifold convolution of sparse volumes: outputs only at the sites of the input.

    >>> paddle.sparse.nn.SubmConv3D(2, 5, 3)(paddle.ones([1, 4, 4, 4, 2]).to_sparse_coo(4)).nnz()
    64
    """

    dims, function = 3, staticmethod(F.subm_conv3d)


class MaxPool3D(Layer):
    """The largest value of each window of sparse volumes, of those written down.

    >>> paddle.sparse.nn.MaxPool3D(2, 2)(paddle.ones([1, 4, 4, 4, 3]).to_sparse_coo(4)).shape
    [1, 2, 2, 2, 3]
    """

    def __init__(self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NDHWC", name=None):
        super().__init__()
        if return_mask:
            raise NotImplementedError("sparse.nn.MaxPool3D(): return_mask=True is not supported for sparse tensors")
        self._options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "ceil_mode": ceil_mode,
                         "data_format": data_format}

    def forward(self, x):
        return F.max_pool3d(x, **self._options)
