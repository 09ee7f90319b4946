"""How operands become tensors of one type: the promotion rules of 2.x, in one place, and functions that do no more."""

import functools

import numpy as np

from ..core import dtype as dtypes
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import WrongKindError, describe
from ..core.late import late_int, late_ints, late_sizes
from ..core.op import BY_NAME, Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor, wrap
from ..utils.naming import named
from .argument_checks import check

SCALARS = (bool, int, float, complex, np.generic)


def is_tensor_like(x):
    """Is it a Tensor or a static Variable?"""
    return isinstance(x, (Tensor, Symbolic))


def numpy_dtype(x):
    """NumPy dtype of a Tensor or static Variable."""
    return x._data.dtype if isinstance(x, Tensor) else x.dtype.dtype


def cast(x, dtype):
    """x in another NumPy dtype, recorded; x itself if it has that dtype already."""
    return x if numpy_dtype(x) == dtype else BY_NAME["cast"](x, dtypes.of(dtype))


def as_tensor(x, function, argument="x"):
    """x as a Tensor (or Variable); arrays, lists and numbers are converted, anything else raises WrongKindError."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, Symbolic):
        if context.trace is None and context.rules.checks == "2.6":
            check("2.6", function, argument, x)
        return x
    if isinstance(x, (np.ndarray, list, tuple, *SCALARS)):
        if context.static_mode and context.trace is None and context.rules.checks == "2.6":
            check("2.6", function, argument, x)
        return wrap(rooms.as_array(x, None, function))
    raise WrongKindError(f"{function}(): {argument} must be a Tensor, got {describe(x)}")


def float_tensor(x, dtype, function):
    """x as a floating tensor, of the type ``dtype`` if that is given: then programs do not look at the type that it has."""
    if dtype is None:
        return to_float(as_tensor(x, function))
    return cast(x if is_tensor_like(x) else as_tensor(x, function), dtypes.to_numpy(dtype, function))


def scalar_dtype(dtype, value):
    """Type of the result of a tensor of this dtype with a Python or NumPy number."""
    kind = np.asarray(value).dtype.kind
    if kind == "O" and dtype.kind in "iub":
        raise OverflowError(f"the number {value} does not fit into 64 bits")
    if kind == "c" and dtype.kind != "c":
        return np.dtype("complex128" if dtype == np.float64 else "complex64")
    if kind == "f" and dtype.kind in "iub":
        return dtypes.default_numpy()
    if dtype.kind == "b" and kind in "iu" and context.rules.kinds_promote:
        return np.dtype(np.int64)
    return dtype


def common_dtype(a, b):
    """Type of the result of two tensors: the wider float; a float beats integers; else that of the left operand."""
    if a == b:
        return a
    rank_a, rank_b = "biufVc".find(a.kind) >= 3, "biufVc".find(b.kind) >= 3
    if {a.char, b.char} == {"e", "E"}:  # float16 and bfloat16: neither holds the other
        return np.dtype(np.float32)
    if rank_a and rank_b:
        return np.promote_types(a, b)
    if rank_b or a.kind == "b":
        return b
    return a


def _number(value, dtype):
    """A number as a 0-d array; what a narrow type can't hold becomes infinite, without a warning."""
    if dtype.itemsize > 2:
        return np.asarray(value, dtype)
    with np.errstate(over="ignore"):
        return np.asarray(value, dtype)


def promote(x, y, function, names=("x", "y")):
    """Both operands as tensors of one dtype; numbers take the tensor's type where that can hold them. ``names`` are those that
    the function has for them."""
    if x.__class__ is Tensor and y.__class__ is Tensor and x._data.dtype is y._data.dtype:  # nearly always
        return x, y
    if isinstance(x, SCALARS) and is_tensor_like(y):
        d = scalar_dtype(numpy_dtype(y), x)
        return wrap(_number(x, d)), cast(y, d)
    x = as_tensor(x, function, names[0])
    if isinstance(y, SCALARS):
        d = scalar_dtype(numpy_dtype(x), y)
        return cast(x, d), wrap(_number(y, d))
    y = as_tensor(y, function, names[1])
    a, b = numpy_dtype(x), numpy_dtype(y)
    if a == b:
        return x, y
    if context.rules.kinds_promote and a.kind == b.kind and (len(x.shape) == 0) != (len(y.shape) == 0):
        d = b if len(x.shape) == 0 else a  # of a 0-d tensor only the kind counts
    else:
        d = common_dtype(a, b)
    return cast(x, d), cast(y, d)


def to_float(x):
    """x as a floating tensor: integers and booleans become the default type."""
    return cast(x, dtypes.default_numpy()) if numpy_dtype(x).kind in "iub" else x


def unary_function(op, floats=False):
    """Decorator: a function of that name, signature and docstring which is the op, of a floating tensor if ``floats``. Its
    docstring is completed with these sections.

    Args:
        x (Tensor): of any shape.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, array, list or number.
    """
    def declare(declared):
        called = declared.__name__

        def function(x, name=None):
            out = op(as_tensor(x, called))
            return out if name is None else named(out, name)

        def of_floats(x, name=None):
            out = op(to_float(as_tensor(x, called)))
            return out if name is None else named(out, name)
        return _declared(of_floats if floats else function, declared, unary_function)
    return declare


def binary_function(op):
    """Decorator: a function of that name, signature and docstring which is the op of two tensors of one type. Its docstring is
    completed with these sections.

    Args:
        x (Tensor): the first operand.
        y (Tensor): the second operand; shapes are broadcast together.
    Returns:
        Tensor of the broadcast shape.
    Raises:
        ValueError: the shapes do not broadcast together.
        TypeError: an operand is not a Tensor, array, list or number.
    """
    def declare(declared):
        called = declared.__name__

        def function(x, y, name=None):
            out = op(*promote(x, y, called))
            return out if name is None else named(out, name)
        return _declared(function, declared, binary_function)
    return declare


def _declared(function, declared, family):
    functools.update_wrapper(function, declared)
    del function.__wrapped__  # there is nothing in it
    return documented_like(family)(function)


def known_value(variable, function, argument):
    """The numbers that the program itself sets a Variable to, as an array; TypeError if they are known only when it runs."""
    if variable.known is None:
        raise TypeError(f"{function}(): {argument} must be known while the program is built, got {describe(variable)}")
    return np.asarray(variable.known)


def axis_arg(axis, function, argument="axis", late=False):
    """An axis argument as None, int or tuple of ints, from an int, NumPy integer, Tensor, or a list of these.

    With ``late``, Variables of a program whose values only a run knows give LateInts, which are for an op and nobody else.
    """
    if axis is None or axis.__class__ is int:
        return axis
    if late and not isinstance(axis, Tensor):
        given = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        if given and all(isinstance(a, Symbolic) and a.known is None for a in given):
            return late_ints(given, _elements(given, function, argument), isinstance(axis, (list, tuple)))
    if isinstance(axis, Tensor):
        axis = axis._data.tolist()
    elif isinstance(axis, Symbolic):
        axis = known_value(axis, function, argument).tolist()
    if isinstance(axis, (list, tuple, np.ndarray)):
        return tuple([int_arg(a, function, argument) for a in axis])
    return int_arg(axis, function, argument)


def late_size_arg(value, n, function, argument):
    """n LateSizes from a Variable, or a list of Variables and numbers, some of which only a run knows; else None."""
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    if not any(isinstance(v, Symbolic) and v.known is None for v in given):
        return None
    given = [v if isinstance(v, Symbolic) and v.known is None else int_arg(v, function, argument) for v in given]
    count = sum(1 if isinstance(v, int) else _elements([v], function, argument) for v in given)
    if count != n:
        raise ValueError(f"{function}(): {argument} must have {n} sizes, got {describe(value)}")
    return late_sizes(given, n, isinstance(value, (list, tuple)))


def real_arg(value, function, argument):
    """A float from a real number (Python's or NumPy's) or a tensor of one."""
    if value.__class__ is float:
        return value
    if isinstance(value, Tensor) and value._data.size == 1 and value._data.dtype.kind != "c":
        return float(value._data.reshape(()))
    if not isinstance(value, SCALARS) or isinstance(value, (complex, np.complexfloating)):
        raise WrongKindError(f"{function}(): {argument} must be a number, got {describe(value)}")
    return float(value)


def _elements(variables, function, argument):
    """How many integers Variables hold together, which must be known."""
    if any(-1 in v.shape or len(v.shape) > 1 or v.dtype.dtype.kind not in "iu" for v in variables):
        raise TypeError(f"{function}(): {argument} must be Variables of a known number of integers, got {describe(variables)}")
    return sum(v.shape[0] if v.shape else 1 for v in variables)


def int_arg(value, function, argument, late=False):
    """An integer argument of 64 bits from an int, NumPy integer or one-element integer Tensor; with ``late`` a LateInt from a
    Variable whose value only a run of the program knows."""
    if late and isinstance(value, Symbolic) and value.known is None and _elements([value], function, argument) == 1:
        return late_int(value)
    if value.__class__ is int:
        if not -2 ** 63 <= value < 2 ** 63:
            raise ValueError(f"{function}(): {argument} must be an int of 64 bits, got {value}")
        return value
    if isinstance(value, Tensor) and value._data.size == 1 and value._data.dtype.kind in "iub":
        return int(value._data.reshape(()))
    if isinstance(value, Symbolic):
        value = known_value(value, function, argument)
    if isinstance(value, (np.integer, np.bool_, bool)) or (isinstance(value, np.ndarray) and value.size == 1
                                                           and value.dtype.kind in "iu"):
        return int(np.reshape(value, ()))
    raise WrongKindError(f"{function}(): {argument} must be an int, got {describe(value)}")
