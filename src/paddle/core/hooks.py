"""Hooks on every op call: profiler, NaN finder, FLOP counter, AMP and traces share this one mechanism.

A hook has ``before(op, args) -> args`` and/or ``after(op, args, outs)``; ``args`` are the bound arguments (Tensors first,
then attributes), ``outs`` the Tensor or tuple of Tensors. It sees the calls of the thread that installed it, or those
of all threads (``everywhere``). Without hooks, op calls cost nothing extra.

``listen`` and ``phase`` are the same for whole phases of training: loading data, forward, backward, optimization.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

from .context import context, process
from .folding import fold


def installed() -> tuple[OpHook, ...]:
    """The hooks that are told of the calls of this thread."""
    return context.hooks + process.hooks


def of_gradients() -> list[OpHook]:
    """The installed hooks that are told of the steps of backward."""
    return [hook for hook in installed() if hook.gradients]


def _without(hooks: tuple[OpHook, ...], hook: OpHook) -> tuple[OpHook, ...]:
    """A tuple without the newest entry that is this one."""
    kept = list(hooks)
    for i in reversed(range(len(kept))):
        if kept[i] is hook:
            del kept[i]
            break
    return tuple(kept)


class OpHook:
    """Base of hooks; use as a context manager, or ``install()`` / ``remove()``."""

    programs = False  # is it told of the operators of running static programs too? (it can't change their arguments)
    gradients = False  # is it told of the steps of backward too? (it can't change their arguments)
    everywhere = False  # is it told of the calls of all threads?

    def before(self, op: Any, args: Any) -> Any:
        """Called before the op runs; returns the arguments to run it with."""
        return args

    def after(self, op: Any, args: Any, outs: Any) -> None:
        """Called with the result of the op."""

    def unites(self, *kinds: Any) -> bool:
        """Will an op that is given arrays of these types see one type?"""
        return False

    def install(self) -> OpHook:
        if self.everywhere:
            with process.lock:
                process.hooks = (*process.hooks, self)
        else:
            context.hooks = (*context.hooks, self)
        return self

    def remove(self) -> None:
        if self.everywhere:
            with process.lock:
                process.hooks = _without(process.hooks, self)
        else:
            context.hooks = _without(context.hooks, self)

    def __enter__(self) -> OpHook:
        return self.install()

    def __exit__(self, *exc: Any) -> None:
        self.remove()


def listen(function: Callable[[str, str, int, int], None]) -> None:
    """Call ``function(name, kind, start, end)`` after each phase of training in any thread, until it is given to ``ignore``.

    ``kind`` is "Dataloader", "Forward", "Backward" or "Optimization"; times are nanoseconds of ``time.perf_counter_ns``."""
    with process.lock:
        process.listeners = (*process.listeners, function)


def ignore(function: Callable[[str, str, int, int], None]) -> None:
    """Stop calling a function."""
    with process.lock:
        process.listeners = tuple(f for f in process.listeners if f != function)


def _tell(name: str, kind: str, start: int) -> None:
    end = time.perf_counter_ns()
    for listener in process.listeners:
        listener(name, kind, start, end)


def phase(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: calls of a method are a phase of training."""
    def declare(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def timed(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not process.listeners:
                try:
                    return method(self, *args, **kwargs)
                except Exception as error:
                    fold(error)
                    raise
            start = time.perf_counter_ns()
            try:
                return method(self, *args, **kwargs)
            finally:
                _tell(type(self).__name__, kind, start)
        return timed
    return declare


def each_phase(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: every item that a method's iterator gives is a phase of training."""
    def declare(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def timed(self: Any) -> Iterator[Any]:
            source = iter(method(self))
            return _timed(source, type(self).__name__, kind) if process.listeners else source
        return timed
    return declare


def _timed(source: Iterator[Any], name: str, kind: str) -> Iterator[Any]:
    while True:
        start = time.perf_counter_ns()
        try:
            item = next(source)
        except StopIteration:
            return
        _tell(name, kind, start)
        yield item
