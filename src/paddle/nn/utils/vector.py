"""All parameters as one vector."""

from ...core.autograd import no_grad
from ...core.errors import describe, own_errors
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...tensor import joining

__all__ = ["parameters_to_vector", "vector_to_parameters"]


@own_errors
def parameters_to_vector(parameters, name=None):
    """The parameters flattened and joined.

    >>> paddle.nn.utils.parameters_to_vector(paddle.nn.Linear(2, 3).parameters()).shape
    [9]
    """
    parameters = list(parameters)
    for p in parameters:
        if not isinstance(p, (Tensor, Symbolic)):
            raise TypeError(f"parameters_to_vector(): parameters must be Tensors, got {describe(p)}")
    return joining.concat([p.flatten() if len(p.shape) else p.reshape([1]) for p in parameters], 0)


@own_errors
@no_grad()
def vector_to_parameters(vec, parameters, name=None):
    """Write the parts of a vector into the parameters, in order.

    >>> layer = paddle.nn.Linear(1, 1)
    >>> paddle.nn.utils.vector_to_parameters(paddle.to_tensor([2., 3.]), layer.parameters())
    >>> layer.bias.tolist()
    [3.0]
    """
    parameters = list(parameters)
    if not all(isinstance(p, Tensor) for p in parameters):
        raise NotImplementedError("vector_to_parameters(): parameters of static programs have no values while the program is "
                                  "built; load them with paddle.static.set_program_state")
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters(): vec must be a Tensor, got {describe(vec)}")
    total = sum(int(p.size) for p in parameters)
    if len(vec.shape) != 1 or vec.shape[0] != total:
        raise ValueError(f"vector_to_parameters(): vec must have {total} elements, got shape {list(vec.shape)}")
    start = 0
    for p in parameters:
        size = int(p.size)
        p.set_value(vec[start:start + size].reshape(list(p.shape)))
        start += size
