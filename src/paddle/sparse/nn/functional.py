"""Functions of sparse tensors for networks: activations, softmax over rows, convolutions and pooling over sites."""

import numpy as np

from ...core.errors import check_choice
from ...nn import functional as F
from ...nn.functional import activation
from ...ops.manipulation import positions
from ...ops.manipulation.gather_scatter import index_select
from ...ops.manipulation.search import unique
from ...tensor.creation import full
from ...tensor.joining import concat
from ..binary import masked_matmul, matmul
from ..tensors import SparseCsrTensor, add_rows, coo, coo_at

__all__ = ["conv2d", "conv3d", "subm_conv2d", "subm_conv3d", "subm_conv2d_igemm", "subm_conv3d_igemm", "max_pool3d", "relu",
           "relu6", "leaky_relu", "softmax", "attention"]


def relu(x, name=None):
    """max(v, 0) of every value.

    >>> paddle.sparse.nn.functional.relu(paddle.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 2.0], [3])).values().tolist()
    [0.0, 2.0]
    """
    coo(x, "relu")
    return x.with_values(F.relu(x.values()))


def relu6(x, name=None):
    """min(max(v, 0), 6) of every value.

    >>> paddle.sparse.nn.functional.relu6(paddle.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 8.0], [3])).values().tolist()
    [0.0, 6.0]
    """
    coo(x, "relu6")
    return x.with_values(activation.relu6(x.values()))


def leaky_relu(x, negative_slope=0.01, name=None):
    """v, or ``negative_slope`` * v below zero, of every value.

    >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [-2.0, 2.0], [3])
    >>> paddle.sparse.nn.functional.leaky_relu(x, 0.5).values().tolist()
    [-1.0, 2.0]
    """
    coo(x, "leaky_relu")
    return x.with_values(activation.leaky_relu(x.values(), negative_slope))


def softmax(x, axis=-1, name=None):
    """Softmax along an axis (the last one of compressed rows); positions that are not written down count as minus infinity.

    >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [1.0, 1.0, 3.0], [2, 3])
    >>> paddle.sparse.nn.functional.softmax(x).values().tolist()
    [0.5, 0.5, 1.0]
    """
    one = coo(x, "softmax")
    if not -one.ndim <= axis < one.ndim or isinstance(x, SparseCsrTensor) and axis not in (-1, one.ndim - 1):
        raise ValueError(f"softmax(): axis must be {'the last one' if isinstance(x, SparseCsrTensor) else 'an axis'} of a tensor "
                         f"with {one.ndim} axes, got {axis}")
    axis, values = axis % one.ndim, one.values()
    if axis >= one.sparse_axes:
        return x.with_values(activation.softmax(values, axis - one.sparse_axes + 1))
    others = [a for a in range(one.sparse_axes) if a != axis]
    keys = positions.coo_keys(one.indices(), [one.shape[a] for a in others], others)
    found, _, rows, _ = unique(keys, False, True)
    highest = positions.row_highest(values.detach(), rows, found)
    shifted = (values - index_select(highest, rows, 0)).exp()
    return x.with_values(shifted / index_select(add_rows(found, rows, shifted), rows, 0))


def attention(query, key, value, sparse_mask, key_padding_mask=None, attn_mask=None, name=None):
    """Attention computed only where a sparse mask has positions.

    Args:
        query, key, value: [batch, heads, length, size].
        sparse_mask: compressed rows [batch * heads, length, length]; its values do not matter.
        key_padding_mask: [batch, length], added to the scores of each key.
        attn_mask: [length, length], added to the scores.

    >>> mask = paddle.ones([2, 4, 4]).to_sparse_csr()
    >>> paddle.sparse.nn.functional.attention(*[paddle.rand([1, 2, 4, 8]) for _ in range(3)], mask).shape
    [1, 2, 4, 8]
    """
    batch, heads, length, size = query.shape
    coo(sparse_mask, "attention", "sparse_mask")
    if sparse_mask.shape != [batch * heads, length, length]:
        raise ValueError(f"attention(): sparse_mask must have shape {[batch * heads, length, length]}, got {sparse_mask.shape}")
    flat = [t.reshape([batch * heads, length, size]) for t in (query, key, value)]
    scores = masked_matmul(flat[0] * size ** -0.5, flat[1].transpose([0, 2, 1]), sparse_mask)
    places = scores.to_sparse_coo().indices()
    number, row, column = places[0], places[1], places[2]
    values = scores.values()
    for mask, shape, places in ((key_padding_mask, [batch, length], (number // heads, column)),
                                (attn_mask, [length, length], (row, column))):
        if mask is not None:
            if list(mask.shape) != shape:
                raise ValueError(f"attention(): a mask must have shape {shape}, got {list(mask.shape)}")
            values = values + index_select(mask.reshape([-1]), places[0] * length + places[1], 0)
    return matmul(softmax(scores.with_values(values)), flat[2]).reshape([batch, heads, length, size])


# ---- convolutions: for each tap of the kernel, the rows of inputs that meet rows of outputs --------------------------

def each(value, dims, function, argument):
    """One number for each of the axes between batch and channels."""
    values = [value] * dims if isinstance(value, (int, np.integer)) else [int(v) for v in value]
    if len(values) != dims:
        raise ValueError(f"{function}(): {argument} must be a number or {dims} of them, got {value}")
    return values


def _outside(x, kernel, stride, padding, dilation, function):
    """Sizes of the output's axes between batch and channels."""
    sizes = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(x.shape[1:-1], kernel, stride, padding, dilation)]
    if min(sizes) < 1:
        raise ValueError(f"{function}(): a kernel of {kernel} does not fit into sizes {x.shape[1:-1]} with padding {padding}")
    return sizes


def _sites(x, dims, function):
    one = coo(x, function).coalesce()
    if one.ndim != dims + 2 or one.sparse_axes != dims + 1:
        raise ValueError(f"{function}(): x must have {dims + 2} axes, all sparse but the channels, got shape {one.shape} with "
                         f"{one.sparse_axes} sparse axes")
    return one


def _conv(dims, same_sites, function, x, weight, bias, stride, padding, dilation, groups, data_format):
    check_choice(data_format, ("NDHWC" if dims == 3 else "NHWC",), function, "data_format")
    if groups != 1:
        raise ValueError(f"{function}(): groups must be 1 for sparse tensors, got {groups}")
    one = _sites(x, dims, function)
    *kernel, inside, outside = weight.shape
    if len(kernel) != dims or inside != one.shape[-1]:
        raise ValueError(f"{function}(): weight must have shape [{dims} kernel sizes, {one.shape[-1]}, out], got "
                         f"{list(weight.shape)}")
    stride, padding, dilation = (each(v, dims, function, n) for v, n in ((stride, "stride"), (padding, "padding"),
                                                                         (dilation, "dilation")))
    if same_sites:  # outputs only at the sites of the input, the kernel's middle above them
        stride, padding = [1] * dims, [d * (k // 2) for k, d in zip(kernel, dilation)]
        sizes = one.shape[1:-1]
    else:
        sizes = _outside(one, kernel, stride, padding, dilation, function)
    sites, *met = positions.coo_taps(one.indices(), kernel, stride, padding, dilation, sizes, same_sites)
    taps, values, result = weight.reshape([-1, inside, outside]), one.values(), None
    for tap, (rows, at) in enumerate(zip(met[::2], met[1::2])):
        if rows.shape[0]:  # in programs not known
            part = add_rows(sites, at, index_select(values, rows, 0) @ taps[tap])
            result = part if result is None else result + part
    if result is None:
        result = full([sites.shape[0], outside], 0.0, values.dtype)
    if bias is not None:
        result = result + bias
    return coo_at(sites, result, [one.shape[0], *sizes, outside], dims + 1, one.indices().dtype)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NHWC", name=None):
    """Convolution over the sites of a sparse image [N, H, W, C], weight [kh, kw, C, out].

    >>> x = paddle.ones([1, 4, 4, 2]).to_sparse_coo(3)
    >>> paddle.sparse.nn.functional.conv2d(x, paddle.ones([3, 3, 2, 5])).shape
    [1, 2, 2, 5]
    """
    return _conv(2, False, "conv2d", x, weight, bias, stride, padding, dilation, groups, data_format)


def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NDHWC", name=None):
    """Convolution over the sites of a sparse volume [N, D, H, W, C], weight [kd, kh, kw, C, out].

    >>> x = paddle.ones([1, 4, 4, 4, 2]).to_sparse_coo(4)
    >>> paddle.sparse.nn.functional.conv3d(x, paddle.ones([3, 3, 3, 2, 5])).shape
    [1, 2, 2, 2, 5]
    """
    return _conv(3, False, "conv3d", x, weight, bias, stride, padding, dilation, groups, data_format)


def _check_submanifold(stride, dims, function):
    if each(stride, dims, function, "stride") != [1] * dims:
        raise ValueError(f"{function}(): outputs stand at the sites of the input, so stride must be 1, got {stride}")


def subm_conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NHWC", key=None, name=None):
    """Submanifold convolution: as ``conv2d``, with outputs only at the sites of the input; the kernel's middle stands on
    them, whatever ``padding`` says. ``key`` names positions to share in Paddle; here they are found anew.

    >>> x = paddle.ones([1, 4, 4, 2]).to_sparse_coo(3)
    >>> paddle.sparse.nn.functional.subm_conv2d(x, paddle.ones([3, 3, 2, 5])).shape
    [1, 4, 4, 5]
    """
    _check_submanifold(stride, 2, "subm_conv2d")
    return _conv(2, True, "subm_conv2d", x, weight, bias, 1, 0, dilation, groups, data_format)


def subm_conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NDHWC", key=None, name=None):
    """Submanifold convolution: as ``conv3d``, with outputs only at the sites of the input (see ``subm_conv2d``).

    >>> x = paddle.ones([1, 2, 2, 2, 1]).to_sparse_coo(4)
    >>> paddle.sparse.nn.functional.subm_conv3d(x, paddle.ones([3, 3, 3, 1, 5])).nnz()
    8
    """
    _check_submanifold(stride, 3, "subm_conv3d")
    return _conv(3, True, "subm_conv3d", x, weight, bias, 1, 0, dilation, groups, data_format)


subm_conv2d_igemm, subm_conv3d_igemm = subm_conv2d, subm_conv3d  # Paddle 3's other kernels for the same results


def max_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NDHWC", name=None):
    """The largest value of each window, of those written down; windows without any give nothing.

    >>> x = paddle.ones([1, 4, 4, 4, 3]).to_sparse_coo(4)
    >>> paddle.sparse.nn.functional.max_pool3d(x, 2, 2).shape
    [1, 2, 2, 2, 3]
    """
    check_choice(data_format, ("NDHWC",), "max_pool3d", "data_format")
    one, kernel = _sites(x, 3, "max_pool3d"), each(kernel_size, 3, "max_pool3d", "kernel_size")
    stride = kernel if stride is None else each(stride, 3, "max_pool3d", "stride")
    padding = each(padding, 3, "max_pool3d", "padding")
    extra = [s - 1 if ceil_mode else 0 for s in stride]
    sizes = [(n + 2 * p - k + e) // s + 1 for n, k, s, p, e in zip(one.shape[1:-1], kernel, stride, padding, extra)]
    sites, rows = positions.coo_windows(one.indices(), kernel, stride, padding, sizes)
    # one more row, of minus infinity, stands for taps without a value
    channels, values = one.shape[-1], one.values()
    padded = concat([values, full([1, channels], -np.inf, values.dtype)])
    windows = index_select(padded, rows.reshape([-1]), 0).reshape([rows.shape[0], rows.shape[1], channels])
    return coo_at(sites, windows.max(1), [one.shape[0], *sizes, channels], 4, one.indices().dtype)


__path__ = []  # a package in Paddle: the paths below it are addresses
