"""A table of time per operator, printed when it is stopped: what 1.x to 2.4 had in fluid.profiler and utils.profiler."""

import contextlib

from .recorder import Recorder
from .table import grouped

_KEYS = {"calls": lambda g: g.calls, "total": lambda g: g.total, "max": lambda g: g.most, "min": lambda g: g.least,
         "ave": lambda g: g.mean}
_running = []


def start_profiler(state, tracer_option="Default"):
    """Begin to take times (1.x; successor: paddle.profiler.Profiler.start)."""
    if state not in ("CPU", "GPU", "All"):
        raise ValueError(f"start_profiler(): state must be 'CPU', 'GPU' or 'All', got {state!r}")
    if tracer_option not in ("Serial", "Default", "OpDetail", "AllOpDetail"):
        raise ValueError(f"start_profiler(): tracer_option must be 'Serial', 'Default', 'OpDetail' or 'AllOpDetail', got "
                         f"{tracer_option!r}")
    if not _running:
        _running.append(Recorder().install())


def stop_profiler(sorted_key=None, profile_path=None):
    """Print the table of times, and write it to a file if a path is given (1.x; successor: paddle.profiler.Profiler.stop)."""
    if sorted_key not in (None, "default", *_KEYS):
        raise ValueError(f"stop_profiler(): sorted_key must be one of {list(_KEYS)} or None, got {sorted_key!r}")
    if not _running:
        return
    recorder = _running.pop()
    recorder.remove()
    rows = list(grouped(recorder.events).items())
    if sorted_key in _KEYS:
        rows.sort(key=lambda row: _KEYS[sorted_key](row[1]), reverse=True)
    whole = sum(group.own for _, group in rows) or 1.0
    lines = [f"{'Event':<24}{'Calls':>8}{'Total':>12}{'Min.':>12}{'Max.':>12}{'Ave.':>12}{'Ratio.':>10}   (times in ms)"]
    lines += [f"{name:<24}{g.calls:>8}{g.total / 1e6:>12.4f}{g.least / 1e6:>12.4f}{g.most / 1e6:>12.4f}{g.mean / 1e6:>12.4f}"
              f"{g.own / whole:>10.4f}" for name, g in rows]
    text = "\n".join(lines)
    print(text)
    if profile_path is not None:
        with open(profile_path, "w", encoding="utf-8") as file:
            file.write(text + "\n")


def is_profiler_enabled():
    """Are times being taken? (1.x; successor: paddle.profiler.Profiler)"""
    return bool(_running)


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
    raise NotImplementedError(f"cuda_profiler({output_file!r}, {output_mode!r}, {config!r}): this is a CPU build; "
                              "use fluid.profiler.profiler('CPU')")
    yield
