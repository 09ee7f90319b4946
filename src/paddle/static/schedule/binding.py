"""A plan bound to the forms of one run: its calls become the native calls of a Routine.

Binding is a run of the plan that takes notes. Every node's call is asked to run through a Binding (``Call.bind``). Ops, their
kernels and their gradient rules are the same functions as ever, called with Operands in place of arrays: what they call
is called, and noted with the registers of its arguments. What only depends on dtypes, shapes and layouts is decided then and not
again: which kernel an op takes, how gradients are summed back, which shapes rules are told. What can't be taken apart like
that (``NotNoted``) is noted as one call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.context import process
from ...core.routine import Routine, form_of
from ...core.steps import is_dense
from ...kernels import thresholds
from .operand import NotNoted, Operand

if TYPE_CHECKING:
    from ...core.op import Op
    from ..ir.graph import Node

# native functions whose last argument is memory for the result: defaults of the arguments before it, and those whose own memory
# it may be
INTO = {"gemm": ((None, None, False, False, None, 0, None), ()), "unary": ((None, None, 0.0), (1,)),
        "unary_grad": ((None, None, None, 0.0), (2,)), "binary": ((None, None, None), (1, 2)), "reduce": ((None, None, None), ())}
FOLLOWED = {"reshape", "index", "concat", "matmul"}  # families whose references may be no more than a view, or NumPy's product


def failed(error: Any, step: int, args: tuple[Any, ...]) -> None:
    """Note in an error which step it comes from, and what the step was given."""
    error.failure = step, args


class Note:
    """One instruction to be."""

    __slots__ = ("function", "args", "outs", "forms", "owned", "dying", "single", "step", "last", "spare", "wants_registers",
                 "reuses")

    def __init__(self, function: Any, args: list[Any], outs: list[Any], results: list[Any], single: bool, step: int,
                 wants_registers: bool, reuses: list[Any] | None) -> None:
        self.function, self.args, self.outs, self.single, self.step = function, args, outs, single, step
        self.forms, self.owned = [form_of(r) for r in results], [owns_memory(r) for r in results]
        self.wants_registers, self.reuses = wants_registers, reuses
        self.dying, self.last, self.spare = [], False, 0

    def instruction(self) -> tuple[Any, ...]:
        """As Routine takes it."""
        return (self.function, tuple(self.args), tuple(self.outs), tuple(self.forms), tuple(self.dying), self.single, self.step,
                self.last, self.spare, self.wants_registers)


class Kernels:
    """What kernels call while they are noted: the native functions."""

    def __init__(self, note: Binding) -> None:
        self._note = note

    def __getattr__(self, name: str) -> Callable[..., Any]:
        note, function, (defaults, taken) = self._note, getattr(process.native, name), INTO.get(name, (None, ()))

        def call(*args: Any) -> Any:
            if defaults is None:
                return note.call(function, args)
            args = (*args, *defaults[len(args):])
            return note.call(function, args, [args[k] for k in taken if args[k].__class__ is Operand])
        return call

    def gemm(self, *args: Any) -> Any:
        """A product; a right matrix that never changes is packed once for all runs."""
        args = (*args, *INTO["gemm"][0][len(args):])
        a, b, trans_a, trans_b, bias, act, added = args
        ready = None if trans_a else self._note.packed_matrix(a, b, bool(trans_b))
        if ready is None:
            return self._note.call(process.native.gemm, args, [])
        return self._note.call(process.native.gemm_ready, (a, b, ready, trans_b, bias, act, added), [])

    def conv2d(self, *args: Any) -> Operand:
        """A convolution; weights that never change are packed once for all runs."""
        return self._conv("conv2d", args)

    def blocked_conv(self, *args: Any) -> Operand:
        """The same of images whose channels lie in blocks."""
        return self._conv("blocked_conv", args)

    def integer_conv(self, *args: Any) -> Operand:
        """The same of whole numbers."""
        return self._conv("integer_conv", args)

    def integer_linear(self, *args: Any) -> Operand:
        """A product of whole numbers; a matrix that never changes is packed once for all runs."""
        w = args[1]
        fixed = self._note.constants[w.register] if w.__class__ is Operand else None
        key, prepare = (id(fixed), "integer_linear"), process.native.integer_linear_prepare
        ready = None if fixed is None else self._note.once(key, prepare, fixed)
        return self._note.call(process.native.integer_linear, (*args[:4], ready, *args[5:]))

    def _conv(self, name: str, args: tuple[Any, ...]) -> Operand:
        usual, residual = args[:8], args[9:]  # between them stands what is packed here
        ready = self._note.packed_weights(name, usual) if len(usual) == 8 else None
        return self._note.call(getattr(process.native, name), args if ready is None else (*usual, ready, *residual))


class Binding:
    """Runs a Plan's steps and notes them; ``outputs``, ``updates`` and ``routine()`` when it is done."""

    def __init__(self, plan: Any, inputs: Any, states: Any) -> None:
        self.plan = plan
        self.registers = plan.template.copy()
        self.given = (*inputs, *states)
        self.registers[1:1 + len(self.given)] = self.given
        self.constants = plan.template.copy()
        self.fixed: Any = {}
        self.notes, self.step, self.kernels = [], 0, Kernels(self) if process.native else None
        waiting = []
        for self.step, (node, (_, _, _, dying)) in enumerate(zip(plan.nodes, plan.steps)):
            waiting += dying
            before = len(self.notes)
            self._run(node, before)
            if len(self.notes) > before:
                self.notes[-1].last = True
                self._forget(before, waiting)
                waiting = []
        self.fixed = self.kernels = None  # they lead back here: without them nothing waits for the collector

    def results(self) -> tuple[Any, ...]:
        """(outputs, updates) of the run."""
        return self.plan.get_outputs(self.registers), self.plan.get_updates(self.registers)

    def routine(self) -> Any:
        """The Routine for runs on values of the same forms."""
        plan = self.plan
        forms = [form_of(v) for v in self.given]
        share_memory(self.notes, {k: f for k, (f, v) in enumerate(zip(forms, self.given), 1) if owns_memory(v)})
        return Routine(self.constants, tuple(forms), [n.instruction() for n in self.notes], plan.outputs, plan.updates)

    # ---- what calls use while they are bound ----
    def constant(self, value: Any) -> Operand:
        """An Operand that every run finds in its register."""
        if value is None:
            return Operand(self, 0, None)
        key = (value.__class__, value) if value.__class__ in (bool, int, str) else id(value)
        found = self.fixed.get(key)
        if found is None:
            found = self.fixed[key] = Operand(self, len(self.registers), value)
            self.registers.append(value)
            self.constants.append(value)
        return found

    def __call__(self, function: Any, *args: Any) -> Operand:
        """Call a function of one result; arguments are Operands or constants."""
        given = [a if a.__class__ is Operand else self.constant(a) for a in args]
        return self._note(function, given, [function(*[a.value for a in given])], True)[0]

    def several(self, function: Callable[..., Any], *args: Any, wants_registers: bool = False) -> list[Any]:
        """Call a function of several results: a list of Operands."""
        given = [a if a.__class__ is Operand else self.constant(a) for a in args]
        values = [a.value for a in given]
        results = function(self.registers, *values) if wants_registers else function(*values)
        return self._note(function, given, list(results), False, wants_registers)

    def call(self, function: Callable[..., Any], args: list[Any] | tuple[Any, ...], into: list[Any] | None = None) -> Any:
        """Call a function of one result or a tuple of them, None among them; NotImplemented if it declines.

        ``into``: Operands whose memory the result may take (given as one more argument) if nobody reads them afterwards; an
        empty list if it can take any memory of its form that is free.
        """
        args = [a if a.__class__ is Operand else self.constant(a) for a in args]
        result = function(*[a.value for a in args], *(() if into is None else (None,)))
        if result is NotImplemented:
            return result
        if result.__class__ is tuple or result.__class__ is list:
            return tuple(map(shown, self._note(function, args, list(result), False)))
        return self._note(function, args, [result], True, into=into)[0]

    def packed_weights(self, name: str, args: tuple[Any, ...]) -> Any:
        """What the weights of a convolution are packed to, made once for a plan; None if they may change, or aren't packed.

        ``name``: the native function; those with _kind and _prepare behind it choose the order and pack."""
        x, w, _, *geometry = args[:7]
        fixed = self.constants[w.register] if w.__class__ is Operand else None
        if fixed is None or x.__class__ is not Operand or fixed.__class__ is not np.ndarray:
            return None
        kind = getattr(process.native, name + "_kind")(x.value, fixed, *geometry)
        if not kind:
            return None
        return self.once((id(fixed), name, kind), getattr(process.native, name + "_prepare"), x.value, fixed, *geometry, kind)

    def once(self, key: tuple[Any, ...], prepare: Callable[..., Any], *args: Any) -> Any:
        """What a function packs a matrix or weights to, called once for a plan; keys have ids of the plan's own constants in them,
        which live as long as it does."""
        if key not in self.plan.packed:
            self.plan.packed[key] = prepare(*args)
        return self.plan.packed[key]

    def packed_matrix(self, a: Any, b: Any, transposed: bool) -> Any:
        """What the right matrix of a product is packed to, made once for a plan; None if it may change, or is read as it is."""
        fixed = self.constants[b.register] if b.__class__ is Operand else None
        if fixed.__class__ is not np.ndarray or fixed.ndim != 2 or fixed.dtype.char not in "fd" or a.__class__ is not Operand:
            return None
        if not fixed.size or a.value.size <= thresholds.PACKED_ROWS * a.value.shape[-1]:
            return None
        return self.once((id(fixed), "gemm", transposed), process.native.gemm_prepare, fixed, transposed)

    def arithmetic(self, native: str | None, function: Any, *operands: Any) -> Operand:
        """An operator: the native function of that name, if there is one for these operands, or Python's."""
        arrays = [x.value if x.__class__ is Operand else x for x in operands]
        arrays = [a for a in arrays if a.__class__ not in (int, float, bool)]
        numbers = [a for a in arrays if isinstance(a, np.floating)]
        if numbers and all(a.dtype == numbers[0].dtype for a in arrays):  # of the other operand's type: as good as Python's
            operands = tuple([float(x) if isinstance(x, np.floating) else x for x in operands])
            arrays = [a for a in arrays if a.__class__ is np.ndarray]
        if native is not None and self.kernels and all(a.__class__ is np.ndarray for a in arrays) and is_dense(*arrays):
            found = self.kernels.binary(native, *operands)
            if found is not NotImplemented:
                return found
        return self(function, *operands)

    def op(self, op: Op, args: list[Any] | tuple[Any, ...]) -> Operand | tuple[Any, ...]:
        """Call an op on bound arguments, Operands among them; its outputs."""
        args = [*map(op.operand, args[:op.n_in], range(op.n_in)), *args[op.n_in:], *op.defaults[len(args):]]
        values, pure = [valued(a) for a in args], op.is_pure(args[op.n_in:])
        ready = [entry for entry in op.attached if self.kernels or not entry[3]]
        for (when, kernel, noted, _), (_, whole) in zip(ready, op.kernels):
            if when is None or when(*values):
                found = self.attempt(kernel, self.kernels, *args) if noted and pure else None
                found = self._whole(whole, args) if found is None else found
                if found is not NotImplemented:
                    return found
        found = self.attempt(op.fn, *args) if op.family in FOLLOWED else None
        return self._whole(op.fn, args) if found is None else found

    def attempt(self, function: Any, *args: Any) -> Any:
        """What a function of Operands gives; None, with its notes taken back, if it asks for more than can be noted."""
        mark = len(self.notes)
        try:
            found = function(*args)
            for one in found if found.__class__ in (tuple, list) else [found]:
                if one is not None and one is not NotImplemented and one.__class__ is not Operand:
                    raise NotNoted("a constant: what the caller gets must be its own")
        except Exception as error:
            if not _is_refusal(error):
                raise
            found = None
        if found is None or found is NotImplemented:
            self.back_to(mark)
        return found

    def _whole(self, function: Callable[..., Any], args: list[Any]) -> Operand | tuple[Any, ...]:
        """A call of a function as one note; lists among its arguments are taken apart, and put together for it."""
        if not any(a.__class__ is list for a in args):
            return self.call(function, args)
        cuts: list[Any] = []
        flat = []
        for a in args:
            cuts.append((len(flat), len(flat) + len(a)) if a.__class__ is list else len(flat))
            flat += a if a.__class__ is list else [a]
        return self.call(lambda *given: function(*[given[c] if c.__class__ is int else list(given[c[0]:c[1]]) for c in cuts]), flat)

    def back_to(self, mark: int) -> None:
        """Take back all notes but the first ones."""
        del self.notes[mark:]

    # ---- inside ----
    def _note(self, function: Any, args: Any, results: list[Any], single: bool, wants_registers: bool = False,
              into: list[Any] | None = None) -> list[Any]:
        results = [np.asarray(r) if isinstance(r, np.generic) else r for r in results]
        outs = []
        for r in results:
            outs.append(len(self.registers))
            self.registers.append(r)
            self.constants.append(None)
        self.notes.append(Note(function, [a.register for a in args], outs, results, single, self.step, wants_registers,
                               None if into is None else [k.register for k in into]))
        return [Operand(self, o, r) for o, r in zip(outs, results)]

    def _run(self, node: Node, before: int) -> None:
        """Run a node and put its results into the plan's own registers."""
        plan, call = self.plan, node.call
        ins = [Operand(self, plan.register[v], self.registers[plan.register[v]]) for v in node.ins]
        try:
            outs = call.bind(self, ins)
        except Exception as error:
            if not hasattr(error, "failure"):
                failed(error, self.step, tuple([k.value for k in ins]))
            raise
        made = {register: register for note in self.notes[before:] for register in note.outs}  # where it is now
        moved = {}
        for value, found in zip(node.outs, outs):
            if value is None:
                continue
            register, found = plan.register[value], self.constant(None) if found is None else found
            if made.get(found.register) != found.register:
                if self.constants[found.register] is not None:
                    self.constants[register] = self.registers[register] = found.value
                    continue
                found = self(_same, Operand(self, made.get(found.register, found.register), found.value))
            made[found.register] = moved[found.register] = register
            self.registers[found.register], self.registers[register] = None, found.value
        for note in self.notes[before:] if moved else ():
            note.args = [moved.get(a, a) for a in note.args]
            note.outs = [moved.get(o, o) for o in note.outs]
            note.reuses = note.reuses and [moved.get(r, r) for r in note.reuses]

    def _forget(self, before: int, dying: list[Any]) -> None:
        """After a node: its temporary values go after their last reader, values that died with it go at its end."""
        own = len(self.plan.template)
        last = {}
        for k, note in enumerate(self.notes[before:], before):
            for register in (*note.args, *note.outs):
                if register >= own and self.constants[register] is None:
                    last[register] = k
        for register, k in last.items():
            self.notes[k].dying.append(register)
            self.registers[register] = None
        self.notes[-1].dying += dying
        for register in dying:
            self.registers[register] = None


def _same(value: np.ndarray | None) -> np.ndarray | None:
    return value


def _is_refusal(error: Any) -> bool:
    """Is it NotNoted, or what NumPy made of it?"""
    while error is not None and not isinstance(error, NotNoted):
        error = error.__cause__ or error.__context__
    return error is not None


def shown(operand: Operand) -> Operand | None:
    """An Operand as ops take it: None for one that holds None."""
    return None if operand.value is None else operand


def valued(argument: Any) -> Any:
    """An argument of an op with values in place of Operands."""
    if argument.__class__ is list:
        return [valued(a) for a in argument]
    return argument.value if argument.__class__ is Operand else argument


def owns_memory(value: Any) -> bool:
    """Is it an array that is not a view of another?"""
    return value.__class__ is np.ndarray and value.flags.owndata


def share_memory(notes: list[Any], forms: dict[Any, Any]) -> None:
    """Let results take the memory of values of their form that are no longer needed; the Routine checks that nobody holds it.

    ``forms``: register -> form of the inputs that own their memory.
    """
    free = {}  # form -> [(note where it dies, register)]
    for note in notes:
        if note.single and note.reuses is not None and note.owned[0]:
            dying = [(note, r) for r in note.reuses if r in note.dying and forms.get(r) == note.forms[0]]
            dead = free.get(note.forms[0], [])
            if dying or dead:
                where, note.spare = dying[0] if dying else dead.pop()
                where.dying.remove(note.spare)
        forms.update({register: form for register, form, owned in zip(note.outs, note.forms, note.owned) if owned})
        for register in note.dying:
            if register in forms:
                free.setdefault(forms[register], []).append((note, register))
