"""paddle.base.wrapped_decorator: decorators that keep a function's name and signature."""

import contextlib
import functools

__all__ = ["wrap_decorator", "signature_safe_contextmanager"]


def wrap_decorator(decorator_func):
    """A decorator whose results look like what they decorate (1.x; successor: functools.wraps)."""
    @functools.wraps(decorator_func)
    def decorate(function):
        return functools.wraps(function)(decorator_func(function))
    return decorate


def signature_safe_contextmanager(function):
    """A context manager from a generator (1.x; successor: contextlib.contextmanager)."""
    return contextlib.contextmanager(function)
