"""The logger of paddle.Model."""

import logging
import os
import sys


def setup_logger(output=None, name="hapi", log_level=logging.INFO):
    """A logger that writes to the standard output (of the first process) and to a file.

    Args:
        output: file ending in .txt or .log, or a folder for ``log.txt``; no file for None.
        name: name of the logger.
        log_level: level from which on it writes.

    >>> from paddle.hapi.logger import setup_logger
    >>> setup_logger(name="training").level
    20
    """
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(log_level)
    rank = int(os.environ.get("PADDLE_TRAINER_ID", 0))
    handlers = [logging.StreamHandler(sys.stdout)] if rank == 0 and not logger.handlers else []
    if output is not None:
        path = output if output.endswith((".txt", ".log")) else os.path.join(output, "log.txt")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        handlers.append(logging.FileHandler(path if rank == 0 else f"{path}.rank{rank}"))
    for handler in handlers:
        handler.setLevel(log_level)
        handler.setFormatter(logging.Formatter("%(asctime)s - %(name)s - %(levelname)s - %(message)s"))
        logger.addHandler(handler)
    return logger
