"""Routine: a list of kernel calls over numbered registers, run by a short loop (in C where ``engine.c`` was built).

    Routine(constants, forms, instructions, outputs, updates)(inputs, states, take=False)

Register 0 is None, then come inputs and states, then everything else; ``constants`` says what they hold at the start. An
instruction is a tuple

    (function, argument registers, result registers, their forms, registers to forget, single, step, last, spare, wants_registers)

``step`` is the number of the caller's step that it is a part of (``last``: the last part), ``spare`` a register whose memory
the result may take (given as one more argument, None if somebody else holds it), ``wants_registers`` puts a list of all registers
in front of the arguments. With ``take`` the inputs are a list that is emptied, so that each can go when it is no longer
needed. A Form (``form_of``) is what was known when the routine was made: a run gives None if what it is
given has another, and ``[step, registers]`` where a result has another, for the caller to go on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from . import engine


def form_of(value: Any) -> Any:
    """What a routine relies on: (dtype, shape, dense) of an array, (value,) of what says so itself, else the class."""
    if value.__class__ is np.ndarray:
        flags = value.flags
        return value.dtype, value.shape, flags.c_contiguous and flags.aligned and value.dtype.isnative
    return (value,) if getattr(value, "fixed", False) else value.__class__


def fits(form: Any, value: Any) -> bool:
    """Has a value a form? (``form == form_of(value)``, in less time)"""
    if value.__class__ is not np.ndarray:
        return form == form_of(value)
    return (form.__class__ is tuple and len(form) == 3 and value.shape == form[1] and value.dtype == form[0]
            and (value.flags.c_contiguous and value.flags.aligned) == form[2])


class PythonRoutine:
    """The loop in Python."""

    def __init__(self, constants: Iterable[Any], forms: Sequence[Any], instructions: Iterable[Any],
                 outputs: Sequence[int], updates: Sequence[int]) -> None:
        self.constants, self.forms, self.outputs, self.updates = list(constants), forms, outputs, updates
        self.instructions = []
        for function, args, outs, out_forms, dying, single, step, last, spare, wants_registers in instructions:
            get = itemgetter(*args) if len(args) > 1 else lambda registers, args=args: tuple([registers[a] for a in args])
            kept = [(k, register, form) for k, (register, form) in enumerate(zip(outs, out_forms)) if register >= 0]
            dying = tuple([*dying, spare] if spare else dying)
            extra = (None,) if spare else ()
            self.instructions.append((function, get, extra, kept, dying, single, step, last, wants_registers))

    def __call__(self, inputs: Any, states: Sequence[Any], take: bool = False) -> Any:
        given = (*inputs, *states)
        if len(given) != len(self.forms):
            raise ValueError(f"Routine: needs {len(self.forms)} values")
        if not all(map(fits, self.forms, given)):
            return None
        registers = self.constants.copy()
        registers[1:1 + len(given)] = given
        if take:
            inputs.clear()
        del given
        for function, get, extra, kept, dying, single, step, last, wants_registers in self.instructions:
            try:
                result = function(registers, *get(registers)) if wants_registers else function(*get(registers), *extra)
            except Exception as error:
                failed: Any = error
                failed.failure = step, get(registers)
                raise
            if result is NotImplemented:
                return [step, registers]
            good = True
            for k, register, form in kept:
                value = result if single else result[k]
                value = np.asarray(value) if isinstance(value, np.generic) else value
                registers[register] = value
                good = good and fits(form, value)
            if not good and not last:
                return [step, registers]
            result = value = None
            for register in dying:
                registers[register] = None
            if not good:
                return [step + 1, registers]
        return tuple([registers[r] for r in self.outputs]), tuple([registers[r] for r in self.updates])


def python_held(registers: Iterable[Any], arrays: Iterable[Any]) -> list[bool]:
    """For each array, whether the registers refer to it more than once, as itself or under a view, in lists of them too."""
    counts, stack = {}, list(registers)
    while stack:
        v = stack.pop()
        if v.__class__ is list or v.__class__ is tuple:
            stack += v
        elif v.__class__ is np.ndarray:
            for one in (v, v.base):
                if one is not None:
                    counts[id(one)] = counts.get(id(one), 0) + 1
    return [counts.get(id(a), 0) > 1 for a in arrays]


held = python_held if engine.fast is None else engine.fast.held
Routine = PythonRoutine if engine.fast is None else engine.fast.Routine
