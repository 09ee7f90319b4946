"""Where a fluid program is: inside ``dygraph.guard()`` calls run at once, outside they build the default Program."""

import contextlib
import functools

from ..core import autograd, graph, random
from ..core import tensor as tensors
from ..static import program as programs
from ..utils import unique_name
from . import arrays


class Tracer:
    """What one guard knows: the parameters made inside it, in order, whether its layers train, and of which generation the
    program is, as far as its calls say so.

    ``whole``: an optimizer without a parameter list updates all parameters (1.x), or is a mistake (2.0 alpha).
    ``scoped``: layers have a name_scope (1.4, 1.5). ``adds``: a call was one that only 1.4 had.
    """

    def __init__(self):
        self.parameters, self._known = [], set()
        self.train_mode, self.whole, self.scoped, self.adds = True, True, False, False

    def add(self, parameter):
        self.parameters.append(parameter)
        self._known.add(id(parameter))

    def knows(self, parameter):
        """Was the parameter made by a layer of fluid inside this guard?"""
        return id(parameter) in self._known


_tracers = []


def tracer():
    """The innermost guard's tracer, or None outside any."""
    return _tracers[-1] if _tracers else None


def register(parameter):
    """Let the innermost guard, if there is one, know a parameter that was made; returns the parameter."""
    if _tracers and isinstance(parameter, tensors.Tensor):
        _tracers[-1].add(parameter)
    return parameter


def note(**facts):
    """Remember what a call says about the program's generation, for the innermost guard: ``note(adds=True)``."""
    if _tracers:
        vars(_tracers[-1]).update(facts)


def is_14():
    """Has a call in this guard shown that the program is one of 1.4?"""
    return bool(_tracers) and _tracers[-1].adds


def in_dygraph_mode():
    """Is the program inside ``dygraph.guard()`` (or has it called ``enable_dygraph``)?"""
    return bool(_tracers)


@contextlib.contextmanager
def guard(place=None):
    """Run calls at once inside the ``with`` block, with fresh name counters, so that a model built anew has the same names."""
    from ..core import place as places
    from . import variables
    places.convert(place, "guard")
    names = unique_name.switch()
    static = graph.set_static(False)
    kept, autograd.mode.retain_all = autograd.mode.retain_all, True
    recording, autograd.mode.grad = autograd.mode.grad, True
    seen, tensors.numpy_view = tensors.numpy_view, arrays.view
    named, tensors.make_name = tensors.make_name, functools.partial(unique_name.generate, "generated_var")
    watcher, programs.seed_watcher = programs.seed_watcher, _seed
    _seed(programs.default_startup_program())
    changed = [(owner, name, getattr(owner, name)) for owner, name, _ in variables.table()]
    for owner, name, new in variables.table():
        setattr(owner, name, new)
    _tracers.append(Tracer())
    try:
        yield
    finally:
        _tracers.pop()
        for owner, name, old in changed:
            setattr(owner, name, old)
        autograd.mode.grad, tensors.make_name, programs.seed_watcher = recording, named, watcher
        autograd.mode.retain_all, tensors.numpy_view = kept, seen
        graph.set_static(static)
        unique_name.switch(names)


def _seed(program):
    """Draw with the seed of a default program, as guards did: it makes runs repeatable."""
    if program.random_seed and program in (programs.default_startup_program(), programs.default_main_program()):
        random.seed(program.random_seed)


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
def paused():
    """As outside any guard: fluid's calls build programs."""
    global _tracers
    open_guards, _tracers = _tracers, []
    before = graph.set_static(True)
    try:
        yield
    finally:
        _tracers = open_guards
        graph.set_static(before)


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
