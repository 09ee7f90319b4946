"""What passes and calibration share: names by slot, values of a scope, rounding of arrays."""

import sys

import numpy as np

from ...core.errors import describe
from ...ops.nn.rounding import (  # noqa: F401
    bias_correction_w,
    calculate_quant_cos_error,
    dequant_tensor,
    l2_loss,
    quant_tensor,
    stable_sigmoid,
)
from ..graph import IrNode
from ..program.program import Operator
from .quant_config import SUPPORT_QUANTIZATION_OP_DICT

_channelwise_quant_axis1_ops = ["conv2d_transpose", "mul", "matmul", "matmul_v2"]


def _slots(op, side):
    if not isinstance(op, (IrNode, Operator)):
        raise TypeError(f"takes a node of a graph or an Operator, got {describe(op)}")
    return SUPPORT_QUANTIZATION_OP_DICT.get(op.name() if isinstance(op, IrNode) else op.type, ([], []))[side]


def _get_op_input_var_names(op):
    """Names of the inputs that may be rounded."""
    return [name for slot in _slots(op, 0) for name in op.input(slot)]


def _get_op_output_var_names(op):
    """Names of the outputs that may be measured."""
    return [name for slot in _slots(op, 1) for name in op.output(slot)]


def _place(name, names, slots):
    return next(((slot, names(slot).index(name)) for slot in slots if name in names(slot)), None)


def _get_input_name_index(op, input_var_name):
    """(slot, number in the slot) of an input, or None."""
    slots = _slots(op, 0)
    return _place(input_var_name, op.input, slots)


def _get_output_name_index(op, output_var_name):
    """(slot, number in the slot) of an output, or None."""
    slots = _slots(op, 1)
    return _place(output_var_name, op.output, slots)


def load_variable_data(scope, var_name):
    """A copy of the value that a variable has in a scope."""
    return np.array(scope.get(var_name))


def set_variable_data(scope, place, var_name, np_value):
    """Give a variable another value, if the scope has one of that name."""
    if not isinstance(np_value, np.ndarray):
        raise TypeError(f"set_variable_data(): np_value must be an array, got {describe(np_value)}")
    if scope.has(var_name):
        scope.find_var(var_name).get_tensor().set(np_value, place)


class tqdm:
    """A bar of progress on stderr."""

    def __init__(self, total, bar_format="Loading|{bar}", ncols=80):
        self.total, self.title, self.ncols, self.n = total, bar_format.split("|")[0], ncols, 0

    def update(self, n=1):
        """So many more are done."""
        self.n += n
        done = "=" * round(self.n / self.total * self.ncols)
        print(f"\r{self.title}|{done:{self.ncols}}| {self.n}/{self.total}", end="", file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        print(file=sys.stderr)
