"""The loop of ``paddle.nn.dynamic_decode`` as a part of a program."""

from ...tensor.functions import all as all_true
from ...tensor.functions import logical_and, logical_not, zeros
from .. import array as arrays
from ..program import program
from ..program.record import assign_to
from ..structure import flatten, pack
from . import control_flow


def decode_loop(step, values, max_step_num):
    """(the outputs of all steps stacked, the last values) of ``step(time, *values) -> outputs, values``.

    It runs until values[2] is all true, or for ``max_step_num`` steps more.
    """
    parent = program.default_main_program().current_block()
    carried = pack(values, [control_flow._carried(v, parent) for v in flatten(values)])
    time = control_flow._carried(zeros([1], "int64"), parent)
    going = control_flow._carried(logical_not(all_true(carried[2])), parent)
    with control_flow._SubBlock() as block:
        outputs, new = step(time, *carried)
        members = []
        for out in flatten(outputs):
            array = parent.new_var(name=out.name + ".steps", dtype=out.dtype, kind=program.LOD_TENSOR_ARRAY)
            members.append(arrays.array_write(out, time, array))
        control_flow._store(block, flatten(new), flatten(carried))
        assign_to(time + 1, time)
        again = logical_not(all_true(carried[2]))
        assign_to(again if max_step_num is None else logical_and(again, (time <= int(max_step_num)).reshape([])), going)
    control_flow._close(parent, block, "while", {"Condition": going}, "StepScopes", {"is_test": False})
    return pack(outputs, [arrays.tensor_array_to_tensor(m, 0, use_stack=True)[0] for m in members]), carried
