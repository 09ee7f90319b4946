"""Events: what happened from when to when. An OpHook collects those of operators, RecordEvent those of the user's."""

import contextlib
import enum
import threading
import time
from typing import NamedTuple

import numpy as np

from ..core.hooks import OpHook
from ..core.tensor import Tensor
from ..core.walk import GradientStep

now = time.perf_counter_ns
recording = []  # the Recorders that are installed


def op_flops(op, args, outs):
    """Multiply-add pairs (or single operations where there are no pairs) of one call, as the op says."""
    said = op.facts.flops
    if callable(said):
        return said(args, outs)
    first = outs[0] if isinstance(outs, (tuple, list)) else outs
    return said * (sum(map(_size, first)) if isinstance(first, list) else _size(first))


def _size(value):
    return int(value._data.size) if isinstance(value, Tensor) else 0


class TracerEventType(enum.Enum):
    """What kind of thing an event is, by Paddle's numbers; those of devices and of its inner levels never happen here."""

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    OperatorGrad = 15  # ours; Paddle counts gradients of operators as operators


class Event(NamedTuple):
    """A stretch of time in one thread, in nanoseconds of ``time.perf_counter_ns``."""

    name: str
    kind: TracerEventType
    start: int
    end: int
    thread: int
    details: dict  # input_shapes, bytes, flops: what was asked for


def arrays_in(values):
    """The arrays of all Tensors, and other arrays, in arguments or results; those in lists too."""
    for value in values if isinstance(values, (list, tuple)) else (values,):
        if isinstance(value, (list, tuple)):
            yield from arrays_in(value)
        elif isinstance(value, (Tensor, np.ndarray)):
            yield getattr(value, "_data", value)


class Recorder(OpHook):
    """Collects an event for every call of an operator, every step of backward, and every mark made meanwhile."""

    programs = gradients = everywhere = True

    def __init__(self, shapes=False, memory=False, flops=False):
        self.shapes, self.memory, self.flops = shapes, memory, flops
        self.events, self._open = [], threading.local()

    def install(self):
        recording.append(self)
        return super().install()

    def remove(self):
        if self in recording:
            recording.remove(self)
        super().remove()

    def before(self, op, args):
        try:
            stack = self._open.stack
        except AttributeError:
            stack = self._open.stack = []
        stack.append((op, now()))
        return args

    def after(self, op, args, outs):
        end, stack = now(), getattr(self._open, "stack", ())
        while stack:  # calls that raised are still on it
            opened, start = stack.pop()
            if opened is op:
                kind = TracerEventType.OperatorGrad if isinstance(op, GradientStep) else TracerEventType.Operator
                self.mark(op.name, kind, start, end, self._details(op, args, outs))
                return

    def mark(self, name, kind, start, end, details=None):
        """Note an event of this thread."""
        self.events.append(Event(name, kind, start, end, threading.get_ident(), details or {}))

    def heard(self, name, kind, start, end):
        """Note a phase of training of this thread."""
        self.mark(name, TracerEventType[kind], start, end)

    def _details(self, op, args, outs):
        details = {}
        if self.shapes:
            details["input_shapes"] = [list(a.shape) for a in arrays_in(args[:getattr(op, "n_in", None)])]
        if self.memory:  # views of something else take no memory of their own
            details["bytes"] = sum(a.nbytes for a in arrays_in(outs) if a.base is None)
        if self.flops and hasattr(op, "family"):
            details["flops"] = op_flops(op, args, outs)
        return details


class RecordEvent(contextlib.ContextDecorator):
    """Marks a stretch of the program by name: a ``with`` block, a decorated function, or what lies between begin and end.

    Args:
        name: how it is called in the trace and in the summary.
        event_type: what kind of thing it is, a ``TracerEventType``.

    >>> with paddle.profiler.RecordEvent("preparation"):
    ...     x = paddle.ones([2])
    """

    def __init__(self, name, event_type=TracerEventType.PythonUserDefined):
        if not isinstance(event_type, TracerEventType):
            raise TypeError(f"RecordEvent(): event_type must be a TracerEventType, got {event_type!r}")
        self.name, self.event_type, self._begun = str(name), event_type, []

    def begin(self):
        """The stretch begins here."""
        self._begun.append(now() if recording else None)

    def end(self):
        """The stretch ends here; without a ``begin`` before it, nothing happens."""
        start = self._begun.pop() if self._begun else None
        if start is not None:
            end = now()
            for recorder in recording:
                recorder.mark(self.name, self.event_type, start, end)

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *exc):
        self.end()
