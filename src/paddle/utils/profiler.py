"""The profiler of 2.0 to 2.4, which takes times from one batch to another (successor: paddle.profiler)."""

import sys

from ..core.errors import describe
from ..profiler.older import cuda_profiler, is_profiler_enabled, profiler, reset_profiler, start_profiler, stop_profiler

__all__ = ["Profiler", "get_profiler", "ProfilerOptions", "cuda_profiler", "start_profiler", "profiler", "stop_profiler",
           "reset_profiler"]


class ProfilerOptions:
    """What a Profiler is to do (2.0 to 2.4; successor: the arguments of paddle.profiler.Profiler).

    Args:
        options (dict or None): ``state`` ("CPU", "GPU" or "All"), ``sorted_key`` (see ``start_profiler``), ``tracer_level``,
            ``batch_range`` (the batch that times begin with and the one they end before), ``profile_path`` (a file for the table).
            ``output_thread_detail``, ``timeline_path`` and ``op_summary_path`` are kept for programs that read them again: no
            Profiler did.

    >>> options = paddle.utils.ProfilerOptions({"batch_range": [2, 4]})
    >>> options["batch_range"], options["profile_path"]
    ([2, 4], None)
    """

    def __init__(self, options=None):
        self.options = {"state": "All", "sorted_key": "default", "tracer_level": "Default", "batch_range": [0, sys.maxsize],
                        "output_thread_detail": False, "profile_path": "none", "timeline_path": "none", "op_summary_path": "none"}
        if options is not None:
            unknown = [key for key in options if key not in self.options]
            if unknown:
                raise ValueError(f"ProfilerOptions(): options must be of {', '.join(self.options)}; got {unknown}")
            self.options.update({key: value for key, value in options.items() if value is not None})

    def with_state(self, state):
        """Set what is watched; returns the options."""
        self.options["state"] = state
        return self

    def __getitem__(self, name):
        value = self.options.get(name)
        if value is None:
            raise ValueError(f"ProfilerOptions: there is no option {name!r}; there are {', '.join(self.options)}")
        return None if isinstance(value, str) and value == "none" else value


_current = []  # the Profilers whose blocks are open; at the bottom the one that get_profiler() made


class Profiler:
    """Takes the times of operators inside a ``with`` block, or in some of its batches, and prints their table.

    Args:
        enabled (bool): False does nothing.
        options (ProfilerOptions or None): see there.

    >>> with paddle.utils.Profiler(enabled=False) as watched:
    ...     watched.record_step()
    """

    def __init__(self, enabled=True, options=None):
        if options is not None and not isinstance(options, ProfilerOptions):
            raise TypeError(f"Profiler(): options must be ProfilerOptions or None, got {describe(options)}")
        self.profiler_options = ProfilerOptions() if options is None else options
        self.batch_id, self.enabled = 0, enabled

    def __enter__(self):
        _current.append(self)
        if self.profiler_options["batch_range"][0] == 0:
            self.start()
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        _current.pop()
        self.stop()

    def start(self):
        """Begin to take times."""
        if self.enabled:
            start_profiler(self.profiler_options["state"], self.profiler_options["tracer_level"])

    def stop(self):
        """Print the table of times, and write it to ``profile_path``."""
        if self.enabled:
            stop_profiler(self.profiler_options["sorted_key"], self.profiler_options["profile_path"])

    def reset(self):
        """Forget the times taken so far."""
        if self.enabled:
            reset_profiler()

    def record_step(self, change_profiler_status=True):
        """Tell that a batch is done: begin, or begin anew, at the first of ``batch_range``, stop at its end."""
        if not self.enabled:
            return
        self.batch_id += 1
        if change_profiler_status:
            first, end = self.profiler_options["batch_range"]
            if self.batch_id == first:
                (self.reset if is_profiler_enabled() else self.start)()
            if self.batch_id == end:
                self.stop()


def get_profiler():
    """The Profiler whose ``with`` block is open, or one for all that is outside of blocks."""
    if not _current:
        _current.append(Profiler())
    return _current[-1]
