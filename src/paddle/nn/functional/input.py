"""Embedding and one-hot."""

from ...core.errors import own_errors
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.nn import embedding as embedding_ops
from ...tensor.convert import as_tensor
from ...utils import naming

__all__ = ["embedding", "one_hot"]


def embedding(x, weight, padding_idx=None, sparse=False, name=None):
    """Rows of ``weight`` by index; rows of ``padding_idx`` are zeros and receive no gradient.

    With ``sparse`` the gradient of ``weight`` is a tensor of the rows that were looked up, not of the whole table.

    Args:
        x (Tensor): integers of any shape [...].
        weight (Tensor): the table [n, d].
        padding_idx (int or None): index whose rows are zeros (None: no such index); a negative one counts from the end.
        sparse (bool): give ``weight`` a gradient of the looked-up rows only.
    Returns:
        Tensor [..., d].
    Raises:
        IndexError: an index is outside the table.

    >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 0]), paddle.to_tensor([[1., 2.], [3., 4.]])).tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    x, weight = as_tensor(x, "embedding"), as_tensor(weight, "embedding", "weight")
    if len(weight.shape) != 2:
        raise ValueError(f"embedding(): weight must be [rows, size], got shape {list(weight.shape)}")
    rows, pad = weight.shape[0], -1
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise ValueError(f"embedding(): padding_idx must be in [{-rows}, {rows}), got {padding_idx}")
        pad = padding_idx % rows
    return naming.named(embedding_ops.embedding(x, weight, pad, bool(sparse)), name)


@own_errors
def one_hot(x, num_classes, name=None):
    """1 at index x of a new last axis of size ``num_classes``, else 0, as float32. In programs the number may be a Variable.

    Args:
        x (Tensor): class numbers of an integer type, [...].
        num_classes (int): size of the new axis.
    Returns:
        float32 [..., num_classes].
    Raises:
        IndexError: a class number is negative or not below ``num_classes``.

    >>> paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    depth_tensor = num_classes if isinstance(num_classes, Symbolic) else None
    depth = -1 if depth_tensor is not None else int(num_classes) if isinstance(num_classes, Tensor) else num_classes
    return naming.named(embedding_ops.one_hot(as_tensor(x, "one_hot"), depth_tensor, depth=depth), name)
