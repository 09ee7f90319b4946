"""Sub-blocks: how branches and loops of a program are built. ``static.nn.control_flow`` and ``paddle.jit`` use the same pieces."""

from ..core import dtype as dtypes
from ..tensor.convert import common_dtype
from ..utils import unique_name
from .array import is_array
from .ir.nodes.control import interface
from .program import lod, program
from .program.open_ranks import common_shape, extent_of, possible_shapes
from .program.record import as_variable, user_line
from .program.registry import find


class SubBlock:
    """Ops inside the ``with`` block go to a new sub-block."""

    def __enter__(self):
        self.program = program.default_main_program()
        self.block = self.program._create_block()
        return self.block

    def __exit__(self, *exc):
        self.program._rollback()


def append_block_op(parent, block, kind, inputs, scope_slot, attrs):
    """Append to the parent the operator that runs a finished sub-block, with the names that the block reads and writes."""
    reads, writes = interface(block)
    scope = parent.new_var(name=unique_name.generate("_generated_var"), dtype=None, kind=program.STEP_SCOPES, stop_gradient=True)
    slot = "Input" if kind == "conditional_block" else "X"
    names = [v.name for v in inputs.values()]
    parent.append_op(kind, {**inputs, slot: [n for n in reads if n not in names or kind == "while"]},
                     {"Out": writes, scope_slot: scope}, {"sub_block": block, **attrs}, user_line())


def _widen(result, kind):
    """Let the branch that makes a result store it in another element type."""
    if result.dtype is not kind:
        store = next(op for block in reversed(result.block.program.blocks) for op in block.ops
                     if op.type == "assign" and op.output("Out") == [result.name])
        store.type = "cast"
        store.attrs = program.Attributes("cast", {**store.attrs, "in_dtype": result.dtype.code, "out_dtype": kind.code})
        result._dtype = kind


def select(mask, false, true, why=None):
    """The Variable that is ``true`` where the mask is 1 and ``false`` where it is 0: the result of a branch.

    ``why`` tells a translated function that asks for its shape that the branches give it different numbers of dimensions.
    """
    if true is None:  # and so is false: the structures are the same
        return None
    if is_array(true) and true is false:
        return true
    if true.dtype is not false.dtype and not is_array(true) and not is_array(false):
        kind = dtypes.of(common_dtype(true.dtype.dtype, false.dtype.dtype))  # one result has one type: the wider one
        for v in (true, false):
            _widen(v, kind)
    block = program.default_main_program().current_block()
    extent = {"shape": common_shape(true.shape, false.shape)} if why is None else extent_of(
        (*possible_shapes(true), *possible_shapes(false)), why)
    out = block.new_var(name=unique_name.generate("_generated_var"), dtype=true.dtype, kind=true.kind,
                        stop_gradient=true.stop_gradient and false.stop_gradient, **extent)
    block.append_op("select_input", {"X": [false, true], "Mask": mask}, {"Out": out}, {}, user_line())
    return out


def carry(value, block):
    """The Variable that holds a loop variable from iteration to iteration."""
    if value is None or is_array(value):
        return value
    v = as_variable(value, block)
    made = block.new_var(name=unique_name.generate("loop_var"), shape=v.shape, dtype=v.dtype,
                            stop_gradient=not (v.dtype.is_floating or v.dtype.is_complex))
    block.append_op("assign", {"X": v}, {"Out": made})
    lod.assign_levels(v, made)
    return made


def store(block, results, carried):
    """Assign what the body returned to the loop's variables, all at once."""
    if len(results) != len(carried):
        raise ValueError("while_loop(): body must return the structure of loop_vars")
    names = {c.name for c in carried if c is not None and not is_array(c)}
    values = []
    for r, c in zip(results, carried):
        if c is None or is_array(c):
            if r is not c:
                raise ValueError("while_loop(): a tensor array (or None) must be returned as it was given")
            values.append(None)
            continue
        v = as_variable(r, block)
        if v.dtype is not c.dtype:
            raise TypeError(f"while_loop(): body returned {v.dtype.name} for a loop variable of {c.dtype.name}")
        values.append(find("assign")(v) if v.name in names and v.name != c.name else v)
    for v, c in zip(values, carried):
        if v is not None and v.name != c.name:
            block.append_op("assign", {"X": v}, {"Out": c})
            c.shape = tuple(common_shape(v.shape, c.shape))
            if c.lod:
                lod.assign_levels(v, c)
