"""Operators of 1.x files that later versions replaced: the same work under the old type, slots and attributes."""

import numpy as np

from ...core import dtype as dtypes
from ...core.op import op
from ..detection import regions
from ..families.create import batch_size_like
from ..families.index import cropped
from ..families.reshape import expanded_as
from ..library import by_library
from ..manipulation import joining, reshape
from ..manipulation.construct import diagonal
from ..manipulation.creation import dtype_code
from ..manipulation.masking import masked
from ..manipulation.slicing import crop, region_place
from ..math import reduction
from ..math.unary import sigmoid
from ..nn import norm
from ..random.sampling import gaussian_random, uniform_random

reshape1 = reshape.reshape.under("reshape(X, Shape?, ShapeTensor*?) -> Out", "reshape1")
squeeze1 = reshape.squeeze.under("squeeze(X) -> Out", "squeeze1")
unsqueeze1 = reshape.unsqueeze.under("unsqueeze(X, AxesTensor?, AxesTensorList*?) -> Out", "unsqueeze1")
flatten1 = reshape.flatten2.under("flatten(X) -> Out", "flatten1")
transpose1 = reshape.transpose.under("transpose(X) -> Out", "transpose1")
sync_batch_norm1 = norm.batch_norm.under(  # of models that were trained on several devices
    "sync_batch_norm(X, Scale?, Bias?, Mean, Variance) -> Y, MeanOut, VarianceOut, SavedMean, SavedVariance, ReserveSpace?",
    "sync_batch_norm1")
deformable_conv1 = regions.deformable_conv.under("deformable_conv_v1(Input, Offset, Filter, Mask?) -> Output", "deformable_conv1")
expand1 = joining.tile.under("expand(X, ExpandTimes?, expand_times_tensor*?) -> Out", "expand1", repeat_times="expand_times")


def _times(x_shape, target_shape):
    if len(x_shape) != len(target_shape) or any(n == 0 or m % n for n, m in zip(x_shape, target_shape)):
        raise ValueError(f"expand_as(): x {list(x_shape)} does not repeat to {list(target_shape)}")
    return [m // n for n, m in zip(x_shape, target_shape)]


@op("expand_as(X, target_tensor) -> Out", family="reshape", shapes=lambda x, target: expanded_as(x, target, ()))
def expand_as1(x, target):
    """x repeated as a whole along each axis to the shape of another tensor."""
    return np.tile(x, _times(x.shape, target.shape))


expand_as1.grad(x=lambda g, x_shape, target_shape: joining.untile(g, x_shape, None, None, _times(x_shape, target_shape)))


@op("fill_zeros_like(X) -> Out", family="same")
def fill_zeros_like(x):
    """Zeros in the shape and type of x."""
    return np.zeros_like(x)


@op("diag(Diagonal) -> Out", family="own", shapes=lambda x: x.like(x.shape * 2))
def diag1(x):
    """The matrix with a vector on its diagonal."""
    if x.ndim != 1:
        raise ValueError(f"Diagonal must be 1-d, got shape {list(x.shape)}")
    return np.diag(x)


def _diag_back(g):
    return diagonal(g)


diag1.grad(x=_diag_back)


@op("crop(X, Y?, Offsets?) -> Out", family="index",
    shapes=lambda x, y, offsets_tensor, offsets, shape: cropped(
        x, None, None, offsets_tensor, None, shape if y is None else y.shape, offsets))
def crop1(x, y=None, offsets_tensor=None, offsets=(), shape=()):
    """The block of x at some offsets that has the shape of y, or the given one."""
    return crop.fn(x, None, None, offsets_tensor, None, tuple(shape) if y is None else y.shape, offsets)


def _crop_back(g, x_shape, y, offsets_tensor, offsets, shape):
    starts = reshape.ints_of(offsets, offsets_tensor) or [0] * len(x_shape)
    sizes = shape if y is None else y.shape
    ends = [n if size == -1 else start + size for start, size, n in zip(starts, sizes, x_shape)]
    return region_place(g, tuple(x_shape), list(range(len(ends))), list(starts), ends, [1] * len(ends), ())


crop1.grad(x=_crop_back)


def _sizes(x, shape, input_dim_idx, output_dim_idx):
    sizes = list(shape)
    sizes[output_dim_idx] = x.shape[input_dim_idx]
    return sizes


@op("uniform_random_batch_size_like(Input) -> Out", family="own", to_desc=dtype_code, random=True, shapes=batch_size_like)
def uniform_random_batch_size_like(x, shape=(), input_dim_idx=0, output_dim_idx=0, min=-1.0, max=1.0, seed=0, dtype="float32"):
    """Numbers drawn evenly from [min, max), with one size taken from x."""
    sizes = _sizes(x, shape, input_dim_idx, output_dim_idx)
    return uniform_random.fn(None, None, sizes, dtypes.convert(dtype).name, min, max, seed)


@op("gaussian_random_batch_size_like(Input) -> Out", family="own", to_desc=dtype_code, random=True, shapes=batch_size_like)
def gaussian_random_batch_size_like(x, shape=(), input_dim_idx=0, output_dim_idx=0, mean=0.0, std=1.0, seed=0, dtype="float32"):
    """Normal numbers, with one size taken from x."""
    sizes = _sizes(x, shape, input_dim_idx, output_dim_idx)
    return gaussian_random.fn(None, None, sizes, mean, std, seed, dtypes.convert(dtype).name)


def _channel_shape(x, layout):
    """The shape in which one number per channel meets x; a matrix has its channels last."""
    axis = len(x.shape) - 1 if layout == "NHWC" else 1
    return [-1 if k == axis else 1 for k in range(len(x.shape))]


@op("affine_channel(X, Scale, Bias) -> Out", family="own", shapes=lambda x, scale, bias: x.like(x.shape))
def affine_channel(x, scale, bias, data_layout="NCHW"):
    """scale * x + bias with a scale and a bias for each channel."""
    shape = _channel_shape(x, data_layout)
    return x * scale.reshape(shape) + bias.reshape(shape)


@affine_channel.vjp
def _(needs, g, x, scale, data_layout):
    shape = _channel_shape(x, data_layout)
    others = [k for k, n in enumerate(shape) if n == 1]
    return (g * scale.reshape(shape) if needs[0] else None, reduction.sum(g * x, others, False) if needs[1] else None,
            reduction.sum(g, others, False) if needs[2] else None)


@op("sigmoid_cross_entropy_with_logits(X, Label, pos_weight?) -> Out", family="own", amp="black",
    shapes=lambda x, label, pos_weight: x.like(x.shape))
def sigmoid_cross_entropy_with_logits(x, label, pos_weight=None, normalize=False, ignore_index=-100):
    """Cross entropy of sigmoid(x) with labels in [0, 1]: 0 where the label is ignore_index; normalize divides by the number of
    labels that count.

    pos_weight is the factor of -log sigmoid(x), 1 + (weight of positives - 1) * label: files hold it computed.
    """
    soft = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)  # -log sigmoid(x)
    weight = 1 if pos_weight is None else pos_weight
    loss = (1 - label) * x + weight * soft
    loss = np.where(label == ignore_index, 0, loss).astype(x.dtype, copy=False)
    return loss / x.dtype.type(max((label != ignore_index).sum(), 1)) if normalize else loss


def _logits_rule(g, x, label, pos_weight, normalize, ignore_index):
    counts = label != ignore_index
    if normalize:
        g = g / masked(x * 0 + 1, counts).sum()
    weight = 1 if pos_weight is None else pos_weight
    return masked(g * (1 - label - weight * (1 - sigmoid(x))), counts)


sigmoid_cross_entropy_with_logits.grad(x=_logits_rule)


@op("fill_any(X) -> Out", family="same")
def fill_any(x, value=0.0):
    """A tensor of the same shape with every element the value."""
    return np.full(x.shape, value, x.dtype)


fill_any.grad(x=lambda g: g * 0)


@op("recompute_gate(X, After?) -> Out", family="same", pure=False)
def recompute_gate(x, after=None):
    """x itself, once ``after`` is there: where the second computation of a checkpointed segment starts."""
    return x


recompute_gate.grad(x=lambda g: g)


by_library(fill_zeros_like, affine_channel, sigmoid_cross_entropy_with_logits, deformable_conv1)
