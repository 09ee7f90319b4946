"""A plan bound to the forms of one run: its calls become bare kernel calls of a Routine.

Binding is a run of the plan that takes notes. Every node's call is asked to run through a Binding (``Call.bind``): what it
calls is called, and noted with the registers of its arguments. What only depends on dtypes, shapes and layouts is decided then
and not again: which kernel an op takes, how gradients are summed back, which shapes rules are told.
"""

import numpy as np

from ..core.routine import Routine, form_of


class Known:
    """A value of the run that is noted, with the register in which it will be."""

    __slots__ = ("register", "value")

    def __init__(self, register, value):
        self.register, self.value = register, value


NOTHING = Known(0, None)


class Note:
    """One instruction to be."""

    __slots__ = ("function", "args", "outs", "forms", "owned", "dying", "single", "step", "last", "spare", "wants_registers",
                 "reuses")

    def __init__(self, function, args, outs, results, single, step, wants_registers, reuses):
        self.function, self.args, self.outs, self.single, self.step = function, args, outs, single, step
        self.forms, self.owned = [form_of(r) for r in results], [owns_memory(r) for r in results]
        self.wants_registers, self.reuses = wants_registers, reuses
        self.dying, self.last, self.spare = [], False, 0

    def instruction(self):
        """As Routine takes it."""
        return (self.function, tuple(self.args), tuple(self.outs), tuple(self.forms), tuple(self.dying), self.single, self.step,
                self.last, self.spare, self.wants_registers)


class Binding:
    """Runs a Plan's steps and notes them; ``outputs``, ``updates`` and ``routine()`` when it is done."""

    def __init__(self, plan, inputs, states):
        self.plan = plan
        self.registers = plan.template.copy()
        self.given = (*inputs, *states)
        self.registers[1:1 + len(self.given)] = self.given
        self.constants = plan.template.copy()
        self.notes, self.fixed, self.step = [], {}, 0
        waiting = []
        for self.step, (node, (_, _, _, dying)) in enumerate(zip(plan.nodes, plan.steps)):
            waiting += dying
            before = len(self.notes)
            self._run(node, before)
            if len(self.notes) > before:
                self.notes[-1].last = True
                self._forget(before, waiting)
                waiting = []

    def results(self):
        """(outputs, updates) of the run."""
        return self.plan.get_outputs(self.registers), self.plan.get_updates(self.registers)

    def routine(self):
        """The Routine for runs on values of the same forms."""
        plan = self.plan
        forms = [form_of(v) for v in self.given]
        share_memory(self.notes, {k: f for k, (f, v) in enumerate(zip(forms, self.given), 1) if owns_memory(v)})
        return Routine(self.constants, tuple(forms), [n.instruction() for n in self.notes], plan.outputs, plan.updates)

    # ---- what calls use while they are bound ----
    def constant(self, value):
        """A Known that every run finds in its register."""
        if value is None:
            return NOTHING
        key = (value.__class__, value) if value.__class__ in (bool, int, str) else id(value)
        found = self.fixed.get(key)
        if found is None:
            found = self.fixed[key] = Known(len(self.registers), value)
            self.registers.append(value)
            self.constants.append(value)
        return found

    def __call__(self, function, *args, into=None):
        """Call a function of one result; arguments are Knowns or constants. None if it declines (NotImplemented).

        ``into``: Knowns whose memory the result may take (given as one more argument) if nobody reads them afterwards; an
        empty list if it can take any memory of its form that is free.
        """
        args = [a if a.__class__ is Known else self.constant(a) for a in args]
        extra = [] if into is None else [None]
        result = function(*[a.value for a in args], *extra)
        if result is NotImplemented:
            return None
        return self._note(function, args, [result], True, False, into)[0]

    def several(self, function, *args, wants_registers=False):
        """Call a function of several results: a list of Knowns, None if it declines."""
        args = [a if a.__class__ is Known else self.constant(a) for a in args]
        values = [a.value for a in args]
        results = function(self.registers, *values) if wants_registers else function(*values)
        if results is NotImplemented:
            return None
        return self._note(function, args, list(results), False, wants_registers, None)

    def mark(self):
        """Where the notes are, for ``back_to``."""
        return len(self.notes)

    def back_to(self, mark):
        """Take notes back."""
        del self.notes[mark:]

    # ---- inside ----
    def _note(self, function, args, results, single, wants_registers, into):
        results = [np.asarray(r) if isinstance(r, np.generic) else r for r in results]
        outs = []
        for r in results:
            outs.append(len(self.registers))
            self.registers.append(r)
            self.constants.append(None)
        self.notes.append(Note(function, [a.register for a in args], outs, results, single, self.step, wants_registers,
                               None if into is None else [k.register for k in into]))
        return [Known(o, r) for o, r in zip(outs, results)]

    def _run(self, node, before):
        """Run a node and put its results into the plan's own registers."""
        plan, call = self.plan, node.call
        ins = [NOTHING if v is None else Known(plan.register[v], self.registers[plan.register[v]]) for v in node.ins]
        try:
            outs = call.bind(self, ins)
        except Exception as error:
            if not hasattr(error, "failure"):
                error.failure = self.step, tuple([k.value for k in ins])
            raise
        made = {register for note in self.notes[before:] for register in note.outs}
        for value, known in zip(node.outs, outs):
            if value is None:
                continue
            register = plan.register[value]
            if known.register not in made:
                if self.constants[known.register] is not None:
                    self.constants[register] = self.registers[register] = known.value
                    continue
                known = self(_same, known)
            self._rename(before, known.register, register)
            made.discard(known.register)
            self.registers[register] = known.value

    def _rename(self, before, old, new):
        for note in self.notes[before:]:
            note.args = [new if a == old else a for a in note.args]
            note.outs = [new if o == old else o for o in note.outs]
            note.reuses = note.reuses and [new if r == old else r for r in note.reuses]
        self.registers[old] = None

    def _forget(self, before, dying):
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


def _same(value):
    return value


def owns_memory(value):
    """Is it an array that is not a view of another?"""
    return value.__class__ is np.ndarray and value.flags.owndata


def share_memory(notes, forms):
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
