"""fluid.nets: small networks made of layers (1.x; successor: compose paddle.nn layers)."""

from ..core.addresses import lookup as _lookup
from . import layers
from .layers.common import need_variables

__all__ = ["simple_img_conv_pool", "img_conv_group", "glu", "scaled_dot_product_attention", "sequence_conv_pool"]


def simple_img_conv_pool(input, num_filters, filter_size, pool_size, pool_stride, pool_padding=0, pool_type="max",
                         global_pooling=False, conv_stride=1, conv_padding=0, conv_dilation=1, conv_groups=1, param_attr=None,
                         bias_attr=None, act=None, use_cudnn=True):
    """A convolution, then pooling (1.x; successor: paddle.nn.Conv2D and MaxPool2D)."""
    y = layers.conv2d(input, num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups, param_attr, bias_attr,
                      use_cudnn, act)
    return layers.pool2d(y, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn)


def img_conv_group(input, conv_num_filter, pool_size, conv_padding=1, conv_filter_size=3, conv_act=None, param_attr=None,
                   conv_with_batchnorm=False, conv_batchnorm_drop_rate=0.0, pool_stride=1, pool_type="max", use_cudnn=True):
    """Convolutions (with batch norm and dropout if wanted), then pooling (1.x; successor: paddle.nn.Sequential)."""
    count = len(conv_num_filter)

    def each(value):
        values = list(value) if isinstance(value, (list, tuple)) else [value] * count
        if len(values) != count:
            raise ValueError(f"img_conv_group(): a list must have one entry for each of {count} convolutions, got {value!r}")
        return values
    y = input
    for filters, padding, size, attr, norm, rate in zip(conv_num_filter, each(conv_padding), each(conv_filter_size),
                                                        each(param_attr), each(conv_with_batchnorm),
                                                        each(conv_batchnorm_drop_rate)):
        y = layers.conv2d(y, filters, size, padding=padding, param_attr=attr, act=None if norm else conv_act)
        if norm:
            y = layers.batch_norm(y, act=conv_act)
            y = layers.dropout(y, rate) if abs(rate) > 1e-5 else y
    return layers.pool2d(y, pool_size, pool_type, pool_stride)


def glu(input, dim=-1):
    """One half times the sigmoid of the other (1.x; successor: paddle.nn.functional.glu)."""
    a, b = layers.split(input, 2, dim)
    return layers.elementwise_mul(a, layers.sigmoid(b))


def scaled_dot_product_attention(queries, keys, values, num_heads=1, dropout_rate=0.0):
    """Attention of [N, T, D] tensors with heads (1.x; successor: paddle.nn.MultiHeadAttention)."""
    need_variables("scaled_dot_product_attention", queries=queries, keys=keys, values=values)
    if not queries.dtype == keys.dtype == values.dtype:
        raise TypeError(f"scaled_dot_product_attention(): queries, keys and values must have one dtype, got {queries.dtype}, "
                        f"{keys.dtype} and {values.dtype}")
    if not len(queries.shape) == len(keys.shape) == len(values.shape) == 3:
        raise ValueError(f"scaled_dot_product_attention(): queries, keys and values must have three axes, got {queries.shape}, "
                         f"{keys.shape} and {values.shape}")
    if queries.shape[-1] != keys.shape[-1] or keys.shape[-2] != values.shape[-2]:
        raise ValueError(f"scaled_dot_product_attention(): queries and keys must have one last size, keys and values one length; "
                         f"got {queries.shape}, {keys.shape} and {values.shape}")
    if queries.shape[-1] % num_heads or values.shape[-1] % num_heads:
        raise ValueError(f"scaled_dot_product_attention(): num_heads {num_heads} must divide the sizes {queries.shape[-1]} and "
                         f"{values.shape[-1]}")

    def heads(x):
        return x if num_heads == 1 else layers.transpose(layers.reshape(x, [0, 0, num_heads, x.shape[-1] // num_heads]),
                                                         [0, 2, 1, 3])
    q, k, v = heads(queries), heads(keys), heads(values)
    weights = layers.softmax(layers.matmul(layers.scale(q, (queries.shape[-1] // num_heads) ** -0.5), k, transpose_y=True))
    weights = layers.dropout(weights, dropout_rate) if dropout_rate else weights
    y = layers.matmul(weights, v)
    return y if num_heads == 1 else layers.reshape(layers.transpose(y, [0, 2, 1, 3]), [0, 0, values.shape[-1]])


def sequence_conv_pool(input, num_filters, filter_size, param_attr=None, act="sigmoid", pool_type="max", bias_attr=None):
    """A convolution along packed sequences, then one row for each (1.x; successor: paddle.static.nn.sequence_conv and
    sequence_pool)."""
    y = layers.sequence_conv(input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act)
    return layers.sequence_pool(y, pool_type)


__getattr__ = _lookup(__name__)
