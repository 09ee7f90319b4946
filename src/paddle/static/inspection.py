"""What programs of Paddle 3 ask values, operators and programs about themselves, in the names of its ``.json`` files.

Variables, operators and programs are those of Paddle 2 all the same; ``static/methods.py`` gives them these methods.
"""

from __future__ import annotations

from ..core.errors import describe
from ..serialization import pir
from .program.program import Block


class OpOperand:
    """One use of a value: by which operator, at which place."""

    def __init__(self, op, index, value):
        self._op, self._index, self._value = op, index, value

    def source(self):
        """The value that is used."""
        return self._value

    def owner(self):
        """The operator that uses it."""
        return self._op

    def index(self):
        """The place of the value among the operator's operands."""
        return self._index


def _row(op):
    """What files of Paddle 3 know of an operator of this type, or None."""
    rows = pir.operators.by_type(op.type)
    return rows[0] if rows else None


def _variables(op, names):
    return [op.block._var_recursive(name) for name in names if name and op.block._find_var_recursive(name) is not None]


# ---- operators ----
def name(op):
    """The operator's name in Paddle 3: ``pd_op.matmul``."""
    row = _row(op)
    return "pd_op." + (op.type if row is None else row.name)


def operands_source(op):
    """The values that go in, in the order of Paddle 3."""
    row = _row(op)
    slots = [] if row is None else [o.slot for o in row.operands if o.slot]
    slots += [slot for slot in op.inputs if slot not in slots]
    return _variables(op, [n for slot in slots for n in op.input(slot)])


def operands(op):
    """The uses of values by this operator."""
    return [OpOperand(op, k, value) for k, value in enumerate(operands_source(op))]


def operand(op, index):
    """One use of a value."""
    return operands(op)[index]


def operand_source(op, index):
    """One of the values that go in."""
    return operands_source(op)[index]


def results(op):
    """The values that come out."""
    row = _row(op)
    slots = [] if row is None else [r.slot for r in row.results if r.slot]
    slots += [slot for slot in op.outputs if slot not in slots]
    return _variables(op, [n for slot in slots for n in op.output(slot)])


def result(op, index):
    """One of the values that come out."""
    return results(op)[index]


def num_operands(op):
    """How many values go in."""
    return len(operands_source(op))


def num_results(op):
    """How many values come out."""
    return len(results(op))


def get_input_names(op):
    """What Paddle 3 calls its operands."""
    row = _row(op)
    return list(op.inputs) if row is None else [o.name for o in row.operands]


def get_output_names(op):
    """What Paddle 3 calls its results."""
    row = _row(op)
    return list(op.outputs) if row is None else [r.name for r in row.results]


def get_attr_names(op):
    """What Paddle 3 calls its attributes."""
    row = _row(op)
    return list(op.attrs) if row is None else [a.name for a in row.attributes]


def attributes(type, attrs):
    """Attributes of an operator of a type in the names of Paddle 3; what its files have no name for stays as it is called."""
    rows = pir.operators.by_type(type)
    names = {a.attr: a.name for a in rows[0].attributes if a.attr} if rows else {}
    return {names.get(name, name): value for name, value in attrs.items()}


def blocks(op):
    """The bodies of a control-flow operator."""
    return [value for value in op.attrs.values() if isinstance(value, Block)]


def get_parent_block(op):
    """The block that it stands in."""
    return op.block


def erase(op):
    """Take it out of its program; nothing may use its results any more."""
    used = [value.name for value in results(op) if not use_empty(value)]
    if used:
        raise ValueError(f"erase(): {used[0]} is still used")
    op.block._remove_op(op.idx)


OPERATOR = (name, operands_source, operands, operand, operand_source, results, result, num_operands, num_results, get_input_names,
            get_output_names, get_attr_names, blocks, get_parent_block, erase)


# ---- values ----
def get_defining_op(self):
    """The operator that computes the value first; None for what is fed and for parameters."""
    return next((op for block in self.block.program.blocks for op in block.ops if self.name in op.output_arg_names), None)


def is_same(self, other):
    """Is it this very value?"""
    return self is other


def all_used_ops(self):
    """The operators that use the value."""
    return [op for block in self.block.program.blocks for op in block.ops if self.name in op.input_arg_names]


def all_used_ops_in_same_block(self):
    """Those of them in the value's own block."""
    return [op for op in self.block.ops if self.name in op.input_arg_names]


def first_use(self):
    """The first use, or None."""
    return next((use for op in all_used_ops(self) for use in operands(op) if use.source() is self), None)


def use_empty(self):
    """Does nothing use the value?"""
    return not all_used_ops(self)


def has_one_use(self):
    """Does one operator use the value, once?"""
    uses = [use for op in all_used_ops(self) for use in operands(op) if use.source() is self]
    return len(uses) == 1


def has_name(self):
    """Has the value a name? Here all have."""
    return True


VALUE = (get_defining_op, is_same, all_used_ops, all_used_ops_in_same_block, first_use, use_empty, has_one_use, has_name)


# ---- programs ----
def num_ops(self):
    """How many operators there are, in all blocks; what is fed and parameters are none here."""
    return sum(len(block.ops) for block in self.blocks)


def parameters_num(self):
    """How many parameters there are."""
    return len(self.all_parameters())


def get_all_parameter_values(self):
    """The parameters by name."""
    return {p.name: p for p in self.all_parameters()}


def get_output_value_by_name(self, name):
    """The value of a name."""
    found = self.global_block()._find_var_recursive(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"get_output_value_by_name(): the program has no value called {describe(name)}")
    return found


def set_is_test_attr(self):
    """Let dropout, batch_norm and their like do from here on what they do in evaluation."""
    for block in self.blocks:
        for op in block.ops:
            if op.has_attr("is_test"):
                op._set_attr("is_test", True)


PROGRAM = (num_ops, parameters_num, get_all_parameter_values, get_output_value_by_name, set_is_test_attr)
