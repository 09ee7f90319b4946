"""Where a fluid program is: inside ``dygraph.guard()`` calls run at once, outside they build the default Program."""

import contextlib
import functools

from ..core import autograd, graph
from ..core import tensor as tensors
from ..utils import unique_name
from . import arrays

modern_backward = tensors.Tensor.backward


def backward(self, backward_strategy=None, grad_tensor=None, retain_graph=False):
    """Compute the gradients of what this tensor depends on; a tensor without gradient, or a graph that was gone through
    already, is no error (1.x; successor: Tensor.backward). ``backward_strategy`` changes nothing: sums are in order here."""
    if isinstance(backward_strategy, tensors.Tensor):
        grad_tensor = backward_strategy
    node, _ = autograd.node_of(self)
    if not self.stop_gradient and (node is None or node.edges is not None):
        modern_backward(self, grad_tensor, retain_graph)


class Tracer:
    """What one guard knows: the parameters made inside it, in order, and whether its layers train.

    ``whole`` says whether an optimizer without a parameter list updates them all (1.4, 1.5) or is a mistake (2.0 alpha).
    """

    def __init__(self):
        self.parameters, self.train_mode, self.whole = [], True, True

    def add(self, parameter):
        self.parameters.append(parameter)


_tracers = []


def tracer():
    """The innermost guard's tracer, or None outside any."""
    return _tracers[-1] if _tracers else None


def in_dygraph_mode():
    """Is the program inside ``dygraph.guard()`` (or has it called ``enable_dygraph``)?"""
    return bool(_tracers)


@contextlib.contextmanager
def guard(place=None):
    """Run calls at once inside the ``with`` block, with fresh name counters, so that a model built anew has the same names."""
    from ..core import place as places
    places.convert(place, "guard")
    names = unique_name.switch()
    static = graph.set_static(False)
    kept, autograd.mode.retain_all = autograd.mode.retain_all, True
    recording, autograd.mode.grad = autograd.mode.grad, True
    seen, tensors.numpy_view = tensors.numpy_view, arrays.view
    called, tensors.Tensor.backward = tensors.Tensor.backward, backward
    _tracers.append(Tracer())
    try:
        yield
    finally:
        _tracers.pop()
        autograd.mode.grad, tensors.Tensor.backward = recording, called
        autograd.mode.retain_all, tensors.numpy_view = kept, seen
        graph.set_static(static)
        unique_name.switch(names)


def set_training(on):
    """Switch the innermost guard: in evaluation its dropouts keep everything and nothing is recorded for gradients."""
    if _tracers:
        _tracers[-1].train_mode = autograd.mode.grad = on


_opened = []


def enable_dygraph(place=None):
    """Enter dygraph mode for the rest of the program; further calls do nothing."""
    if not _tracers:
        manager = guard(place)
        manager.__enter__()
        _opened.append(manager)


def disable_dygraph():
    """Leave the mode that ``enable_dygraph`` entered."""
    if _opened:
        _opened.pop().__exit__(None, None, None)


@contextlib.contextmanager
def era_mode():
    """Static mode outside guards, dynamic inside: how fluid calls decide when no argument does."""
    before = graph.set_static(not _tracers)
    try:
        yield
    finally:
        graph.set_static(before)


def fluid_call(function):
    """Decorator: run a function of fluid in the mode that fluid programs expect."""
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if graph.static is (not _tracers):
            return function(*args, **kwargs)
        with era_mode():
            return function(*args, **kwargs)
    return wrapped
