"""Tensor arrays: Python lists of Tensors eagerly, array variables in static programs."""

import numpy as np

from ..core import dtype as dtypes
from ..core.context import context
from ..core.errors import check_type, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..ops.manipulation import joining as join
from ..utils import unique_name
from .program import lod, program
from .program.record import as_variable, constant


def is_array(value):
    """Is it an array variable of a program?"""
    return isinstance(value, Symbolic) and value.kind == program.LOD_TENSOR_ARRAY


def create_array(dtype, initialized_list=None):
    """An empty tensor array, or one with the given tensors.

    >>> from paddle.static.array import array_length, array_write, create_array
    >>> array = create_array('float32')
    >>> array = array_write(paddle.ones([2]), paddle.to_tensor([0]), array)
    >>> array_length(array)
    1
    """
    if initialized_list is not None and not isinstance(initialized_list, (list, tuple)):
        raise TypeError(f"create_array(): initialized_list must be a list, got {describe(initialized_list)}")
    initial = list(initialized_list or [])
    if not context.static_mode and not any(isinstance(v, Symbolic) for v in initial):
        return initial
    array = new_array(dtype)
    for k, value in enumerate(initial):
        array_write(value, constant(np.asarray([k], np.int64)), array)
    return array


def new_array(dtype):
    """An empty array variable of the current block."""
    return program.default_main_program().current_block().new_var(
        name=unique_name.generate("tensor_array"), dtype=dtypes.convert(dtype), kind=program.LOD_TENSOR_ARRAY)


def array_write(x, i, array=None):
    """Put x at position i of an array (a new one for None); returns the array."""
    if isinstance(array, Symbolic) or isinstance(x, Symbolic) or isinstance(i, Symbolic):
        block = program.default_main_program().current_block()
        x, i = as_variable(x, block), as_variable(i, block)
        array = new_array(x.dtype) if array is None else array
        if not is_array(array):
            raise TypeError(f"array_write(): array must be a tensor array, got {describe(array)}")
        array.shape = x.shape  # of the members
        fresh = not any(array.name in op.output_arg_names for op in array.block.ops)
        block.append_op("write_to_array", {"X": x, "I": i}, {"Out": array})
        if x.lod and (fresh or array.lod):
            _write_levels(block, x, i, array)
        return array
    check_type(x, Tensor, "array_write", "x")
    array, k = [] if array is None else array, int(np.asarray(i).reshape(()))
    check_type(array, list, "array_write", "array")
    if k > len(array):
        raise IndexError(f"array_write(): position {k} is behind the end of an array of length {len(array)}")
    if k < len(array):
        array[k] = x
    else:
        array.append(x)
    return array


def _write_levels(block, x, i, array):
    """Write the offsets of x beside it: an array whose first member has sequence lengths has an array for each level."""
    if not array.lod:
        lod.declare(array, len(x.lod), kind=program.LOD_TENSOR_ARRAY)
    if len(array.lod) != len(x.lod):
        raise ValueError(f"array_write(): members of {array.name} have {len(array.lod)} levels of sequence lengths, {x.name} has "
                         f"{len(x.lod)}")
    for level, name in zip(x.lod, array.lod):
        block.append_op("write_to_array", {"X": level, "I": i}, {"Out": name})


def array_read(array, i):
    """The tensor at position i of an array."""
    if isinstance(array, list) and array and isinstance(i, Symbolic):
        array = create_array(array[0].dtype, array)
    if is_array(array):
        return read(array, i, shape=array.shape)
    check_type(array, list, "array_read", "array")
    return array[int(np.asarray(i).reshape(()))]


def read(array, i, **extent):
    """The tensor at position i of a program's array; ``extent`` tells the new variable its shape, or the shapes it may have."""
    block = program.default_main_program().current_block()
    i = as_variable(i, block)

    def one(name, **kind):
        out = block.new_var(**kind)
        block.append_op("read_from_array", {"X": name, "I": i}, {"Out": out})
        return out
    offsets = [one(name, shape=[-1], dtype="int64", stop_gradient=True) for name in array.lod]
    return lod.give(one(array, dtype=array.dtype, **extent), offsets)


def array_length(array):
    """The number of tensors in an array: an int eagerly, a Variable in programs."""
    if is_array(array):
        block = program.default_main_program().current_block()
        out = block.new_var(shape=[1], dtype="int64", stop_gradient=True)
        block.append_op("lod_array_length", {"X": array}, {"Out": out})
        return out
    check_type(array, list, "array_length", "array")
    return len(array)


def tensor_array_to_tensor(input, axis=1, use_stack=False, name=None):
    """The tensors of an array joined (or, with use_stack, stacked) along an axis, and their sizes there (int32)."""
    if is_array(input):
        block = program.default_main_program().current_block()
        member = list(input.shape)
        if use_stack:
            member.insert(axis if axis >= 0 else axis + len(member) + 1, -1)
        elif member:
            member[axis] = -1
        out = block.new_var(shape=member, dtype=input.dtype)
        sizes = block.new_var(shape=[-1], dtype="int32", stop_gradient=True)
        block.append_op("tensor_array_to_tensor", {"X": input}, {"Out": out, "OutIndex": sizes},
                        {"axis": axis, "use_stack": use_stack})
        return out, sizes
    check_type(input, list, "tensor_array_to_tensor", "input")
    out = join.stack(input, axis) if use_stack else join.concat(input, None, axis)
    return out, wrap(np.asarray([1 if use_stack else t.shape[axis] for t in input], np.int32))
