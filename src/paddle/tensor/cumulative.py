"""Running sums, products and extremes; differences and integrals along an axis."""

from ..core import dtype as dtypes
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import describe, own_errors
from ..core.generation import generation
from ..ops.arguments import one_axis
from ..ops.manipulation import joining, reshape
from ..ops.manipulation.slicing import slice as pick
from ..ops.math import arithmetic, cumulative
from ..utils import naming
from .convert import SCALARS, as_tensor, cast, float_tensor, int_arg, is_tensor_like, numpy_dtype, promote, to_float
from .logic import logical_xor

__all__ = ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "diff", "trapezoid", "cumulative_trapezoid"]
METHODS = __all__
INPLACE = ["cumsum", "cumprod"]


def _in_dtype(x, dtype, function):
    return x if dtype is None else cast(x, dtypes.to_numpy(dtype, function))


@generation("paddle.cumsum", alpha="paddle.fluid.layers.cumsum", only_modern={"dtype", "name"})
def cumsum(x, axis=None, dtype=None, name=None):
    """Running sums along an axis, or over the flattened tensor for None.

    Args:
        x: Tensor.
        axis: int; None flattens x first.
        dtype: data type to add up in.

    >>> paddle.cumsum(paddle.to_tensor([[1, 2], [3, 4]]), axis=0).tolist()
    [[1, 2], [4, 6]]
    """
    x = _in_dtype(as_tensor(x, "cumsum"), dtype, "cumsum")
    if numpy_dtype(x).kind == "b" or context.rules.wide_sums and dtype is None and numpy_dtype(x).kind in "iu":
        x = cast(x, dtypes.to_numpy("int64"))
    along = -1 if axis is None else int_arg(axis, "cumsum", "axis", late=True)
    return naming.named(cumulative.cumsum(x, along, axis is None), name)


def cumprod(x, dim=None, dtype=None, name=None):
    """Running products along an axis, or over the flattened tensor for None.

    Args:
        x: Tensor.
        dim: the axis; None flattens x first.
        dtype: data type to multiply in.

    >>> paddle.cumprod(paddle.to_tensor([1., 2., 3.]), dim=0).tolist()
    [1.0, 2.0, 6.0]
    """
    x = _in_dtype(as_tensor(x, "cumprod"), dtype, "cumprod")
    if dim is None:
        x, dim = reshape.reshape(x, None, None, [-1]), 0
    return naming.named(cumulative.cumprod(x, int_arg(dim, "cumprod", "dim")), name)


def logcumsumexp(x, axis=None, dtype=None, name=None):
    """log of the running sums of exp(x), computed without overflow; over the flattened tensor without an axis.

    Args:
        x: Tensor.
        axis: int; None flattens x first.
        dtype: data type to compute in.

    >>> [round(v, 4) for v in paddle.logcumsumexp(paddle.to_tensor([0., 0.]), 0).tolist()]
    [0.0, 0.6931]
    """
    x = to_float(float_tensor(x, dtype, "logcumsumexp"))
    out = cumulative.logcumsumexp(x, -1 if axis is None else int_arg(axis, "logcumsumexp", "axis"), axis is None)
    return naming.named(out, name)


def _running(op, x, axis, dtype, function):
    x = as_tensor(x, function)
    if axis is None:
        x, axis = reshape.reshape(x, None, None, [-1]), -1
    return op(x, int_arg(axis, function, "axis"), dtypes.convert(dtype, function).name)


def cummax(x, axis=None, dtype="int64", name=None):
    """The largest element so far along an axis, and where it is (its last place among equals).

    Args:
        x: Tensor.
        axis: int; None flattens x first.
        dtype: int32 or int64, the type of the positions.

    >>> values, places = paddle.cummax(paddle.to_tensor([1., 3., 2.]))
    >>> values.tolist(), places.tolist()
    ([1.0, 3.0, 3.0], [0, 1, 1])
    """
    return naming.named(_running(cumulative.cummax, x, axis, dtype, "cummax"), name)


@documented_like(cummax)
def cummin(x, axis=None, dtype="int64", name=None):
    """The smallest element so far along an axis, and where it is (its last place among equals).

    >>> values, places = paddle.cummin(paddle.to_tensor([3., 1., 2.]))
    >>> values.tolist(), places.tolist()
    ([3.0, 1.0, 1.0], [0, 1, 1])
    """
    return naming.named(_running(cumulative.cummin, x, axis, dtype, "cummin"), name)


def part(x, axis, start, stop):
    """x from start to stop along one axis; a negative stop counts from the end, None means the end."""
    return pick(x, None, None, None, None, [axis], [start], [2 ** 31 - 1 if stop is None else stop], [])


@own_errors
def diff(x, n=1, axis=-1, prepend=None, append=None, name=None):
    """The n-th differences of neighbours along an axis; for booleans where neighbours differ.

    Args:
        prepend, append: tensors joined to x along the axis first.

    >>> paddle.diff(paddle.to_tensor([1., 4., 9.])).tolist()
    [3.0, 5.0]
    """
    x = as_tensor(x, "diff")
    if n.__class__ is not int or n < 1:
        raise ValueError(f"diff(): n must be a positive int, got {describe(n)}")
    if not len(x.shape):
        raise ValueError("diff(): x must have at least one axis, got a 0-d tensor")
    a = one_axis(int_arg(axis, "diff", "axis"), len(x.shape), "diff")
    pieces = [as_tensor(p, "diff", what) for p, what in ((prepend, "prepend"), (x, "x"), (append, "append")) if p is not None]
    if len(pieces) > 1:
        x = joining.concat([cast(p, numpy_dtype(x)) for p in pieces], None, a)
    size = x.shape[a]
    for _ in range(n if size < 0 else min(n, size)):
        later, earlier = part(x, a, 1, None), part(x, a, 0, -1)
        x = logical_xor(later, earlier) if numpy_dtype(x).kind == "b" else arithmetic.subtract(later, earlier)
    return x if name is None else naming.named(x, name)


def _areas(y, x, dx, axis, function):
    """The areas of the trapezoids between neighbours."""
    for value, argument in ((y, "y"), (x, "x")):
        if is_tensor_like(value) and numpy_dtype(value).kind in "iub":
            raise TypeError(f"{function}(): {argument} must hold floating numbers, got {describe(value)}")
    y = to_float(as_tensor(y, function, "y"))
    if x is not None and dx is not None:
        raise ValueError(f"{function}(): give x or dx, not both")
    a = one_axis(int_arg(axis, function, "axis"), len(y.shape), function)
    if not len(y.shape):
        raise ValueError(f"{function}(): y must have at least one axis, got a 0-d tensor")
    if x is None:
        dx = 1.0 if dx is None else dx
        if not isinstance(dx, SCALARS):
            dx = as_tensor(dx, function, "dx")
            if numpy_dtype(dx).kind in "iub":
                dx = cast(dx, numpy_dtype(y))
            if len(dx.shape) > 1:
                raise ValueError(f"{function}(): dx must be a number or 0-d tensor, got shape {list(dx.shape)}")
    else:
        x, y = promote(as_tensor(x, function, "x"), y, function)
        if len(x.shape) == 1:
            if x.shape[0] != y.shape[a] and -1 not in (x.shape[0], y.shape[a]):
                raise ValueError(f"{function}(): x has {x.shape[0]} points, axis {axis} of y {list(y.shape)} has {y.shape[a]}")
            dx = diff(x)
            dx = reshape.reshape(dx, None, None, [-1 if i == a else 1 for i in range(len(y.shape))])
        elif len(x.shape) == len(y.shape):
            dx = diff(x, axis=a)
        else:
            raise ValueError(f"{function}(): x must be a vector or have as many axes as y, got {list(x.shape)} "
                             f"and {list(y.shape)}")
    return dx * (part(y, a, 1, None) + part(y, a, 0, -1)) / 2.0, a


@own_errors
def trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The integral of y along an axis by the trapezoidal rule, over points x or a spacing dx (1 unless given).

    >>> float(paddle.trapezoid(paddle.to_tensor([4., 5., 6.])))
    10.0
    """
    areas, axis = _areas(y, x, dx, axis, "trapezoid")
    return naming.named(areas.sum(axis), name)


@own_errors
def cumulative_trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """Running integrals of y along an axis by the trapezoidal rule.

    Args:
        y: values, Tensor with at least one axis.
        x: the points they belong to: a vector, or a Tensor of the shape of y.
        dx: distance of the points where x is not given (1 for None).
        axis: the axis; negative ones count from the last.

    >>> paddle.cumulative_trapezoid(paddle.to_tensor([4., 5., 6.])).tolist()
    [4.5, 10.0]
    """
    areas, axis = _areas(y, x, dx, axis, "cumulative_trapezoid")
    return naming.named(cumulative.cumsum(areas, axis), name)
