"""Tensors constructed from others: diagonals, triangles, grids, complex numbers, combinations."""

from ..core import dtype as dtypes
from ..core.docstrings import documented_like
from ..core.errors import WrongKindError, own_errors
from ..ops.manipulation import construct, creation, joining, reshape
from ..ops.manipulation.gather_scatter import gather
from ..ops.math.unary import cos, sin
from ..utils import naming
from .convert import as_tensor, int_arg, promote, real_arg
from .creation import empty, ones_like, zeros
from .joining import tensor_list
from .shapes import known

__all__ = ["diag", "diagflat", "diag_embed", "meshgrid", "tril", "triu", "tril_indices", "triu_indices", "complex",
           "polar",
           "vander", "block_diag", "combinations", "cartesian_prod"]
METHODS = ["diag", "diagflat", "diag_embed", "tril", "triu", "polar", "vander", "combinations"]
INPLACE = ["tril", "triu"]


@own_errors
def diag(x, offset=0, padding_value=0, name=None):
    """Make a matrix from its diagonal (1-d x), or read the diagonal of a matrix (2-d x).

    Args:
        x: 1-d or 2-d Tensor.
        offset: which diagonal: above (positive) or below (negative) the main one.
        padding_value: value off the diagonal, for 1-d x.

    >>> paddle.diag(paddle.to_tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return naming.named(construct.diag_v2(as_tensor(x, "diag"), int_arg(offset, "diag", "offset"),
                                          real_arg(padding_value, "diag", "padding_value")), name)


@own_errors
def diagflat(x, offset=0, name=None):
    """Make a matrix whose diagonal holds all elements of x in order.

    Args:
        x: Tensor, flattened.
        offset: which diagonal: above (positive) or below (negative) the main one.

    >>> paddle.diagflat(paddle.to_tensor([[1], [2]])).tolist()
    [[1, 0], [0, 2]]
    """
    out = construct.diag_v2(reshape.reshape(as_tensor(x, "diagflat"), None, None, [-1]), int_arg(offset, "diagflat", "offset"), 0)
    return naming.named(out, name)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Make matrices whose diagonals are the last axis of ``input``.

    Args:
        input: Tensor.
        offset: which diagonal is filled.
        dim1, dim2: axes of the result that form the matrices.

    >>> paddle.diag_embed(paddle.ones([3, 2])).shape
    [3, 2, 2]
    """
    return construct.diag_embed(as_tensor(input, "diag_embed", "input"), int_arg(offset, "diag_embed", "offset"),
                                int_arg(dim1, "diag_embed", "dim1"), int_arg(dim2, "diag_embed", "dim2"))


def meshgrid(*args, **kwargs):
    """Make coordinate grids from vectors: output k varies along axis k only.

    Args:
        args: the vectors (1-d or 0-d Tensors), one by one or as one list.

    >>> a, b = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
    >>> a.tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    unknown = set(kwargs) - {"name"}
    if unknown:
        raise TypeError(f"meshgrid(): unexpected arguments {sorted(unknown)}")
    vectors = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    if not vectors:
        raise ValueError("meshgrid(): needs at least one tensor")
    return joining.meshgrid([as_tensor(v, "meshgrid", f"args[{i}]") for i, v in enumerate(vectors)])


def tril(x, diagonal=0, name=None):
    """Keep the lower triangles of matrices (the last two axes) and set the rest to zero.

    Args:
        x: matrices [..., m, n].
        diagonal: the last diagonal that stays: above (positive) or below (negative) the main one.

    >>> paddle.tril(paddle.ones([2, 2])).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return naming.named(construct.tril_triu(as_tensor(x, "tril"), int_arg(diagonal, "tril", "diagonal"), True), name)


def triu(x, diagonal=0, name=None):
    """Keep the upper triangles of matrices (the last two axes) and set the rest to zero.

    Args:
        x: matrices [..., m, n].
        diagonal: the first diagonal that stays: above (positive) or below (negative) the main one.

    >>> paddle.triu(paddle.ones([2, 2])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return naming.named(construct.tril_triu(as_tensor(x, "triu"), int_arg(diagonal, "triu", "diagonal"), False), name)


def _sides(row, col, function):
    """The sides of a matrix; a square one for col None."""
    sides = int_arg(row, function, "row"), int_arg(row if col is None else col, function, "col")
    if min(sides) < 0:
        raise WrongKindError(f"{function}(): row and col must not be negative, got {sides[0]} and {sides[1]}")
    return sides


def tril_indices(row, col, offset=0, dtype="int64"):
    """Make the indices (row 0: rows, row 1: columns) of the lower triangle of a row x col matrix.

    Args:
        row: number of rows.
        col: number of columns, as many as rows for None.
        offset: the last diagonal that counts.
        dtype: int32 or int64.

    >>> paddle.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return creation.tril_indices(*_sides(row, col, "tril_indices"),
                                 int_arg(offset, "tril_indices", "offset"), dtypes.convert(dtype, "tril_indices").name)


@documented_like(tril_indices)
def triu_indices(row, col=None, offset=0, dtype="int64"):
    """Make the indices (row 0: rows, row 1: columns) of the upper triangle of a row x col matrix.

    Args:
        offset: the first diagonal that counts.

    >>> paddle.triu_indices(2).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    return creation.triu_indices(*_sides(row, col, "triu_indices"),
                                 int_arg(offset, "triu_indices", "offset"), dtypes.convert(dtype, "triu_indices").name)


def complex(real, imag, name=None):
    """Make complex numbers from real and imaginary parts, which broadcast.

    Args:
        real, imag: real floating Tensors that broadcast together.

    >>> paddle.complex(paddle.ones([1]), paddle.ones([1])).tolist()
    [(1+1j)]
    """
    return naming.named(construct.complex(*promote(real, imag, "complex", ("real", "imag"))), name)


@own_errors
def polar(abs, angle, name=None):
    """Make complex numbers from absolute values and angles.

    Args:
        abs, angle: distances from 0 and angles in radians, floating Tensors that broadcast together.

    >>> paddle.polar(paddle.to_tensor([2.]), paddle.to_tensor([0.])).tolist()
    [(2+0j)]
    """
    abs, angle = promote(abs, angle, "polar", ("abs", "angle"))
    return naming.named(construct.complex(abs * cos(angle), abs * sin(angle)), name)


@own_errors
def vander(x, n=None, increasing=False, name=None):
    """Make the Vandermonde matrix: column k holds the powers x ** (n - 1 - k), or x ** k if increasing.

    >>> paddle.vander(paddle.to_tensor([1., 2.]), 3).tolist()
    [[1.0, 1.0, 1.0], [4.0, 2.0, 1.0]]
    """
    x = as_tensor(x, "vander")
    if len(x.shape) != 1:
        raise ValueError(f"vander(): x must be 1-d, got shape {list(x.shape)}")
    n = known(x, "vander")[0] if n is None else int_arg(n, "vander", "n")
    if n < 0:
        raise ValueError(f"vander(): n must not be negative, got {n}")
    if n == 0:
        return naming.named(empty([x.shape[0], 0], x.dtype), name)
    powers = [ones_like(x)]
    for _ in range(n - 1):
        powers.append(powers[-1] * x)
    return naming.named(joining.stack(powers if increasing else powers[::-1], 1), name)


@own_errors
def block_diag(inputs, name=None):
    """Make a matrix with the given matrices along its diagonal and zeros elsewhere.

    Args:
        inputs: list of Tensors of at most two axes; vectors count as one row.

    >>> paddle.block_diag([paddle.ones([1, 2]), paddle.ones([1])]).tolist()
    [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    blocks = tensor_list(inputs, "block_diag", "inputs")
    if not blocks:
        raise ValueError("block_diag(): inputs must hold at least one tensor")
    if any(len(b.shape) > 2 for b in blocks):
        raise ValueError(f"block_diag(): inputs must have at most 2 axes, got shapes {[list(b.shape) for b in blocks]}")
    blocks = [reshape.reshape(b, None, None, [1, -1]) if len(b.shape) < 2 else b for b in blocks]
    widths, rows = [b.shape[1] for b in blocks], []
    for i, b in enumerate(blocks):
        left, right = sum(widths[:i]), sum(widths[i + 1:])
        rows.append(joining.concat([zeros([b.shape[0], left], b.dtype), b, zeros([b.shape[0], right], b.dtype)], None, 1))
    return naming.named(joining.concat(rows, None, 0), name)


@own_errors
def combinations(x, r=2, with_replacement=False, name=None):
    """Make all combinations of r elements of a vector, one per row, in the order of their positions.

    Args:
        x: 1-d Tensor.
        r: length of a combination.
        with_replacement: may an element occur again?

    >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    x = as_tensor(x, "combinations")
    if len(x.shape) != 1:
        raise WrongKindError(f"combinations(): x must be 1-d, got shape {list(x.shape)}")
    r = int_arg(r, "combinations", "r")
    if r < 0:
        raise ValueError(f"combinations(): r must not be negative, got {r}")
    if r == 0:
        return naming.named(empty([0], x.dtype), name)
    index = creation.combination_indices(known(x, "combinations")[0], r, bool(with_replacement))
    return naming.named(reshape.reshape(gather(x, reshape.reshape(index, None, None, [-1])), None, None, list(index.shape)), name)


@own_errors
def cartesian_prod(x, name=None):
    """Make all combinations of one element of each vector, one per row.

    >>> paddle.cartesian_prod([paddle.to_tensor([1, 2]), paddle.to_tensor([5])]).tolist()
    [[1, 5], [2, 5]]
    """
    vectors = tensor_list(x, "cartesian_prod")
    if not vectors or any(len(v.shape) != 1 for v in vectors):
        raise ValueError("cartesian_prod(): x must be a list of 1-d tensors")
    if len(vectors) == 1:
        return naming.named(vectors[0], name)
    return naming.named(joining.stack([reshape.reshape(g, None, None, [-1]) for g in joining.meshgrid(vectors)], 1), name)
