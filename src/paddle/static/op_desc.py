"""OpDesc and BlockDesc: the interface that Paddle's C++ descriptions of operators and blocks have, over those of a Program.

Nothing is kept twice: a description reads and changes the Operator or Block it belongs to.
"""

from __future__ import annotations

from ..core import dtype as dtypes
from ..core.attributes import from_file
from ..core.facts import Spec
from ..serialization import program_desc, wire
from .backward import by_slot
from .ir.lower import EMPTY, DynamicCall, grad_call, op_call
from .ir.nodes.array import ArrayJoin, ArrayJoinGrad
from .ir.nodes.op import GRAD, GradCall
from .program import op_table
from .program.desc import op_desc
from .program.infer import infer
from .program.lod_files import complete_op, fill_inputs
from .program.program import Attributes, Block, Operator, Program
from .program.registry import declared


class OpDesc:
    """One operator as C++ shows it: everything is asked for by calls."""

    def __init__(self, operator: Operator | None = None):
        self.operator = Operator(None, "", {}, {}, {}) if operator is None else operator

    def __eq__(self, other):
        return isinstance(other, OpDesc) and self.operator is other.operator

    def __hash__(self):
        return id(self.operator)

    def type(self) -> str:
        """The operator's type."""
        return self.operator.type

    def set_type(self, type: str) -> None:
        """Make it an operator of another type."""
        self.operator.type = type
        self._changed()

    def input(self, slot: str) -> list:
        """Names in an input slot."""
        return list(self.operator.input(slot))

    def output(self, slot: str) -> list:
        """Names in an output slot."""
        return list(self.operator.output(slot))

    def input_names(self) -> list:
        """The input slots."""
        return self.operator.input_names

    def output_names(self) -> list:
        """The output slots."""
        return self.operator.output_names

    def input_arg_names(self) -> list:
        """Names in all input slots."""
        return self.operator.input_arg_names

    def output_arg_names(self) -> list:
        """Names in all output slots."""
        return self.operator.output_arg_names

    def inputs(self) -> dict:
        """Names by input slot."""
        return {slot: list(names) for slot, names in self.operator.inputs.items()}

    def outputs(self) -> dict:
        """Names by output slot."""
        return {slot: list(names) for slot, names in self.operator.outputs.items()}

    def set_input(self, slot: str, names: list) -> None:
        """Put other names into an input slot."""
        self.operator.inputs[slot] = list(names)
        self._changed()

    def set_output(self, slot: str, names: list) -> None:
        """Put other names into an output slot."""
        self.operator.outputs[slot] = list(names)
        self._changed()

    def remove_input(self, slot: str) -> None:
        """Take an input slot away."""
        self.operator.inputs.pop(slot, None)
        self._changed()

    def remove_output(self, slot: str) -> None:
        """Take an output slot away."""
        self.operator.outputs.pop(slot, None)
        self._changed()

    def _rename_input(self, old: str, new: str) -> None:
        self.operator._rename_input(old, new)

    def _rename_output(self, old: str, new: str) -> None:
        self.operator._rename_output(old, new)

    def has_attr(self, name: str) -> bool:
        """Does the operator carry this attribute, its own or one that every operator has?"""
        return name in self.operator.attrs or name in op_table.EVERY

    def attr(self, name: str):
        """The value of an attribute."""
        return self.operator.attr(name)

    def attr_names(self) -> list:
        """Names of all attributes."""
        return self.operator.attr_names

    def attr_type(self, name: str) -> program_desc.AttrType:
        """The type with which files hold an attribute."""
        return self.operator.attr_type(name)

    def get_attr_map(self) -> dict:
        """All attributes."""
        return self.operator.all_attrs()

    def _set_attr(self, name: str, value) -> None:
        self.operator.attrs[name] = value
        self._changed()

    def remove_attr(self, name: str) -> None:
        """Take an attribute away."""
        self.operator.attrs.pop(name, None)
        self._changed()

    def _block_attr_id(self, name: str) -> int:
        return self.operator.attr(name).idx

    def set_block_attr(self, name: str, block: BlockDesc) -> None:
        """Let an attribute be a block."""
        self._set_attr(name, block._block)

    def block(self) -> BlockDesc:
        """The block it is in."""
        return BlockDesc(self.operator.block)

    def copy_from(self, other: OpDesc) -> None:
        """Become like another operator."""
        mine, its = self.operator, other.operator
        mine.type, mine.attrs = its.type, Attributes(its.type, its.attrs)
        mine.inputs, mine.outputs = other.inputs(), other.outputs()
        self._changed()

    def serialize_to_string(self) -> bytes:
        """The bytes of the OpDesc message."""
        return wire.encode(op_desc(self.operator))

    def check_attrs(self) -> None:
        """ValueError where the operator's attributes are not what its type takes."""
        op, _ = declared(self.operator.type)
        if op is None:
            raise ValueError(f"check_attrs(): there is no operator {self.operator.type!r}")
        from_file(op, self.operator.attrs)

    def infer_var_type(self, block: BlockDesc | None = None) -> None:
        """Give the outputs the element types that follow from the inputs."""
        for var, spec in infer_outputs(self.operator):
            var._dtype = dtypes.of(spec.dtype)
        self._changed()

    def infer_shape(self, block: BlockDesc | None = None) -> None:
        """Give the outputs the shapes that follow from the inputs."""
        for var, spec in infer_outputs(self.operator, untyped=dtypes.ALL["float32"]):
            var.shape = tuple(spec.shape)
        self._changed()

    def _changed(self):
        if self.operator.block is not None:
            self.operator.block.program.touch()


def settle(operator: Operator) -> None:
    """Give an operator's outputs the shapes, element types and sequence lengths that follow from its inputs."""
    if declared(operator.type)[0] is None:
        return
    fill_inputs(operator.block, operator)
    for var, spec in infer_outputs(operator):
        if var.waits:
            var.shape, var._dtype, var.waits = tuple(spec.shape), dtypes.of(spec.dtype), False
    complete_op(operator.block, operator)


def infer_outputs(operator: Operator, untyped: dtypes.DType | None = None) -> list:
    """(variable, Spec) of every output of an operator whose variables have types; an input that has none yet counts as
    ``untyped``, and for None nothing is found."""
    op, level = declared(operator.type)
    block = operator.block
    if op is None or block is None:
        return []
    if level:
        return _like_forward(operator, block)
    specs = []
    for slot in op.inputs:
        variables = [block._var_recursive(n) for n in operator.input(slot.name) if n != EMPTY]
        kinds = [v.dtype or untyped for v in variables]
        if None in kinds:
            return []
        some = [Spec(v.shape, kind.dtype, v.known) for v, kind in zip(variables, kinds)]
        specs.append(None if not some else some if slot.is_list else some[0])
    found = infer(op, specs, from_file(op, operator.attrs))
    pairs, rest = [], list(found)
    for slot in op.outputs:
        names = operator.output(slot.name)
        part = rest if slot.is_list else rest[:1]
        rest = [] if slot.is_list else rest[1:]
        pairs += [(block.find(n), s) for n, s in zip(names, part) if s is not None and block.find(n) is not None]
    return pairs + _file_outputs(op, operator, block, specs)


def _file_outputs(op, operator, block, specs):
    """What only files hold: XShape has the input's shape behind a 0."""
    known = {slot.name for slot in op.outputs}
    first = next((s[0] if isinstance(s, list) else s for s in specs if s is not None), None)
    return [(block.find(n), Spec((0, *first.shape), first.dtype)) for slot, names in operator.outputs.items() for n in names
            if slot not in known and slot == "XShape" and first is not None and block.find(n) is not None]


def _like_forward(operator, block):
    """The outputs of a gradient operator are like the inputs they are the gradients of."""
    pairs = []
    for slot, names in operator.outputs.items():
        for name, source in zip(names, operator.input(slot.rpartition(GRAD)[0])):
            var, like = block.find(name), block.find(source)
            if var is not None and like is not None and like.dtype is not None:
                pairs.append((var, Spec(like.shape, like.dtype.dtype)))
    return pairs


class BlockDesc:
    """One block as C++ shows it."""

    def __init__(self, block: Block):
        self._block = block

    def __eq__(self, other):
        return isinstance(other, BlockDesc) and self._block is other._block

    def __hash__(self):
        return id(self._block)

    id = property(lambda self: self._block.idx)
    parent = property(lambda self: self._block.parent_idx)

    def append_op(self) -> OpDesc:
        """A new operator at the end, without a type yet."""
        return self._insert_op(len(self._block.ops))

    def _prepend_op(self) -> OpDesc:
        return self._insert_op(0)

    def _insert_op(self, index: int) -> OpDesc:
        operator = Operator(self._block, "", {}, {}, {})
        self._block.ops.insert(index, operator)
        self._block.program.touch()
        return OpDesc(operator)

    def _remove_op(self, start: int, end: int) -> None:
        del self._block.ops[start:end]
        self._block.program.touch()

    def op(self, index: int) -> OpDesc:
        """The operator of that number."""
        return OpDesc(self._block.ops[index])

    def op_size(self) -> int:
        """The number of operators."""
        return len(self._block.ops)

    def var(self, name):
        """The description of the variable of that name, which is made if there is none."""
        name = name.decode() if isinstance(name, bytes) else name
        return self._block.new_var(name=name, shape=None, dtype=None).desc

    def find_var(self, name):
        """The description of the variable of that name in this block, or None."""
        found = self._block.vars.get(name.decode() if isinstance(name, bytes) else name)
        return None if found is None else found.desc

    def has_var(self, name) -> bool:
        """Does this block have a variable of that name?"""
        return self.find_var(name) is not None

    def all_vars(self) -> list:
        """The descriptions of all variables."""
        return [v.desc for v in self._block.vars.values()]


class ProgramDesc:
    """A program as C++ shows it; a new one for no program, that of a file's bytes for those."""

    def __init__(self, program: Program | bytes | None = None):
        self.program = Program() if program is None else Program.parse_from_string(program) if isinstance(
            program, bytes) else program

    def __eq__(self, other):
        return isinstance(other, ProgramDesc) and self.program is other.program

    def __hash__(self):
        return id(self.program)

    def block(self, index: int) -> BlockDesc:
        """The block of that number."""
        return BlockDesc(self.program.block(index))

    def append_block(self, parent: BlockDesc) -> BlockDesc:
        """A new block inside another one."""
        block = Block(self.program, len(self.program.blocks), parent.id)
        self.program.blocks.append(block)
        self.program.touch()
        return BlockDesc(block)

    def num_blocks(self) -> int:
        """The number of blocks."""
        return len(self.program.blocks)

    def serialize_to_string(self) -> bytes:
        """The bytes of a ``.pdmodel`` file."""
        return self.program.serialize_to_string()


def get_grad_op_desc(op_desc: OpDesc, no_grad_set: set, grad_sub_block: list) -> tuple:
    """([the operator that computes an operator's gradients], {name of a gradient: name of what it is the gradient of}).

    ``no_grad_set`` has names of gradients that are not wanted. Operators with blocks inside are not supported.
    """
    operator = op_desc.operator
    if grad_sub_block:
        raise NotImplementedError(f"get_grad_op_desc(): {operator.type} with blocks inside is not supported")
    if operator.type == ArrayJoin.type:
        return _grad_of_join(operator)
    op, level = declared(operator.type)
    if op is None or not op.differentiable:
        return [], {}
    call, ins, outs = grad_call(op, level, operator) if level else op_call(op, operator)
    positions = call.grad_positions() if not level else range(len(ins))
    wanted = [k for k in positions if ins[k] is not None and ins[k] + GRAD not in no_grad_set]
    if not wanted:
        return [], {}
    hidden = op_table.intermediate(op.type) if not level else ()
    slots = [name for name, n, _ in call.out_slots for _ in range(n)]
    gradients = [None if n is None or slot in hidden else n + GRAD for slot, n in zip(slots, outs)]
    grad = GradCall(call, wanted, [k for k, n in enumerate(gradients) if n is not None])
    read = [*ins, *getattr(call, "variables", ())]  # which give attributes
    made = [ins[k] + GRAD if k in wanted else None for k in range(len(ins))] + [None] * (len(read) - len(ins))
    result = Operator(operator.block, grad.type, by_slot(grad.in_slots, [*read, *outs, *gradients]),
                      by_slot(grad.out_slots, made), dict(call.attrs) if isinstance(call, DynamicCall) else operator.attrs)
    return [OpDesc(result)], {n + GRAD: n for n in [*(n for n, g in zip(outs, gradients) if g), *(ins[k] for k in wanted)]}


def _grad_of_join(operator: Operator) -> tuple:
    """``get_grad_op_desc`` of tensor_array_to_tensor."""
    def name(slot: str) -> str:
        base = slot.removesuffix(GRAD)
        found, = operator.input(base) or operator.output(base)
        return found + GRAD if slot.endswith(GRAD) else found
    ins, outs = ({slot: [name(slot)] for slot, _, _ in slots} for slots in (ArrayJoinGrad.in_slots, ArrayJoinGrad.out_slots))
    made = Operator(operator.block, ArrayJoinGrad.type, ins, outs, operator.attrs)
    return [OpDesc(made)], {name(slot): name(slot).removesuffix(GRAD) for slot in ("X" + GRAD, "Out" + GRAD)}
