"""Rows of a table by index, and the gradient that adds rows back."""

import numpy as np

from ...core import dtype as dtypes
from ...core import sizes
from ...core.facts import Spec
from ...core.op import op
from ...core.rows import SelectedRows
from ...core.steps import dense
from ...core.tensor import Tensor
from ..arguments import check_index
from ..families.reshape import given_ints
from ..families.sharding import looked_up
from ..library import by_library
from ..short import through_float32


@op("lookup_table_v2(Ids, W) -> Out", family="own", version=1, rows="keep", amp="float32", flops=0, shapes="*i, v d -> *i d:weight",
    sharding=looked_up, sparse="is_sparse")
def embedding(ids, weight, padding_idx=-1, is_sparse=False):
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


def table_gradient(g, ids, weight_shape, padding_idx, is_sparse):
    """The gradient of a table: SelectedRows where that is asked for, though not where gradients are differentiated again."""
    if not is_sparse or isinstance(g, Tensor) or hasattr(g, "block"):  # a Variable; what stands for arrays has none
        return embedding_grad(ids, g, weight_shape[0], padding_idx)
    rows, values = np.asarray(ids).reshape(-1), np.asarray(g).reshape(-1, weight_shape[1])
    if padding_idx >= 0:
        rows, values = rows[rows != padding_idx], values[rows != padding_idx]
    return SelectedRows(rows, weight_shape[0], values)


embedding.grad(weight=table_gradient)
embedding_grad.grad(grad=lambda g, ids, padding_idx: embedding(ids, g, padding_idx))


def takes_rows(ids, table, *_):
    """Does the kernel take ids and a table of these types? Of one id without axes it would make a row of one."""
    return table.dtype.char in "fd" and ids.dtype.kind == "i" and ids.itemsize >= 4 and ids.ndim > 0


@embedding.kernel(when=takes_rows)
def rows_of(k, ids, weight, padding_idx, is_sparse):
    """The kernel of embedding."""
    return k.embedding(dense(weight), dense(ids), padding_idx)


@embedding_grad.kernel(when=takes_rows)
def _(k, ids, grad, rows, padding_idx):
    return k.embedding_grad(dense(grad), dense(ids), rows, padding_idx)


@op("merge_selected_rows(X) -> Out", family="same", on_rows=lambda self, values: values[0].merged())
def merge_selected_rows(x):
    """Rows that come more than once added up; a whole array is what it is."""
    return x.copy()


@op("get_tensor_from_selected_rows(X) -> Out", family="same", on_rows=lambda self, values: values[0].values)
def get_tensor_from_selected_rows(x):
    """The values of selected rows; a whole array is what it is."""
    return x.copy()


merge_selected_rows.grad(x=lambda g: g)
get_tensor_from_selected_rows.grad(x=lambda g: g)


def hot_sizes(shape, depth_tensor, depth, dtype):
    """Spec of rows of zeros and ones for ids of a shape."""
    size = depth if depth_tensor is None else given_ints(None, depth_tensor)[0]
    if size is not None and size < 1:
        return None
    return Spec(sizes.with_axis(shape, len(shape), -1 if size is None else size), dtypes.to_numpy(dtype))


@op("one_hot_v2(X, depth_tensor?) -> Out", family="own", layer_name="one_hot_v2", rows="keep", sharding="*I -> *I d",
    shapes=lambda x, depth_tensor, depth, dtype: hot_sizes(x.shape, depth_tensor, depth, dtype))
def one_hot(x, depth_tensor=None, depth=-1, dtype=5, allow_out_of_range=False):
    """1 at index x of a new last axis of size ``depth``, else 0."""
    n = int(np.ravel(depth_tensor)[0]) if depth_tensor is not None else depth
    if n < 1:
        raise ValueError(f"one_hot(): the number of classes must be positive, got {n}")
    out = np.zeros((*x.shape, n), dtypes.to_numpy(dtype))
    rows, ids = np.arange(x.size) * n, x.reshape(-1)
    if allow_out_of_range:
        inside = (ids >= 0) & (ids < n)
        rows, ids = rows[inside], ids[inside].astype(np.int64)
    else:
        check_index(x, n, "one_hot", "index")
    out.reshape(-1)[rows + ids] = 1
    return out


through_float32(embedding_grad)


by_library(one_hot)
