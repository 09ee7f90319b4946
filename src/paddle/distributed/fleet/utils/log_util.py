"""The logger of fleet, and its level."""

import logging

__all__ = ["logger", "set_log_level", "get_log_level_code", "get_log_level_name", "layer_to_str"]

logger = logging.getLogger("paddle.distributed.fleet")


def set_log_level(level):
    """Let the logger of fleet write messages of a level ("INFO" or its number) and above."""
    if not isinstance(level, (int, str)):
        raise TypeError(f"set_log_level(): level must be a name or a number, got {level!r}")
    logger.setLevel(level.upper() if isinstance(level, str) else level)


def get_log_level_code():
    """The number of the level in force."""
    return logger.getEffectiveLevel()


def get_log_level_name():
    """The name of the level in force."""
    return logging.getLevelName(get_log_level_code())


def layer_to_str(base, *args, **kwargs):
    """``base(arguments)`` as text."""
    return f"{base}({', '.join([*map(str, args), *(f'{name}={value!s}' for name, value in kwargs.items())])})"
