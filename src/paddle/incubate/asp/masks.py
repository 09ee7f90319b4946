"""n:m patterns in matrices: which of every m neighbours are zero, and masks that make them so."""

import enum
import functools
import itertools

import numpy as np

from ...core.errors import describe

__all__ = []


class MaskAlgo(enum.Enum):
    """How a mask is chosen: row by row, or in m x m blocks, one entry after another or by the best block."""

    MASK_1D = "get_mask_1d"
    MASK_2D_GREEDY = "get_mask_2d_greedy"
    MASK_2D_BEST = "get_mask_2d_best"


class CheckMethod(enum.Enum):
    """How a pattern is looked for: in rows, or in m x m blocks."""

    CHECK_1D = "check_mask_1d"
    CHECK_2D = "check_mask_2d"

    @staticmethod
    def get_checking_method(mask_algo):
        """The check that belongs to a way of making masks.

        >>> asp = paddle.incubate.asp
        >>> print(asp.CheckMethod.get_checking_method(asp.MaskAlgo.MASK_2D_BEST))
        CheckMethod.CHECK_2D
        """
        if not isinstance(mask_algo, MaskAlgo):
            raise TypeError(f"get_checking_method(): mask_algo must be a MaskAlgo, got {describe(mask_algo)}")
        return CheckMethod.CHECK_1D if mask_algo is MaskAlgo.MASK_1D else CheckMethod.CHECK_2D


def calculate_density(x):
    """The fraction of elements of an array that are not zero.

    >>> import numpy
    >>> paddle.incubate.asp.calculate_density(numpy.array([[0, 1, 3, 0], [1, 1, 0, 1]]))
    0.625
    """
    x = np.asarray(x)
    if not x.size:
        raise ValueError(f"calculate_density(): x must have elements, got shape {list(x.shape)}")
    return float(np.count_nonzero(x) / x.size)


def _pattern(function, n, m):
    """Check the two numbers of a pattern."""
    for name, value in (("n", n), ("m", m)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{function}(): {name} must be an int of at least 1, got {describe(value)}")
    if n > m:
        raise ValueError(f"{function}(): n must be at most m, got {n}:{m}")
    return int(n), int(m)


def _matrix(function, mat):
    mat = np.asarray(mat)
    if mat.ndim != 2:
        raise ValueError(f"{function}(): mat must be a matrix, got shape {list(mat.shape)}")
    return mat


def _rows(mat, m):
    """Pieces of m neighbours in rows, as rows of an array; the last column is filled up with zeros."""
    return np.pad(mat, [(0, 0), (0, -mat.shape[1] % m)]).reshape(-1, m)


def _blocks(mat, m):
    """The m x m blocks of a matrix filled up with zeros, [number, m, m] in float64, and how many stand below one another."""
    padded = np.pad(mat.astype(float), [(0, -size % m) for size in mat.shape])
    high, wide = (size // m for size in padded.shape)
    return padded.reshape(high, m, wide, m).swapaxes(1, 2).reshape(-1, m, m), high


def _joined(blocks, high, shape):
    """The matrix of blocks without its padding: what ``_blocks`` took apart."""
    m = blocks.shape[1]
    whole = blocks.reshape(high, -1, m, m).swapaxes(1, 2).reshape(high * m, -1)
    return whole[:shape[0], :shape[1]]


def check_mask_1d(mat, n, m):
    """Whether at least n of every m neighbours in rows are zero.

    >>> import numpy
    >>> paddle.incubate.asp.check_mask_1d(numpy.array([[0, 1, 3, 0], [1, 0, 0, 1]]), 2, 4)
    True
    """
    n, m = _pattern("check_mask_1d", n, m)
    mat = np.asarray(mat)
    pieces = _rows(_matrix("check_mask_1d", mat[None] if mat.ndim == 1 else mat), m)
    return bool((np.count_nonzero(pieces, axis=1) <= m - n).all())


def get_mask_1d(mat, n, m):
    """Ones where an element stays and zeros at the n smallest of every m neighbours in rows.

    >>> import numpy
    >>> paddle.incubate.asp.get_mask_1d(numpy.array([[0, 1, 5, 4], [2, 7, 3, 6]]), 2, 4).tolist()
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    n, m = _pattern("get_mask_1d", n, m)
    mat = _matrix("get_mask_1d", mat)
    pieces = _rows(mat, m)
    mask = np.ones_like(pieces)
    np.put_along_axis(mask, np.argsort(np.abs(pieces), axis=1)[:, :n], 0, axis=1)
    return mask.reshape(mat.shape[0], -1)[:, :mat.shape[1]]


def check_mask_2d(mat, n, m):
    """Whether in every m x m block all rows, or all columns, have at least n zeros.

    >>> import numpy
    >>> paddle.incubate.asp.check_mask_2d(numpy.array([[0, 8, 9, 0], [9, 0, 0, 10], [5, 0, 0, 6], [0, 4, 6, 0]]), 2, 4)
    True
    """
    n, m = _pattern("check_mask_2d", n, m)
    used = _blocks(_matrix("check_mask_2d", mat), m)[0] != 0
    rows, columns = ((used.sum(axis=axis) <= m - n).all(axis=1) for axis in (2, 1))
    return bool((rows | columns).all())


def get_mask_2d_greedy(mat, n, m):
    """A mask with at most n ones in every row and column of m x m blocks: the largest element that still fits comes next.

    >>> import numpy
    >>> paddle.incubate.asp.get_mask_2d_greedy(numpy.array([[9, 8], [9, 2]]), 1, 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    n, m = _pattern("get_mask_2d_greedy", n, m)
    mat = _matrix("get_mask_2d_greedy", mat)
    blocks, high = _blocks(mat, m)
    mask = np.zeros_like(blocks)
    every = np.arange(len(blocks))
    for entry in np.argsort(np.abs(blocks.reshape(len(blocks), -1)), axis=1).T[::-1]:
        row, column = entry // m, entry % m
        mask[every, row, column] = (mask[every, row].sum(axis=1) < n) & (mask[every, :, column].sum(axis=1) < n)
    return _joined(mask, high, mat.shape)


@functools.lru_cache(maxsize=16)
def _patterns(n, m):
    """Every m x m matrix of zeros and ones with n ones in each row and column, [number, m * m]."""
    lines = [np.isin(np.arange(m), ones) for ones in itertools.combinations(range(m), n)]
    begun = [((), np.zeros(m, int))]
    for _ in range(m):
        begun = [((*rows, line), counts + line) for rows, counts in begun for line in lines if (counts + line <= n).all()]
    return np.array([rows for rows, _ in begun], float).reshape(-1, m * m)


def get_mask_2d_best(mat, n, m):
    """A mask with n ones in every row and column of m x m blocks, of which the elements it keeps have the largest sum.

    >>> import numpy
    >>> paddle.incubate.asp.get_mask_2d_best(numpy.array([[9, 8], [9, 2]]), 1, 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    n, m = _pattern("get_mask_2d_best", n, m)
    mat = _matrix("get_mask_2d_best", mat)
    blocks, high = _blocks(mat, m)
    patterns = _patterns(n, m)
    best = np.argmax(blocks.reshape(len(blocks), -1) @ patterns.T, axis=1)
    return _joined(patterns[best].reshape(-1, m, m), high, mat.shape)


_FUNCTIONS = {function.__name__: function for function in
              (check_mask_1d, check_mask_2d, get_mask_1d, get_mask_2d_greedy, get_mask_2d_best)}


def _as_matrix(function, tensor):
    """An array as the matrix whose rows are pruned (of four axes the third is), and the way back from a matrix."""
    array = np.asarray(tensor)
    if not 1 <= array.ndim <= 4:
        raise ValueError(f"{function}(): tensor must have one to four axes, got shape {list(array.shape)}")
    if array.ndim == 4:
        turned = array.transpose(0, 1, 3, 2)
        return turned.reshape(-1, array.shape[2]).astype(float), lambda mask: mask.reshape(turned.shape).transpose(0, 1, 3, 2)
    return array.reshape(-1, array.shape[-1]).astype(float), lambda mask: mask.reshape(array.shape)


def create_mask(tensor, func_name=MaskAlgo.MASK_1D, n=2, m=4):
    """The mask of an array of up to four axes, in its shape and dtype.

    >>> import numpy
    >>> paddle.incubate.asp.create_mask(numpy.array([[2, 8, 9, 9], [9, 1, 3, 9]])).tolist()
    [[0, 0, 1, 1], [1, 0, 0, 1]]
    """
    if not isinstance(func_name, MaskAlgo):
        raise TypeError(f"create_mask(): func_name must be a MaskAlgo, got {describe(func_name)}")
    matrix, back = _as_matrix("create_mask", tensor)
    return back(_FUNCTIONS[func_name.value](matrix, n, m)).astype(np.asarray(tensor).dtype)


def check_sparsity(tensor, func_name=CheckMethod.CHECK_1D, n=2, m=4):
    """Whether an array of up to four axes has the pattern.

    >>> import numpy
    >>> paddle.incubate.asp.check_sparsity(numpy.array([[0, 8, 0, 9], [9, 1, 3, 9]]))
    False
    """
    if not isinstance(func_name, CheckMethod):
        raise TypeError(f"check_sparsity(): func_name must be a CheckMethod, got {describe(func_name)}")
    return _FUNCTIONS[func_name.value](_as_matrix("check_sparsity", tensor)[0], n, m)
