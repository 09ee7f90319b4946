"""paddle.linalg: decompositions, solvers and norms of matrices."""

from .core.addresses import lookup as _lookup
from .tensor.linalg import (
                            cholesky,
                            cholesky_solve,
                            det,
                            eig,
                            eigh,
                            eigvals,
                            eigvalsh,
                            inv,
                            lstsq,
                            lu,
                            lu_unpack,
                            matrix_power,
                            matrix_rank,
                            pinv,
                            qr,
                            slogdet,
                            solve,
                            svd,
                            triangular_solve,
)
from .tensor.matrices import cond, corrcoef, cov, householder_product, multi_dot, norm, pca_lowrank

__all__ = ["cholesky", "norm", "cond", "cov", "corrcoef", "inv", "eig", "eigvals", "multi_dot", "matrix_rank", "svd", "qr",
           "householder_product", "pca_lowrank", "lu", "lu_unpack", "matrix_power", "det", "slogdet", "eigh", "eigvalsh",
           "pinv", "solve", "cholesky_solve", "triangular_solve", "lstsq"]


__getattr__ = _lookup(__name__)
