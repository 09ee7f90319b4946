"""Bilinear products, smoothed labels, masks of lengths, beams traced back, undone max pooling."""

from ...core import dtype as dtypes
from ...core.addresses import lookup as _lookup
from ...core.errors import check_choice, own_errors
from ...core.generation import generation
from ...core.op import Symbolic
from ...ops.manipulation import reshape as manip
from ...ops.nn import extension
from ...tensor.convert import as_tensor, int_arg, late_size_arg
from ...tensor.shapes import ints
from ...utils import naming
from .conv import sizes

__all__ = ["bilinear", "label_smooth", "sequence_mask", "gather_tree", "max_unpool1d", "max_unpool2d", "max_unpool3d"]


def bilinear(x1, x2, weight, bias=None, name=None):
    """out[n, k] = x1[n] @ weight[k] @ x2[n] + bias[k].

    Args:
        x1, x2 (Tensor): [N, in1], [N, in2].
        weight (Tensor): [out, in1, in2].
        bias (Tensor or None): [1, out].
    Returns:
        Tensor [N, out].
    Raises:
        ValueError: the sizes of the inputs and the weight are incompatible.
        TypeError: an input is not a Tensor, array, list or number.

    >>> paddle.nn.functional.bilinear(paddle.ones([2, 3]), paddle.ones([2, 4]), paddle.ones([5, 3, 4])).shape
    [2, 5]
    """
    return naming.named(extension.bilinear_tensor_product(as_tensor(x1, "bilinear", "x1"), as_tensor(x2, "bilinear", "x2"),
                                                          as_tensor(weight, "bilinear", "weight"),
                                                          None if bias is None else as_tensor(bias, "bilinear", "bias")), name)


@generation("paddle.nn.functional.label_smooth", alpha="paddle.fluid.layers.label_smooth")
@own_errors
def label_smooth(label, prior_dist=None, epsilon=0.1, name=None):
    """(1 - epsilon) * label + epsilon * prior_dist; the prior is uniform over the last axis if None.

    >>> paddle.nn.functional.label_smooth(paddle.to_tensor([[0., 1.]]), epsilon=0.5).tolist()
    [[0.25, 0.75]]
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"label_smooth(): epsilon must be in [0, 1], got {epsilon}")
    prior = None if prior_dist is None else as_tensor(prior_dist, "label_smooth", "prior_dist")
    return naming.named(extension.label_smooth(as_tensor(label, "label_smooth", "label"), prior, float(epsilon)), name)


def sequence_mask(x, maxlen=None, dtype="int64", name=None):
    """1 at positions before each length, 0 after it, on a new last axis of size ``maxlen`` (the longest length if None).

    >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 2]), 3).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    x, dtype = as_tensor(x, "sequence_mask"), dtypes.convert(dtype, "sequence_mask")
    if isinstance(maxlen, Symbolic):
        return naming.named(extension.sequence_mask(x, maxlen, -1, dtype), name)
    out = extension.sequence_mask(x, None, -1 if maxlen is None else int_arg(maxlen, "sequence_mask", "maxlen"), dtype)
    return naming.named(out, name)


def gather_tree(ids, parents):
    """Whole sequences [T, N, beams] of a beam search, from the tokens of each step and the beams they came from.

    >>> ids, parents = paddle.to_tensor([[[1, 2]], [[3, 4]]]), paddle.to_tensor([[[0, 0]], [[1, 0]]])
    >>> paddle.nn.functional.gather_tree(ids, parents).tolist()
    [[[2, 1]], [[3, 4]]]
    """
    return extension.gather_tree(as_tensor(ids, "gather_tree", "ids"), as_tensor(parents, "gather_tree", "parents"))


def _unpool(function, n, x, indices, kernel_size, stride, padding, data_format, output_size):
    formats = {1: ("NCL",), 2: ("NCHW",), 3: ("NCDHW",)}[n]
    check_choice(data_format, formats, function, "data_format")
    x, indices = as_tensor(x, function), as_tensor(indices, function, "indices")
    if len(x.shape) != n + 2 or len(indices.shape) != n + 2 or any(
            a != b and -1 not in (a, b) for a, b in zip(x.shape, indices.shape)):
        raise ValueError(f"{function}(): x and indices must have one shape of {n + 2} axes, got {list(x.shape)} and "
                         f"{list(indices.shape)}")
    kernel = sizes(kernel_size, n, function, "kernel_size")
    stride = kernel if stride is None else sizes(stride, n, function, "stride")
    pads = sizes(padding, n, function, "padding")
    smallest = [(s - 1) * q - 2 * p + k for s, q, p, k in zip(x.shape[2:], stride, pads, kernel)]
    outs = smallest
    if output_size is not None:
        wanted = output_size[-n:] if isinstance(output_size, (list, tuple)) else output_size  # of x.shape, sizes of a picture
        late = late_size_arg(wanted, n, function, "output_size") if n == 2 else None
        outs = late or ints(wanted, function, "output_size")[-n:]
        if not late and (len(outs) != n or any(not m - q < o < m + q for o, m, q in zip(outs, smallest, stride))):
            raise ValueError(f"{function}(): output_size must differ from {smallest} by less than the stride {stride}, got "
                             f"{output_size}")
    if n == 1:
        y = extension.unpool(manip.unsqueeze(x, axes=[2]), manip.unsqueeze(indices, axes=[2]), [1, *kernel], [1, *stride],
                             [0, *pads],
                             [1, *outs])
        return manip.squeeze(y, axes=[2])
    return (extension.unpool if n == 2 else extension.unpool3d)(x, indices, kernel, stride, pads, outs, data_format)


def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None):
    """Zeros with every maximum x [N, C, L] put back to its index, as max_pool1d(return_mask=True) gave it.

    >>> F = paddle.nn.functional
    >>> y, where = F.max_pool1d(paddle.to_tensor([[[1., 3., 2., 4.]]]), 2, return_mask=True)
    >>> F.max_unpool1d(y, where, 2).tolist()
    [[[0.0, 3.0, 0.0, 4.0]]]
    """
    return naming.named(_unpool("max_unpool1d", 1, x, indices, kernel_size, stride, padding, data_format, output_size), name)


def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None):
    """Zeros with every maximum x [N, C, H, W] put back to its index, as max_pool2d(return_mask=True) gave it.

    Args:
        x (Tensor): maxima [N, C, H, W].
        indices (Tensor): where they were, of the shape of x.
        kernel_size (int or tuple): size of the window that gave them.
        stride (int, tuple or None): its step; ``kernel_size`` for None.
        padding (int or tuple): padding on each side.
        data_format (str): 'NCHW'.
        output_size (list, tuple or None): sizes of the result; computed from the others for None.
    Returns:
        Tensor [N, C, H', W'].
    Raises:
        ValueError: the shapes are incompatible, or an index is outside the result.
        TypeError: x is not a Tensor, array, list or number.

    >>> F = paddle.nn.functional
    >>> y, where = F.max_pool2d(paddle.rand([1, 1, 4, 4]), 2, return_mask=True)
    >>> F.max_unpool2d(y, where, 2).shape
    [1, 1, 4, 4]
    """
    return naming.named(_unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, data_format, output_size), name)


def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, data_format="NCDHW", output_size=None, name=None):
    """Zeros with every maximum x [N, C, D, H, W] put back to its index, as max_pool3d(return_mask=True) gave it.

    >>> F = paddle.nn.functional
    >>> y, where = F.max_pool3d(paddle.rand([1, 1, 4, 4, 4]), 2, return_mask=True)
    >>> F.max_unpool3d(y, where, 2).shape
    [1, 1, 4, 4, 4]
    """
    return naming.named(_unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, data_format, output_size), name)


__getattr__ = _lookup(__name__)
