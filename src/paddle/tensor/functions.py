"""The tensor functions of 2.x as the package itself calls them, and the Tensor methods made from them.

Each module lists its public functions in ``__all__``, those that are Tensor methods too in ``METHODS`` (a list of names), those
with an in-place twin ``name_`` in ``INPLACE``, second names in ``ALIASES`` and ``METHOD_ALIASES``. Properties and
protocol methods are in ``methods.py``.
"""

import functools
import importlib

from ..core.errors import describe, own_errors
from ..core.op import Symbolic
from ..core.signature import arguments as _arguments
from ..core.spelling import spelled as _spelled
from ..core.tensor import Tensor
from . import operators as _operators  # noqa: F401  (gives Tensor its operators)

_MODULES = ("attribute", "creation", "construct", "manipulation", "slicing", "joining", "gather_scatter", "indexing", "contraction",
            "type_limits", "search", "random", "math", "unary", "logic", "reduction", "cumulative", "stat", "binary", "product",
            "linalg", "matrices", "einsum", "special", "complex", "printing", "tensor_kinds", "signs", "spelled",
            "decompositions", "kinds", "complex_functions")

__all__ = ["Tensor"]


def _inplace(name, function):
    """The in-place twin: compute, then let the tensor become the result."""
    first = next(iter(_arguments(function)))

    @functools.wraps(function)
    def twin(x=None, /, *args, **kwargs):
        x = kwargs.pop(first, None) if x is None else x
        if not isinstance(x, (Tensor, Symbolic)):
            raise TypeError(f"{name}(): x must be a Tensor, got {describe(x)}")
        old = x.snapshot()
        result = function(old, *[old if a is x else a for a in args], **kwargs)
        # comparisons turn the tensor into one of bool, sums over all axes into a flat one
        reshapes = isinstance(result, Tensor) and (name == "cumsum_" or result.dtype.name == "bool" and result.shape == x.shape)
        return x.become(result, name, reshapes)
    twin.__doc__ = f"In-place form of ``{function.__name__}``: the tensor itself takes the result.\n"
    return own_errors(twin, name)


def _collect():
    modules = []
    for module_name in _MODULES:  # all imports first: importing `complex` would hide the function of that name
        modules.append(importlib.import_module("." + module_name, __package__))
    for module in modules:
        for name in module.__all__:
            globals()[name] = getattr(module, name)
            __all__.append(name)
        for name in vars(module).get("METHODS", ()):
            setattr(Tensor, name, _spelled(name, getattr(module, name), "paddle.Tensor." + name))
        for name in vars(module).get("INPLACE", ()):
            twin = _inplace(name + "_", getattr(module, name))
            globals()[name + "_"] = twin
            __all__.append(name + "_")
            setattr(Tensor, name + "_", _spelled(name + "_", twin, f"paddle.Tensor.{name}_"))
    for module in modules:  # second names of what is there now
        for name, there in vars(module).get("ALIASES", {}).items():
            globals()[name] = globals()[there]
            __all__.append(name)
        for name, there in vars(module).get("METHOD_ALIASES", {}).items():
            if isinstance(there, str):
                there = _spelled(there, globals()[there], "paddle.Tensor." + name)
            setattr(Tensor, name, there)


_collect()

from . import aliasing as _aliasing  # noqa: E402, F401  (properties and protocol methods of Tensor)
from . import methods as _methods  # noqa: E402, F401
from . import single_elements as _single_elements  # noqa: E402, F401  (follows the generation that is chosen)
