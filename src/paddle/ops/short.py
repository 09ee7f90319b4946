"""Short floats: float16 and bfloat16 are what arrays hold; sums and products of them are made in float32.

An op named in ``through_float32`` takes short operands as float32 arrays, runs on these (with whatever fast kernel float32
has), and rounds its results once. So no sum is accumulated in 8 or 11 bits, and mixed precision costs two conversions.
"""

import functools

import numpy as np

from ..core.context import process
from ..core.op import Symbolic
from ..core.signature import arguments

LETTERS = "eE"  # type characters of float16 and of ml-dtypes' bfloat16


def is_short(value):
    """Is this an array of float16 or bfloat16?"""
    return value.__class__ is np.ndarray and value.dtype.char in LETTERS


def widen(array):
    """A float16 or bfloat16 array in float32."""
    if process.native is None:
        return array.astype(np.float32)
    return process.native.widen(array if array.flags.c_contiguous else array.copy())


def narrow(array, kind):
    """A float32 array (or number) rounded to a short type; anything else as it is."""
    if array is None or array.dtype != np.float32:
        return array
    if process.native is None or array.__class__ is not np.ndarray:
        with np.errstate(over="ignore"):
            return np.asarray(array).astype(kind)
    return process.native.narrow(array if array.flags.c_contiguous else array.copy(), kind)


def widened(value):
    """The same with every short array in it, in tuples and lists too, in float32."""
    if isinstance(value, (tuple, list)):
        return type(value)([widened(v) for v in value])
    return widen(value) if is_short(value) else value


def through_float32(*declared, keep=(), like_first=False):
    """Let ops run short operands in float32. To be called after their other kernels are attached.

    Results take the short type where every float operand has it (NumPy's promotion otherwise), or that of the first operand
    if ``like_first``; the output slots in ``keep`` (statistics) stay in float32.
    """
    for one in declared:
        one.kernel(when=_any_short(one.n_in), noted=False, native=False)(_wide_kernel(one, keep, like_first))


def rule_in_float32(*inputs):
    """Decorator of a shared gradient rule: as a whole in float32 where the first of ``inputs`` is a short array.

    ``inputs`` names, for each gradient that the rule returns, the parameter whose type it takes (None there: the first one's).
    Without it every op of the rule would round its result.
    """
    def decorate(rule):
        names = list(arguments(rule))
        places = [names.index(name) for name in inputs]

        @functools.wraps(rule)
        def wide(*values):
            first = values[places[0]]
            if isinstance(first, Symbolic) and first.dtype.char in LETTERS:
                first = np.asarray(first)  # asks for the values: a routine notes the rule as one call
            if not is_short(first):
                return rule(*values)
            kinds = [first.dtype if values[p] is None else values[p].dtype for p in places]
            grads = rule(*[widened(v) for v in values])
            return tuple(narrow(g, kind) if kind.char in LETTERS else g for g, kind in zip(grads, kinds, strict=True))
        return wide
    return decorate


def _any_short(operands):
    if operands == 1:
        return lambda x, *rest: _is_any_short(x)
    if operands == 2:
        return lambda x, y, *rest: _is_any_short(x) or _is_any_short(y)
    return lambda *values: any(map(is_short, _operands(values[:operands])))


def _is_any_short(x):
    """Is an operand, an array, a list of them or None, short?"""
    return x.dtype.char in LETTERS if x.__class__ is np.ndarray else x.__class__ is list and any(map(is_short, x))


def _operands(values):
    for v in values:
        if v.__class__ is list:
            yield from v
        elif v.__class__ is np.ndarray:
            yield v


def _wide_kernel(one, keep, like_first):
    kept = [slot.name in keep for slot in one.outputs]

    def kernel(_, *values):
        kinds = {v.dtype for v in _operands(values[:one.n_in]) if v.dtype.kind in "fV"}
        outs = one.run_arrays([widened(v) for v in values[:one.n_in]] + list(values[one.n_in:]))
        if not (is_short(values[0]) if like_first else len(kinds) == 1):
            return outs
        kind = values[0].dtype if like_first else kinds.pop()
        if one.single:
            return narrow(outs, kind)
        if len(one.outputs) == 1:
            return [narrow(o, kind) for o in outs]
        return tuple(o if stays else narrow(o, kind) for o, stays in zip(outs, kept))
    return kernel
