"""paddle.jit.dy2static.utils_helper: sizes of a program's tensors that are not known before it runs."""

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from .utils import is_dygraph_api

__all__ = ["is_dygraph_api", "set_dynamic_shape"]


def set_dynamic_shape(variable, shape_list):
    """Within ``to_static``, declare the shape of a tensor of the program, -1 where a size changes; of others the size is known.

    >>> from paddle.jit.dy2static.utils_helper import set_dynamic_shape
    >>> @paddle.jit.to_static(full_graph=True)
    ... def f(x):
    ...     x = x + 1
    ...     set_dynamic_shape(x, [-1, 2])
    ...     return x
    >>> f(paddle.zeros([3, 2])).shape, f.concrete_program.outputs[0].shape
    ([3, 2], (-1, 2))
    """
    if isinstance(variable, Symbolic):
        variable.desc.set_shape(list(shape_list))
    elif not isinstance(variable, Tensor):
        raise TypeError(f"set_dynamic_shape(): variable must be a Tensor, got {describe(variable)}")


__getattr__ = _lookup(__name__)
