"""The basics of fluid's dygraph: guard, to_variable, no_grad, grad."""

import collections
import contextlib
import functools
import gc
import inspect

import numpy as np

from ...core import autograd, backward, names
from ...core import dtype as dtypes
from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor, wrap
from ..state import disable_dygraph, enable_dygraph, guard, in_dygraph_mode, paused, rules_of_fluid

__all__ = ["guard", "to_variable", "no_grad", "grad", "enabled", "enable_dygraph", "disable_dygraph", "BackwardStrategy",
           "switch_to_static_graph"]


def enabled():
    """Is the program inside a guard?"""
    return in_dygraph_mode()


def to_variable(value, block=None, name=None, zero_copy=None, dtype=None):
    """A Tensor from an array (1.x; successor: paddle.to_tensor). In 1.4 and 1.5 it receives a gradient, unless it holds
    integers; from 1.6 on its stop_gradient is True. ``dtype`` came with 2.0."""
    if isinstance(value, (Tensor, Symbolic)):  # a Variable: the function is being translated
        return value
    if isinstance(block, str):  # from 1.7 on the name is the second argument
        name = block
    if not isinstance(value, np.ndarray):
        if isinstance(value, (list, tuple, int, float, np.generic)):
            value = np.asarray(value)
            value = value.astype("float32") if value.dtype == np.float64 else value
        else:
            raise TypeError(f"to_variable(): value must be an array or a Tensor, got {describe(value)}")
    if dtype is not None:
        value = value.astype(dtypes.to_numpy(dtype))
    t = wrap(np.atleast_1d(value if zero_copy else np.array(value, order="C")))  # there was no shape []
    rules = context.rules if context.guard is not None else rules_of_fluid()
    t.stop_gradient = rules.data_stops or value.dtype.kind not in "fc"
    if name is not None:
        t.name = name
    return t


class _NoGrad(autograd.no_grad):
    """no_grad as 1.x used it: a context manager, a decorator, or called to get a context manager."""

    def __call__(self, func):
        made = super().__call__(func)
        made.__signature__ = inspect.signature(func)  # programs of the time asked for the arguments without unwrapping
        return made


no_grad = _NoGrad


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=False,
         no_grad_vars=None, backward_strategy=None):
    """Gradients of outputs by inputs (1.x; successor: paddle.grad); sums are in order here, so ``backward_strategy`` changes
    nothing."""
    return backward.grad(outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, no_grad_vars)


class BackwardStrategy:
    """Settings of backward in 1.x; sums are always sorted here, so ``sort_sum_gradient`` changes nothing."""

    def __init__(self):
        self.sort_sum_gradient = False


def switch_to_static_graph(function):
    """Decorator: build programs inside the function, also when it is called in a guard (1.x; successor:
    paddle.enable_static)."""
    @functools.wraps(function)
    def static(*args, **kwargs):
        with paused():
            return function(*args, **kwargs)
    return static


@contextlib.contextmanager
def param_guard(parameters):
    """Kept for programs that use it: parameters need no conversion here."""
    yield


@contextlib.contextmanager
def program_desc_tracing_guard(enable):
    """A block whose operators a tracer does not record (1.6 to 2.6; successor: none).

    Programs are recorded by calling a layer on variables here, never by watching operators that run at once, so there is
    nothing to pause; True is refused.
    """
    if enable:
        raise NotImplementedError("program_desc_tracing_guard(True): operators that run at once are not recorded; use "
                                  "TracedLayer.trace or paddle.jit.to_static")
    yield


def _print_debug_msg(parameter_list=(), limit=5, is_test=False):
    """How many names are counted, parameters given and tensors alive: printed with the ``limit`` commonest types of objects, or
    with ``is_test`` returned (1.5 to 1.8; successor: none)."""
    objects = gc.get_objects()
    found = len(names.current().ids), len(parameter_list), sum(isinstance(o, Tensor) for o in objects)
    if is_test:
        return found
    print("names: {}, parameters: {}, tensors: {}".format(*found))
    print(*collections.Counter(type(o).__name__ for o in objects).most_common(limit), sep="\n")
    return None


def _not_support(function):
    """Decorator: 1.5's name of fluid.framework.dygraph_not_support."""
    from ..framework import dygraph_not_support  # made of the guards of this module
    return dygraph_not_support(function)


__getattr__ = _lookup(__name__)
