"""Sparse tensors, by coordinates (COO) and by compressed rows (CSR), and functions and layers for them."""

from . import binary, creation, unary
from .binary import *  # noqa: F403
from .creation import *  # noqa: F403
from .creation import to_sparse_coo, to_sparse_csr  # noqa: F401  (what the methods of Tensor call)
from .tensors import SparseTensor
from .unary import *  # noqa: F403

__all__ = [*creation.__all__, *unary.__all__, *binary.__all__]

for _name, _function in {
        "__add__": binary.add, "__sub__": binary.subtract, "__mul__": binary.multiply, "__rmul__": binary.multiply,
        "__truediv__": binary.divide, "__matmul__": binary.matmul, "__neg__": unary.neg, "__abs__": unary.abs,
        **{name: globals()[name] for name in [*unary.__all__, *binary.__all__] if name not in ("coalesce", "slice")}}.items():
    setattr(SparseTensor, _name, _function)

from . import nn  # noqa: E402, F401  (uses the functions above)
