"""fluid.layers: the pieces that DynamicRNN and IfElse of 1.x are made of, for programs that put them together themselves."""

from ... import tensor
from ...ops.sequence import dynamic_rnn
from ...static import array as arrays
from ...static.nn.control_flow import While
from ...static.program import lod
from ...static.program.record import assign_to
from ..state import fluid_call

__all__ = ["lod_rank_table", "max_sequence_len", "lod_tensor_to_array", "array_to_lod_tensor", "shrink_memory",
           "reorder_lod_tensor_by_rank", "split_lod_tensor", "merge_lod_tensor"]


class RankTable:
    """The sequences of a variable, longest first, and which rows of them each step takes. In a program it is the operator
    ``step_table``; its first result, the order, stands for the table."""

    def __init__(self, operator, block):
        self.order, self.rows, self.starts = (block._var_recursive(operator.output(s)[0]) for s in ("Order", "Rows", "Starts"))
        self.source, self.level = block._var_recursive(operator.input("X")[0]), operator.attr("level")

    @classmethod
    def of(cls, x, level):
        """The table of the sequences of x."""
        return cls.find(dynamic_rnn.step_table(x, level=int(level))[0])

    @classmethod
    def find(cls, table, function="lod_rank_table"):
        """The table that a program's variable stands for."""
        for operator in getattr(getattr(table, "block", None), "ops", ()):
            if operator.type == "step_table" and operator.output("Order") == [table.name]:
                return cls(operator, table.block)
        raise TypeError(f"{function}(): the table must be what lod_rank_table() gave")

    def count(self):
        """The number of steps, [1] int64."""
        return tensor.cast(tensor.shape(self.starts) - 1, "int64")

    def step(self, x, step):
        """The part of x that a step takes."""
        return dynamic_rnn.step_gather(x, self.rows, self.starts, step, level=self.level)[0]

    def shrunk(self, x, step):
        """The part of x, ordered longest first, that belongs to the sequences of a step."""
        return dynamic_rnn.step_shrink(x, self.starts, step)[0]

    def packed(self, array):
        """The members of an array, one for each step, as packed sequences."""
        parts, outer = arrays.tensor_array_to_tensor(array, 0)[0], self.source.lod[:self.level + 1]
        if not array.lod:
            return lod.give(dynamic_rnn.step_repack(parts, self.rows), outer)
        if len(array.lod) > 1:
            raise NotImplementedError("array_to_lod_tensor(): members with several levels of sequence lengths are not supported")
        offsets, sizes = arrays.tensor_array_to_tensor(lod.levels(array)[0], 0)
        out, inner = dynamic_rnn.step_repack_sequences(parts, self.rows, offsets, sizes)
        return lod.give(out, (*outer, inner))


@fluid_call
def lod_rank_table(x, level=0):
    """The numbers of the sequences of x, longest first (1.x; successor: paddle.argsort of the lengths)."""
    lod.need(x, "lod_rank_table", "x", level + 1)
    return RankTable.of(x, level).order


@fluid_call
def max_sequence_len(rank_table):
    """The number of steps of a rank table's longest sequence, [1] int64 (1.x; successor: paddle.max of the lengths)."""
    return RankTable.find(rank_table, "max_sequence_len").count()


@fluid_call
def lod_tensor_to_array(x, table):
    """An array with the rows that each step takes, longest sequence first (1.x; successor: none)."""
    found = RankTable.find(table, "lod_tensor_to_array")
    count, step, array = found.count(), tensor.zeros([1], "int64"), arrays.new_array(x.dtype)
    going = tensor.less_than(step, count)
    with While(going).block():
        arrays.array_write(found.step(x, step), step, array)
        assign_to(step + 1, step)
        assign_to(tensor.less_than(step, count), going)
    return array


@fluid_call
def array_to_lod_tensor(x, table):
    """The members of an array, one for each step of a rank table, as packed sequences again (1.x; successor: none)."""
    return RankTable.find(table, "array_to_lod_tensor").packed(x)


@fluid_call
def shrink_memory(x, i, table):
    """The rows of x that belong to the sequences which step i still has (1.x; successor: none)."""
    return RankTable.find(table, "shrink_memory").shrunk(x, i)


@fluid_call
def reorder_lod_tensor_by_rank(x, rank_table):
    """The sequences (or rows, if x has no lengths) of x in the order of a rank table (1.x; successor: paddle.gather)."""
    return dynamic_rnn.step_reorder(x, rank_table)[0]


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
