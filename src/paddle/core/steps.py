"""The native elementwise steps that an op consists of: ``@op(..., step=Step("relu", saved="out"))``.

The op's kernel (called eagerly, or recorded for a routine), its part in a chain of steps, and the kernel of its gradient follow
from the step. An op of several steps is a ``Formula`` (formula.py). ``docs/kernels-elementwise.md`` lists the names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .context import process
from .formula import Traced, TracedRule, Writer, is_refusal, is_repeated, key_of, written
from .signature import arguments
from .tensor import Tensor


class Step:
    """One step: a function of one array, or of two that broadcast.

    name: the step's, or a function of attributes of the op (its parameters name them) that returns it, None where the op is no
    step, (name, constant operand) where it is one without a step for its gradient. alpha: the attribute that is the step's constant
    operand. saved: the argument that the gradient's step ``<name>_grad`` is computed from, "x" or "out"; None if there is no such
    step. otherwise: what a Formula writes where the name is None.
    """

    when = None

    def __init__(self, name: Any, saved: Any = None, alpha: Any = None, otherwise: Any = None) -> None:
        self.name, self.saved, self.alpha = name, saved, alpha
        self.otherwise = None if otherwise is None else Formula(otherwise)
        self.named_by = list(arguments(name)) if callable(name) else []

    def declare(self, op: Any) -> None:
        """Become the step of an op."""
        self.op = op
        if self.otherwise is not None:
            self.otherwise.declare(op)
        self.pair = op.n_in == 2
        self.attributes = [op.attr_names.index(n) for n in self.named_by]
        self.alpha_at = None if self.alpha is None else op.attr_names.index(self.alpha)
        self.axis_at = op.attr_names.index("axis") if self.pair and "axis" in op.attr_names else None

    def found(self, values: list[Any] | tuple[Any, ...]) -> tuple[Any, ...]:
        """(name, constant operands) for these attribute values; the name is None where they make the op something else."""
        if self.axis_at is not None and values[self.axis_at] != -1:
            return None, ()
        name = self.name(*[values[i] for i in self.attributes]) if self.attributes else self.name
        if name.__class__ is tuple:
            return name[0], (float(name[1]),)
        return name, () if self.alpha_at is None else (float(values[self.alpha_at]),)

    def __call__(self, k: Any, *arguments: Any) -> Any:
        """The op's kernel."""
        n = 2 if self.pair else 1
        name, alpha = self.found(arguments[n:])
        if name is None:
            return NotImplemented if self.otherwise is None else self.otherwise(k, *arguments)
        return k.binary(name, *arguments[:2]) if self.pair else k.unary(name, arguments[0], *alpha)

    def eager(self, k: Any) -> Callable[..., Any]:
        """The kernel of one interpreter alone: the native function itself where the op's arguments are those of the step."""
        if self.attributes:
            return functools.partial(self, k)
        return _pair(k.binary, self.name) if self.pair else functools.partial(k.unary, self.name)

    def rule(self, rule: Any) -> Any:
        """The function of a gradient rule of the op, in place of which the step runs where it can."""
        if self.saved is None:
            return rule.fn if rule.names == ["g"] and self.name == "add" else TracedRule(self.op, rule, interpreter, written_out)
        general = TracedRule(self.op, rule, interpreter, written_out) if self.attributes else rule.fn
        saved_at = rule.names.index(self.saved)
        named = [rule.names.index(n) for n in self.named_by]
        alpha_at = None if self.alpha is None else rule.names.index(self.alpha)
        if rule.names == ["g", self.saved]:
            return _plain_rule(self.name, general)

        def fast(g: Any, *others: Any) -> Any:
            k = interpreter(g)
            if k is not None:
                name = self.name(*[others[i - 1] for i in named]) if named else self.name
                alpha = 0.0 if alpha_at is None else others[alpha_at - 1]
                out = NotImplemented if name.__class__ is not str else k.unary_grad(name, others[saved_at - 1], g, alpha)
                if out is not NotImplemented:
                    return out
                g = written_out(g)
            return general(g, *others)
        return fast

    # ---- in a chain: emit(name, *operands) notes a step and returns its register ----
    def forward(self, values: list[Any]) -> Callable[..., Any] | None:
        """What the op does, as a function ``write(emit, registers) -> register``; None if it is no step."""
        name, alpha = self.found(values)
        if name is None:
            return None if self.otherwise is None else self.otherwise.forward(values)
        return lambda emit, ins: emit(name, *ins, *alpha)

    def backward(self, values: list[Any]) -> Callable[..., Any] | None:
        """The same of the gradient, whose registers are those of the op's inputs, its output and the output's gradient."""
        name, alpha = self.found(values)
        if name is None or self.saved is None or alpha and self.alpha is None:
            return None
        at = 0 if self.saved == "x" else 1
        return lambda emit, ins: emit(name + "_grad", ins[at], ins[-1], *alpha)


def _pair(binary: Callable[..., Any], name: str) -> Callable[..., Any]:
    def kernel(x: np.ndarray, y: np.ndarray, axis: int = -1) -> Any:
        return binary(name, x, y) if axis == -1 else NotImplemented
    return kernel


def _plain_rule(name: Any, general: Any) -> Any:
    def fast(g: Any, saved: Any) -> Any:
        k = interpreter(g)
        out = NotImplemented if k is None else k.unary_grad(name, saved, g)
        return general(written_out(g), saved) if out is NotImplemented else out
    return fast


class Formula:
    """An op of several steps that run in one pass: ``write(emit, *inputs, *attributes)`` notes them (see formula.py).

    Gradients follow from the op's rules. ``when``: see Op.kernel."""

    def __init__(self, write: Callable[..., Any], when: Any = None) -> None:
        self.write, self.when = write, when
        self.programs: dict[Any, Any] = {}

    def declare(self, op: Any) -> None:
        """Become the formula of an op."""
        self.op = op

    def run(self, k: Any, *arrays: Any) -> Any:
        """The result for arrays (or what stands for them), without attributes; NotImplemented where the kernel declines."""
        count = len(arrays)
        if count not in self.programs:
            self.programs[count] = self._program([True] * count, ())
        return k.eltwise(*self.programs[count], *arrays)

    def __call__(self, k: Any, *arguments: Any) -> Any:
        """The op's kernel."""
        n = self.op.n_in
        there = [a is not None for a in arguments[:n]]
        key = key_of((*arguments[n:], *there))
        if key is None:
            return NotImplemented
        program = self.programs.get(key, NotImplemented)
        if program is NotImplemented:
            if len(self.programs) > 256:
                self.programs.clear()
            program = self.programs[key] = self._program(there, arguments[n:])
        return NotImplemented if program is None else k.eltwise(*program, *[a for a in arguments[:n] if a is not None])

    def _program(self, there: list[bool], values: tuple[Any, ...]) -> Any:
        writer, registers = Writer(), iter(range(len(there)))
        result = self.write(writer.emit, *[next(registers) if one else None for one in there], *values)
        return None if result is None or result.__class__ is int else written(writer, sum(there), result)

    def eager(self, k: Any) -> Callable[..., Any]:
        """The kernel of one interpreter alone."""
        return functools.partial(self, k)

    def rule(self, rule: Any) -> Any:
        """See Step."""
        return TracedRule(self.op, rule, interpreter, written_out)

    def forward(self, values: list[Any]) -> Callable[..., Any]:
        """See Step."""
        return lambda emit, ins: self.write(emit, *ins, *values)

    def backward(self, values: list[Any]) -> Callable[..., Any] | None:
        """See Step."""
        op = self.op
        if op.n_in != 1 or op.shared_rule is not None or op.rules.get(0) is None:
            return None
        names, attributes = op.rules[0].names, dict(zip(op.attr_names, values))
        places = {op.params[0]: 0, "out": 1, "g": -1}
        general = op.rules[0].fn.general

        def write(emit: Callable[..., Any], ins: list[Any]) -> Any:
            float32 = np.dtype(np.float32)
            return general(*[attributes[n] if n in attributes else Traced(emit, ins[places[n]], float32) for n in names]).register
        try:
            write(Writer().emit, [0, 1, 2])
        except Exception as error:
            if not is_refusal(error):
                raise
            return None
        return write


class Steps:
    """Several binary steps: ``write(emit, *arrays, *attributes)`` calls ``emit(name, a, b)`` with arrays (or registers of a
    chain) and numbers, and hands NotImplemented on; ``back(emit, g, *attributes)`` is the gradient's. ``when``: see Op.kernel."""

    saved = None

    def rule(self, rule: Any) -> Any:
        """See Step."""
        return TracedRule(self.op, rule, interpreter, written_out)

    def __init__(self, write: Any, back: Any = None, when: Any = None) -> None:
        self.write, self.back, self.when = write, back, when

    def declare(self, op: Any) -> None:
        """Become the steps of an op."""
        self.op = op
        self.listed = op.inputs[0].is_list

    def __call__(self, k: Any, *arguments: Any) -> Any:
        """The op's kernel."""
        return self.write(k.binary, *(arguments[0] if self.listed else arguments[:1]), *arguments[1:])

    def eager(self, k: Any) -> Callable[..., Any]:
        """The kernel of one interpreter alone."""
        return functools.partial(self, k) if self.listed else functools.partial(self.write, k.binary)

    def forward(self, values: list[Any]) -> Callable[..., Any]:
        """See Step."""
        return lambda emit, ins: self.write(emit, *ins, *values)

    def backward(self, values: list[Any]) -> Callable[..., Any] | None:
        """See Step."""
        return None if self.back is None else lambda emit, ins: self.back(emit, ins[-1], *values)


def is_dense(*arrays: Any) -> bool:
    """Are they arrays of one float type that kernels take, element after element in memory?"""
    first = arrays[0].dtype
    return first.char in "fd" and first.isnative and all(
        a.dtype == first and a.flags.c_contiguous and a.flags.aligned for a in arrays)


def dense(x: Any) -> Any:
    """An operand of a kernel, an array or what stands for one, with one element after the other in memory; None stays None."""
    if x.__class__ is np.ndarray:
        return x if x.flags.c_contiguous and x.ndim else contiguous(x)
    return x if x is None else x.dense()


def contiguous(x: np.ndarray) -> np.ndarray:
    """An array with one element after the other in memory, itself or a copy, which all threads make if it is large."""
    if process.native is None or x.size < 1024 or x.flags.c_contiguous:
        return np.ascontiguousarray(x)
    out = process.native.contiguous(x)
    return np.ascontiguousarray(x) if out is NotImplemented else out


def repeated(g: np.ndarray, shape: Any) -> np.ndarray:
    """One number as an array of a shape, without writing it out: what sums and means hand to elementwise rules of the tape.

    Nobody else sees such arrays: a walk writes them out for rules that do not take them (``Recipe.takes_repeated``)."""
    return np.broadcast_to(g, shape)


def written_out(x: Any) -> Any:
    """An array whose elements lie in memory one after the other, if it is one number repeated; anything else as it is."""
    return contiguous(x) if x.__class__ is np.ndarray and is_repeated(x) else x


def interpreter(value: Any) -> Any:
    """Whose functions run a kernel on this value: the native module's for arrays, a routine's for what it takes notes of;
    None for Tensors, and while kernels are off."""
    if value.__class__ is np.ndarray:
        return process.native
    return None if isinstance(value, Tensor) else getattr(value, "kernels", None)
