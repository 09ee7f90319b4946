"""Elementwise programs: several native steps in one pass over memory, for ops and for their gradient rules.

    @op("celu(X) -> Out", family="same", step=Formula(lambda emit, x, alpha: ...))

A formula is a function ``write(emit, *inputs, *attributes)`` that emits steps: ``emit(name, *operands)`` returns a placeholder for
the result of one, operands are such placeholders and numbers. It returns the last of them, or None for attributes that it cannot
express. Inputs that are not given are None.

Gradient rules need no formula. A rule is a function of arrays or Tensors, written with operators and ops; called with placeholders
(``Traced``), it records the steps that it consists of, once for each set of attributes. A rule that cannot be expressed in steps is
called directly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .attributes import exactly
from .context import process
from .symbolic import Symbolic


class NotTraced(AttributeError):
    """Something was asked of a Traced that is no elementwise step."""


class Result:
    """The result of a step, before registers are numbered."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Writer:
    """The steps of one program; inputs are registers, whole numbers from 0 on."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[Any, ...]]] = []
        self.known: dict[Any, Result] = {}

    def emit(self, name: str, *operands: Any) -> Result:
        """Note a step, or find the same one noted before."""
        key = (name, *map(exactly, operands))  # a register and a constant may be equal numbers
        found = self.known.get(key)
        if found is None:
            self.steps.append((name, operands))
            found = self.known[key] = Result(len(self.steps) - 1)
        return found

    def again(self, operand: Any) -> Result:
        """The same value as a step of its own."""
        self.steps.append(self.steps[operand.number] if isinstance(operand, Result) else ("mul", (operand, 1.0)))
        return Result(len(self.steps) - 1)

    def program(self, inputs: int, results: list[Any]) -> tuple[bytes, tuple[float, ...], list[int]]:
        """(bytes of the steps, constants, registers of the results) as the native functions take them."""
        codes, constants = _codes(), {exactly(c): c for _, operands in self.steps for c in operands if isinstance(c, float)}
        places = {key: inputs + k for k, key in enumerate(constants)}

        def number(operand: Any) -> int:
            if isinstance(operand, Result):
                return inputs + len(constants) + operand.number
            return places[exactly(operand)] if isinstance(operand, float) else operand
        data = bytearray()
        for name, operands in self.steps:
            data += bytes([codes[name][0], *[number(o) for o in operands], *[0] * (3 - len(operands))])
        return bytes(data), tuple(constants.values()), [number(r) for r in results]


_CODES: dict[Any, dict[str, tuple[int, int]]] = {}


def _codes() -> dict[str, tuple[int, int]]:
    native: Any = process.native
    if native not in _CODES:
        _CODES[native] = native.chain_ops()
    return _CODES[native]


class Traced(Symbolic):
    """A value of a program that is being noted, for functions written for arrays and Tensors: a register and its type."""

    __slots__ = ("emit", "register", "dtype")
    __array_ufunc__ = None  # ``array * traced`` comes to __rmul__

    def __init__(self, emit: Callable[..., Any], register: Any, dtype: np.dtype) -> None:
        self.emit, self.register, self.dtype = emit, register, dtype

    def step(self, name: str, *operands: Any) -> Traced:
        """A step of values and numbers."""
        return Traced(self.emit, self.emit(name, *map(_register, operands)), self.dtype)

    def __neg__(self) -> Traced:
        return self.step("neg", self)

    def record(self, op: Any, args: tuple[Any, ...]) -> Traced:
        """A call of an op, which is a step or several."""
        write = None if op.step is None else op.step.forward(list(args[op.n_in:]))
        register = None if write is None else write(self.emit, [None if a is None else _register(a) for a in args[:op.n_in]])
        if register is None or register is NotImplemented:
            raise NotTraced(op.name)
        return Traced(self.emit, register, self.dtype)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NotTraced("the value itself")

    __array__ = __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __getitem__ = __matmul__ = __pow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        raise NotTraced(name)


def _methods(name: str, step: str) -> None:
    setattr(Traced, f"__{name}__", lambda self, other: self.step(step, self, other))
    setattr(Traced, f"__r{name}__", lambda self, other: self.step(step, other, self))


for _name, _step in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}.items():
    _methods(_name, _step)


def _register(value: Any) -> Any:
    if isinstance(value, Traced):
        return value.register
    if isinstance(value, (int, float, np.number)) or isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and not value.ndim:
        return float(value)
    raise NotTraced(f"a constant of the kind {type(value).__name__}")


def traced(function: Callable[..., Any], is_value: list[bool], others: Any, given: list[bool], dtype: np.dtype) -> Any:
    """The (program, constants) of a function of values and other arguments, or None if it is more than elementwise steps.

    ``given``: which of the values are there (the others are None)."""
    writer, count, rest = Writer(), 0, iter(others)
    arguments, there = [], iter(given)
    for value in is_value:
        if not value:
            arguments.append(next(rest))
        elif next(there):
            arguments.append(Traced(writer.emit, count, dtype))
            count += 1
        else:
            arguments.append(None)
    try:
        found = function(*arguments)
    except Exception as error:
        if not is_refusal(error):
            raise
        return None
    if not isinstance(found, Traced) or not isinstance(found.register, Result):
        return None
    return written(writer, count, found.register)


def written(writer: Writer, inputs: int, result: Any) -> tuple[bytes, tuple[float, ...]] | None:
    """(program, constants) of a formula whose result is the last step; None if it is longer than the kernel takes."""
    if result.number != len(writer.steps) - 1 or len(writer.steps) > 60 or inputs > 4:
        return None
    program, constants, _ = writer.program(inputs, [result])
    return program, constants


def is_refusal(error: BaseException | None) -> bool:
    """Is it NotTraced, or an error that comes of it?"""
    while error is not None and not isinstance(error, NotTraced):
        error = error.__cause__ or error.__context__
    return error is not None


def key_of(values: Any) -> Any:
    """Attributes as a dictionary's key; None if they are none."""
    try:
        key = tuple(map(exactly, values))
        hash(key)
    except TypeError:
        return None
    return key


def is_repeated(x: np.ndarray) -> bool:
    """Is it one number that strides of 0 repeat?"""
    return not x.flags.c_contiguous and not any(stride for stride, n in zip(x.strides, x.shape) if n > 1)


_MISSING = object()
LIGHT_STEPS, SMALL = 2, 4096  # rules of so few steps are quicker as they are where arrays have fewer elements


class TracedRule:
    """A gradient rule that runs as one elementwise program where it can."""

    def __init__(self, op: Any, rule: Any, interpreter: Callable[..., Any], write_out: Callable[..., Any]) -> None:
        self.general, self.interpreter, self.write_out = rule.fn, interpreter, write_out
        self.is_value = [name in ("g", "out", *op.params[:op.n_in]) for name in rule.names]
        self.values = [k for k, is_value in enumerate(self.is_value) if is_value]
        self.others = [k for k, is_value in enumerate(self.is_value) if not is_value]
        self.programs: dict[Any, Any] = {}
        self.light = False  # are its steps so few that small arrays are better off without a program?

    def __call__(self, *arguments: Any) -> Any:
        if self.light and (arguments[0].__class__ is not np.ndarray or arguments[0].size < SMALL):
            return self.general(*arguments)
        k = self.interpreter(arguments[0])
        if k is None:
            return self.general(*arguments)
        if len(self.values) == 1 and arguments[0].__class__ is np.ndarray and is_repeated(arguments[0]):  # a number, repeated again
            g = arguments[0]
            return np.broadcast_to(self.general(g[(slice(0, 1),) * g.ndim].copy(), *arguments[1:]), g.shape)
        values = [arguments[i] for i in self.values]
        others = [arguments[i] for i in self.others]
        program = self._program(values, others)
        out = NotImplemented if program is None else k.eltwise(*program, *[v for v in values if v is not None])
        return self.general(self.write_out(arguments[0]), *arguments[1:]) if out is NotImplemented else out

    def _program(self, values: list[Any], others: list[Any]) -> Any:
        dtype = values[0].dtype
        key = key_of((dtype.char, *[v is None for v in values], *others))
        if key is None or dtype.char not in "fd":
            return None
        found = self.programs.get(key, _MISSING)
        if found is _MISSING:
            if len(self.programs) > 256:
                self.programs.clear()
            found = self.programs[key] = traced(self.general, self.is_value, others, [v is not None for v in values], dtype)
            self.light = found is None or len(found[0]) <= 4 * LIGHT_STEPS
        return found
