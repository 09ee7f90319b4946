"""What translation tells of itself: ``set_verbosity``, ``set_code_level`` and the environment decide how much.

A level that no call has set is taken from the environment (TRANSLATOR_VERBOSITY, TRANSLATOR_CODE_LEVEL) whenever it is asked for.
Texts go to the logger "Dynamic-to-Static", which writes to the standard error, and to the standard output where that was asked for.
"""

import ast
import logging
import os
import sys

from ..core.errors import describe

VERBOSITY_ENV_NAME, CODE_LEVEL_ENV_NAME = "TRANSLATOR_VERBOSITY", "TRANSLATOR_CODE_LEVEL"
ALL = 100  # the code as it is after the last of all changes


def _flag(value, name):
    if value is not None and not isinstance(value, bool):
        raise AssertionError(f"{name} must be a bool, got {describe(value)}")
    return value


class TranslatorLogger:
    """The levels and the logger of translation."""

    logger_name = "Dynamic-to-Static"

    def __init__(self):
        self._verbosity = self._code_level = self._log_out = self._code_out = None
        self._logger = None

    @property
    def logger(self):
        """The logger, made when first asked for."""
        if self._logger is None:
            self._logger = logging.getLogger(self.logger_name)
            self._logger.propagate = False
            self._logger.setLevel(logging.DEBUG)
            self._logger.addHandler(logging.StreamHandler())
        return self._logger

    @staticmethod
    def _level(value, name):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise TypeError(f"{name}(): level must be an int, got {describe(value)}")
        if value is not None and value < 0:
            raise ValueError(f"{name}(): level must not be negative, got {value}")
        return value

    @property
    def verbosity_level(self):
        return int(os.environ.get(VERBOSITY_ENV_NAME) or 0) if self._verbosity is None else self._verbosity

    @verbosity_level.setter
    def verbosity_level(self, level):
        self._verbosity = self._level(level, "set_verbosity")

    @property
    def transformed_code_level(self):
        return int(os.environ.get(CODE_LEVEL_ENV_NAME) or 0) if self._code_level is None else self._code_level

    @transformed_code_level.setter
    def transformed_code_level(self, level):
        self._code_level = self._level(level, "set_code_level")

    @property
    def need_to_echo_log_to_stdout(self):
        return bool(self._log_out)

    @need_to_echo_log_to_stdout.setter
    def need_to_echo_log_to_stdout(self, value):
        self._log_out = _flag(value, "also_to_stdout")

    @property
    def need_to_echo_code_to_stdout(self):
        return bool(self._code_out)

    @need_to_echo_code_to_stdout.setter
    def need_to_echo_code_to_stdout(self, value):
        self._code_out = _flag(value, "also_to_stdout")

    def _echo(self, text, wanted):
        if wanted:
            print(text, file=sys.stdout)

    def log(self, level, text, *args):
        """Tell something of a level, if that much is wanted."""
        if self.verbosity_level >= level:
            text = f"(Level {level}) {text % args if args else text}"
            self.logger.info(text)
            self._echo(text, self.need_to_echo_log_to_stdout)

    def warn(self, text, *args, **kwargs):
        """A warning, at any level."""
        self.logger.warning(text, *args, **kwargs)
        self._echo(f"WARNING: {text % args if args else text}", self.need_to_echo_log_to_stdout)

    def error(self, text, *args, **kwargs):
        """An error, at any level."""
        self.logger.error(text, *args, **kwargs)
        self._echo(f"ERROR: {text % args if args else text}", self.need_to_echo_log_to_stdout)

    def code(self, level, tree, name):
        """The source of a tree, if code is wanted."""
        if self.transformed_code_level > 0:
            text = f"# {name}\n{ast.unparse(ast.fix_missing_locations(tree))}"
            self.logger.info(f"(Level {level}) {text}")
            self._echo(text, self.need_to_echo_code_to_stdout)


translator = TranslatorLogger()
