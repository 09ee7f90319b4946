"""paddle.base.data_feeder: checks of arguments where programs are built, element types by name."""

import numpy as np

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.errors import describe
from ..core.tensor import Tensor
from ..static.program import lod
from ..static.program.parameters import cpu_places
from ..static.program.program import Variable, default_main_program

__all__ = ["DataFeeder", "check_dtype", "check_shape", "check_type", "check_variable_and_dtype", "convert_dtype",
           "convert_float_to_uint16", "convert_uint16_to_float"]


_PADDLE_DTYPE_2_NUMPY_DTYPE = {dtypes.convert(name): name for name in (
    "bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "complex64", "complex128")}
_PADDLE_DTYPE_2_NUMPY_DTYPE[dtypes.convert("bfloat16")] = "uint16"
_NUMPY_DTYPE_2_PADDLE_DTYPE = {name: kind for kind, name in _PADDLE_DTYPE_2_NUMPY_DTYPE.items()}


def convert_dtype(dtype):
    """The name of an element type; that of bfloat16 is uint16, the NumPy type that holds its bits.

    >>> paddle.base.data_feeder.convert_dtype(paddle.float32)
    'float32'
    """
    kind = dtypes.convert(dtype, "convert_dtype")
    return "uint16" if kind.name == "bfloat16" else kind.name


def convert_float_to_uint16(data, data_format="NCHW"):
    """The bits of float32 numbers cut to bfloat16, as uint16."""
    return (np.ascontiguousarray(data, np.float32).view(np.uint32) >> 16).astype(np.uint16).reshape(np.shape(data))


def convert_uint16_to_float(data):
    """The float32 numbers whose upper halves these uint16 are."""
    return (np.ascontiguousarray(data).astype(np.uint32) << 16).view(np.float32).reshape(np.shape(data))


def check_variable_and_dtype(input, input_name, expected_dtype, op_name, extra_message=""):
    """TypeError in static mode unless the input is a Variable of one of these element types."""
    check_type(input, input_name, Variable, op_name, extra_message)
    check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def check_type(input, input_name, expected_type, op_name, extra_message=""):
    """TypeError in static mode unless the input is of one of these types; to_static lets Tensors through."""
    if not context.static_mode:
        return
    expected = expected_type if isinstance(expected_type, tuple) else (expected_type,)
    if isinstance(input, Tensor) and context.trace is None:
        raise TypeError(f"{op_name}(): {input_name} is a Tensor, which belongs to dynamic mode; a program takes Variables")
    if not isinstance(input, (*expected, Tensor)):
        names = ", ".join(t.__name__ for t in expected)
        raise TypeError(f"The type of '{input_name}' in {op_name} must be {names}, but received {describe(input)}. {extra_message}")


def check_dtype(input_dtype, input_name, expected_dtype, op_name, extra_message=""):
    """TypeError in static mode unless an element type is one of these."""
    if context.static_mode and convert_dtype(input_dtype) not in expected_dtype:
        raise TypeError(f"The data type of '{input_name}' in {op_name} must be {expected_dtype}, but received "
                        f"{convert_dtype(input_dtype)}. {extra_message}")


def check_shape(shape, op_name, expected_shape_type=(list, tuple, Variable), expected_element_type=(int, Variable),
                expected_tensor_dtype=("int32", "int64")):
    """TypeError in static mode unless a shape is given by integers and integer Variables."""
    if not context.static_mode:
        return
    check_type(shape, "shape", expected_shape_type, op_name)
    whole = isinstance(shape, Variable)
    for item in () if whole or expected_element_type is None else shape:
        check_type(item, "element of shape", expected_element_type, op_name)
    for item in [shape] if whole else shape:
        if expected_tensor_dtype is not None and isinstance(item, Variable):
            check_dtype(item.dtype, "shape", expected_tensor_dtype, op_name)


class DataFeeder:
    """Turns lists of samples into what ``Executor.run`` is fed with (1.x; successor: paddle.io.DataLoader)."""

    def __init__(self, feed_list, place=None, program=None):
        program = default_main_program() if program is None else program
        self.feed_vars = [v if isinstance(v, Variable) else program.global_block().var(v) for v in feed_list]
        self.feed_names = [v.name for v in self.feed_vars]
        self.place = place

    def feed(self, iterable):
        """{name: LoDTensor} of a batch: one for each field of its samples, with sequence lengths where lod_level says so."""
        samples = list(iterable)
        fields = {}
        for k, sample in enumerate(samples):
            if len(sample) != len(self.feed_vars):
                raise ValueError(f"DataFeeder.feed(): sample {k} has {len(sample)} fields, feed_list has {len(self.feed_vars)}")
        for n, v in enumerate(self.feed_vars):
            values = [sample[n] for sample in samples]
            fields[v.name] = lod.packed(v, values)
        return fields

    def feed_parallel(self, iterable, num_places=None):
        """One feed for each place, of as many batches; ``num_places`` is as many as CPU_NUM says for None."""
        batches = list(iterable)
        count = len(cpu_places(num_places))
        if len(batches) != count:
            raise ValueError(f"DataFeeder.feed_parallel(): {count} places need as many batches, got {len(batches)}")
        for batch in batches:
            yield self.feed(batch)

    def decorate_reader(self, reader, multi_devices, num_places=None, drop_last=True):
        """A reader of fed batches from a reader of batches of samples; with ``multi_devices`` of lists of them, one for each place.
        Without ``drop_last``, batches that are too few for all places at the end raise ValueError."""
        def fed():
            if not multi_devices:
                yield from map(self.feed, reader())
                return
            count, group = len(cpu_places(num_places)), []
            for batch in reader():
                group.append(batch)
                if len(group) == count:
                    yield list(self.feed_parallel(group, num_places))
                    group = []
            if group and not drop_last:
                raise ValueError(f"DataFeeder.decorate_reader(): {count} places, {len(group)} batches left for them at the end; "
                                 "drop_last=True leaves these out")
        return fed


__getattr__ = _lookup(__name__)
