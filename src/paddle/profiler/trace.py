"""Recorded events as a file that Chrome (chrome://tracing) and Perfetto show, and back."""

import json
import os

from ..core.context import context
from ..serialization.atomic import write_bytes
from .recorder import Event, TracerEventType


class ProfilerResult:
    """The events of one stretch of recording."""

    def __init__(self, events, process=None):
        self.events, self.process = events, os.getpid() if process is None else process

    def save(self, path, format="json"):
        """Write the events to a file; the only format is 'json', Chrome's trace events."""
        if format != "json":
            raise NotImplementedError(f"export(): format {format!r} is not supported; 'json' (Chrome's trace events) is")
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        text = json.dumps({"displayTimeUnit": "ms", "otherData": {"paddle": context.rules.version}, "traceEvents": self._rows()})
        write_bytes(path, text.encode())

    def _rows(self):
        first = min((event.start for event in self.events), default=0)
        threads = dict.fromkeys(event.thread for event in self.events)
        rows = [{"name": "process_name", "ph": "M", "pid": self.process, "args": {"name": "paddle"}}]
        rows += [{"name": "thread_name", "ph": "M", "pid": self.process, "tid": thread, "args": {"name": f"thread {number}"}}
                 for number, thread in enumerate(threads)]
        # microseconds; floats keep the nanoseconds
        return rows + [{"name": event.name, "cat": event.kind.name, "ph": "X", "ts": (event.start - first) / 1e3,
                        "dur": (event.end - event.start) / 1e3, "pid": self.process, "tid": event.thread, "args": event.details}
                       for event in sorted(self.events, key=lambda event: event.start)]


def load_profiler_result(filename):
    """The ProfilerResult in a file that ``Profiler.export`` or ``export_chrome_tracing`` wrote.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "trace.json")
    >>> with paddle.profiler.Profiler(on_trace_ready=lambda p: p.export(path)):
    ...     x = paddle.ones([2]).exp()
    >>> [event.name for event in paddle.profiler.load_profiler_result(path).events if event.kind.name == "Operator"][-1]
    'exp'
    """
    with open(filename, "rb") as file:
        content = file.read()
    try:
        rows = [row for row in json.loads(content)["traceEvents"] if row["ph"] == "X"]
        events = [Event(row["name"], TracerEventType[row["cat"]], round(row["ts"] * 1e3), round((row["ts"] + row["dur"]) * 1e3),
                        row["tid"], row["args"]) for row in rows]
        return ProfilerResult(events, rows[0]["pid"] if rows else 0)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"load_profiler_result(): {filename} is not a trace that paddle.profiler wrote as json: "
                         f"{type(error).__name__}: {error}") from error
