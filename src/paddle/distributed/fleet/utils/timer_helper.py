"""Timers by name, for measuring the parts of a training step."""

import time

from ....core.addresses import lookup as _lookup

_timers = None


class _Timer:
    """Adds up the time between start() and stop()."""

    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        """Forget what was measured."""
        self.elapsed_, self.started_, self.start_time = 0.0, False, 0.0

    def start(self):
        """Begin measuring."""
        if self.started_:
            raise AssertionError(f"timer {self.name!r} runs already")
        self.start_time, self.started_ = time.perf_counter(), True

    def stop(self):
        """End measuring."""
        if not self.started_:
            raise AssertionError(f"timer {self.name!r} does not run")
        self.elapsed_ += time.perf_counter() - self.start_time
        self.started_ = False

    def elapsed(self, reset=True):
        """Seconds measured so far; a timer that runs goes on."""
        running = self.started_
        if running:
            self.stop()
        seconds = self.elapsed_
        if reset:
            self.reset()
        if running:
            self.start()
        return seconds


class Timers:
    """Timers by name, made when first called for.

    >>> from paddle.distributed.fleet.utils.timer_helper import Timers
    >>> timers = Timers()
    >>> timers("forward").start()
    >>> timers("forward").stop()
    >>> timers("forward").elapsed() >= 0
    True
    """

    def __init__(self):
        self.timers = {}

    def __call__(self, name):
        return self.timers.setdefault(name, _Timer(name))

    def log(self, names, normalizer=1.0, reset=True):
        """Print the milliseconds of some timers, divided by ``normalizer``."""
        if not normalizer > 0:
            raise ValueError(f"Timers.log(): normalizer must be positive, got {normalizer}")
        parts = [f"{name}: {self.timers[name].elapsed(reset) * 1000 / normalizer:.2f}" for name in names]
        print(" | ".join(["time (ms)", *parts]), flush=True)


def is_timer_initialized():
    """Has set_timers() been called?"""
    return _timers is not None


def set_timers():
    """Make the timers of this process; once."""
    global _timers
    if _timers is not None:
        raise AssertionError("set_timers(): the timers are there already")
    _timers = Timers()


def get_timers():
    """The timers of this process."""
    if _timers is None:
        raise AssertionError("get_timers(): call set_timers() first")
    return _timers


__getattr__ = _lookup(__name__)
