"""fluid.contrib: how much memory a program takes, and which operators it has how often."""

import collections

import numpy as np

from ...core.errors import check_type, describe
from ...static.program.program import Program

__all__ = ["memory_usage", "op_freq_statistic"]


def memory_usage(program, batch_size):
    """(from, to, unit): about how much memory the results of a program's main block take with that many rows (1.x; successor:
    none)."""
    check_type(program, Program, "memory_usage", "program")
    if not isinstance(batch_size, int) or batch_size <= 0:
        raise ValueError(f"memory_usage(): batch_size must be a positive int, got {describe(batch_size)}")
    block = program.global_block()
    names = {name for op in block.ops for name in op.output_arg_names}
    found = [block.vars[name] for name in sorted(names) if name in block.vars]
    total = float(sum(np.prod([batch_size if n < 0 else n for n in var.shape], dtype=float) * var.dtype.dtype.itemsize
                      for var in found if var.shape is not None and var.dtype is not None))
    unit = next(k for k in range(4) if k == 3 or total < 1024 ** (k + 1))
    total /= 1024 ** unit
    return total * 1.05, total * 1.1, ("B", "KB", "MB", "GB")[unit]


def op_freq_statistic(program):
    """Lists of (operator, how often it occurs) and of ("a->b", how often b reads what a made), most frequent first (1.x;
    successor: none)."""
    check_type(program, Program, "op_freq_statistic", "program")
    operators, pairs, made_by = collections.Counter(), collections.Counter(), {}
    for op in program.global_block().ops:
        operators[op.type] += 1
        pairs.update(f"{made_by[name]}->{op.type}" for name in op.input_arg_names if name in made_by)
        made_by.update(dict.fromkeys(op.output_arg_names, op.type))
    return operators.most_common(), pairs.most_common()
