"""The C++ functions of 2.6.2 that files have no operator for: the public functions that Paddle calls them in."""

from .. import linalg, tensor
from ..core.tensor import Tensor
from ..nn import functional as F


def _sized(make):
    """A function of sizes, type and place."""
    return lambda shape, dtype="float32", place=None: make(shape, dtype)


def _like(make):
    """A function of a tensor, another type or None, and a place."""
    return lambda x, dtype=None, place=None: make(x, dtype)


def full_(output, shape, value, dtype="float32", place=None):
    """Fill a tensor with a number; it takes the shape and the element type."""
    return output.become(tensor.full(shape, value, dtype), "full_", reshapes=True, leaf=True)


def matrix_rank_tol(x, atol_tensor, use_default_tol=True, hermitian=False):
    """The ranks of matrices: how many singular values lie above a tolerance."""
    return linalg.matrix_rank(x, None if use_default_tol else atol_tensor, hermitian)


def view_shape(x, dims=()):
    """A tensor of other sizes in the memory of x."""
    return tensor.view(x, list(dims))


FUNCTIONS = {
    "assign_out_": tensor.assign, "empty_like": _like(tensor.empty_like), "full_": full_, "full_with_tensor": tensor.full,
    "gumbel_softmax": F.gumbel_softmax, "linear": F.linear, "matrix_rank_tol": matrix_rank_tol, "ones": _sized(tensor.ones),
    "ones_like": _like(tensor.ones_like), "repeat_interleave_with_tensor_index": tensor.repeat_interleave,
    "split_with_num": tensor.split, "tril": tensor.tril, "tril_": Tensor.tril_, "triu": tensor.triu, "triu_": Tensor.triu_,
    "view_shape": view_shape, "zeros": _sized(tensor.zeros), "zeros_like": _like(tensor.zeros_like),
}
