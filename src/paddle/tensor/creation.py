"""Making tensors: from data, full of one value, ranges, grids, triangles."""

import contextlib
import functools

import numpy as np

from ..core import dtype as dtypes
from ..core import op as engine
from ..core import place as places
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import WrongKindError, describe, own_errors
from ..core.op import OPS, Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor, wrap
from ..ops.manipulation import creation, joining
from ..ops.manipulation.reshape import cast, convert
from ..utils import naming, unique_name
from .argument_checks import check_plain
from .convert import SCALARS, as_tensor, common_dtype, int_arg, real_arg
from .shapes import dims, ints, split_ints

__all__ = ["to_tensor", "zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like",
           "arange",
           "linspace", "logspace", "eye", "assign", "clone", "create_parameter", "create_tensor"]
METHODS = ["clone", "create_parameter", "create_tensor"]


def as_array(value, dtype=None, function="to_tensor"):
    """A new array with the values, by the type rules of ``to_tensor``."""
    wanted = None if dtype is None else dtypes.to_numpy(dtype, function)
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, (str, bytes, dict, set)) or value is None:
        raise TypeError(f"{function}(): data must be a number, list, tuple, array or Tensor, got {describe(value)}")
    if isinstance(value, (np.ndarray, np.generic)):
        array, python = np.asarray(value), False
    else:
        array, python = _from_python(value, function), not hasattr(value, "__array__")
    if dtypes.find(array.dtype) is None:
        array = _known_type(array, wanted, value, function)
    if wanted is None and python and array.dtype.kind in "fc":
        wide = dtypes.default_numpy() == np.float64
        wanted = dtypes.default_numpy() if array.dtype.kind == "f" else np.dtype("complex128" if wide else "complex64")
    if wanted is not None and array.dtype != wanted:
        return np.array(convert(array, wanted), order="C")
    return np.array(array, order="C")


def _from_python(value, function):
    """NumPy's array of Python data (numbers, nested lists, Tensors inside lists, objects with __array__)."""
    try:
        if isinstance(value, (list, tuple)):
            value = _plain(value)
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{function}(): nested lists must form a full block, these are ragged: {describe(value)}") from None
    except OverflowError as error:
        raise OverflowError(f"{function}(): an integer does not fit into int64: {describe(value)}") from error


def _plain(value):
    return [_plain(v) if isinstance(v, (list, tuple)) else v._data if isinstance(v, Tensor) else v for v in value]


def _known_type(array, wanted, value, function):
    if array.dtype == np.uint16 and (wanted is None or wanted.char == "E"):
        return dtypes.of_bits(array)
    native = array.dtype.newbyteorder("=")
    if dtypes.find(native) is not None:
        return array.astype(native)
    if array.dtype.kind in "iuf" and wanted is not None:
        return array
    if array.dtype.kind == "f":  # long double
        return array.astype(np.float64)
    raise TypeError(f"{function}(): data of dtype {array.dtype} has no element type here, got {describe(value)}; "
                    "pass numbers, or an array of one of: " + ", ".join(dtypes.ALL))


def to_tensor(data, dtype=None, place=None, stop_gradient=True):
    """Make a Tensor with a copy of the data.

    Python floats take the default type (float32), ints int64, bools bool; arrays, NumPy scalars and Tensors keep their
    type unless ``dtype`` is given.

    Args:
        data (scalar, list, tuple, array or Tensor): the values.
        dtype (str, dtype or None): data type of the result; None keeps that of the data, as said above.
        place (Place, str or None): device; there is only the CPU.
        stop_gradient (bool): False makes the tensor a leaf that receives gradients.
    Returns:
        Tensor with a copy of the data.
    Raises:
        ValueError: nested lists have unequal lengths.
        TypeError: ``data`` is of another kind, or ``dtype`` is not a known type.

    >>> paddle.to_tensor([[1, 2], [3, 4]], dtype='float32').shape
    [2, 2]
    >>> paddle.to_tensor(1.5).dtype
    paddle.float32
    """
    if place is not None:
        places.convert(place, "to_tensor")
    if isinstance(data, Symbolic):
        return data if dtype is None else _cast(data, dtypes.convert(dtype, "to_tensor"))
    if isinstance(data, (list, tuple)) and any(isinstance(v, Symbolic) for v in data):
        items = [to_tensor(v, dtype) for v in data]
        kinds = [v.dtype.dtype for v in items]
        common = functools.reduce(common_dtype, kinds)
        return joining.stack([v if kind == common else _cast(v, dtypes.of(common)) for v, kind in zip(items, kinds)], 0)
    array = as_array(data, dtype, "to_tensor")
    if engine.static_mode() and not isinstance(data, Tensor):
        constant = _static_constant(array)
        constant.stop_gradient = bool(stop_gradient)
        return constant
    if not array.ndim and context.rules.element_ndim:
        array = array.reshape(1)  # older generations have no shape []
    tensor = wrap(array)
    tensor.stop_gradient = bool(stop_gradient)
    return tensor


def _cast(x, dtype):
    return cast(x, dtype, x.dtype)


_HOLDERS = {"float16": "float32", "bfloat16": "float32", "int8": "int32", "int16": "int32", "uint8": "int32"}


def _static_constant(array):
    """A constant of the static program; of a type that files have no lists for, a wider one and a cast."""
    name = dtypes.of(array).name
    if array.dtype.kind == "c":
        return OPS["complex"](_static_constant(array.real), _static_constant(array.imag))
    held = _HOLDERS.get(name, name)
    out = creation.assign_value(list(array.shape), held, array.astype(dtypes.to_numpy(held)).ravel().tolist())
    return _cast(out, dtypes.convert(name)) if name in _HOLDERS else out


def _dtype_name(dtype, function):
    if dtype is None:
        return dtypes.get_default_dtype()
    check_plain(dtype, function, "dtype")
    return dtypes.convert(dtype, function).name


def _filled(shape, value, dtype, function):
    tensor, items, sizes = split_ints(shape, function, "shape")
    value_tensor = None
    if isinstance(value, str):
        with contextlib.suppress(ValueError):  # Paddle's own examples have numbers in quotes
            value = float(value)
    if isinstance(value, Symbolic):
        value_tensor, value = value, 0.0
    elif isinstance(value, (Tensor, np.ndarray)):
        if value.size != 1:
            raise ValueError(f"{function}(): fill_value must be one number, got {describe(value)}")
        value = np.asarray(value).reshape(()).item()
    elif not isinstance(value, SCALARS):
        raise TypeError(f"{function}(): fill_value must be a number, got {describe(value)}")
    return creation.fill_constant(value_tensor, tensor, items, sizes, _dtype_name(dtype, function), value)


@own_errors
def zeros(shape, dtype=None, name=None):
    """Make a tensor full of zeros.

    Args:
        shape (list, tuple or Tensor): the sizes; items may be Tensors.
        dtype (str, dtype or None): data type, the default type for None.
    Returns:
        Tensor of the given shape.
    Raises:
        ValueError: a size is negative.
        TypeError: a size is not an int, or ``dtype`` is not a known type.

    >>> paddle.zeros([2, 2]).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    return naming.named(_filled(shape, 0.0, dtype, "zeros"), name)


@own_errors
@documented_like(zeros)
def ones(shape, dtype=None, name=None):
    """Make a tensor full of ones.

    Returns:
        Tensor of the given shape.

    >>> paddle.ones([2], dtype='int64').tolist()
    [1, 1]
    """
    return naming.named(_filled(shape, 1.0, dtype, "ones"), name)


@documented_like(zeros)
@own_errors
def full(shape, fill_value, dtype=None, name=None):
    """Make a tensor full of one value.

    Args:
        fill_value (float, int, bool or Tensor): the value.
    Raises:
        ValueError: a size is negative.
        TypeError: a size is not an int, ``fill_value`` is not a number, or ``dtype`` is not a known type.

    >>> paddle.full([3], 2.5).tolist()
    [2.5, 2.5, 2.5]
    """
    if dtype is None and context.rules.typed_constants and isinstance(fill_value, (bool, complex)):
        dtype = "bool" if isinstance(fill_value, bool) else "complex128"
    return naming.named(_filled(shape, fill_value, dtype, "full"), name)


def fill_constant(shape, dtype, value, force_cpu=False, out=None, name=None):
    """``full`` in the order of arguments that Paddle's own programs use, as ``paddle.tensor.fill_constant``."""
    made = full(shape, value, dtype)
    return naming.named(made if out is None else assign(made, out), name)


@documented_like(zeros)
def empty(shape, dtype=None, name=None):
    """Make a tensor whose values are whatever the memory holds.

    >>> paddle.empty([2, 3]).shape
    [2, 3]
    """
    tensor, items, sizes = split_ints(shape, "empty", "shape")
    return naming.named(creation.empty(tensor, items, sizes, _dtype_name(dtype, "empty")), name)


@own_errors
def full_like(x, fill_value, dtype=None, name=None):
    """Make a tensor of the shape of x full of one value.

    Args:
        x (Tensor): of any shape.
        fill_value (float, int, bool or Tensor): the value.
        dtype (str, dtype or None): data type, that of x for None.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, ``fill_value`` is not a number, or ``dtype`` is not a known type.

    >>> paddle.full_like(paddle.zeros([2]), 7).tolist()
    [7.0, 7.0]
    """
    x = as_tensor(x, "full_like")
    if isinstance(fill_value, Symbolic):  # a number that only a run knows
        return naming.named(_filled(dims(x), fill_value, x.dtype.name if dtype is None else dtype, "full_like"), name)
    if isinstance(fill_value, (Tensor, np.ndarray)) and fill_value.size == 1:
        fill_value = fill_value.item()
    elif not isinstance(fill_value, SCALARS):
        raise TypeError(f"full_like(): fill_value must be a number, got {describe(fill_value)}")
    out = creation.fill_any_like(x, fill_value, None if dtype is None else _dtype_name(dtype, "full_like"))
    return naming.named(out, name)


def zeros_like(x, dtype=None, name=None):
    """Make a tensor of zeros of the shape of x, and of its type unless ``dtype`` is given.

    Args:
        x (Tensor): whose shape to take.
        dtype (str or dtype, None): data type; x's if None.
    Returns:
        Tensor of the shape of x.
    Raises:
        TypeError: x is not a Tensor, array, list or number, or ``dtype`` is not a known type.

    >>> paddle.zeros_like(paddle.ones([2], 'int32')).tolist()
    [0, 0]
    """
    return naming.named(creation.fill_any_like(as_tensor(x, "zeros_like"), 0.0,
                                               None if dtype is None else dtypes.convert(dtype, "zeros_like").name), name)


@documented_like(zeros_like)
def ones_like(x, dtype=None, name=None):
    """Make a tensor of ones of the shape of x, and of its type unless ``dtype`` is given.

    >>> paddle.ones_like(paddle.zeros([2])).tolist()
    [1.0, 1.0]
    """
    return naming.named(creation.fill_any_like(as_tensor(x, "ones_like"), 1.0,
                                               None if dtype is None else dtypes.convert(dtype, "ones_like").name), name)


@documented_like(full_like)
def empty_like(x, dtype=None, name=None):
    """Make a tensor of the shape of x with whatever values the memory holds.

    Raises:
        TypeError: x is not a Tensor, array, list or number, or ``dtype`` is not a known type.

    >>> paddle.empty_like(paddle.zeros([2, 3])).shape
    [2, 3]
    """
    x = as_tensor(x, "empty_like")
    name_ = x.dtype.name if dtype is None else dtypes.convert(dtype, "empty_like").name
    if isinstance(x, Symbolic):
        return naming.named(creation.fill_any_like(x, 0.0, name_), name)
    return naming.named(empty(x.shape, name_), name)


def _range_dtype(values, dtype, function):
    """int64 for whole numbers, the default float type as soon as one of them is something else."""
    if dtype is not None:
        return _dtype_name(dtype, function)
    kinds = [v.dtype.name if isinstance(v, (Tensor, Symbolic)) else np.asarray(v).dtype.name for v in values]
    return "int64" if all(kind.lstrip("u").startswith("int") for kind in kinds) else dtypes.get_default_dtype()


def _scalar(value, dtype, function, argument):
    """A number as a one-element tensor of a type; Variables are cast."""
    if isinstance(value, Symbolic):
        return value if value.dtype.name == dtype else _cast(value, dtypes.convert(dtype))
    if not isinstance(value, (Tensor, np.ndarray, *SCALARS)) or np.size(value) != 1:
        raise TypeError(f"{function}(): {argument} must be one number, got {describe(value)}")
    return creation.fill_constant(None, None, None, [1], dtype, np.asarray(value).reshape(()).item())


@own_errors
def arange(start=0, end=None, step=1, dtype=None, name=None):
    """Make the numbers from start up to (not including) end, in steps.

    Args:
        start (float, int or Tensor): first number; the end, counted from 0, if ``end`` is None.
        end (float, int, Tensor or None): where to stop; None counts from 0 to ``start``.
        step (float, int or Tensor): distance of neighbours, may be negative.
        dtype (str, dtype or None): data type; for None int64, or a floating type if an argument is one.
    Returns:
        Tensor of one axis with ceil((end - start) / step) elements.
    Raises:
        ValueError: ``step`` is 0.
        TypeError: a bound is not one number, or ``dtype`` is not a known type.

    >>> paddle.arange(1, 7, 2).tolist()
    [1, 3, 5]
    """
    if end is None:
        start, end = 0, start
    kind = _range_dtype((start, end, step), dtype, "arange")
    if any(isinstance(v, Symbolic) for v in (start, end, step)) or engine.static_mode():
        out = creation.arange(*[_scalar(v, kind, "arange", n) for v, n in zip((start, end, step), ("start", "end", "step"))])
        if not any(isinstance(v, Symbolic) for v in (start, end, step)):
            out.shape = creation.range_shape(*[np.asarray(v, dtypes.to_numpy(kind)) for v in (start, end, step)])
        return naming.named(out, name)
    numbers = [_plain_number(v, "arange", n) for v, n in zip((start, end, step), ("start", "end", "step"))]
    exact = kind if all(n == int(n) for n in numbers if abs(n) != float("inf")) else "float64"
    out = creation.arange(*[np.asarray(n, dtypes.to_numpy(exact)) for n in numbers])
    return naming.named(wrap(convert(out, dtypes.to_numpy(kind))), name)


def _plain_number(value, function, argument):
    if not isinstance(value, (Tensor, np.ndarray, *SCALARS)) or np.size(value) != 1:
        raise TypeError(f"{function}(): {argument} must be one number, got {describe(value)}")
    number = np.asarray(value).reshape(()).item()
    real_arg(number, function, argument)
    return number


_NARROWED = {("float64", "float32"), ("float64", "int32"), ("int64", "int32")}  # bounds of programs that 2.6 refuses, and results


@own_errors
def linspace(start, stop, num, dtype=None, name=None):
    """Make ``num`` evenly spaced numbers from start to stop, both included.

    Args:
        start (float, int or Tensor): first number.
        stop (float, int or Tensor): last number.
        num (int or Tensor): how many.
        dtype (str, dtype or None): data type, the default type for None.
    Returns:
        Tensor [num].
    Raises:
        ValueError: ``num`` is below 1.
        TypeError: a bound is not one number.

    >>> paddle.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    kind = _dtype_name(dtype, "linspace")
    if engine.static_mode() and isinstance(num, (float, list, tuple)):
        raise WrongKindError(f"linspace(): num must be an int or a Variable in a program, got {num!r}")
    for argument, bound in (("start", start), ("stop", stop)):
        if isinstance(bound, Symbolic) and (bound.dtype.name, kind) in _NARROWED:
            raise ValueError(f"linspace(): {argument} of {bound.dtype.name} does not fit dtype {kind}")
    out = creation.linspace(_scalar(start, "float64", "linspace", "start"), _scalar(stop, "float64", "linspace", "stop"),
                            _scalar(num, "int32", "linspace", "num"), kind)
    return naming.named(out, name)


@own_errors
def logspace(start, stop, num, base=10.0, dtype=None, name=None):
    """Make ``num`` powers of ``base`` whose exponents are evenly spaced from start to stop.

    Args:
        start: first exponent.
        stop: last exponent.
        num: how many.
        base: base of the powers.
        dtype: data type, the default type for None.

    >>> paddle.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    kind = _dtype_name(dtype, "logspace")
    out = creation.logspace(_scalar(start, "float64", "logspace", "start"), _scalar(stop, "float64", "logspace", "stop"),
                            _scalar(num, "int32", "logspace", "num"), _scalar(base, "float64", "logspace", "base"), kind)
    return naming.named(out, name)


def eye(num_rows, num_columns=None, dtype=None, name=None):
    """Make a matrix with ones on its diagonal and zeros elsewhere.

    Args:
        num_rows (int): number of rows.
        num_columns (int or None): number of columns, as many as rows for None.
        dtype (str, dtype or None): data type, the default type for None.
    Returns:
        Tensor [num_rows, num_columns].
    Raises:
        ValueError: a size is negative.
        TypeError: a size is not an int, or ``dtype`` is not a known type.

    >>> paddle.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = int_arg(num_rows, "eye", "num_rows", late=True)
    columns = rows if num_columns is None else int_arg(num_columns, "eye", "num_columns", late=True)
    return naming.named(creation.eye(rows, columns, _dtype_name(dtype, "eye")), name)


def assign(x, output=None):
    """Copy x; into ``output`` if one is given.

    Args:
        x (Tensor, array, list or number): what is copied.
        output (Tensor or None): takes the values.
    Returns:
        Tensor of the shape and values of x, of shape [1] for a number: ``output`` if it was given, else a new one.
    Raises:
        TypeError: ``x`` is not a Tensor, array, list or number.

    >>> paddle.assign([1., 2.]).tolist()
    [1.0, 2.0]
    """
    if not isinstance(x, (Tensor, Symbolic)):
        array = as_array([x] if np.isscalar(x) else x, None, "assign")
        if array.dtype == np.float64:  # arrays too take the default type here, unlike in to_tensor
            array = array.astype(dtypes.default_numpy())
        x = _static_constant(array) if engine.static_mode() else wrap(array)
    if isinstance(output, Symbolic):
        return rooms.assign_to(x, output)
    result = creation.assign(x)
    if output is None:
        return result
    if not isinstance(output, Tensor):
        raise TypeError(f"assign(): output must be a Tensor, got {describe(output)}")
    return output.become(result, "assign", reshapes=True, leaf=True)


def clone(x, name=None):
    """Copy x; gradients flow back through the copy.

    >>> x = paddle.ones([2]); x.clone().tolist()
    [1.0, 1.0]
    """
    return naming.named(creation.assign(as_tensor(x, "clone")), name)


@own_errors
def create_tensor(dtype, name=None, persistable=False):
    """Make an empty tensor of a type, to be filled later.

    Args:
        dtype: data type.
        persistable: is it to be stored with a program?

    >>> paddle.tensor.creation.create_tensor('float32').shape
    [0]
    """
    if engine.static_mode():
        return rooms.default_main_program().current_block().new_var(
            name=name or unique_name.generate("create_tensor"), shape=[], dtype=dtype, persistable=persistable)
    tensor = empty([0], dtype)
    if name is not None:
        tensor.name = name
    if persistable:
        tensor.meta().persistable = True
    return tensor


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """Make a trainable parameter, initialised as ``attr`` or ``default_initializer`` says (Xavier uniform, or 0 for a bias).

    Args:
        shape (list or tuple): the sizes.
        dtype (str or dtype): floating type.
        attr (ParamAttr, str or None): settings, or a name.
        is_bias (bool): start at 0 where nothing else is said.
        default_initializer (Initializer or None): what to start with where ``attr`` does not say it.
    Returns:
        Parameter of the given shape.
    Raises:
        ValueError: a size is negative.
        TypeError: ``dtype`` is not a known type, or ``attr`` or the initializer is of another kind.

    >>> paddle.create_parameter([2, 3], 'float32').shape
    [2, 3]
    """
    if context.static_mode and not isinstance(shape, (list, tuple, np.ndarray, Tensor, Symbolic)):
        raise TypeError(f"create_parameter(): shape must be a list or tuple in a program, got {describe(shape)}")
    return rooms.new_parameter(ints(shape, "create_parameter", "shape"), dtypes.convert(dtype, "create_parameter").name, name, attr,
                               is_bias, default_initializer)


__getattr__ = _lookup(__name__)
