"""Anomaly mode: when backward fails, show where the forward op was called."""

from ..core.context import context


class detect_anomaly:
    """Context manager: nodes recorded inside remember the line that made them, and a failing backward shows it.

    >>> with paddle.autograd.detect_anomaly():
    ...     y = paddle.ones([2]) * 2
    """

    def __enter__(self):
        self._before = set_detect_anomaly(True)
        return self

    def __exit__(self, *exc):
        set_detect_anomaly(self._before)


def set_detect_anomaly(mode):
    """Turn anomaly mode on or off; returns what it was.

    >>> paddle.autograd.set_detect_anomaly(False)
    False
    """
    before, context.anomaly = context.anomaly, bool(mode)
    return before
