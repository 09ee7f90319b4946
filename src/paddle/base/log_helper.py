"""paddle.base.log_helper: loggers that leave Python's own settings of logging alone."""

import logging

__all__ = ["get_logger"]


def get_logger(name, level, fmt=None):
    """A logger of that name and level that writes to the standard error itself and passes nothing on.

    Args:
        name: name of the logger.
        level: level from which on it writes.
        fmt: format of its lines; the bare message for None.

    >>> import logging
    >>> from paddle.base.log_helper import get_logger
    >>> get_logger("training", logging.INFO).level
    20
    """
    logger = logging.getLogger(name)
    logger.setLevel(level)
    handler = logging.StreamHandler()
    if fmt:
        handler.setFormatter(logging.Formatter(fmt, "%a %b %d %H:%M:%S"))
    logger.addHandler(handler)
    logger.propagate = False
    return logger
