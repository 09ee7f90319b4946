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

import numpy as np

from . import engine


def form_of(value):
    """What a routine relies on: (dtype, shape, dense) of an array, (value,) of what says so itself, else the class."""
    if value.__class__ is np.ndarray:
        flags = value.flags
        return value.dtype, value.shape, flags.c_contiguous and flags.aligned and value.dtype.isnative
    return (value,) if getattr(value, "fixed", False) else value.__class__


class PythonRoutine:
    """The loop in Python."""

    def __init__(self, constants, forms, instructions, outputs, updates):
        self.constants, self.forms, self.instructions = list(constants), forms, list(instructions)
        self.outputs, self.updates = outputs, updates

    def __call__(self, inputs, states, take=False):
        given = (*inputs, *states)
        if len(given) != len(self.forms):
            raise ValueError(f"Routine: needs {len(self.forms)} values")
        if any(form != form_of(value) for form, value in zip(self.forms, given)):
            return None
        registers = self.constants.copy()
        registers[1:1 + len(given)] = given
        if take:
            inputs.clear()
        given = None
        for function, args, outs, forms, dying, single, step, last, spare, wants_registers in self.instructions:
            values = [registers[a] for a in args]
            extra = [None] if spare else []
            try:
                result = function(registers, *values, *extra) if wants_registers else function(*values, *extra)
            except Exception as error:
                error.failure = step, tuple(values)
                raise
            if result is NotImplemented:
                return [step, registers]
            good = True
            for register, form, value in zip(outs, forms, [result] if single else result):
                if register >= 0:
                    value = np.asarray(value) if isinstance(value, np.generic) else value
                    registers[register] = value
                    good = good and form == form_of(value)
            if not good and not last:
                return [step, registers]
            for register in (*dying, spare):
                registers[register] = None
            if not good:
                return [step + 1, registers]
        return tuple([registers[r] for r in self.outputs]), tuple([registers[r] for r in self.updates])


def python_held(registers, arrays):
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
