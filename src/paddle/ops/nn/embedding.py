"""Rows of a table by index, and the gradient that adds rows back."""

import numpy as np

from ...core import dtype as dtypes
from ...core.facts import Spec
from ...core.op import op
from ...core.steps import dense
from ..arguments import check_index
from ..families.reshape import given_ints
from ..families.sharding import looked_up
from ..short import through_float32


@op("lookup_table_v2(Ids, W) -> Out", family="own", version=1, rows="keep", flops=0, shapes="*i, v d -> *i d:weight",
    sharding=looked_up)
def embedding(ids, weight, padding_idx=-1):
    """weight[ids]; rows of ``padding_idx`` (if not negative) are zeros. An id out of range raises IndexError."""
    check_index(ids, weight.shape[0], "embedding", "id")
    out = weight[ids]
    if padding_idx >= 0:
        out[ids == padding_idx] = 0
    return out


@op("embedding_rows_grad(Ids, G) -> GW", family="own")
def embedding_grad(ids, grad, rows=1, padding_idx=-1):
    """The rows of grad added up at their ids, in a table of ``rows`` rows."""
    table = np.zeros((rows, grad.shape[-1]), grad.dtype)
    flat, values = ids.reshape(-1), grad.reshape(-1, grad.shape[-1])
    if padding_idx >= 0:
        flat, values = flat[flat != padding_idx], values[flat != padding_idx]
    np.add.at(table, flat, values)
    return table


embedding.grad(weight=lambda g, ids, weight_shape, padding_idx: embedding_grad(ids, g, weight_shape[0], padding_idx))
embedding_grad.grad(grad=lambda g, ids, padding_idx: embedding(ids, g, padding_idx))


def _fast(ids, table, *_):
    return table.dtype.char in "fd" and ids.dtype.kind == "i" and ids.itemsize >= 4


@embedding.kernel(when=_fast)
def _(k, ids, weight, padding_idx):
    return k.embedding(dense(weight), dense(ids), padding_idx)


@embedding_grad.kernel(when=_fast)
def _(k, ids, grad, rows, padding_idx):
    return k.embedding_grad(dense(grad), dense(ids), rows, padding_idx)


def hot_sizes(shape, depth_tensor, depth, dtype):
    """Spec of rows of zeros and ones for ids of a shape."""
    size = depth if depth_tensor is None else given_ints(None, depth_tensor)[0]
    return None if size is not None and size < 1 else Spec((*shape, -1 if size is None else size), dtypes.to_numpy(dtype))


@op("one_hot_v2(X, depth_tensor?) -> Out", family="own", layer_name="one_hot_v2", rows="keep", sharding="*I -> *I d",
    shapes=lambda x, depth_tensor, depth, dtype: hot_sizes(x.shape, depth_tensor, depth, dtype))
def one_hot(x, depth_tensor=None, depth=-1, dtype=5, allow_out_of_range=False):
    """1 at index x of a new last axis of size ``depth``, else 0."""
    n = int(np.ravel(depth_tensor)[0]) if depth_tensor is not None else depth
    if n < 1:
        raise ValueError(f"one_hot(): the number of classes must be positive, got {n}")
    if allow_out_of_range:
        inside = (x >= 0) & (x < n)
    else:
        check_index(x, n, "one_hot", "index")
        inside = np.ones(x.shape, bool)
    out = np.zeros((*x.shape, n), dtypes.to_numpy(dtype))
    np.put_along_axis(out, np.where(inside, x, 0)[..., None].astype(np.intp), inside[..., None].astype(out.dtype), -1)
    return out


through_float32(embedding_grad)
