"""fluid.transpiler.details.program_utils: finding, removing and showing operators of a block."""

__all__ = ["delete_ops", "find_op_by_input_arg", "find_op_by_output_arg", "op_to_code", "program_to_code", "variable_to_code"]


def delete_ops(block, ops):
    """Take operators out of a block."""
    gone = {id(op) for op in ops}
    block.ops = [op for op in block.ops if id(op) not in gone]
    block.program.touch()


def find_op_by_input_arg(block, arg_name):
    """The number of the first operator that reads a variable, or -1."""
    return next((k for k, op in enumerate(block.ops) if arg_name in op.input_arg_names), -1)


def find_op_by_output_arg(block, arg_name, reverse=False):
    """The number of the first operator (the last for ``reverse``) that writes a variable, or -1."""
    numbers = range(len(block.ops))
    return next((k for k in (reversed(numbers) if reverse else numbers) if arg_name in block.ops[k].output_arg_names), -1)


def variable_to_code(var):
    """A variable as a line of text."""
    return str(var)


def op_to_code(op, skip_op_callstack=True):
    """An operator as a line of text."""
    return str(op)


def program_to_code(prog, fout=None, skip_op_callstack=True):
    """Print the text of a program, or write it into a file."""
    print(prog.to_string(), file=fout)
