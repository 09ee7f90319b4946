"""Matrix products (decompositions and solvers are in ops/linalg/decomposition.py, eigen.py and solve.py)."""

import numpy as np

from ...core.op import op
from ...core.steps import dense
from ...core.walk import sum_to
from ...kernels import thresholds
from ..math.arithmetic import conjugate, is_complex
from ..short import through_float32


def swap(x):
    """x with its last two axes exchanged (vectors unchanged)."""
    return x if x.ndim < 2 else x.swapaxes(-1, -2)


def check_matmul(a, b, x, y):
    """Raise ValueError with both shapes unless the inner sizes agree (a, b: after transposing)."""
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"matmul(): needs tensors of at least 1 dimension, got x {list(x.shape)} and y {list(y.shape)}")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul(): inner sizes differ: x {list(x.shape)} and y {list(y.shape)} ({a.shape[-1]} vs {inner})")


@op("matmul_v2(X, Y) -> Out", family="matmul", layer_name="matmul_v2", transpose_x="trans_x", transpose_y="trans_y")
def matmul(x, y, transpose_x=False, transpose_y=False):
    """Matrix product over the last two axes, others broadcast; a vector is a row on the left, a column on the right."""
    a, b = swap(x) if transpose_x else x, swap(y) if transpose_y else y
    check_matmul(a, b, x, y)
    out = np.matmul(a, b)
    return out.astype(x.dtype) if x.dtype == y.dtype != out.dtype else out  # bfloat16 products come out in float32


@matmul.vjp
def _(needs, g, x, y, transpose_x, transpose_y):
    if x.ndim == y.ndim == 2 and not is_complex(x):  # the common case, without the detours of the others
        return _products(needs, g, x, y, transpose_x, transpose_y)
    x_shape, y_shape = list(x.shape), list(y.shape)
    if len(y_shape) == 2 and len(x_shape) > 2 and not transpose_x and not is_complex(x):  # one matrix for the whole batch
        rows, g_rows = x.reshape([-1, x_shape[-1]]), g.reshape([-1, g.shape[-1]])
        dx, dy = _products(needs, g_rows, rows, y, False, transpose_y)
        return None if dx is None else dx.reshape(x_shape), dy
    tx, ty = transpose_x and len(x_shape) > 1, transpose_y and len(y_shape) > 1
    g_shape = list(g.shape)
    if len(y_shape) == 1:  # a column
        y, g_shape = y.reshape([*y_shape, 1]), [*g_shape, 1]
    if len(x_shape) == 1:  # a row
        x, g_shape = x.reshape([1, *x_shape]), [*g_shape[:-1], 1, g_shape[-1]]
    g = g.reshape(g_shape)
    dx, dy = _products(needs, g, conjugate(x), conjugate(y), tx, ty)
    return (None if dx is None else sum_to(dx, tuple(x.shape)).reshape(x_shape),
            None if dy is None else sum_to(dy, tuple(y.shape)).reshape(y_shape))


def _products(needs, g, x, y, tx, ty):
    """The gradients of matrices multiplied with each other, not yet summed over what was broadcast."""
    dx = dy = None
    if needs[0]:
        dx = matmul(y, g, ty, True) if tx else matmul(g, y, False, not ty)
    if needs[1]:
        dy = matmul(g, x, True, tx) if ty else matmul(x, g, not tx, False)
    return dx, dy


def _narrow(x, y, transpose_x, transpose_y):
    """Is it a tall transposed x times a few columns: the gradient of a classifier's weight?"""
    columns = y.shape[-1]
    return (transpose_x and not transpose_y and 1 < columns < thresholds.NARROW_COLUMNS
            and x.size * columns > thresholds.NARROW_PRODUCT)


def is_fast(x, y, _, transpose_y):
    if x.dtype != y.dtype or x.dtype.char not in "fd" or x.ndim < 2 or y.ndim < 2:
        return False
    return x.ndim == y.ndim == 2 or x.size * y.shape[-2 if transpose_y else -1] > thresholds.BATCH_PRODUCT and y.size > 0


@matmul.kernel(when=is_fast)
def fast_product(k, x, y, transpose_x, transpose_y):
    """The kernel of products of floats."""
    gemm = k.gemm
    if x.ndim == y.ndim == 2 and x.shape[0 if transpose_x else 1] == y.shape[1 if transpose_y else 0]:
        if _narrow(x, y, transpose_x, transpose_y):  # (yᵀ x)ᵀ: x as it lies is the right operand
            return dense(gemm(y, x, True, False).T)
        return gemm(x, y, transpose_x, transpose_y)
    a, b = swap(x) if transpose_x else x, swap(y) if transpose_y else y
    check_matmul(a, b, x, y)
    if y.ndim == 2 and not transpose_x:  # one matrix for the whole batch: one tall product
        return gemm(dense(x).reshape(-1, x.shape[-1]), y, False, transpose_y).reshape(*x.shape[:-1], b.shape[-1])
    if x.shape[:-2] == y.shape[:-2]:
        batch = x.shape[:-2]
        flat = gemm(_as_batch(x), _as_batch(y), transpose_x, transpose_y)
        return flat.reshape(*batch, *flat.shape[1:])
    return NotImplemented


def is_brain(*arrays):
    """Are they all bfloat16?"""
    return all(a.dtype.char == "E" for a in arrays)


@matmul.kernel(when=lambda x, y, transpose_x, transpose_y: is_brain(x, y) and y.ndim == 2 and x.ndim >= 2
               and (x.ndim == 2 or not transpose_x))
def _(k, x, y, transpose_x, transpose_y):
    check_matmul(swap(x) if transpose_x else x, swap(y) if transpose_y else y, x, y)
    if x.ndim == 2:
        return k.gemm_brain(x, y, transpose_x, transpose_y)
    out = k.gemm_brain(dense(x).reshape(-1, x.shape[-1]), y, False, transpose_y)
    return out if out is NotImplemented else out.reshape(*x.shape[:-1], y.shape[0 if transpose_y else 1])


def _as_batch(x):
    """x with its leading axes joined into one."""
    return x if x.ndim == 3 else x.reshape(-1, *x.shape[-2:])


@matmul.kernel(when=lambda x, y, transpose_x, transpose_y: x.dtype.char in "ilq" and x.dtype == y.dtype and x.ndim == y.ndim == 2
               and x.shape[1] == y.shape[0] and not transpose_x and not transpose_y, noted=False)
def _(k, x, y, transpose_x, transpose_y):
    """Whole numbers, for which NumPy has no product of its own that runs in vectors."""
    return k.whole_product(dense(x), dense(y))


through_float32(matmul)
