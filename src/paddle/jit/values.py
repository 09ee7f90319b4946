"""Values that branches and loops of the program work on: their dtypes, stand-ins, and ways back when a trace is repeated."""

import copy

import numpy as np

from ..core import dtype as dtypes
from ..core.context import context
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..static.array import is_array
from ..static.program import program as program_module
from ..static.program.record import as_variable
from ..static.program.registry import find
from ..tensor.creation import full
from .arrays import TensorList
from .errors import Unset, Untranslatable

NUMBERS = (bool, int, float, np.generic)
FLAG = "__jit_"
VALUE = FLAG + "value"
MOST_ATTEMPTS = 40


def tensor_like(value):
    """Can the value be a tensor of the program?"""
    return isinstance(value, (Symbolic, Tensor, *NUMBERS)) and not is_array(value)


def condition(pred, what):
    """The bool Variable of a condition."""
    if isinstance(pred, Tensor):
        pred = as_variable(pred, program_module.default_main_program().current_block())
    if any(n not in (1, -1) for n in pred.shape):
        raise ValueError(f"{what}: the condition must have one element, got shape {list(pred.shape)}")
    return pred if pred.dtype.name == "bool" else pred.astype("bool")


class Mark:
    """The state of the program being traced, to go back to."""

    def __init__(self):
        self.program = program_module.default_main_program()
        self.blocks = [(len(b.ops), set(b.vars)) for b in self.program.blocks]
        self.current, self.captured = self.program.current_block_idx, dict(self.program.captured)

    def back(self):
        """Forget what was added since."""
        program = self.program
        del program.blocks[len(self.blocks):]
        for block, (n, names) in zip(program.blocks, self.blocks):
            del block.ops[n:]
            for name in [v for v in block.vars if v not in names]:
                del block.vars[name]
        program.current_block_idx, program.captured = self.current, self.captured.copy()
        program.touch()


class Journal:
    """Notes which Variables of outer blocks are changed in place (x[i] = v, x.add_(y)) inside the ``with`` block."""

    def __init__(self, outer):
        self.outer, self.before = outer, {}

    def note(self, var):
        if id(var) not in self.before and self.outer.find(var.name) is not None:
            self.before[id(var)] = (var, dict(var.__dict__))
        if self.previous is not None:
            self.previous.note(var)

    def __enter__(self):
        self.previous, context.journal = context.journal, self
        return self

    def __exit__(self, *exc):
        context.journal = self.previous

    def undo(self):
        """Take the changes back; returns what the variables had become: id -> (variable, Variable that it was)."""
        after = {}
        for key, (var, old) in self.before.items():
            after[key] = (var, copy.copy(var))
            var.__dict__.clear()
            var.__dict__.update(old)
        return after


# ---- values --------------------------------------------------------------------------------------------------------------
def kind_of(value):
    """The dtype of a tensor or number; numbers have the one that a tensor made of them has."""
    if isinstance(value, (bool, np.bool_)):
        return dtypes.convert("bool")
    if isinstance(value, (int, np.integer)):
        return dtypes.convert("int64")
    if isinstance(value, (float, np.floating)):
        return dtypes.default()
    return value.dtype


def common_kind(a, b):
    """The dtype in which two values of one name can be held, or None: tensors keep theirs, ints may become floats."""
    ka, kb = kind_of(a), kind_of(b)
    if ka is kb:
        return ka
    na, nb = isinstance(a, NUMBERS), isinstance(b, NUMBERS)
    for number, k, other in ((na, ka, kb), (nb, kb, ka)):
        if number and other.is_floating and (k.is_floating or k.is_integer):
            return other
        if number and k.is_integer and other.is_integer and not (na and nb):
            return other
    return None


def rank(value):
    return 0 if isinstance(value, NUMBERS) else len(value.shape)


def in_block(value, kind, block):
    """A Variable of the current block with the value, in a dtype."""
    if isinstance(value, NUMBERS):
        value = np.asarray(value, kind.dtype)
    var = as_variable(value, block)
    return var if var.dtype is kind else find("cast")(var, kind, var.dtype)


def zeros(like):
    """A stand-in for a value that is never used."""
    if isinstance(like, NUMBERS):
        return type(like)(0)
    return full([1 if n < 0 else n for n in like.shape], 0, like.dtype)


def equal(a, b):
    """Are two leaves the same for certain?"""
    if a is b:
        return True
    if a.__class__ is Unset and b.__class__ is Unset:
        return True
    if isinstance(a, (Symbolic, Tensor)) or isinstance(b, (Symbolic, Tensor)) or a.__class__ is not b.__class__:
        return False
    try:
        return bool(a == b)
    except Exception:
        return False


def with_arrays(values, lists):
    """The values with lists of the program in place of some lists, given as pairs (list, dtypes)."""
    table = {}
    for o, kinds in lists:
        if len(kinds) != 1 or None in kinds or not all(isinstance(v, (Symbolic, Tensor)) for v in o):
            raise Untranslatable("a list whose length depends on a tensor must hold tensors of one dtype")
        table[id(o)] = TensorList(next(iter(kinds)), o)

    def build(value):
        if id(value) in table:
            return table[id(value)]
        if value.__class__ is list:
            value[:] = [build(v) for v in value]
        elif value.__class__ is dict:
            value.update({k: build(v) for k, v in value.items()})
        elif value.__class__ is tuple:
            return tuple(build(v) for v in value)
        return value
    return [build(v) for v in values]


def text_of(value):
    if isinstance(value, Symbolic):
        return f"a {value.dtype.name} tensor of shape {list(value.shape)}"
    return repr(value)[:40]
