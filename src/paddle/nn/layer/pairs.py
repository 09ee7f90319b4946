"""A layer and the activation behind it as one op, where a Sequential, or a layer that has both, calls them and nobody can tell.

``takes`` says that a class whose ``forward`` is the given one also has a method for both; a subclass with a forward of its own has
not. Hooks, traces and instances with another ``forward`` see layers one by one.
"""

from ...core.context import context, process
from ...core.folding import fold
from ...core.tensor import Tensor
from .layers import _note

_ACTIVATIONS = {}  # class -> function that names what a layer of it does
_METHODS = {}  # forward -> (function for both, names that it takes, also where gradients are recorded?)


def activation(name):
    """Declare a class of activations: ``name(layer)`` is what it does, or None."""
    def declare(layer_class):
        _ACTIVATIONS[layer_class] = name
        return layer_class
    return declare


def takes(forward, *names, recorded=True):
    """Declare a function ``(layer, x, name)`` that does what ``forward`` and an activation do; it may return NotImplemented.

    ``recorded``: also where gradients are recorded."""
    def declare(method):
        _METHODS[forward] = method, frozenset(names), recorded
        return method
    return declare


def _is_seen(layer):
    """Does somebody look at the calls of a layer?"""
    return layer._forward_pre_hooks or layer._forward_post_hooks or "forward" in layer.__dict__


def _is_eager(x):
    """Is it a tensor of plain floats, in a call that nobody else wants to see?"""
    return (x.__class__ is Tensor and x._data.dtype.char in "fd" and not process.listeners and not process.hooks
            and not context.hooks and context.trace is None)


def is_plain(layer, kind, x):
    """Does a layer do to x what its class, or one of that kind with the same forward, does, and nothing else?"""
    return isinstance(layer, kind) and type(layer).forward is kind.forward and not _is_seen(layer) and _is_eager(x)


def both(layer, name, x):
    """A layer's result with an activation behind it, or NotImplemented."""
    method, names, recorded = _METHODS.get(type(layer).forward, (None, (), False))
    if name not in names or context.grad and not recorded or _is_seen(layer) or not _is_eager(x):
        return NotImplemented
    try:
        return method(layer, x, name)
    except Exception as error:
        _note(layer, error, (x,))
        fold(error)
        raise


def called(layers, x):
    """x through layers, one after the other."""
    waiting = None  # a layer that an activation may follow
    for layer in layers:
        if waiting is not None:
            before, waiting = waiting, None
            name = _ACTIVATIONS.get(type(layer))
            name = name(layer) if name is not None and not _is_seen(layer) else None
            found = NotImplemented if name is None else both(before, name, x)
            if found is not NotImplemented:
                x = found
                continue
            x = before(x)
        found = _METHODS.get(type(layer).forward)
        if found is not None and (found[2] or not context.grad):
            waiting = layer
        else:
            x = layer(x)
    return x if waiting is None else waiting(x)
