"""fluid.layers: the pieces that DynamicRNN and IfElse of 1.x are made of, for programs that put them together themselves."""

from ...core.errors import check_type, describe
from ...core.op import Symbolic
from ...ops.sequence import dynamic_rnn
from ...serialization.program_desc import VarKind
from ...static import array as arrays
from ...static.program import lod
from ...static.program.program import LOD_TENSOR_ARRAY, default_main_program
from ...tensor import functions as tensor
from ..state import fluid_call

__all__ = ["lod_rank_table", "max_sequence_len", "lod_tensor_to_array", "array_to_lod_tensor", "shrink_memory",
           "reorder_lod_tensor_by_rank", "split_lod_tensor", "merge_lod_tensor"]


def need_table(table, function):
    """TypeError unless it is a rank table."""
    if not isinstance(table, Symbolic) or table.kind != VarKind.LOD_RANK_TABLE:
        raise TypeError(f"{function}(): the table must be what lod_rank_table() gave")
    return table


@fluid_call
def lod_rank_table(x, level=0):
    """The numbers of the sequences of x, longest first (1.x; successor: paddle.argsort of the lengths)."""
    check_type(x, Symbolic, "lod_rank_table", "x")
    lod.need(x, "lod_rank_table", "x", level + 1)
    table = dynamic_rnn.lod_rank_table(x, level=int(level))[0]
    table.kind = VarKind.LOD_RANK_TABLE
    return table


@fluid_call
def max_sequence_len(rank_table):
    """The number of steps of a rank table's longest sequence, [1] int64 (1.x; successor: paddle.max of the lengths)."""
    return dynamic_rnn.max_sequence_len(need_table(rank_table, "max_sequence_len"))


@fluid_call
def lod_tensor_to_array(x, table):
    """An array with the rows that each step takes, longest sequence first (1.x; successor: none)."""
    need_table(table, "lod_tensor_to_array")
    array = arrays.new_array(x.dtype)
    array.shape = (-1, *x.shape[1:])
    block = default_main_program().current_block()
    lod.steps_in_array(block.append_op("lod_tensor_to_array", {"X": x, "RankTable": table}, {"Out": array}))
    return array


@fluid_call
def array_to_lod_tensor(x, table):
    """The members of an array, one for each step of a rank table, as packed sequences again (1.x; successor: none)."""
    need_table(table, "array_to_lod_tensor")
    if not isinstance(x, Symbolic) or x.kind != LOD_TENSOR_ARRAY:
        raise TypeError(f"array_to_lod_tensor(): x must be an array of a program, got {describe(x)}")
    block = default_main_program().current_block()
    out = block.new_var(shape=(-1, *x.shape[1:]), dtype=x.dtype)
    lod.steps_packed(block.append_op("array_to_lod_tensor", {"X": x, "RankTable": table}, {"Out": out}))
    return out


@fluid_call
def shrink_memory(x, i, table):
    """The rows of x that belong to the sequences which step i still has (1.x; successor: none)."""
    return dynamic_rnn.shrink_rnn_memory(x, need_table(table, "shrink_memory"), i)[0]


@fluid_call
def reorder_lod_tensor_by_rank(x, rank_table):
    """The sequences (or rows, if x has no lengths) of x in the order of a rank table (1.x; successor: paddle.gather)."""
    return dynamic_rnn.reorder_lod_tensor_by_rank(x, need_table(rank_table, "reorder_lod_tensor_by_rank"))[0]


def rows_where(mask):
    """(numbers of the rows, or sequences, where the mask [N, 1] holds, numbers of the others)."""
    flat = mask.reshape([-1])
    return tensor.nonzero(flat).flatten(), tensor.nonzero(tensor.logical_not(flat)).flatten()


@fluid_call
def split_lod_tensor(input, mask, level=0):
    """The rows (or sequences, if input has lengths) where the mask [N, 1] holds, and the others (1.x; successor:
    paddle.masked_select)."""
    if level:
        raise NotImplementedError("split_lod_tensor(): only the outermost level of sequences is split")
    return tuple(dynamic_rnn.step_reorder(input, rows)[0] for rows in rows_where(mask))


@fluid_call
def merge_lod_tensor(in_true, in_false, x, mask, level=0):
    """What split_lod_tensor divided, in the order of x again (1.x; successor: paddle.where)."""
    if level or x.lod or in_true.lod or in_false.lod:
        raise NotImplementedError("merge_lod_tensor(): only rows without sequence lengths are merged")
    order = tensor.argsort(tensor.concat(rows_where(mask)))
    return tensor.gather(tensor.concat([in_true, in_false]), order)
