"""Inputs of programs: ``data`` and ``InputSpec``."""

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import check_type, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from .program import lod, program


def _shape(shape, function):
    if isinstance(shape, int):
        shape = [shape]
    if not isinstance(shape, (list, tuple)) or not all(n is None or isinstance(n, (int, np.integer)) for n in shape):
        raise TypeError(f"{function}(): shape must be a list of ints and None, got {describe(shape)}")
    sizes = tuple(-1 if n is None else int(n) for n in shape)
    if any(n < -1 for n in sizes):
        raise ValueError(f"{function}(): sizes must not be negative (None or -1: any), got {list(shape)}")
    return sizes


def data(name, shape, dtype=None, lod_level=0):
    """Declare an input of the current program; a value for it must be fed.

    Args:
        name (str): by which it is fed.
        shape (list or tuple): sizes; None or -1 where any size may come.
        dtype (str, dtype or None): element type; the default floating type for None.
        lod_level (int): levels of sequence lengths; a value is then fed as a LoDTensor, or as a pair (array, lengths).
    Returns:
        Variable of the program.
    Raises:
        TypeError: ``name`` is not a str, ``shape`` is not a list, or ``dtype`` is not a known type.

    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data('x', [None, 3])
    >>> x.shape
    (-1, 3)
    """
    check_type(name, str, "data", "name")
    check_type(shape, (list, tuple), "data", "shape")
    block = program.default_main_program().global_block()
    kind = dtypes.default() if dtype is None else dtypes.convert(dtype, "data")
    sizes = _shape(shape, "data")
    if name in block.vars:
        old = block.vars[name]
        if not old.is_data or old.shape != sizes or old.dtype is not kind or len(old.lod) != lod_level:
            raise ValueError(f"data(): the program already has a variable {name!r}, of shape {list(old.shape)} and dtype "
                             f"{program.dtypes_name(old)}")
        return old
    var = block.new_var(name=name, shape=sizes, dtype=kind, stop_gradient=True, is_data=True, need_check_feed=True)
    if lod_level:
        lod.declare(var, lod_level, is_data=True, need_check_feed=True)
    return var


class InputSpec:
    """Shape, dtype and name of an input, for ``to_static``, ``jit.save`` and ``Model``.

    Args:
        shape (list or tuple): sizes; None or -1 is one that may change from call to call.
        dtype (str or dtype, 'float32'): element type.
        name (str, None): name of the input in the program and in saved models.
        stop_gradient (bool, False): whether no gradient goes to the input.
    Raises:
        TypeError: ``shape`` is not a list of ints and None, or ``dtype`` is not a known type.
        ValueError: a size is negative and not -1.

    >>> paddle.static.InputSpec([None, 784], 'float32', 'x')
    InputSpec(shape=(-1, 784), dtype=paddle.float32, name=x, stop_gradient=False)
    """

    def __init__(self, shape, dtype="float32", name=None, stop_gradient=False):
        self.shape = _shape(shape, "InputSpec")
        self.dtype = dtypes.convert(dtype, "InputSpec")
        self.name, self.stop_gradient = name, stop_gradient

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The spec of a Tensor."""
        if not isinstance(tensor, (Tensor, Symbolic)):
            raise ValueError(f"InputSpec.from_tensor(): tensor must be a Tensor, got {describe(tensor)}")
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray, name=None):
        """The spec of a NumPy array."""
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size):
        """Put a batch size in front of the shape."""
        if isinstance(batch_size, (list, tuple)):
            if len(batch_size) != 1:
                raise ValueError(f"InputSpec.batch(): batch_size must be one number, got {batch_size}")
            batch_size = batch_size[0]
        if not isinstance(batch_size, (int, np.integer)):
            raise TypeError(f"InputSpec.batch(): batch_size must be an int, got {describe(batch_size)}")
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self):
        """Take the first size off the shape."""
        if not self.shape:
            raise ValueError("InputSpec.unbatch(): the shape has no size to take off")
        self.shape = self.shape[1:]
        return self

    def __repr__(self):
        return (f"InputSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name}, "
                f"stop_gradient={self.stop_gradient})")

    def _key(self):
        return self.shape, self.dtype, self.name, self.stop_gradient

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())
