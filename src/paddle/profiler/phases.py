"""The phases of training: loading data, forward, backward, optimization.

They are watched by putting timed functions in the place of a few methods while somebody listens, so that programs which
don't profile pay nothing.
"""

import functools

from ..core.tensor import Tensor
from ..io import DataLoader
from ..nn import Layer
from ..optimizer import Optimizer
from .recorder import TracerEventType, now

_listeners = []  # functions (name, kind, start, end)
_originals = []  # (class, name of the method, the method)


def listen(function):
    """Call ``function(name, kind, start, end)`` after each phase, until it is given to ``ignore``."""
    if not _listeners:
        _put_in_place()
    _listeners.append(function)


def ignore(function):
    """Stop calling a function."""
    if function in _listeners:
        _listeners.remove(function)
    if not _listeners:
        while _originals:
            owner, name, method = _originals.pop()
            setattr(owner, name, method)


def _tell(name, kind, start):
    end = now()
    for listener in list(_listeners):
        listener(name, kind, start, end)


def _timed(method, kind):
    @functools.wraps(method)
    def timed(self, *args, **kwargs):
        start = now()
        try:
            return method(self, *args, **kwargs)
        finally:
            _tell(type(self).__name__, kind, start)
    return timed


def _timed_batches(method):
    @functools.wraps(method)
    def batches(self):
        source = iter(method(self))
        while True:
            start = now()
            try:
                batch = next(source)
            except StopIteration:
                return
            _tell(type(self).__name__, TracerEventType.Dataloader, start)
            yield batch
    return batches


def _with_own(base, method):
    """The set of a class and those below it that have a method of their own."""
    found = {base} if method in vars(base) else set()
    return found.union(*(_with_own(below, method) for below in base.__subclasses__()))


def _put_in_place():
    found = [(Tensor, "backward", TracerEventType.Backward), (Layer, "__call__", TracerEventType.Forward)]
    found += [(owner, name, TracerEventType.Optimization) for name in ("step", "apply_gradients")  # the latter is minimize's part
              for owner in _with_own(Optimizer, name)]
    for owner, name, kind in found:
        _replace(owner, name, _timed(getattr(owner, name), kind))
    _replace(DataLoader, "__iter__", _timed_batches(DataLoader.__iter__))


def _replace(owner, name, method):
    _originals.append((owner, name, vars(owner)[name]))
    setattr(owner, name, method)
