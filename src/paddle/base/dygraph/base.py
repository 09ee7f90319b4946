"""paddle.base.dygraph.base: eager mode as programs of 2.5 and 2.6 switch it, with the meanings of 2.x."""

import contextlib
import functools
import warnings

from ...core import place as places
from ...core.addresses import lookup as _lookup
from ...core.autograd import no_grad  # noqa: F401
from ...core.backward import grad  # noqa: F401
from ...core.context import changed, context, in_dynamic_mode, set_static
from ...core.names import Counters
from ...core.tensor import Tensor
from ...nn import Layer  # noqa: F401
from ...static.program.program import Program
from ...tensor.functions import to_tensor

__all__ = ["guard", "to_variable", "grad", "no_grad", "enabled", "enable_dygraph", "disable_dygraph", "in_dygraph_mode",
           "is_compiled_with_cuda", "Layer", "in_to_static_mode", "switch_to_static_graph"]


@contextlib.contextmanager
def guard(place=None):
    """Run calls at once inside the ``with`` block, with fresh name counters and default programs."""
    places.convert(place, "guard")
    main = Program()
    main.dynamic = True
    with changed(names=Counters(), static_mode=False, main=main, startup=Program()):
        yield


@contextlib.contextmanager
def param_guard(parameters):
    """The parameters as they are: a trace sees them without being shown variables in their place."""
    yield


def to_variable(value, name=None, zero_copy=None, dtype=None):
    """A Tensor from an array; a Tensor is returned as it is. It copies; ``zero_copy=True`` gives a warning, as in 2.6."""
    if zero_copy:
        warnings.warn("to_variable(): zero_copy=True has no effect in 2.x: the array is copied", stacklevel=2)
    if isinstance(value, Tensor):
        return value
    made = to_tensor(value, dtype)
    if name is not None:
        made.name = name
    return made


def enable_dygraph(place=None):
    """Leave static mode."""
    places.convert(place, "enable_dygraph")
    set_static(False)


def disable_dygraph():
    """Enter static mode."""
    from ... import static  # noqa: F401  (recording is plugged in by it)
    set_static(True)


def in_dygraph_mode():
    """Do calls run at once?"""
    return in_dynamic_mode()


enabled = in_dygraph_mode


def in_to_static_mode():
    """Is a function being translated by ``to_static`` right now?"""
    return context.trace is not None


in_declarative_mode = in_to_static_mode


class _Globals:
    """What 2.6 keeps of the mode in variables: whether a function is being translated."""

    @property
    def _in_to_static_mode_(self):
        return in_to_static_mode()

    @_in_to_static_mode_.setter
    def _in_to_static_mode_(self, value):
        if bool(value) != in_to_static_mode():
            raise RuntimeError("global_var._in_to_static_mode_: translation begins and ends with the call of a to_static function; "
                               "it can't be switched in between")


global_var = _Globals()


@contextlib.contextmanager
def _to_static_mode_guard_(is_to_static=True):
    """A block in which a program takes eager parameters over as its own when layers are called on its variables.

    Programs always do that here, within the block and outside of it, so there is nothing to turn off: False is refused.
    """
    if not is_to_static:
        raise NotImplementedError("_to_static_mode_guard_(False): programs always take eager parameters over")
    yield


def _switch_declarative_mode_guard_(is_declarative=True):
    """``_to_static_mode_guard_`` as 2.0 to 2.4 call it."""
    return _to_static_mode_guard_(is_declarative)


def switch_to_static_graph(function):
    """Let a function run in static mode."""
    @functools.wraps(function)
    def switched(*args, **kwargs):
        from ... import static  # noqa: F401  (recording is plugged in by it)
        with changed(static_mode=True):
            return function(*args, **kwargs)
    return switched


def is_compiled_with_cuda():
    """False: this is a CPU build."""
    return False


__getattr__ = _lookup(__name__)
