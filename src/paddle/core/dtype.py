"""Element types: ``paddle.float32`` and friends, each a thin name over a NumPy dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from .context import context, process
from .errors import WrongKindError, describe, suggest


class DType:
    """An element type. Equal to its name, to the NumPy dtype and to itself; ``np.dtype(d)`` works.

    Args:
        name: name, number or NumPy type of the type that is wanted.
        parts: of a new type, which is called ``name``: its number in ProgramDesc files, and NumPy's type, or None where a package
            brings it.

    >>> paddle.float32 == 'float32', paddle.ones([1]).dtype is paddle.float32
    (True, True)
    """

    __slots__ = ("name", "code", "_np")

    def __new__(cls, name: Any, *parts: Any) -> DType:
        # paddle.dtype(5), paddle.dtype("float32"): the type there is, as a call of an enumeration
        return object.__new__(cls) if parts else convert(name)

    def __init__(self, name: Any, *parts: Any) -> None:
        if not parts:
            return
        code, numpy_type = parts
        self.name = name
        self.code = code  # number of the type in ProgramDesc files
        self._np = None if numpy_type is None else np.dtype(numpy_type)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype (also what ``np.dtype(self)`` looks up)."""
        if self._np is None:  # NumPy has no such type of its own, and the package is loaded when it is first wanted
            try:
                import ml_dtypes
            except ImportError:
                raise TypeError(f"{self.name} needs the ml-dtypes package: pip install ml-dtypes") from None
            self._np = np.dtype(getattr(ml_dtypes, self.name))
            _BY_NUMPY[self._np] = self
        return self._np

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def is_floating(self) -> bool:
        return self.name in ("float16", "bfloat16", "float32", "float64")

    @property
    def is_complex(self) -> bool:
        return self.name in ("complex64", "complex128")

    @property
    def is_integer(self) -> bool:
        return self.name in ("uint8", "int8", "int16", "int32", "int64")

    def __repr__(self) -> str:
        return "paddle." + self.name

    def __str__(self) -> str:
        return old_text(self) if context.rules.coded_types else repr(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        if isinstance(other, str):
            return other in (self.name, "paddle." + self.name)
        if isinstance(other, (np.dtype, type)):
            return find(other if isinstance(other, np.dtype) else _safe_dtype(other)) is self
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __int__(self) -> int:
        return self.code

    def __reduce__(self) -> tuple[Any, ...]:
        return (convert, (self.name,))


def _safe_dtype(value: Any) -> np.dtype[Any] | None:
    if hasattr(value, "dtype") and not isinstance(value, type):  # an array or Tensor: it has a dtype, it is none
        return None
    try:
        return np.dtype(value)
    except (TypeError, ValueError):
        return None


_TABLE = [  # name, ProgramDesc code, NumPy type
    ("bool", 0, np.bool_), ("int16", 1, np.int16), ("int32", 2, np.int32), ("int64", 3, np.int64),
    ("float16", 4, np.float16), ("float32", 5, np.float32), ("float64", 6, np.float64), ("uint8", 20, np.uint8),
    ("int8", 21, np.int8), ("bfloat16", 22, None), ("complex64", 23, np.complex64),
    ("complex128", 24, np.complex128),
]
ALL = {name: DType(name, code, kind) for name, code, kind in _TABLE}
EIGHT_BITS = {name: DType(name, code, None) for name, code in (("float8_e4m3fn", 32), ("float8_e5m2", 33))}  # held and cast
for _dtype in (*ALL.values(), *EIGHT_BITS.values()):
    setattr(DType, _dtype.name.upper(), _dtype)  # paddle.dtype.FLOAT32, as 3.x has it
_BY_CODE = {d.code: d for d in ALL.values()}
_BY_NUMPY = {d._np: d for d in ALL.values() if d._np is not None}
_ALIASES = {"float": "float64", "double": "float64", "half": "float16", "int": "int64", "long": "int64",  # as NumPy reads them
            "bool_": "bool", "short": "int16", "uint16": "bfloat16"}
_PYTHON = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}

globals().update({("bool_" if name == "bool" else name): d for name, d in ALL.items()})


def old_text(dtype: DType) -> str:
    """An element type as 1.x printed it: VarType.FP32."""
    return "VarType." + dtype.name.upper().replace("BFLOAT", "BF").replace("FLOAT", "FP")


def find(numpy_dtype: Any) -> DType | None:
    """The DType over a NumPy dtype, or None."""
    found = _BY_NUMPY.get(numpy_dtype)
    if found is None and getattr(numpy_dtype, "name", "") in ("bfloat16", *EIGHT_BITS):
        kind = ALL.get(numpy_dtype.name) or EIGHT_BITS[numpy_dtype.name]
        return kind if kind.dtype == numpy_dtype else None
    return found


def of(array: Any) -> DType:
    """The DType of a NumPy array or dtype."""
    d = find(getattr(array, "dtype", array))
    if d is None:
        raise TypeError(f"arrays of dtype {getattr(array, 'dtype', array)} have no counterpart; known: {', '.join(ALL)}")
    return d


def convert(value: Any, function: str = "dtype") -> DType:
    """The DType that a user's ``dtype`` argument means: a DType, name, NumPy or Python type, or file code."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        name = value[7:] if value.startswith("paddle.") else value
        name = _ALIASES.get(name, name)
        if name in ALL:
            return ALL[name]
        if name in EIGHT_BITS:
            return EIGHT_BITS[name]
        if (found := find(_safe_dtype(name))) is not None:  # another of NumPy's names: intc, single, i4
            return found
        raise WrongKindError(f"{function}(): unknown dtype {value!r}{suggest(name, ALL)}; known: {', '.join(ALL)}")
    if isinstance(value, int) and not isinstance(value, bool) and value in _BY_CODE:
        return _BY_CODE[value]
    if isinstance(value, type) and value in _PYTHON:
        return ALL[_PYTHON[value]]
    inner = getattr(value, "paddle_dtype", None)  # fluid's VarType members carry it
    if inner is not None:
        return inner
    numpy_dtype = _safe_dtype(value)
    if numpy_dtype == np.uint16:  # NumPy has no bfloat16; Paddle's arrays of it are its bits
        return ALL["bfloat16"]
    if value is not None and (found := find(numpy_dtype)) is not None:
        return found
    raise TypeError(f"{function}(): dtype must name an element type ({', '.join(ALL)}), got {describe(value)}")


def of_bits(array: np.ndarray) -> np.ndarray:
    """An array that came from outside: uint16 holds the bits of bfloat16, as ``Tensor.numpy()`` gives them."""
    return array.view(ALL["bfloat16"].dtype) if array.dtype == np.uint16 else array


def to_numpy(value: Any, function: str = "dtype") -> np.dtype[Any]:
    """The NumPy dtype that a user's ``dtype`` argument means."""
    return convert(value, function).dtype


process.dtype = ALL["float32"]


def get_default_dtype() -> str:
    """Name of the type that Python floats and new parameters take.

    Returns:
        str.

    >>> paddle.get_default_dtype()
    'float32'
    """
    return process.dtype.name


def set_default_dtype(d: Any) -> None:
    """Choose the type that Python floats and new parameters take: float16, bfloat16, float32 or float64.

    Args:
        d (str or dtype): the type.
    Returns:
        None.
    Raises:
        TypeError: ``d`` is not a floating-point type.

    >>> paddle.set_default_dtype('float32')
    """
    chosen = convert(d, "set_default_dtype")
    if not chosen.is_floating:
        raise TypeError(f"set_default_dtype(): d must be float16, bfloat16, float32 or float64, got {chosen.name}")
    process.dtype = chosen


def default_numpy() -> np.dtype[Any]:
    """The default floating type as a NumPy dtype."""
    return process.dtype.dtype


def default() -> DType:
    """The default floating type as a DType."""
    return process.dtype
