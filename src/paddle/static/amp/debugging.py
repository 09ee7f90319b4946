"""Which types the operators of a program run in."""

from ...amp.debugging import table_of_types
from ...core import dtype as dtypes
from ..program.program import default_main_program

_BY_X = ("cast", "batch_norm", "instance_norm", "layer_norm")  # whose inputs are of several types


def collect_operator_stats(program=None, print_subblocks=False):
    """Print how many operators of a program run in float16, bfloat16, float32 and other types, by what they read.

    Args:
        program: the Program; the default main one for None.
        print_subblocks: print a table for each block too.

    >>> paddle.static.amp.debugging.collect_operator_stats(paddle.static.Program())  # doctest: +ELLIPSIS
    <...
    """
    program = default_main_program() if program is None else program
    blocks = _get_op_stats_list(program)
    if print_subblocks and len(blocks) > 1:
        for number, counts in enumerate(blocks):
            print(f"<{f' op list of block {number} ':-^120}>\n{_table(counts)}")
    total = {}
    for counts in blocks:
        for kind, unit in counts.items():
            total.setdefault(kind, OperatorStatsUnit()).addto(unit)
    print(f"<{' op list of all blocks ':-^120}>\n{_table(total)}")


class OperatorStatsUnit:
    """How many operators of one type run in float16, bfloat16, float32 and other types."""

    def __init__(self):
        self.fp16_calls = self.bf16_calls = self.fp32_calls = self.other_calls = 0

    def update(self, dtype):
        """Count one that runs in an element type; None counts among the others."""
        kind = {"float16": "fp16_calls", "bfloat16": "bf16_calls", "float32": "fp32_calls"}.get(
            None if dtype is None else dtypes.convert(dtype).name, "other_calls")
        setattr(self, kind, getattr(self, kind) + 1)

    def addto(self, another):
        """Add the numbers of another one."""
        for name, count in vars(another).items():
            setattr(self, name, getattr(self, name) + count)

    def convert_to_list(self):
        """The numbers of float16, bfloat16, float32 and others."""
        return [self.fp16_calls, self.bf16_calls, self.fp32_calls, self.other_calls]


def _get_op_stats_list(program):
    """For every block {type of its operators: their OperatorStatsUnit}.

    >>> program = paddle.static.Program()
    >>> with paddle.static.program_guard(program):
    ...     y = paddle.ones([2]) + 1
    >>> {kind: unit.fp32_calls for kind, unit in paddle.static.amp.debugging._get_op_stats_list(program)[0].items()}
    {}
    """
    found = []
    for block in program.blocks:
        found.append({})
        for operator in block.ops:
            found[-1].setdefault(operator.type, OperatorStatsUnit()).update(_computes_in(operator, block))
    return found


def _table(counts):
    return table_of_types({kind: unit.convert_to_list() for kind, unit in counts.items()})


def _computes_in(operator, block):
    """The name of the type an operator computes in: that of what it reads, floating before others; else of what it gives."""
    slot = "X" if operator.type.removesuffix("_grad") in _BY_X else "Param" if operator.inputs.get("Param") else None
    slots = [operator.inputs.get(slot, ())] if slot else [*operator.inputs.values(), *operator.outputs.values()]
    found = [var.dtype for names in slots for var in map(block.find, names[:1]) if var is not None and var.dtype is not None]
    floating = [kind for kind in found if kind.is_floating]
    return dtypes.convert((floating or found)[0]).name if found else None
