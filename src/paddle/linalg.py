"""paddle.linalg: decompositions, solvers and norms of matrices."""

from .core.addresses import lookup as _lookup
from .core.spelling import spelled as _spelled
from .tensor.decompositions import (
                                    cholesky_inverse,
                                    lu_solve,
                                    matrix_exp,
                                    matrix_norm,
                                    ormqr,
                                    svd_lowrank,
                                    svdvals,
                                    vecdot,
                                    vector_norm,
)
from .tensor.eight_bits import fp8_fp8_half_gemm_fused
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
from .tensor.product import cross, matmul
from .tensor.slicing import diagonal
from .tensor.spelled import matrix_transpose

__all__ = ["cholesky", "norm", "cond", "cov", "corrcoef", "inv", "eig", "eigvals", "multi_dot", "matrix_rank", "svd", "qr",
           "householder_product", "pca_lowrank", "lu", "lu_unpack", "matrix_power", "det", "slogdet", "eigh", "eigvalsh",
           "pinv", "solve", "cholesky_solve", "triangular_solve", "lstsq", "cholesky_inverse", "cross", "diagonal", "lu_solve",
           "matmul", "matrix_exp", "matrix_norm", "matrix_transpose", "ormqr", "svd_lowrank", "svdvals", "vecdot", "vector_norm",
           "fp8_fp8_half_gemm_fused"]


globals().update({name: _spelled(name, globals()[name], "paddle.linalg." + name) for name in __all__})

__getattr__ = _lookup(__name__)
