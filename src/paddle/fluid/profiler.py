"""fluid.profiler: a table of time per operator (1.x; successor: paddle.profiler)."""

import contextlib
import time

from ..core.hooks import OpHook

__all__ = ["profiler", "start_profiler", "stop_profiler", "reset_profiler", "cuda_profiler"]

_KEYS = {"calls": lambda e: e[1], "total": lambda e: e[2], "max": lambda e: e[4], "min": lambda e: e[3],
         "ave": lambda e: e[2] / e[1]}
_running = []


class _Times(OpHook):
    """Seconds between the beginning and the end of each op call, by op."""

    programs = True

    def __init__(self):
        self.events, self._begun = {}, []

    def before(self, op, args):
        self._begun.append(time.perf_counter())
        return args

    def after(self, op, args, outs):
        spent = time.perf_counter() - self._begun.pop()
        count, total, least, most = self.events.get(op.name, (0, 0.0, spent, spent))
        self.events[op.name] = (count + 1, total + spent, min(least, spent), max(most, spent))


def start_profiler(state, tracer_option="Default"):
    """Begin to take times (1.x; successor: paddle.profiler.Profiler.start)."""
    if state not in ("CPU", "GPU", "All"):
        raise ValueError(f"start_profiler(): state must be 'CPU', 'GPU' or 'All', got {state!r}")
    if not _running:
        _running.append(_Times().install())


def stop_profiler(sorted_key=None, profile_path=None):
    """Print the table of times, and write it to a file if a path is given (1.x; successor: paddle.profiler.Profiler.stop)."""
    if sorted_key not in (None, "default", *_KEYS):
        raise ValueError(f"stop_profiler(): sorted_key must be one of {list(_KEYS)} or None, got {sorted_key!r}")
    if not _running:
        return
    times = _running.pop()
    times.remove()
    rows = [(name, *numbers) for name, numbers in times.events.items()]
    if sorted_key in _KEYS:
        rows.sort(key=_KEYS[sorted_key], reverse=True)
    whole = sum(row[2] for row in rows) or 1.0
    lines = [f"{'Event':<24}{'Calls':>8}{'Total':>12}{'Min.':>12}{'Max.':>12}{'Ave.':>12}{'Ratio.':>10}   (times in ms)"]
    lines += [f"{name:<24}{count:>8}{total * 1e3:>12.4f}{least * 1e3:>12.4f}{most * 1e3:>12.4f}{total / count * 1e3:>12.4f}"
              f"{total / whole:>10.4f}" for name, count, total, least, most in rows]
    text = "\n".join(lines)
    print(text)
    if profile_path is not None:
        with open(profile_path, "w", encoding="utf-8") as file:
            file.write(text + "\n")


def reset_profiler():
    """Forget the times taken so far (1.x; successor: paddle.profiler.Profiler)."""
    if _running:
        _running[0].events.clear()


@contextlib.contextmanager
def profiler(state, sorted_key=None, profile_path=None, tracer_option="Default"):
    """Take times inside the ``with`` block and print the table at its end (1.x; successor: paddle.profiler.Profiler)."""
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


@contextlib.contextmanager
def cuda_profiler(output_file, output_mode=None, config=None):
    """Refused: there is no GPU to profile (1.x; successor: paddle.profiler.Profiler)."""
    raise NotImplementedError("cuda_profiler(): this is a CPU build; use fluid.profiler.profiler('CPU')")
    yield
