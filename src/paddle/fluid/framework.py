"""fluid.framework: programs and modes in 1.x's names."""

import contextlib
import functools

from .. import static
from ..base.framework import _dygraph_tracer as _modern_tracer
from ..base.protos import OpProtoHolder  # noqa: F401
from ..core import place as places
from ..core.addresses import lookup as _lookup
from ..core.context import changed
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace  # noqa: F401
from ..core.tensor import Parameter as ParamBase  # noqa: F401
from ..static import name_scope  # noqa: F401
from ..static.ir.lower import EMPTY
from ..static.program.program import (  # noqa: F401
    Block,
    Operator,
    Parameter,  # noqa: F401
    Program,
    default_main_program,
    default_startup_program,
    program_guard,
    switch_main_program,
    switch_startup_program,
)
from ..static.program.variable import GRAD
from ..static.program.variable import Variable as StaticVariable
from ..static.var_types import convert_np_dtype_to_proto_type
from ..utils import compat
from .state import in_dygraph_mode
from .state import tracer as _guard_tracer


def _dygraph_tracer():
    """The innermost guard's tracer; outside guards that of dynamic mode where fluid runs at once, else None."""
    return _guard_tracer() or (_modern_tracer() if in_dygraph_mode() else None)


def cpu_places(device_count=None):
    """CPU places (1.x; successor: paddle.static.cpu_places)."""
    return static.cpu_places(device_count)


def cuda_places(device_ids=None):
    """GPU places (1.x; successor: paddle.static.cuda_places)."""
    return static.cuda_places(device_ids)


def require_version(min_version, max_version=None):
    """Raises if no release that programs are run by here lies between the two (1.x; successor: paddle.utils.require_version)."""
    compat.check_version_range(min_version, max_version, "1.4.0", "3.3.1")


def is_compiled_with_cuda():
    """False: this is a CPU build."""
    return False


def convert_np_dtype_to_dtype_(np_dtype):
    """The VarType of a NumPy dtype."""
    return convert_np_dtype_to_proto_type(np_dtype)


class Variable(StaticVariable):
    """A variable of a program; inside a guard, tensors count as such (1.x; successor: paddle.static.Variable, paddle.Tensor)."""

    _dynamic, _stands_for = staticmethod(in_dygraph_mode), StaticVariable


def _var_base_to_np(var_base):
    """The array of a tensor (1.x; successor: Tensor.numpy)."""
    return var_base.numpy()


GRAD_VAR_SUFFIX, ZERO_VAR_SUFFIX, TEMP_VAR_NAME, EMPTY_VAR_NAME = GRAD, "@ZERO", "@TEMP@", EMPTY


def grad_var_name(var_name):
    """The name of the gradient of a variable of that name (1.x; successor: Variable.grad_name)."""
    return var_name + GRAD


def dygraph_not_support(function):
    """Decorator: calling the function inside a guard raises AssertionError (1.x; successor: paddle.in_dynamic_mode)."""
    @functools.wraps(function)
    def static_only(*args, **kwargs):
        if in_dygraph_mode():
            raise AssertionError(f"{function.__name__}(): it builds static programs, and can't be called inside dygraph.guard()")
        return function(*args, **kwargs)
    return static_only


def dygraph_only(function):
    """Decorator: calling the function outside a guard raises AssertionError (1.x; successor: paddle.in_dynamic_mode)."""
    @functools.wraps(function)
    def dynamic_only(*args, **kwargs):
        if not in_dygraph_mode():
            raise AssertionError(f"{function.__name__}(): it runs at once, and can only be called inside dygraph.guard()")
        return function(*args, **kwargs)
    return dynamic_only


@contextlib.contextmanager
def _dygraph_place_guard(place):
    """Inside the ``with`` block data is on that place, which must be one this build has."""
    places.convert(place, "_dygraph_place_guard")
    yield


@contextlib.contextmanager
def _test_eager_guard(place=None):
    """Inside the ``with`` block dynamic code runs by the second of 2.2's to 2.4's two engines, the only one there is here."""
    if place is not None:
        places.convert(place, "_test_eager_guard")
    yield


def _in_eager_without_dygraph_check():
    """Would dynamic code run by the second of 2.2's to 2.4's two engines? Yes: it is the only one there is here."""
    return True


def _in_legacy_dygraph():
    """Does code run by the first of the two engines? No, whatever was asked for: see ``_enable_legacy_dygraph``."""
    return False


def _enable_legacy_dygraph():
    """Dynamic code asks for the first of the two engines. Both compute the same; it goes on with the only one there is here, and
    ``_in_legacy_dygraph`` says so."""


def _disable_legacy_dygraph():
    """Dynamic code asks for the second of the two engines, which it has."""


@contextlib.contextmanager
def _dygraph_guard(tracer):
    """Inside the ``with`` block calls are those of a guard's tracer, or (None) build programs."""
    with changed(guard=tracer, static_mode=tracer is None):
        yield


def _static_guard():
    """Calls inside the ``with`` block build programs, also within ``dygraph.guard()`` (2.5; successor: paddle.enable_static)."""
    return _dygraph_guard(None)


__getattr__ = _lookup(__name__)
