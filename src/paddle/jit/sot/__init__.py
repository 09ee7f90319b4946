"""paddle.jit.sot: to_static's way without ``full_graph``, under the addresses that 2.6 has for it."""

from ...core.addresses import lookup as _lookup
from ...core.autograd import no_grad
from ..static_function import to_static
from . import psdb  # noqa: F401  (``sot.psdb`` is how programs call it)

__getattr__ = _lookup(__name__)


def symbolic_translate(fn, **kwargs):
    """``to_static(fn, full_graph=False)``: what can't be translated runs eagerly.

    Args:
        fn (callable): a function, method or Layer.
        kwargs: ``build_strategy`` and ``backend`` of to_static; ``training`` (bool): False calls it without gradients.

    >>> from paddle.jit.sot import symbolic_translate
    >>> symbolic_translate(lambda x: x * 2)(paddle.to_tensor([1.])).tolist()
    [2.0]
    """
    training = kwargs.pop("training", True)
    static = to_static(fn, full_graph=False, **kwargs)
    if training:
        return static
    return no_grad()(static)
