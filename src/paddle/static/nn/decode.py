"""The loops of ``paddle.nn.dynamic_decode`` and of ``paddle.nn.RNN`` over an unknown number of steps, as parts of a program."""

from ...tensor.functions import all as all_true
from ...tensor.functions import logical_and, logical_not, zeros
from .. import array as arrays
from ..program import program
from ..program.record import assign_to
from ..structure import flatten, pack
from ..sub_block import SubBlock, append_block_op, carry, store


def decode_loop(step, values, max_step_num):
    """(the outputs of all steps stacked, the last values) of ``step(time, *values) -> outputs, values``.

    It runs until values[2] is all true, or for ``max_step_num`` steps more.
    """
    def again(time, values):
        unfinished = logical_not(all_true(values[2]))
        return unfinished if max_step_num is None else logical_and(unfinished, (time <= int(max_step_num)).reshape([]))
    return _loop(step, values, lambda time, values: logical_not(all_true(values[2])), again)


def steps_loop(step, values, count):
    """The same for ``count`` steps, a tensor [1]."""
    def again(time, values):
        return (time < count).reshape([])
    return _loop(step, values, again, again)


def _loop(step, values, begins, again):
    parent = program.default_main_program().current_block()
    carried = pack(values, [carry(v, parent) for v in flatten(values)])
    time = carry(zeros([1], "int64"), parent)
    going = carry(begins(time, carried), parent)
    with SubBlock() as block:
        outputs, new = step(time, *carried)
        members = []
        for out in flatten(outputs):
            array = parent.new_var(name=out.name + ".steps", dtype=out.dtype, kind=program.LOD_TENSOR_ARRAY)
            members.append(arrays.array_write(out, time, array))
        store(block, flatten(new), flatten(carried))
        assign_to(time + 1, time)
        assign_to(again(time, carried), going)
    append_block_op(parent, block, "while", {"Condition": going}, "StepScopes", {"is_test": False})
    return pack(outputs, [arrays.tensor_array_to_tensor(m, 0, use_stack=True)[0] for m in members]), carried
