"""The tensor functions as programs get them: under ``paddle.tensor.add`` stands what ``paddle.add`` is.

The package itself calls those of ``functions``, whose meaning no generation changes.
"""

import importlib
import sys
import types

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of
from .creation import fill_constant  # noqa: F401  (a name of paddle.tensor only)
from .functions import __all__ as __all__
from .public import FUNCTIONS as _FUNCTIONS

globals().update(_FUNCTIONS)
# tensor arrays: names of paddle.tensor only, which static programs share
__getattr__, __dir__ = _late(__name__, _names_of({
    "paddle.static.array": ["create_array", "array_length", "array_read", "array_write"]}))


class _Callable(types.ModuleType):
    """The module ``paddle.tensor``, which Paddle 3 lets one call: ``paddle.tensor([1.0])`` makes a tensor."""

    def __call__(self, data, dtype=None, device=None, requires_grad=False, pin_memory=False):
        return globals()["as_tensor"](data, dtype, device, requires_grad, pin_memory)


sys.modules[__name__].__class__ = _Callable
complete = True  # functions and methods are all there
if "paddle.static" in sys.modules:  # Variables get the methods of Tensors as soon as there are both
    importlib.import_module("paddle.static.methods")
