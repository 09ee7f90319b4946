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
    blocks = [_counts(block) for block in program.blocks]
    if print_subblocks and len(blocks) > 1:
        for number, counts in enumerate(blocks):
            print(f"<{f' op list of block {number} ':-^120}>\n{table_of_types(counts)}")
    total = {}
    for counts in blocks:
        for kind, row in counts.items():
            total[kind] = [a + b for a, b in zip(total.get(kind, [0] * 4), row)]
    print(f"<{' op list of all blocks ':-^120}>\n{table_of_types(total)}")


def _counts(block):
    """{type: [float16, bfloat16, float32, other]} of the operators of a block."""
    counts = {}
    for operator in block.ops:
        row = counts.setdefault(operator.type, [0] * 4)
        kind = _computes_in(operator, block)
        row[{"float16": 0, "bfloat16": 1, "float32": 2}.get(kind, 3)] += 1
    return counts


def _computes_in(operator, block):
    """The name of the type an operator computes in: that of what it reads, floating before others; else of what it gives."""
    slot = "X" if operator.type.removesuffix("_grad") in _BY_X else "Param" if operator.inputs.get("Param") else None
    slots = [operator.inputs.get(slot, ())] if slot else [*operator.inputs.values(), *operator.outputs.values()]
    found = [var.dtype for names in slots for var in map(block.find, names[:1]) if var is not None and var.dtype is not None]
    floating = [kind for kind in found if kind.is_floating]
    return dtypes.convert((floating or found)[0]).name if found else None
