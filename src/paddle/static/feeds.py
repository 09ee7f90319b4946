"""What goes into programs and comes out of them: fed values as arrays, arrays as the caller gets them."""

import warnings

import numpy as np

from ..core import dtype as dtypes
from ..core import lenient
from ..core.context import context
from ..core.dtype import of_bits
from ..core.errors import describe, suggest
from ..core.op import Symbolic
from ..core.tensor import Tensor
from .program import lod, lod_files


def fed_arrays(program, feed):
    """{name: array} of what is fed, the companions of sequences included."""
    block, arrays = program.global_block(), {}
    lengths = [(name, value) for name, value in feed.items() if isinstance(value, lod.LoDTensor) and value._lengths]
    if lengths:
        _begin_lengths(program, lengths)
    for name, value in feed.items():
        name = name.name if isinstance(name, Symbolic) else name
        var = block.vars.get(name)
        if var is None:
            warnings.warn(f"Executor.run(): the program has no variable {name!r} to be fed{suggest(str(name), block.vars)}",
                          stacklevel=3)
            continue
        if isinstance(value, Symbolic) and value.name == name and context.rules.is_fluid:
            continue  # fed with itself, in 1.x: what the program gives it
        if var.lod:
            value, offsets = lod.fed(var, value)
            arrays.update(offsets)
        arrays[name] = feed_array(var, value)
    return arrays


def _begin_lengths(program, fed):
    """Let sequence lengths pass through a program that did not know of them, or of fewer levels: one put together operator by
    operator, or one whose data were declared without. As in Paddle, what is fed decides."""
    vars = program.global_block().vars
    named = ((vars.get(name.name if isinstance(name, Symbolic) else name), value) for name, value in fed)
    levels = {var: len(value.recursive_sequence_lengths()) for var, value in named if var is not None}
    new = {var: count for var, count in levels.items() if count > len(var.lod)}
    if new:
        lod_files.begin(program, new)


def _as_lodtensor(data, place, dtype=None):
    """A LoDTensor of numbers, lists and arrays; ``dtype`` is that of what is no array yet."""
    if not isinstance(data, np.ndarray):
        if dtype is None:
            raise AssertionError("_as_lodtensor(): dtype must be given for what is no array")
        if not isinstance(data, (bool, int, float, complex, list, tuple, np.generic)):
            raise TypeError(f"_as_lodtensor(): data must be an array, a number or a list of numbers, got {describe(data)}")
        kind = dtypes.to_numpy(dtype, "_as_lodtensor")
        try:
            data = np.asarray(data, kind)
        except (ValueError, TypeError):
            raise TypeError(f"_as_lodtensor(): data must be a regular array of numbers, got {describe(data)}") from None
    tensor = lod.LoDTensor()
    tensor.set(data, place)
    return tensor


def feed_array(var, value):
    """The array of a fed value; ValueError if its shape or dtype is not the variable's."""
    if isinstance(value, Tensor):
        array = value._data
    elif isinstance(value, lod.LoDTensor):
        array = of_bits(np.asarray(value))
    elif isinstance(value, np.ndarray):
        array = of_bits(value if value.flags.aligned else value.copy())  # kernels read whole elements
    elif isinstance(value, Symbolic):
        raise TypeError(f"Executor.run(): the value fed to {var.name!r} is a static Variable; feed arrays")
    else:
        try:
            array = np.asarray(value)
        except ValueError:  # rows of several lengths
            array = None
        if array is None or array.dtype == object:
            raise ValueError(f"Executor.run(): the value fed to {var.name!r} is not a regular array: {describe(value)}")
        if var.dtype is not None and array.dtype.kind in "fiub":
            array = array.astype(var.dtype.dtype)
        if not array.ndim and context.rules.element_ndim:
            array = array.reshape(1)
    if not var.need_check_feed or not context.rules.feed_checks:
        return array
    if var.dtype is not None and array.dtype != var.dtype.dtype:
        raise ValueError(f"Executor.run(): {var.name!r} is {var.dtype.name}, the fed value {array.dtype.name}")
    # As in Paddle a value of fewer dimensions passes where its sizes are the variable's first ones: labels [N] for [N, 1]; and how
    # many rows sequences have is not declared.
    fits, first = min(len(var.shape), 1) <= array.ndim <= len(var.shape), 1 if var.lod else 0
    if not fits or any(n not in (-1, m) for n, m in zip(var.shape[first:], array.shape[first:])):
        raise ValueError(f"Executor.run(): {var.name!r} has shape {list(var.shape)}, the fed value {list(array.shape)}")
    return array


def results(block, names, values, as_numpy, stored):
    """The fetched values as the caller gets them, in the order of ``names``.

    Args:
        block: the block whose variables they are.
        values: {name: array}, without ``as_numpy`` also those of the companions of sequences.
        as_numpy: NumPy arrays rather than LoDTensors.
        stored: names whose arrays a scope holds too.
    """
    found = [_result(name, values[name], as_numpy, name in stored) for name in names]
    if as_numpy:
        return found
    for k, name in enumerate(names):
        companions = lod.companions(block, name)
        if companions and all(one in values for one in companions):
            found[k] = lod.fetched(np.asarray(found[k]), [values[one] for one in companions])
    return found


def _result(name, value, as_numpy, shared=False):
    """A fetched value as the caller gets it: memory of its own, so that later runs and callers do not meet in it."""
    if value is None:
        raise RuntimeError(f"Executor.run(): {name!r} got no value in this run (the branch that makes it was not taken)")
    if isinstance(value, list):  # a tensor array
        return (list if as_numpy else lod.LoDTensorArray)(_result(name, v, as_numpy) for v in value)
    if shared or value.base is not None:
        value = np.array(value, order="C")
    if not value.ndim and context.rules.element_ndim:
        value = value.reshape(1)  # older generations have no shape []
    if as_numpy:
        value = value.view(np.uint16) if value.dtype.char == "E" else value  # the bits of bfloat16, as numpy() gives them
        return lenient.view(value) if context.rules.lenient_arrays else value
    return lod.LoDTensor(value)
