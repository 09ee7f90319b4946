"""paddle.base.framework: programs, parameters and modes."""

import contextlib

from ..core import dtype as dtypes
from ..core import place as places
from ..core.addresses import lookup as _lookup
from ..core.context import changed, context, in_dynamic_mode
from ..core.errors import describe
from ..core.flags import get_flags, set_flags  # noqa: F401
from ..static.at_once import empty, run
from ..static.graph import IrGraph, IrNode, IrOpNode, IrVarNode  # noqa: F401
from ..static.program.program import (
    GRAD,
    Block,
    Operator,
    Parameter,
    Program,
    Variable,
    default_main_program,
    default_startup_program,
    program_guard,
)
from ..static.var_types import convert_np_dtype_to_proto_type  # noqa: F401
from ..static.var_types import datatype_to_vartype as paddle_type_to_proto_type  # noqa: F401
from ..utils import unique_name  # noqa: F401
from . import core  # noqa: F401
from .dygraph import in_dygraph_mode
from .parameters import EagerParamBase
from .proto.framework_pb2 import OpProto
from .protos import OpProtoHolder, canonicalize_attrs, kernel_signature
from .scalars import extract_plain_list, wrap_as_scalar, wrap_as_scalars  # noqa: F401
from .wrapped_decorator import signature_safe_contextmanager, wrap_decorator

__all__ = ["Block", "EagerParamBase", "OpProtoHolder", "Operator", "Parameter", "Program", "Variable", "canonicalize_attrs",
           "convert_np_dtype_to_dtype_", "default_main_program", "default_startup_program", "dygraph_only", "get_all_op_protos",
           "grad_var_name", "in_dygraph_mode", "in_dynamic_mode", "in_dynamic_or_pir_mode", "in_pir_mode", "program_guard",
           "signature_safe_contextmanager", "static_only", "use_pir_api", "wrap_decorator"]

_create_tensor = empty
EMPTY_VAR_NAME, TEMP_VAR_NAME, GRAD_VAR_SUFFIX, ZERO_VAR_SUFFIX = "@EMPTY@", "@TEMP@", GRAD, "@ZERO"
CONTROL_DEP_VAR_PREFIX = "^DEPENDENCY@"


def in_pir_mode():
    """False: programs are kept in one form, whichever release's files they come from."""
    return False


use_pir_api = in_pir_mode


def in_dynamic_or_pir_mode():
    """Do calls run at once?"""
    return in_dynamic_mode()


def get_all_op_protos():
    """The OpProtos of all operators of 2.6.2 that run here."""
    return [OpProto.FromString(data) for data in core.get_all_op_protos()]


def convert_np_dtype_to_dtype_(np_dtype):
    """The element type of a NumPy type or of a name."""
    return dtypes.convert(np_dtype, "convert_np_dtype_to_dtype_")


def grad_var_name(var_name):
    """The name of the variable that holds another one's gradient."""
    return var_name + GRAD


def _current_expected_place():
    """The place that calls compute on: the CPU."""
    return places.CPU


_current_expected_place_ = _current_expected_place


def _set_expected_place(place):
    """Compute on another place; there is only the CPU, so another one means it (see paddle.set_device)."""
    places.convert(place, "_set_expected_place")


def _get_paddle_place(place):
    """The Place that a name means; None stays None."""
    return None if place is None else places.convert(place, "_get_paddle_place")


def _get_paddle_place_list(given):
    """The Places that names mean."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"_get_paddle_place_list(): places must be a list or tuple, got {describe(given)}")
    return [_get_paddle_place(place) for place in given]


def _get_var(name, program=None):
    """The variable of a name in the outermost block of a program, the default main one for None."""
    return (default_main_program() if program is None else program).global_block().var(name)


def _need(dynamic, function):
    def checked(*args, **kwargs):
        if in_dynamic_mode() != dynamic:
            raise AssertionError(f"{function.__name__}(): works in {'dynamic' if dynamic else 'static'} mode only; "
                                 f"call paddle.{'disable' if dynamic else 'enable'}_static() before")
        return function(*args, **kwargs)
    return checked


@wrap_decorator
def dygraph_only(function):
    """Let a function raise AssertionError in static mode."""
    return _need(True, function)


non_static_only = dygraph_only


@wrap_decorator
def static_only(function):
    """Let a function raise AssertionError in dynamic mode."""
    return _need(False, function)


dygraph_not_support = static_only


@signature_safe_contextmanager
def _dygraph_place_guard(place):
    """Compute on a place inside the ``with`` block; every place means the CPU."""
    places.convert(place, "_dygraph_place_guard")
    yield


@signature_safe_contextmanager
def _stride_in_no_check_dy2st_diff():
    """A block within which ``to_static`` would not be told where views and copies differ; it never is: both give the same here."""
    yield


_no_check_dy2st_diff = _stride_in_no_check_dy2st_diff


class Tracer:
    """What dynamic mode records and runs with, as Paddle's C++ tracer shows it."""

    @property
    def _has_grad(self):
        """Are calls recorded for gradients?"""
        return context.grad

    @_has_grad.setter
    def _has_grad(self, value):
        context.grad = bool(value)

    def trace_op(self, type, inputs, outputs, attrs, stop_gradient=False, inplace_map=None):
        """Run the operator of a type on Tensors by slot; its results go into the given outputs."""
        with changed(grad=context.grad and not stop_gradient):
            run(type, inputs, outputs, attrs)

    def _get_kernel_signature(self, op_type, inputs, outputs, attrs):
        """(input slots, attributes, output slots) of the operator's C++ function; RuntimeError where it has none."""
        return kernel_signature(op_type, inputs)


_tracer = Tracer()


def _dygraph_tracer():
    """The tracer in dynamic mode, None in static mode."""
    return _tracer if in_dynamic_mode() else None


@contextlib.contextmanager
def _dygraph_guard(tracer):
    """Dynamic mode with a tracer, static mode with None, inside the ``with`` block."""
    with changed(static_mode=tracer is None):
        yield


__getattr__ = _lookup(__name__)
