"""Matrix products."""

from ..ops import linalg as A
from .convert import promote

__all__ = ["matmul", "mm", "bmm", "mv"]
METHODS = __all__


def matmul(x, y, transpose_x=False, transpose_y=False, name=None):
    """Matrix product over the last two axes, others broadcast; a vector is a row on the left, a column on the right.

    >>> import paddle
    >>> paddle.matmul(paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [3.0, 3.0]
    """
    x, y = promote(x, y, "matmul")
    return A.matmul(x, y, bool(transpose_x), bool(transpose_y))


def mm(input, mat2, name=None):
    """Matrix product of two tensors (``matmul`` without transposing).

    >>> import paddle
    >>> paddle.mm(paddle.ones([1, 2]), paddle.ones([2, 1])).tolist()
    [[2.0]]
    """
    return A.matmul(*promote(input, mat2, "mm"))


def bmm(x, y, name=None):
    """Matrix product of two batches of matrices, [B, N, M] and [B, M, K].

    >>> import paddle
    >>> paddle.bmm(paddle.ones([2, 1, 3]), paddle.ones([2, 3, 1])).shape
    [2, 1, 1]
    """
    x, y = promote(x, y, "bmm")
    if len(x.shape) != 3 or len(y.shape) != 3 or (x.shape[0] != y.shape[0] and -1 not in (x.shape[0], y.shape[0])):
        raise ValueError(f"bmm(): x and y must be [B, N, M] and [B, M, K], got {list(x.shape)} and {list(y.shape)}")
    return A.matmul(x, y)


def mv(x, vec, name=None):
    """Product of a matrix and a vector.

    >>> import paddle
    >>> paddle.mv(paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [3.0, 3.0]
    """
    x, vec = promote(x, vec, "mv")
    if len(x.shape) != 2 or len(vec.shape) != 1:
        raise ValueError(f"mv(): x must be a matrix and vec a vector, got {list(x.shape)} and {list(vec.shape)}")
    return A.matmul(x, vec)
