"""Tensors made from nothing but numbers: constants, ranges, identity, triangles of indices."""

import itertools
import math

import numpy as np

from ...core import dtype as dtypes
from ...core.facts import Spec
from ...core.op import op
from ..families.create import batch_size_like
from ..families.sharding import elementwise, linear
from ..library import by_library
from .reshape import convert, ints_of


def dtype_code(attrs):
    """File attributes with the element type as its ProgramDesc code."""
    return {**attrs, "dtype": dtypes.convert(attrs["dtype"]).code}


def checked_shape(shape, function):
    """The sizes as a tuple, or ValueError for a negative one."""
    if any(n < 0 for n in shape):
        raise ValueError(f"{function}(): sizes must not be negative, got shape {list(shape)}")
    return tuple(shape)


def _constant_to_desc(attrs):
    value = attrs["value"]
    text = repr(value.item() if isinstance(value, np.generic) else value)
    number = float(value.real) if isinstance(value, complex) else float(value)
    return {**dtype_code(attrs), "value": number, "str_value": str(number) if isinstance(value, bool) else text,
            "force_cpu": False, "shape": list(attrs["shape"])}


def _constant_from_desc(attrs):
    text = attrs.get("str_value") or ""
    value = attrs.get("value", 0.0)
    if text:
        try:
            value = int(text)
        except ValueError:
            value = complex(text) if "j" in text else float(text)
    return {"shape": attrs.get("shape", ()), "dtype": attrs.get("dtype", 5), "value": value}


_FRESH = 16384  # zeros: for so many NumPy asks for fresh memory, which holds them already
_KEPT = 4096  # numbers of a list that the library keeps between calls


def _is_plain(value):
    """Is it a number that the library reads as NumPy does?"""
    kind = type(value)
    return kind is float or kind is bool or kind is int and -2 ** 63 <= value < 2 ** 63


@op("fill_constant(ValueTensor?, ShapeTensor?, ShapeTensorList*?) -> Out", family="create",
    to_desc=_constant_to_desc, from_desc=_constant_from_desc, total=True, version=2)
def fill_constant(value_tensor=None, shape_tensor=None, shape_list=None, shape=(), dtype="float32", value=0.0):
    """A tensor of the given shape full of one value."""
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "full")
    if value_tensor is not None:
        value = np.asarray(value_tensor).reshape(()).item()
    kind = dtypes.to_numpy(dtype, "full")
    if value == 0 and str(value) in ("0", "0.0", "False", "0j"):  # rather than -0.0
        return np.zeros(sizes, kind)
    return np.full(sizes, convert(np.asarray(value), kind), kind)


@op("fill_any_like(X) -> Out", family="same", layer_name="full_like", sharding=elementwise, to_desc=lambda a: {
        **a, "value": float(a["value"]), "dtype": -1 if a["dtype"] in (None, -1) else dtypes.convert(a["dtype"]).code})
def fill_any_like(x, value=0.0, dtype=None):
    """A tensor of the shape of x (and its element type unless another is given) full of one value."""
    kind = x.dtype if dtype in (None, -1) else dtypes.to_numpy(dtype, "full_like")
    return np.full(x.shape, convert(np.asarray(value), kind), kind)


@op("fill_constant_batch_size_like(Input, InputLoD*?) -> Out", family="own", to_desc=_constant_to_desc,
    from_desc=lambda attrs: {**attrs, **_constant_from_desc(attrs)}, shapes=batch_size_like)
def fill_constant_batch_size_like(x, lod=None, shape=(), dtype="float32", value=0.0, input_dim_idx=0, output_dim_idx=0):
    """A tensor full of one value whose size along one axis is taken from x (of its first axis: how many innermost sequences there
    are, if it has some)."""
    sizes = list(shape)
    sizes[output_dim_idx] = len(lod[-1]) - 1 if lod and not input_dim_idx else x.shape[input_dim_idx]
    return fill_constant.fn(shape=sizes, dtype=dtype, value=value)


_VALUES = {"bool": "bool_values", "int32": "int32_values", "int64": "int64_values", "float32": "fp32_values",
           "float64": "fp64_values"}
_VALUE_LISTS = ("bool_values", "fp32_values", "fp64_values", "int32_values", "int64_values", "values")


def _values_to_desc(attrs):
    name = dtypes.convert(attrs["dtype"]).name
    if name not in _VALUES:
        raise TypeError(f"assign_value(): files can hold constants of {', '.join(_VALUES)}, got {name}")
    numbers = [int(v) for v in attrs["values"]] if name == "bool" else list(attrs["values"])
    return {"shape": list(attrs["shape"]), "dtype": dtypes.convert(name).code, _VALUES[name]: numbers}


def _values_from_desc(attrs):
    found = next((attrs[k] for k in _VALUE_LISTS if attrs.get(k)), [])
    return {"shape": attrs["shape"], "dtype": attrs["dtype"], "values": found}


@op("assign_value() -> Out", family="create", layer_name="assign", to_desc=_values_to_desc, from_desc=_values_from_desc, total=True)
def assign_value(shape=(), dtype="float32", values=()):
    """A constant tensor from its list of values."""
    return np.array(list(values)).astype(dtypes.to_numpy(dtype, "assign_value")).reshape(tuple(shape))


@op("empty(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", to_desc=dtype_code)
def empty(shape_tensor=None, shape_list=None, shape=(), dtype="float32"):
    """A tensor of the given shape whose values are whatever the memory holds."""
    return np.empty(checked_shape(ints_of(shape, shape_tensor, shape_list), "empty"), dtypes.to_numpy(dtype, "empty"))


def _number(x):
    return x.reshape(()).item()


def range_shape(start, end, step):
    """The shape of ``arange`` of three arrays of one number; unknown for steps of 0, which it refuses as it runs."""
    return (max(math.ceil((_number(end) - _number(start)) / _number(step)), 0) if _number(step) else -1,)


def _steps(start, end, step):
    if any(i.known is None for i in (start, end, step)):
        return Spec([-1], start.dtype)
    return Spec(range_shape(start.known, end.known, step.known), start.dtype)


@op("range(Start, End, Step) -> Out", family="dynamic", layer_name="range", shapes=_steps)
def arange(start, end, step):
    """Numbers from start up to (not including) end, in steps; the element type is that of start."""
    if _number(step) == 0:
        raise ValueError("step must not be 0")
    return np.arange(_number(start), _number(end), _number(step)).astype(start.dtype, copy=False)


def _spaced(start, stop, num, function):
    n = int(_number(num))
    if n < 1:
        raise ValueError(f"{function}(): num must be at least 1, got {n}")
    return np.linspace(_number(start), _number(stop), n)


def _as_many(num, dtype):
    return Spec([-1 if num.known is None else int(np.ravel(num.known)[0])], dtypes.to_numpy(dtype))


@op("linspace(Start, Stop, Num) -> Out", family="dynamic", to_desc=dtype_code, shapes=_as_many)
def linspace(start, stop, num, dtype="float32"):
    """``num`` evenly spaced numbers from start to stop, both included."""
    return convert(_spaced(start, stop, num, "linspace"), dtypes.to_numpy(dtype, "linspace"))


@op("logspace(Start, Stop, Num, Base) -> Out", family="dynamic", to_desc=dtype_code, shapes=_as_many)
def logspace(start, stop, num, base, dtype="float32"):
    """``num`` powers of base whose exponents are evenly spaced from start to stop."""
    powers = np.power(float(_number(base)), _spaced(start, stop, num, "logspace"))
    return convert(powers, dtypes.to_numpy(dtype, "logspace"))


@op("eye() -> Out", family="create", to_desc=dtype_code,
    shapes=lambda num_rows, num_columns, dtype: Spec(
    [num_rows, num_rows if num_columns == -1 else num_columns], dtypes.to_numpy(dtype)))
def eye(num_rows=1, num_columns=-1, dtype="float32"):
    """The matrix with ones on its diagonal and zeros elsewhere."""
    columns = num_rows if num_columns == -1 else num_columns
    checked_shape([num_rows, columns], "eye")
    return np.eye(num_rows, columns, dtype=dtypes.to_numpy(dtype, "eye"))


def _triangle(indices, row, col, offset, dtype, function):
    checked_shape([row, col], function)
    return np.stack(indices(row, offset, col)).astype(dtypes.to_numpy(dtype, function))


@op("tril_indices() -> out", family="create", to_desc=dtype_code)
def tril_indices(rows=1, cols=1, offset=0, dtype="int64"):
    """Rows and columns (two rows of indices) of the lower triangle of a matrix of this size."""
    return _triangle(np.tril_indices, rows, cols, offset, dtype, "tril_indices")


@op("triu_indices() -> out", family="create", to_desc=dtype_code)
def triu_indices(row=1, col=1, offset=0, dtype="int64"):
    """Rows and columns (two rows of indices) of the upper triangle of a matrix of this size."""
    return _triangle(np.triu_indices, row, col, offset, dtype, "triu_indices")


@op("assign(X) -> Out", family="same", sharding=linear, rows="copy", amp="never", flops=0)
def assign(x):
    """A copy of x."""
    return np.array(x, order="C")


@assign.kernel(when=lambda x: x.size >= 1024 and not x.flags.c_contiguous)
def _(k, x):
    return k.contiguous(x)


assign.grad(x=lambda g: g)


@op("share_data(X) -> Out", family="same", sharding=linear)
def share_data(x):
    """x itself under another name (files only)."""
    return x


@op("memcpy(X) -> Out", family="same", sharding=linear)
def memcpy(x, dst_place_type=0):
    """A copy of x on another device; here there is one device."""
    return np.array(x, order="C")


share_data.grad(x=lambda g: g)
memcpy.grad(x=lambda g: g)


@op("shape(Input) -> Out", family="own", total=True, flops=0,
    shapes=lambda x: Spec([len(x.shape)], np.int32, None if -1 in x.shape else np.array(x.shape, np.int32)))
def shape(x):
    """The sizes of x as a 1-d int32 tensor."""
    return np.array(x.shape, np.int32)


@op("size(Input) -> Out", family="own", layer_name="numel", shapes="_ -> :int64")
def size(x):
    """The number of elements of x, int64."""
    return np.asarray(x.size, np.int64)


@op("combination_indices() -> Out", family="create")
def combination_indices(n=0, r=2, with_replacement=False):
    """All sorted choices of r of the positions 0 ... n-1, one per row."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(choose(range(n), r)), np.int64).reshape(-1, r)


@op("is_empty(X) -> Out", family="own", shapes="_ -> :bool")
def is_empty(x):
    """Whether x has no elements."""
    return np.asarray(x.size == 0)


by_library(eye, fill_any_like, linspace)
by_library(fill_constant, when=lambda number, tensor, sizes, shape, dtype, value: number is None and _is_plain(value) and (
    value or tensor is not None or sizes or math.prod(shape) < _FRESH))
by_library(fill_constant_batch_size_like, when=lambda x, lod, shape, dtype, value, *axes: _is_plain(value))
by_library(assign_value, when=lambda shape, dtype, values: len(values) <= _KEPT and dtypes.convert(dtype).name in _VALUES)
by_library(arange, when=lambda start, end, step: start.dtype == end.dtype == step.dtype and start.dtype.char in "ilqfd")
