"""Functions whose meaning changed after 2.0 alpha, as it had them. The functions of 2.x are declared with them (see
``generation`` of core/generation.py)."""

from .. import static
from ..fluid import layers
from ..fluid.layers.common import activate, at_least_1d
from ..nn import functional
from ..nn.functional import conv as convolutions
from ..ops.nn import context_window
from ..tensor import functions as tensor
from ..utils import naming


def _given(made, name, out=None):
    """A result under the name that the caller gave, and written to ``out`` if there is one."""
    made = naming.named(made, name)
    return made if out is None else layers.assign(made, out)


def sum(input, dim=None, dtype=None, keep_dim=False, name=None):
    """Sum over axes, of shape [1] for all (2.0 alpha; successor: paddle.sum)."""
    total = layers.reduce_sum(input, dim, keep_dim)
    return _given(total if dtype is None else layers.cast(total, dtype), name)


def max(input, dim=None, keep_dim=False, out=None, name=None):
    """Largest element over axes, of shape [1] for all (2.0 alpha; successor: paddle.max)."""
    return _given(layers.reduce_max(input, dim, keep_dim), name, out)


def min(input, dim=None, keep_dim=False, out=None, name=None):
    """Smallest element over axes, of shape [1] for all (2.0 alpha; successor: paddle.min)."""
    return _given(layers.reduce_min(input, dim, keep_dim), name, out)


def argmax(input, axis=None, dtype=None, out=None, keepdims=False, name=None):
    """Where the largest elements along an axis are, the last one unless another is given (2.0 alpha; successor: paddle.argmax)."""
    return _given(tensor.argmax(input, -1 if axis is None else axis, keepdims, dtype or "int64"), name, out)


def sort(input, axis=-1, descending=False, out=None, name=None):
    """Sorted values and where they were (2.0 alpha; successor: paddle.sort, paddle.argsort)."""
    values, places = layers.argsort(input, axis, descending)
    return _given(values, name, out), places


def var(input, axis=None, keepdim=False, unbiased=True, out=None, name=None):
    """Variance over axes, of shape [1] for all; note that 2.x takes unbiased before keepdim (2.0 alpha; successor: paddle.var)."""
    return _given(at_least_1d(tensor.var(input, axis, unbiased, keepdim)), name, out)


def std(input, axis=None, keepdim=False, unbiased=True, out=None, name=None):
    """Standard deviation over axes, as ``var`` (2.0 alpha; successor: paddle.std)."""
    return _given(at_least_1d(tensor.std(input, axis, unbiased, keepdim)), name, out)


def pow(input, exponent, out=None, name=None):
    """input to a power (2.0 alpha; successor: paddle.pow)."""
    made = tensor.pow(input, exponent)
    return _given(made, name, out)


def add(x, y, alpha=1, out=None, name=None):
    """x + alpha * y (2.0 alpha; successor: paddle.add)."""
    made = layers.elementwise_add(x, y if alpha == 1 else y * alpha)
    return _given(made, name, out)


def addmm(input, x, y, alpha=1.0, beta=1.0, name=None):
    """beta * input + alpha * x @ y; note that 2.x takes beta before alpha (2.0 alpha; successor: paddle.addmm)."""
    return _given(tensor.addmm(input, x, y, beta=beta, alpha=alpha), name)


def norm(input, p="fro", axis=None, keepdim=False, out=None, name=None):
    """Norm over axes, of shape [1] for all (2.0 alpha; successor: paddle.norm)."""
    made = at_least_1d(tensor.norm(input, p, axis, keepdim))
    return _given(made, name, out)


def equal(x, y, axis=-1, name=None):
    """Are all elements equal? One flag of shape [1] (2.0 alpha; successor: paddle.equal_all).

    ``axis`` is where the axes of a smaller y begin in x, as in elementwise_add."""
    if axis != -1:
        y = layers.reshape(y, [*y.shape, *[1] * (len(x.shape) - axis - len(y.shape))])
    return _given(layers.reduce_all(tensor.equal(x, y)), name)


def elementwise_equal(x, y, name=None):
    """Which elements are equal? (2.0 alpha; successor: paddle.equal)"""
    return tensor.equal(x, y, name)


def elementwise_sum(inputs, name=None):
    """The sum of all tensors in a list (2.0 alpha; successor: paddle.add_n)."""
    return tensor.add_n(inputs, name)


def addcmul(input, tensor1, tensor2, value=1.0, out=None, name=None):
    """input + value * tensor1 * tensor2 (2.0 alpha; successor: none, write it so)."""
    made = layers.elementwise_add(input, layers.elementwise_mul(tensor1, tensor2) * value)
    return _given(made, name, out)


def mul(x, y, x_num_col_dims=1, y_num_col_dims=1, out=None, name=None):
    """The product of two tensors, each flattened to a matrix (2.0 alpha; successor: paddle.matmul)."""
    made = layers.mul(x, y, x_num_col_dims, y_num_col_dims)
    return _given(made, name, out)


def hsigmoid(input, label, weight, bias, num_classes, path_table=None, path_code=None, is_sparse=False):
    """Cross entropy of the decisions on the way to each label (2.0 alpha; successor: paddle.nn.functional.hsigmoid_loss)."""
    return functional.hsigmoid_loss(input, label, num_classes, weight, bias, path_table, path_code, is_sparse)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices whose diagonals are the last axis of input (2.0 alpha; successor: paddle.diag_embed)."""
    return tensor.diag_embed(input, offset, dim1, dim2)


def clamp(input, min=None, max=None, output=None, name=None):
    """input limited to [min, max] (2.0 alpha; successor: paddle.clip)."""
    made = tensor.clip(input, min, max)
    return _given(made, name, output)


def data(name, shape, dtype="float32", lod_level=0):
    """An input of a static program (2.0 alpha; successor: paddle.static.data)."""
    return static.data(name, shape, dtype, lod_level)


def _check_conv(function, input, weight, groups, use_cudnn, data_format, output_size=None):
    """What 2.0 alpha refused with ValueError."""
    if not isinstance(use_cudnn, bool):
        raise ValueError(f"{function}(): use_cudnn must be True or False, got {use_cudnn!r}")
    if data_format not in (("NCHW", "NHWC") if "2d" in function else ("NCDHW", "NDHWC")):
        raise ValueError(f"{function}(): data_format {data_format!r} is none of this function's")
    if output_size is not None and not isinstance(output_size, (int, list, tuple)):
        raise ValueError(f"{function}(): output_size must be an int, a list or a tuple, got {output_size!r}")
    if "transpose" not in function and weight.shape[0] % groups:
        raise ValueError(f"{function}(): groups must divide the number of filters, got {groups} and {weight.shape[0]}")
    channels = input.shape[-1 if data_format.endswith("C") else 1]
    if channels < 0 or channels % groups:
        raise ValueError(f"{function}(): groups must divide the number of channels, got {groups} groups of {channels} channels")


def conv2d(input, weight, bias=None, padding=0, stride=1, dilation=1, groups=1, use_cudnn=True, act=None, data_format="NCHW",
           name=None):
    """2-d convolution with given weights; note that 2.x takes stride before padding (2.0 alpha; successor:
    paddle.nn.functional.conv2d)."""
    _check_conv("conv2d", input, weight, groups, use_cudnn, data_format)
    made = activate(convolutions.conv2d(input, weight, bias, stride, padding, dilation, groups, data_format), act)
    return _given(made, name)


def conv3d(input, weight, bias=None, padding=0, stride=1, dilation=1, groups=1, use_cudnn=True, act=None, data_format="NCDHW",
           name=None):
    """3-d convolution with given weights (2.0 alpha; successor: paddle.nn.functional.conv3d)."""
    _check_conv("conv3d", input, weight, groups, use_cudnn, data_format)
    made = activate(convolutions.conv3d(input, weight, bias, stride, padding, dilation, groups, data_format), act)
    return _given(made, name)


def conv2d_transpose(input, weight, bias=None, output_size=None, padding=0, stride=1, dilation=1, groups=1, use_cudnn=True,
                     act=None, data_format="NCHW", name=None):
    """2-d transposed convolution with given weights (2.0 alpha; successor: paddle.nn.functional.conv2d_transpose)."""
    _check_conv("conv2d_transpose", input, weight, groups, use_cudnn, data_format, output_size)
    made = activate(convolutions.conv2d_transpose(input, weight, bias, stride, padding, dilation=dilation, groups=groups,
                                                output_size=output_size, data_format=data_format), act)
    return _given(made, name)


def conv3d_transpose(input, weight, bias=None, output_size=None, padding=0, stride=1, dilation=1, groups=1, use_cudnn=True,
                     act=None, data_format="NCDHW", name=None):
    """3-d transposed convolution with given weights (2.0 alpha; successor: paddle.nn.functional.conv3d_transpose)."""
    _check_conv("conv3d_transpose", input, weight, groups, use_cudnn, data_format, output_size)
    made = activate(convolutions.conv3d_transpose(input, weight, bias, stride, padding, dilation=dilation, groups=groups,
                                                output_size=output_size, data_format=data_format), act)
    return _given(made, name)


def row_conv(input, weight, act=None):
    """Every step with a few steps after it: weight is [future steps + 1, channels] (2.0 alpha; successor: compose it)."""
    return activate(context_window.row_conv(input, weight), act)
