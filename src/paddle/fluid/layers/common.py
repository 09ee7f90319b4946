"""What fluid.layers functions share: the older calling conventions in front of today's functions."""

from ...core.errors import describe
from ...core.generation import find
from ...core.op import BY_NAME, Symbolic
from ...core.tensor import Tensor
from ...nn import activations
from ...tensor import convert
from .. import state

_FURTHER = ("sequence_softmax", "cumsum", "pow", "scale")  # operators of 1.x that are no activations of 2.x, and were taken as one


def activate(x, act):
    """x through the activation of that name (None: as it is)."""
    if act in _FURTHER:
        return find("paddle.fluid.layers." + act)(x)
    return activations.activate(x, act, "act")


def at_least_1d(x):
    """A 0-d result as fluid had it: of shape [1]."""
    return x.reshape([1]) if len(x.shape) == 0 else x


def dim_arg(dim, function):
    """fluid's ``dim``: None, an int or a list, an empty list meaning all."""
    return None if dim is None or (isinstance(dim, (list, tuple)) and not dim) else convert.axis_arg(dim, function, "dim")


def single(x):
    """The Variable of a list that holds one: operators of 1.x took lists for any of their inputs."""
    return x[0] if isinstance(x, (list, tuple)) and len(x) == 1 and isinstance(x[0], Symbolic) else x


def elementwise(name, known=None):
    """The function ``elementwise_<name>(x, y, axis=-1, act=None)`` over the op of that name."""
    def function(x, y, axis=-1, act=None, name=None):
        x, y = convert.promote(single(x), single(y), op.name)
        return activate(op(x, y, axis), act)
    op = BY_NAME[name]
    function.__doc__ = (f"{op.name} of two tensors, y matched from an axis of x on, then an activation (1.x; successor: "
                        f"paddle.{op.name}).")
    return state.fluid_call(function, known)


def reduction(name):
    """The function ``reduce_<name>(input, dim=None, keep_dim=False)`` over the op of that name."""
    def function(input, dim=None, keep_dim=False, name=None):
        x = convert.as_tensor(single(input), "reduce_" + op.name, "input")
        return at_least_1d(op(x, dim_arg(dim, "reduce_" + op.name), bool(keep_dim)))
    op = BY_NAME[name]
    function.__doc__ = f"{op.name} over axes, of shape [1] over all (1.x; successor: paddle.{op.name})."
    return state.fluid_call(function, "reduce_" + name)


def need_variables(function, **given):
    """TypeError unless the arguments are tensors or Variables: 1.7 and 1.8 took no arrays for them."""
    for name, value in given.items():
        if not isinstance(value, (Tensor, Symbolic)):
            raise TypeError(f"{function}(): {name} must be a Variable, got {describe(value)}")
