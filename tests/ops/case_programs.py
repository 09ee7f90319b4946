"""Records as saved programs, for other executors to run."""

import opcase

import paddle
from paddle import static
from paddle.core.context import changed, context
from paddle.static.program.op_table import knows


def saved(case, known):
    """(program, inputs, outputs) of a case, the program as a file has it; None if it is no program of the operators ``known``."""
    feed = {}
    arrays, main = case.arrays("float32"), static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()), changed(own_rules=context.rules.unchecked()):
            inputs = [opcase.as_inputs(a, feed) for a in arrays]
            out = opcase.flat(case.fn(*inputs, **case.attrs))
            ops = {op.type for op in main.global_block().ops}
            if any(slot.endswith("LoD") for op in main.global_block().ops for slot in (*op.inputs, *op.outputs)):
                return None  # offsets are no variables in files; see test_sequences.py
            if any(o is v for o in out for v in opcase.flat(inputs)) or not all(map(knows, ops)) or not ops <= known:
                return None
            run = static.Executor()
            values = run.run(main, feed=feed, fetch_list=out)
            used = {n for op in main.global_block().ops for n in op.input_arg_names}
            wanted = [v for v in opcase.flat(inputs) if isinstance(v, static.Variable) and v.name in used]
            try:
                program = static.normalize_program(main, wanted, out)
                return static.serialize_program(wanted, out, program=program), [feed[v.name] for v in wanted], values
            except NotImplementedError:  # an op of Paddle's with inputs that its files do not have
                return None
    finally:
        paddle.disable_static()
