"""paddle.incubate.autograd.primapi: derivatives of programs, forward and backward, and of simpler operators."""

from ...core import flags
from ...core.backward import grad as _grad
from ...core.context import in_dynamic_mode
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...static.backward import add_gradients as gradients
from ...static.backward import tangents
from ...static.primitive import to_prim
from ...tensor.functions import ones_like

__all__ = ["forward_grad", "grad", "to_prim"]

_prim = flags.define("FLAGS_prim_enabled", False, "programs ask for derivatives in forward direction (forward_grad)")


def enable_prim():
    """Allow ``forward_grad`` in programs. Gradients are unchanged: all of them can be differentiated again."""
    _prim.value = True


def disable_prim():
    """Take back ``enable_prim``."""
    _prim.value = False


def prim_enabled():
    """Was ``enable_prim`` called?"""
    return _prim.value


def prim2orig(block=None, blacklist=None):
    """Turn the primitive operators of a program's block back into the usual ones: none are ever in one, so it is unchanged."""
    if block is not None and not hasattr(block, "ops"):
        raise TypeError(f"prim2orig(): block must be a Block of a program, got {describe(block)}")
    if blacklist is not None and not isinstance(blacklist, (frozenset, set, list, tuple)):
        raise TypeError(f"prim2orig(): blacklist must be names of operators, got {describe(blacklist)}")


def forward_grad(outputs, inputs, grad_inputs=None):
    """How outputs change as inputs go along ``grad_inputs`` (ones unless given), in a static program after ``enable_prim()``.

    Args:
        outputs: a Variable or several.
        inputs: the Variables they were computed from.
        grad_inputs: directions, of the inputs' shapes.

    An output that does not depend on the inputs gives None.

    >>> paddle.enable_static(); paddle.incubate.autograd.enable_prim()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [2])
    ...     y = paddle.incubate.autograd.forward_grad(x * x * x, x)
    >>> paddle.static.Executor().run(main, feed={'x': [1., 2.]}, fetch_list=[y])[0].tolist()
    [3.0, 12.0]
    >>> paddle.incubate.autograd.disable_prim(); paddle.disable_static()
    """
    if in_dynamic_mode() or not _prim.value:
        raise RuntimeError("forward_grad(): it is for static programs, after enable_prim(); use paddle.incubate.autograd.jvp")
    ys, xs = _several("forward_grad", outputs=outputs), _several("forward_grad", inputs=inputs)
    directions = [ones_like(x) for x in xs] if grad_inputs is None else _several("forward_grad", grad_inputs=grad_inputs)
    found = tangents(ys, xs, directions)
    return found if isinstance(outputs, (list, tuple)) else found[0]


def _several(function, **named):
    """The Variables of an argument, as a list."""
    (name, value), = named.items()
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(v, Symbolic) for v in values):
        raise TypeError(f"{function}(): {name} must be a Variable or several, got {describe(value)}")
    return values


def grad(outputs, inputs, grad_outputs=None):
    """The gradients of outputs by inputs, of the inputs' form; see ``paddle.grad``."""
    if in_dynamic_mode():
        found = _grad(outputs, inputs, grad_outputs, create_graph=True, allow_unused=True)
        return found[0] if isinstance(inputs, Tensor) else found
    given = None if grad_outputs is None else _several("grad", grad_outputs=grad_outputs)
    found = gradients(_several("grad", outputs=outputs), _several("grad", inputs=inputs), given, heed_stops=not _prim.value)
    return found if isinstance(inputs, (list, tuple)) else found[0]
