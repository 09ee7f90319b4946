"""fluid.layers: networks. Each function has the signature of 1.5; its docstring names the successor in 2.x."""

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.op import Symbolic
from ...core.random import program_seed
from ...nn import functional as F
from ...nn import initializer as inits
from ...nn.functional.activation import log_softmax as modern_log_softmax
from ...nn.functional.conv import conv2d as modern_conv2d
from ...nn.functional.conv import conv2d_transpose as modern_transpose
from ...nn.functional.conv import fitting_kernel
from ...nn.layer.layers import make_parameter
from ...nn.param_attr import ParamAttr
from ...ops import metrics
from ...ops.legacy import fluid as older
from ...ops.math import arithmetic
from ...ops.math.unary import rsqrt
from ...ops.nn import dropout as dropout_ops
from ...ops.nn import embedding as embedding_ops
from ...ops.nn import gating, pooling
from ...ops.nn import softmax as softmax_ops
from ...static.weight_norm import WeightNormParamAttr, normalized
from ...tensor import convert, search
from ...utils import naming, unique_name
from .. import clip as clips
from .. import state
from ..state import fluid_call
from .common import activate, at_least_1d, elementwise, need_variables, reduction
from .tensor import assign

elementwise_add = elementwise("add", "elementwise_add")
elementwise_sub = elementwise("subtract", "elementwise_sub")
elementwise_mul = elementwise("multiply", "elementwise_mul")
elementwise_div = elementwise("divide", "elementwise_div")
elementwise_max = elementwise("maximum", "elementwise_max")
elementwise_min = elementwise("minimum", "elementwise_min")
elementwise_pow = elementwise("elementwise_pow", "elementwise_pow")
elementwise_mod = elementwise("remainder", "elementwise_mod")
elementwise_floordiv = elementwise("floor_divide", "elementwise_floordiv")
reduce_sum = reduction("sum")
reduce_mean = reduction("mean")
reduce_max = reduction("max")
reduce_min = reduction("min")


def helper_parameter(kind, attr, shape, dtype, is_bias=False, default=None):
    """A parameter of a layer function: named ``<kind>_<n>.w_0`` in the current program or guard."""
    attr = ParamAttr.convert(attr)
    if attr is False:
        return None
    name = attr.name or unique_name.generate(f"{kind}.{'b' if is_bias else 'w'}")

    def make(ending, sizes, initializer):
        p = make_parameter(sizes, dtype, attr, initializer or inits.choose(attr.initializer, default, is_bias), name + ending)
        return state.register(clips.mark(p, attr))
    if isinstance(attr, WeightNormParamAttr):
        return normalized(attr, list(shape), lambda part, sizes, initializer: make(f"_{part}", sizes, initializer))
    return make("", shape, None)


@fluid_call
def fc(input, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None, is_test=False, name=None):
    """Fully connected layer over one input or the sum over several (1.x; successor: paddle.static.nn.fc)."""
    inputs = list(input) if isinstance(input, (list, tuple)) else [input]
    attrs = param_attr if isinstance(param_attr, (list, tuple)) else [param_attr] * len(inputs)
    with naming.owner("fc", name) as kind:
        total = None
        for x, attr in zip(inputs, attrs):
            flat = num_flatten_dims % len(x.shape) if num_flatten_dims < 0 else num_flatten_dims
            w = helper_parameter(kind, attr, [int(np.prod(x.shape[flat:])), size], x.dtype)
            y = older.mul(x, w, flat, 1)
            total = y if total is None else total + y
        b = helper_parameter(kind, bias_attr, [size], inputs[0].dtype, is_bias=True)
        if b is not None:
            total = arithmetic.add(total, b, num_flatten_dims if num_flatten_dims > 0 else len(total.shape) - 1)
        return activate(total, act)


@fluid_call
def conv2d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None, param_attr=None, bias_attr=None,
           use_cudnn=True, act=None, name=None, data_format="NCHW"):
    """2-d convolution with parameters of its own (1.x; successor: paddle.static.nn.conv2d)."""
    k = list(filter_size) if isinstance(filter_size, (list, tuple)) else [filter_size] * 2
    with naming.owner("conv2d", name) as kind:
        channels, groups = input.shape[1 if data_format == "NCHW" else 3], groups or 1
        init = inits.Normal(0.0, float(2.0 / (np.prod(k) * channels)) ** 0.5)
        w = helper_parameter(kind, param_attr, [num_filters, channels // groups, *k], input.dtype, default=init)
        b = helper_parameter(kind, bias_attr, [num_filters], input.dtype, is_bias=True)
        return activate(modern_conv2d(input, w, b, stride, padding, dilation, groups, data_format), act)


@fluid_call
def conv2d_transpose(input, num_filters, output_size=None, filter_size=None, padding=0, stride=1, dilation=1, groups=None,
                     param_attr=None, bias_attr=None, use_cudnn=True, act=None, name=None, data_format="NCHW"):
    """2-d transposed convolution with parameters of its own (1.x; successor: paddle.static.nn.conv2d_transpose)."""
    with naming.owner("conv2d_transpose", name) as kind:
        groups, last = groups or 1, data_format == "NHWC"
        channels = input.shape[3 if last else 1]
        if filter_size is None:
            filter_size = fitting_kernel("conv2d_transpose", 2, input, output_size, stride, padding, dilation, data_format)
        k = list(filter_size) if isinstance(filter_size, (list, tuple)) else [filter_size] * 2
        w = helper_parameter(kind, param_attr, [channels, num_filters // groups, *k], input.dtype)
        b = helper_parameter(kind, bias_attr, [num_filters], input.dtype, is_bias=True)
        return activate(modern_transpose(input, w, b, stride, padding, 0, dilation, groups, output_size, data_format), act)


@fluid_call
def pool2d(input, pool_size=-1, pool_type="max", pool_stride=1, pool_padding=0, global_pooling=False, use_cudnn=True,
           ceil_mode=False, name=None, exclusive=True, data_format="NCHW"):
    """2-d pooling (1.x; successor: paddle.nn.functional.max_pool2d, avg_pool2d)."""
    if pool_type not in ("max", "avg"):
        raise ValueError(f"pool2d(): pool_type must be 'max' or 'avg', got {pool_type!r}")
    if global_pooling and isinstance(input, Symbolic):  # a program may be fed pictures of another size
        return pooling.pool2d(input, pooling_type=pool_type, global_pooling=True, data_format=data_format)
    if global_pooling:
        pool_size, pool_stride, pool_padding = list(input.shape[2:] if data_format == "NCHW" else input.shape[1:3]), 1, 0
    if pool_type == "max":
        return F.max_pool2d(input, pool_size, pool_stride, pool_padding, False, ceil_mode, data_format)
    return F.avg_pool2d(input, pool_size, pool_stride, pool_padding, ceil_mode, exclusive, None, data_format)


@fluid_call
def batch_norm(input, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None, bias_attr=None, data_layout="NCHW",
               in_place=False, name=None, moving_mean_name=None, moving_variance_name=None,
               do_model_average_for_mean_and_var=True, use_global_stats=False, fuse_with_relu=False):
    """Batch norm with parameters of its own (1.x; successor: paddle.static.nn.batch_norm)."""
    if fuse_with_relu:
        raise NotImplementedError("batch_norm(): fuse_with_relu=True is for kernels of MKL-DNN; use act='relu'")
    with naming.owner("batch_norm", name) as kind:
        n = [input.shape[1 if data_layout == "NCHW" else -1]]
        scale = helper_parameter(kind, param_attr, n, input.dtype, default=inits.Constant(1.0))
        shift = helper_parameter(kind, bias_attr, n, input.dtype, is_bias=True)
        mean, var = (helper_parameter(kind, ParamAttr(given, trainable=False, do_model_average=do_model_average_for_mean_and_var),
                                      n, input.dtype, default=inits.Constant(value))
                     for given, value in ((moving_mean_name, 0.0), (moving_variance_name, 1.0)))
        y = F.batch_norm(input, mean, var, scale, shift, not is_test, momentum, epsilon, data_layout, use_global_stats or None)
        return activate(y, act)


@fluid_call
def layer_norm(input, scale=True, shift=True, begin_norm_axis=1, epsilon=1e-5, param_attr=None, bias_attr=None, act=None,
               name=None):
    """Layer norm with parameters of its own (1.x; successor: paddle.static.nn.layer_norm)."""
    with naming.owner("layer_norm", name) as kind:
        shape = list(input.shape[begin_norm_axis:])
        size = [int(np.prod(shape))]
        w = helper_parameter(kind, param_attr, size, input.dtype, default=inits.Constant(1.0)) if scale else None
        b = helper_parameter(kind, bias_attr, size, input.dtype, is_bias=True) if shift else None
        return activate(F.layer_norm(input, shape, w, b, epsilon), act)


@fluid_call
def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Rows of a table of its own; ids end in an axis of size 1 (1.x; successor: paddle.static.nn.embedding)."""
    with naming.owner("embedding") as kind:
        w = helper_parameter(kind, param_attr, list(size), dtype)
        ids = input.squeeze(-1) if len(input.shape) > 1 and input.shape[-1] == 1 else input
        return F.embedding(ids, w, padding_idx, is_sparse)


@fluid_call
def dropout(x, dropout_prob, is_test=False, seed=None, name=None, dropout_implementation="downgrade_in_infer"):
    """Dropout; in a guard the guard's mode decides whether it trains (1.x; successor: paddle.nn.functional.dropout)."""
    if state.tracer() is not None:
        is_test = is_test or not state.tracer().training
    return dropout_ops.dropout(x, p=float(dropout_prob), is_test=bool(is_test), mode=dropout_implementation,
                               seed=seed or program_seed("main"))[0]


@fluid_call
def mul(x, y, x_num_col_dims=1, y_num_col_dims=1, name=None):
    """Matrix product of two tensors flattened to matrices (1.x; successor: paddle.matmul)."""
    return older.mul(x, y, x_num_col_dims, y_num_col_dims)


@fluid_call
def matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    """alpha times the matrix product (1.x; successor: paddle.matmul)."""
    x, y = convert.promote(x, y, "matmul")
    return older.legacy_matmul(x, y, bool(transpose_x), bool(transpose_y), float(alpha))


@fluid_call
def softmax(input, use_cudnn=False, name=None, axis=-1):
    """Softmax along an axis (1.x; successor: paddle.nn.functional.softmax)."""
    return softmax_ops.softmax(convert.as_tensor(input, "softmax", "input"), axis)


@fluid_call
def log_softmax(input, axis=None, dtype=None, name=None):
    """Log-softmax along an axis (1.x; successor: paddle.nn.functional.log_softmax)."""
    return modern_log_softmax(input, -1 if axis is None else axis, dtype)


@fluid_call
def mean(x, name=None):
    """Mean of all elements, of shape [1] (1.x; successor: paddle.mean)."""
    return older.legacy_mean(convert.as_tensor(x, "mean"), True)


@fluid_call
def cross_entropy(input, label, soft_label=False, ignore_index=-100):
    """-log of the label's probability, for each row; input holds probabilities (1.x; successor:
    paddle.nn.functional.cross_entropy with use_softmax=False, reduction='none')."""
    x, y = convert.as_tensor(input, "cross_entropy", "input"), convert.as_tensor(label, "cross_entropy", "label")
    return older.legacy_cross_entropy(x, y, True, ignore_index) if soft_label else older.cross_entropy2(x, y, ignore_index)[0]


@fluid_call
def softmax_with_cross_entropy(logits, label, soft_label=False, ignore_index=-100, numeric_stable_mode=True,
                               return_softmax=False, axis=-1):
    """Cross entropy of logits, for each row (1.x; successor: paddle.nn.functional.cross_entropy with reduction='none')."""
    return F.softmax_with_cross_entropy(logits, label, soft_label, ignore_index, numeric_stable_mode, return_softmax, axis)


@fluid_call
def sigmoid_cross_entropy_with_logits(x, label, ignore_index=-100, name=None, normalize=False):
    """Binary cross entropy of logits, element by element (1.x; successor:
    paddle.nn.functional.binary_cross_entropy_with_logits)."""
    kind = convert.numpy_dtype(x)
    counts = convert.cast(label != ignore_index, kind)
    loss = F.binary_cross_entropy_with_logits(x, label, reduction="none") * counts
    if normalize:
        total = counts.sum()
        loss = loss / (total + convert.cast(total == 0, kind))
    return loss


@fluid_call
def square_error_cost(input, label):
    """(input - label)^2, element by element (1.x; successor: paddle.nn.functional.square_error_cost)."""
    need_variables("square_error_cost", input=input, label=label)
    return F.square_error_cost(input, label)


@fluid_call
def accuracy(input, label, k=1, correct=None, total=None):
    """Share of rows whose label is among the k largest, of shape [1]; ``correct`` and ``total`` take the counts (1.x; successor:
    paddle.metric.accuracy)."""
    values, indices = search.topk(input.detach() if hasattr(input, "detach") else input, k)
    share, right, all_rows = metrics.accuracy(values, indices, label)
    for count, wanted in ((right, correct), (all_rows, total)):
        if wanted is not None:
            assign(at_least_1d(count), wanted)
    return at_least_1d(share)


@fluid_call
def one_hot(input, depth, allow_out_of_range=False):
    """One-hot rows of ids that end in an axis of size 1 (1.x; successor: paddle.nn.functional.one_hot)."""
    ids = input.squeeze(-1) if len(input.shape) > 1 and input.shape[-1] == 1 else input
    return embedding_ops.one_hot(ids, depth=int(depth), allow_out_of_range=allow_out_of_range)


@fluid_call
def l2_normalize(x, axis, epsilon=1e-12, name=None):
    """x divided by its L2 norm along an axis (1.x; successor: paddle.nn.functional.normalize)."""
    axis = 0 if len(x.shape) == 1 else axis
    return x * rsqrt((x * x).sum(axis, keepdim=True) + epsilon)


@fluid_call
def label_smooth(label, prior_dist=None, epsilon=0.1, dtype="float32", name=None):
    """Labels mixed with a uniform (or given) distribution (1.x; successor: paddle.nn.functional.label_smooth)."""
    prior = 1.0 / label.shape[-1] if prior_dist is None else prior_dist
    return (label * (1 - epsilon) + prior * epsilon).astype(dtype)


@fluid_call
def prelu(x, mode, param_attr=None, name=None):
    """Leaky ReLU with learned slopes (1.x; successor: paddle.nn.functional.prelu)."""
    shape = {"all": [1], "channel": [1, x.shape[1], 1, 1], "element": [1, *x.shape[1:]]}.get(mode)
    if shape is None:
        raise ValueError(f"prelu(): mode must be 'all', 'channel' or 'element', got {mode!r}")
    with naming.owner("prelu", name) as kind:
        alpha = helper_parameter(kind, param_attr, shape, x.dtype, default=inits.Constant(0.25))
        return gating.prelu(x, alpha, "NCHW", mode)


__getattr__ = _lookup(__name__)
