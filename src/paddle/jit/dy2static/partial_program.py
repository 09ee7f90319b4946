"""paddle.jit.dy2static.partial_program: what runs a traced program."""

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ..static_function import runner_of
from ..tracing import Concrete

__all__ = ["partial_program_from"]


def partial_program_from(concrete_program, from_method=False):
    """What runs a traced program: called with the list of its input Tensors it gives the list of its outputs.

    The layer of a method is no input of its program here, so that there is nothing to leave out with ``from_method``.

    >>> from paddle.jit.dy2static.partial_program import partial_program_from
    >>> f = paddle.jit.to_static(lambda x: x * 2, full_graph=True)
    >>> concrete, _ = f.get_concrete_program(paddle.ones([2]))
    >>> partial_program_from(concrete)([paddle.to_tensor([1., 5.])])[0].tolist()
    [2.0, 10.0]
    """
    if not isinstance(concrete_program, Concrete):
        raise TypeError(f"partial_program_from(): concrete_program must be a traced program, got {describe(concrete_program)}")
    return runner_of(concrete_program)


__getattr__ = _lookup(__name__)
