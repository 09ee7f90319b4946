"""Small ops of models: bilinear products, smoothed labels, masks of lengths, beams traced back, undone max pooling."""

import numpy as np

from ...core import dtype as dtypes
from ...core.op import op
from ..composed import composed
from ..families.reshape import given_ints
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.reshape import transpose
from ..math.reduction import sum as sum_of
from .conv import to_first, to_last
from .pooling import pool_gather
from .window_geometry import channels_last


@composed("bilinear_tensor_product(X, Y, Weight, Bias?) -> Out", family="own", layer_name="bilinear",
    rows="keep", shapes="b m, b n, k m n -> b k")
def bilinear_tensor_product(x, y, weight, bias=None):
    """out[n, k] = x[n] @ weight[k] @ y[n] + bias[k]."""
    if len(x.shape) != 2 or len(y.shape) != 2 or list(weight.shape)[1:] != [x.shape[1], y.shape[1]]:
        raise ValueError(f"bilinear(): x1 [N, a], x2 [N, b] and weight [K, a, b] do not fit: {list(x.shape)}, {list(y.shape)}, "
                         f"{list(weight.shape)}")
    left = matmul(x.reshape([1, *x.shape]), weight)  # [K, N, b]
    out = transpose(sum_of(left * y.reshape([1, *y.shape]), 2), [1, 0])
    return out if bias is None else out + bias.reshape([1, weight.shape[0]])


@composed("label_smooth(X, PriorDist?) -> Out", family="own", rows="keep", shapes="*x -> *x")
def label_smooth(x, prior=None, epsilon=0.0):
    """(1 - epsilon) * x + epsilon * prior, with 1 / classes for the prior if there is none."""
    kept = x * (1 - epsilon)
    return kept + epsilon / x.shape[-1] if prior is None else kept + prior.reshape([-1]) * epsilon


def _mask_to_desc(attrs):
    return {"maxlen": attrs["maxlen"], "out_dtype": dtypes.convert(attrs["dtype"]).code}


def _mask_from_desc(attrs):
    return {"maxlen": attrs.get("maxlen", -1), "dtype": dtypes.convert(attrs["out_dtype"])}


def _mask_sizes(x, maxlen_tensor, maxlen, dtype):
    size = maxlen if maxlen_tensor is None else given_ints(None, maxlen_tensor)[0]
    return x.like((*x.shape, -1 if size is None or size < 0 else size), dtypes.to_numpy(dtype))


@op("sequence_mask(X, MaxLenTensor?) -> Y", family="dynamic", to_desc=_mask_to_desc, from_desc=_mask_from_desc, shapes=_mask_sizes)
def sequence_mask(x, maxlen_tensor=None, maxlen=-1, dtype="int64"):
    """1 at positions before each length, 0 behind, on a new last axis of size maxlen (the longest length if negative)."""
    if maxlen_tensor is not None:
        maxlen = int(np.ravel(maxlen_tensor)[0])
    if maxlen < 0:
        maxlen = int(x.max()) if x.size else 0
    return (np.arange(maxlen) < x[..., None]).astype(dtypes.to_numpy(dtype))


@op("gather_tree(Ids, Parents) -> Out", family="same")
def gather_tree(ids, parents):
    """Whole sequences of beam search [T, N, beams], from the tokens of each step and the beams they came from."""
    if ids.ndim != 3 or ids.shape != parents.shape:
        raise ValueError(f"ids and parents must have one shape [T, N, beams], got {list(ids.shape)} and {list(parents.shape)}")
    out = np.empty_like(ids)
    beam = np.broadcast_to(np.arange(ids.shape[2]), ids.shape[1:])
    for t in range(ids.shape[0] - 1, -1, -1):
        out[t] = np.take_along_axis(ids[t], beam, 1)
        beam = np.take_along_axis(parents[t], beam, 1)
    return out


def _declare_unpool(name, extra):
    def forward(x, indices, ksize=(2, 2), strides=(2, 2), paddings=(0, 0), output_size=(), data_format="NCHW"):
        last = channels_last(data_format)
        x, indices = to_first(x, last), to_first(indices, last)
        if indices.size and (indices.min() < 0 or indices.max() >= int(np.prod(output_size))):
            raise ValueError(f"max_unpool{len(output_size)}d(): an index is out of range for output_size {list(output_size)}")
        return to_last(_placed(x, indices, tuple(output_size)), last)

    def vjp(needs, g, indices, data_format):
        last = channels_last(data_format)
        return to_last(pool_gather(to_first(g, last), to_first(indices, last)), last), None

    def shapes(x, output_size, data_format):
        return x.like((x.shape[0], *output_size, x.shape[-1]) if channels_last(data_format) else (*x.shape[:2], *output_size))

    forward.__name__, forward.__module__ = name, __name__
    forward.__doc__ = "Zeros of the output size with every element at its index of the flattened spatial axes."
    declared = op(f"{name}(X, Indices) -> Out", family="own", extra=extra, shapes=shapes)(forward)
    declared.vjp(vjp)
    return declared


def _placed(x, index, size):
    out = np.zeros((*x.shape[:2], int(np.prod(size))), x.dtype)
    np.put_along_axis(out, index.reshape(*x.shape[:2], -1).astype(np.int64), x.reshape(*x.shape[:2], -1), 2)
    return out.reshape(*x.shape[:2], *size)


unpool = _declare_unpool("unpool", {"unpooling_type": "max"})
unpool3d = _declare_unpool("unpool3d", {})


by_library(label_smooth, gather_tree, sequence_mask)
