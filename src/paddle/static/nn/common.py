"""Layers of static programs as functions: each call makes its parameters."""

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.errors import check_choice, check_type
from ...nn import SpectralNorm
from ...nn import functional as F
from ...nn.activations import activate
from ...nn.functional.conv import fitting_kernel, sizes
from ...nn.initializer import Constant, Normal, XavierUniform
from ...nn.param_attr import ParamAttr
from ...tensor.argument_checks import check_plain
from ..program.registry import find
from .parameters import Parameters, check_input


def fc(x, size, num_flatten_dims=1, weight_attr=None, bias_attr=None, activation=None, name=None):
    """A fully connected layer: x flattened to a matrix at an axis, times a new weight, plus a new bias.

    Args:
        x: Variable, or list of Variables whose products are added.
        size: number of output features.
        num_flatten_dims: axes in front of it make the rows.
        activation: name of a function of paddle.nn.functional.
    """
    xs = list(x) if isinstance(x, (list, tuple)) else [x]
    for one in xs:
        check_input(one, "fc", "x")
    with Parameters("fc", name, xs[0].dtype) as make:
        products = []
        for one in xs:
            dims = num_flatten_dims if num_flatten_dims >= 0 else len(one.shape) + num_flatten_dims
            inside = one.shape[dims:]
            if not 0 < dims < len(one.shape) or -1 in inside:
                raise ValueError(f"fc(): the sizes behind axis {num_flatten_dims} must be known, got shape {list(one.shape)}")
            w = make(weight_attr, [int(np.prod(inside)), size], default=XavierUniform())
            products.append(find("mul")(one, w, dims, 1))
        y = products[0] if len(products) == 1 else find("sum")(products)
        b = make(bias_attr, [size], is_bias=True)
        y = y if b is None else find("elementwise_add")(y, b, len(y.shape) - 1)
        return activate(y, activation, "fc")


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Rows of a new table ``size`` = [rows, columns] by integer ids.

    Args:
        is_sparse: the gradient of the table has the rows that were looked up only.
        is_distributed: of no effect: tables are local.
        padding_idx: ids that give zeros and are not trained.
    """
    check_input(input, "embedding")
    check_type(size, (list, tuple), "embedding", "size")
    check_plain(dtype, "embedding", "dtype")
    with Parameters("embedding", None, dtype) as make:
        return F.embedding(input, make(param_attr, list(size), default=XavierUniform()), padding_idx, is_sparse)


def _conv(function, n, transposed, input, filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr, act,
          name, data_format, use_cudnn, output_size=None, kind=None):
    check_input(input, function)
    check_choice(use_cudnn, (True, False), function, "use_cudnn")
    if len(input.shape) != n + 2:
        raise ValueError(f"{function}(): input must have {n + 2} axes, got shape {list(input.shape)}")
    last = data_format[-1] == "C"
    channels = input.shape[-1 if last else 1]
    if channels <= 0:
        raise ValueError(f"{function}(): the number of channels must be known and positive, got shape {list(input.shape)}")
    groups = groups or 1
    if filter_size is None and transposed:
        filter_size = fitting_kernel(function, n, input, output_size, stride, padding, dilation, data_format)
    kernel = sizes(filter_size, n, function, "filter_size")
    if filters < 1 or min(kernel) < 1:
        raise ValueError(f"{function}(): num_filters and filter_size must be positive, got {filters} and {filter_size}")
    if channels % groups or filters % groups:
        raise ValueError(f"{function}(): {channels} channels and {filters} filters must divide into {groups} groups")
    shape = [channels, filters // groups, *kernel] if transposed else [filters, channels // groups, *kernel]
    std = (2.0 / (int(np.prod(kernel)) * channels)) ** 0.5
    with Parameters(kind or function, name, input.dtype) as make:
        w = make(param_attr, shape, default=XavierUniform() if transposed else Normal(0.0, std))
        b = make(bias_attr, [filters], is_bias=True)
        run = getattr(F, function)
        if transposed:
            y = run(input, w, b, stride, padding, groups=groups, dilation=dilation, output_size=output_size,
                    data_format=data_format)
        else:
            y = run(input, w, b, stride, padding, dilation, groups, data_format)
        return activate(y, act, function)


def conv2d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None, param_attr=None, bias_attr=None,
           use_cudnn=True, act=None, name=None, data_format="NCHW"):
    """2-d convolution with a new weight and bias (see paddle.nn.Conv2D for sizes and padding).

    Args:
        input (Variable): [N, C, H, W].
        num_filters (int): number of channels of the result.
        filter_size, stride, padding, dilation (int, tuple or str), groups (int or None): as ``kernel_size`` and others of
            paddle.nn.Conv2D.
        param_attr, bias_attr (ParamAttr, None or False): of the parameters; ``bias_attr=False`` leaves the bias out.
        act (str or None): name of an activation function that follows.
        data_format (str): 'NCHW' or 'NHWC'.
    Returns:
        Variable [N, num_filters, H', W'].
    """
    check_input(input, "conv2d")
    channels = input.shape[-1 if data_format[-1] == "C" else 1] if len(input.shape) == 4 else 0
    depthwise = not use_cudnn and channels and groups == channels and num_filters % channels == 0  # 2.6 names its parameters so
    return _conv("conv2d", 2, False, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                 act, name, data_format, use_cudnn, kind="depthwise_conv2d" if depthwise else None)


def conv3d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None, param_attr=None, bias_attr=None,
           use_cudnn=True, act=None, name=None, data_format="NCDHW"):
    """3-d convolution with a new weight and bias (see paddle.nn.functional.conv3d)."""
    return _conv("conv3d", 3, False, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                 act, name, data_format, use_cudnn)


def conv2d_transpose(input, num_filters, output_size=None, filter_size=None, padding=0, stride=1, dilation=1, groups=None,
                     param_attr=None, bias_attr=None, use_cudnn=True, act=None, name=None, data_format="NCHW"):
    """2-d transposed convolution with a new weight and bias (see paddle.nn.functional.conv2d_transpose)."""
    return _conv("conv2d_transpose", 2, True, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr,
                 bias_attr, act, name, data_format, use_cudnn, output_size)


def conv3d_transpose(input, num_filters, output_size=None, filter_size=None, padding=0, stride=1, dilation=1, groups=None,
                     param_attr=None, bias_attr=None, use_cudnn=True, act=None, name=None, data_format="NCDHW"):
    """3-d transposed convolution with a new weight and bias (see paddle.nn.functional.conv3d_transpose)."""
    return _conv("conv3d_transpose", 3, True, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr,
                 bias_attr, act, name, data_format, use_cudnn, output_size)


def deform_conv2d(x, offset, mask, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=1, deformable_groups=1,
                  im2col_step=1, weight_attr=None, bias_attr=None, name=None):
    """2-d deformable convolution with a new weight and bias (see paddle.vision.ops.deform_conv2d)."""
    from ...vision.ops import deform_conv2d as run  # a room that few programs need
    check_input(x, "deform_conv2d", "x")
    if len(x.shape) != 4:
        raise ValueError(f"deform_conv2d(): x must have 4 axes, got shape {list(x.shape)}")
    kernel = sizes(filter_size, 2, "deform_conv2d", "filter_size")
    std = (2.0 / (int(np.prod(kernel)) * x.shape[1])) ** 0.5
    with Parameters("deformable_conv", name, x.dtype) as make:
        w = make(weight_attr, [num_filters, x.shape[1] // groups, *kernel], default=Normal(0.0, std))
        b = make(bias_attr, [num_filters], is_bias=True)
        return run(x, offset, w, b, stride, padding, dilation, deformable_groups, groups, mask)


# ---------------------------------------------------------------- normalisation

def batch_norm(input, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None, bias_attr=None,
               data_layout="NCHW", in_place=False, name=None, moving_mean_name=None, moving_variance_name=None,
               do_model_average_for_mean_and_var=True, use_global_stats=False):
    """Batch normalisation with new scale, shift and running statistics.

    Args:
        is_test: use the running statistics.
        in_place: of no effect on results.
        moving_mean_name, moving_variance_name: names of the running statistics.
        do_model_average_for_mean_and_var: do the statistics take part in model averaging?
    """
    check_input(input, "batch_norm")
    channels = input.shape[-1 if data_layout[-1] == "C" and len(input.shape) > 2 else 1]
    with Parameters("batch_norm", name, input.dtype) as make:
        scale = make(param_attr, [channels], default=Constant(1.0))
        shift = make(bias_attr, [channels], is_bias=True)

        def statistic(given, value):
            return make(ParamAttr(given, Constant(value), trainable=False, do_model_average=do_model_average_for_mean_and_var),
                        [channels])
        mean, variance = statistic(moving_mean_name, 0.0), statistic(moving_variance_name, 1.0)
        y = F.batch_norm(input, mean, variance, scale, shift, not is_test, momentum, epsilon, data_layout,
                         True if use_global_stats else None if is_test else False)
        return activate(y, act, "batch_norm")


def layer_norm(input, scale=True, shift=True, begin_norm_axis=1, epsilon=1e-5, param_attr=None, bias_attr=None, act=None,
               name=None):
    """Layer normalisation over the axes from ``begin_norm_axis`` on, with a new scale and shift unless turned off."""
    check_input(input, "layer_norm")
    inside = list(input.shape[begin_norm_axis:])
    if -1 in inside:
        raise ValueError(f"layer_norm(): the sizes from axis {begin_norm_axis} on must be known, got {list(input.shape)}")
    with Parameters("layer_norm", name, input.dtype) as make:
        count = int(np.prod(inside))
        w = make(param_attr, [count], default=Constant(1.0)) if scale else None
        b = make(bias_attr, [count], is_bias=True) if shift else None
        y = find("layer_norm")(input, w, b, epsilon=float(epsilon), begin_norm_axis=begin_norm_axis)
        return activate(y[0] if isinstance(y, tuple) else y, act, "layer_norm")


def group_norm(input, groups, epsilon=1e-5, param_attr=None, bias_attr=None, act=None, data_layout="NCHW", name=None):
    """Group normalisation, with a new scale and shift per channel where an attribute asks for one."""
    check_input(input, "group_norm")
    channels = input.shape[-1 if data_layout[-1] == "C" else 1]
    with Parameters("group_norm", name, input.dtype) as make:
        w, b = make(param_attr or False, [channels], default=Constant(1.0)), make(bias_attr or False, [channels], is_bias=True)
        return activate(F.group_norm(input, groups, epsilon, w, b, data_layout), act, "group_norm")


def instance_norm(input, epsilon=1e-5, param_attr=None, bias_attr=None, name=None):
    """Instance normalisation with a new scale and shift per channel (none for attributes False)."""
    check_input(input, "instance_norm")
    if (param_attr is False) != (bias_attr is False):
        raise ValueError("instance_norm(): param_attr and bias_attr must both be False, or neither")
    with Parameters("instance_norm", name, input.dtype) as make:
        w = make(param_attr, [input.shape[1]], default=Constant(1.0))
        b = make(bias_attr, [input.shape[1]], is_bias=True)
        return F.instance_norm(input, weight=w, bias=b, eps=epsilon)


def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by its largest singular value, which new vectors follow by power iteration."""
    check_input(weight, "spectral_norm", "weight")
    return SpectralNorm(list(weight.shape), dim, power_iters, eps, dtype=weight.dtype.name)(weight)


# ---------------------------------------------------------------- others

def prelu(x, mode, param_attr=None, data_format="NCHW", name=None):
    """max(x, 0) + slope * min(x, 0) with a new slope: one ('all'), one per channel ('channel') or per element ('element')."""
    check_input(x, "prelu", "x")
    check_choice(mode, ("all", "channel", "element"), "prelu", "mode")
    last = data_format[-1] == "C"
    if mode == "all":
        shape = [1]
    elif mode == "channel":
        shape = [x.shape[-1 if last else 1]]
    else:
        shape = [1, *x.shape[1:]]
    with Parameters("prelu", name, x.dtype) as make:
        slope = make(param_attr, shape, default=Constant(0.25))
        if mode == "element":
            return find("elementwise_max")(x, x * 0) + slope * find("elementwise_min")(x, x * 0)
        return F.prelu(x, slope, data_format)


def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """x W_k y for each of ``size`` new matrices W_k, plus a new bias."""
    check_input(x, "bilinear_tensor_product", "x")
    check_input(y, "bilinear_tensor_product", "y")
    with Parameters("bilinear_tensor_product", name, x.dtype) as make:
        w = make(param_attr, [size, x.shape[1], y.shape[1]], default=XavierUniform())
        b = make(bias_attr, [1, size], is_bias=True)
        return activate(F.bilinear(x, y, w, b), act, "bilinear_tensor_product")


def row_conv(input, future_context_size, param_attr=None, act=None):
    """Look-ahead convolution along time of [batch, time, features], or of packed sequences: each feature's next steps, weighted
    and added."""
    check_input(input, "row_conv")
    shape = [future_context_size + 1, input.shape[-1]]
    with Parameters("row_conv", None, input.dtype) as make:
        w = make(param_attr, shape, default=XavierUniform())
        return activate(find("row_conv")(input, w), act, "row_conv")


def _unsupported(name, reason):
    def function(*args, **kwargs):
        raise NotImplementedError(f"{name}(): {reason}")
    function.__name__, function.__doc__ = name, f"Not supported: {reason}."
    return function


sparse_embedding = _unsupported("sparse_embedding", "it belongs to parameter servers, which are not supported; use embedding")
continuous_value_model = _unsupported("continuous_value_model", "it belongs to parameter servers, which are not supported")

__getattr__ = _lookup(__name__)
