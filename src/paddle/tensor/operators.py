"""Python operators of Tensor and static Variable: ``x + y``, ``2 * x``, ``x > 0``, ``x @ y``, ``-x`` ..."""

import numpy as np

from ..core.context import context
from ..core.engine import binary_method
from ..core.op import BY_NAME, Symbolic
from ..core.tensor import Tensor
from ..ops.math import arithmetic
from .convert import SCALARS, cast, numpy_dtype, promote, scalar_dtype, to_float
from .math import are_truths, quotient_of_truths

OPERANDS = (Tensor, Symbolic, np.ndarray, list, tuple, *SCALARS)


def _known(other):
    return isinstance(other, OPERANDS)


def _arithmetic(op, scaled, reflected_scaled, name):
    """The pair (x op y, y op x); a Python number goes through ``scale``, as Paddle's own programs have it."""

    def forward(x, y):
        if isinstance(y, Tensor) and isinstance(x, Tensor) and x._data.dtype == y._data.dtype:
            return op(x, y)
        if isinstance(y, (int, float)) and scaled is not None:
            return scaled(cast(x, scalar_dtype(numpy_dtype(x), y)), y)
        if not _known(y):
            return NotImplemented
        return op(*promote(x, y, name))

    def reflected(x, y):
        if isinstance(y, (int, float)) and reflected_scaled is not None:
            return reflected_scaled(cast(x, scalar_dtype(numpy_dtype(x), y)), y)
        if not _known(y):
            return NotImplemented
        return op(*promote(y, x, name))

    return binary_method(op, forward), reflected


_add, _radd = _arithmetic(arithmetic.add, lambda x, c: arithmetic.scale(x, 1.0, c), lambda x, c: arithmetic.scale(x, 1.0, c), "add")
_sub, _rsub = _arithmetic(arithmetic.subtract, lambda x, c: arithmetic.scale(x, 1.0, -c), lambda x, c: arithmetic.scale(x, -1.0, c),
                          "subtract")
_mul, _rmul = _arithmetic(arithmetic.multiply, lambda x, c: arithmetic.scale(x, c), lambda x, c: arithmetic.scale(x, c), "multiply")


def _truediv(x, y):
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x._data.dtype == y._data.dtype and x._data.dtype.kind in "fc":
        return arithmetic.divide(x, y)
    if not _known(y):
        return NotImplemented
    if context.rules.whole_truths and are_truths(x, y):
        return quotient_of_truths(x, y)
    if isinstance(y, (int, float)) and y != 0:
        if isinstance(x, Symbolic) and context.rules.whole_quotients and isinstance(y, int) and x.dtype.is_integer:
            return arithmetic.divide(*promote(x, y, "divide"))
        return arithmetic.scale(to_float(x), 1.0 / y)
    x, y = promote(x, y, "divide")
    return arithmetic.divide(to_float(x), to_float(y))


def _rtruediv(x, y):
    if not _known(y):
        return NotImplemented
    if context.rules.whole_truths and are_truths(x, y):
        return quotient_of_truths(y, x)
    y, x = promote(y, to_float(x), "divide")
    return arithmetic.divide(y, x)


def _pow(x, y):
    if isinstance(y, (int, float)) and not isinstance(y, bool):
        return BY_NAME["pow"](cast(x, scalar_dtype(numpy_dtype(x), y)), y)
    return BY_NAME["elementwise_pow"](*promote(x, y, "pow")) if _known(y) else NotImplemented


def _rpow(x, y):
    return BY_NAME["elementwise_pow"](*promote(y, x, "pow")) if _known(y) else NotImplemented


def _via(name, reflect=False):
    """An operator that is one op on promoted operands."""
    def forward(x, y):
        return BY_NAME[name](*promote(x, y, name)) if _known(y) else NotImplemented

    def reflected(x, y):
        return BY_NAME[name](*promote(y, x, name)) if _known(y) else NotImplemented
    return reflected if reflect else forward


def _compare(name):
    def compare(x, y):
        if y is None or isinstance(y, str):
            return {"equal": False, "not_equal": True}.get(name, NotImplemented)
        return BY_NAME[name](*promote(x, y, name)) if _known(y) else NotImplemented
    return compare


def _matmul(x, y):
    return BY_NAME["matmul"](*promote(x, y, "matmul")) if _known(y) else NotImplemented


def _rmatmul(x, y):
    return BY_NAME["matmul"](*promote(y, x, "matmul")) if _known(y) else NotImplemented


def _bool_or_bits(bits, logical):
    def operator(x, y):
        if not _known(y):
            return NotImplemented
        x, y = promote(x, y, bits)
        return BY_NAME[logical if numpy_dtype(x).kind == "b" else bits](x, y)
    return operator


OPERATORS = {
    "__add__": _add, "__radd__": _radd, "__sub__": _sub, "__rsub__": _rsub, "__mul__": _mul, "__rmul__": _rmul,
    "__truediv__": _truediv, "__rtruediv__": _rtruediv, "__div__": _truediv, "__rdiv__": _rtruediv,
    "__pow__": _pow, "__rpow__": _rpow, "__matmul__": _matmul, "__rmatmul__": _rmatmul,
    "__floordiv__": _via("floor_divide"), "__rfloordiv__": _via("floor_divide", reflect=True),
    "__mod__": _via("remainder"), "__rmod__": _via("remainder", reflect=True),
    "__eq__": _compare("equal"), "__ne__": _compare("not_equal"), "__lt__": _compare("less_than"),
    "__le__": _compare("less_equal"), "__gt__": _compare("greater_than"), "__ge__": _compare("greater_equal"),
    "__neg__": lambda x: arithmetic.scale(x, -1.0), "__pos__": lambda x: x, "__abs__": lambda x: BY_NAME["abs"](x),
    "__and__": _bool_or_bits("bitwise_and", "logical_and"), "__rand__": _bool_or_bits("bitwise_and", "logical_and"),
    "__or__": _bool_or_bits("bitwise_or", "logical_or"), "__ror__": _bool_or_bits("bitwise_or", "logical_or"),
    "__xor__": _bool_or_bits("bitwise_xor", "logical_xor"), "__rxor__": _bool_or_bits("bitwise_xor", "logical_xor"),
    "__lshift__": _via("bitwise_left_shift"), "__rlshift__": _via("bitwise_left_shift", reflect=True),
    "__rshift__": _via("bitwise_right_shift"), "__rrshift__": _via("bitwise_right_shift", reflect=True),
    "__invert__": lambda x: BY_NAME["logical_not" if numpy_dtype(x).kind == "b" else "bitwise_not"](x),
    "__hash__": lambda x: id(x),
}


def install(cls):
    """Give a tensor class all operators."""
    for name, function in OPERATORS.items():
        setattr(cls, name, function)


install(Tensor)
