"""Settings that a program takes from the environment, with a type each."""

import os

__all__ = ["BooleanEnvironmentVariable", "EnvironmentVariable", "EnvironmentVariableGuard", "IntegerEnvironmentVariable",
           "StringEnvironmentVariable"]


class EnvironmentVariable:
    """One variable of the environment: its value as ``kind``, or the default where it is not set or can't be read."""

    kind = str

    def __init__(self, name: str, default):
        self.name, self.default = name, default
        self._check(default, "default")

    def _check(self, value, what):
        if type(value) is not self.kind:
            raise AssertionError(f"{type(self).__name__}({self.name!r}): {what} must be a {self.kind.__name__}, got {value!r}")

    def get(self):
        """The value that is set now."""
        text = os.environ.get(self.name)
        try:
            return self.default if text is None else self._read(text)
        except ValueError:
            return self.default

    def _read(self, text):
        return self.kind(text)

    def set(self, value):
        """Set it, for this process and those it starts."""
        self._check(value, "value")
        os.environ[self.name] = str(value).lower() if self.kind is bool else str(value)

    def delete(self):
        """Take it out of the environment; KeyError if it is not set."""
        del os.environ[self.name]

    def __repr__(self):
        return f"Env({self.name}={self.get()!r})"


class StringEnvironmentVariable(EnvironmentVariable):
    """A text.

    >>> from paddle.utils.environments import StringEnvironmentVariable
    >>> StringEnvironmentVariable("NOT_SET_ANYWHERE", "here").get()
    'here'
    """


class IntegerEnvironmentVariable(EnvironmentVariable):
    """A whole number.

    >>> from paddle.utils.environments import IntegerEnvironmentVariable
    >>> IntegerEnvironmentVariable("NOT_SET_ANYWHERE", 10).get()
    10
    """

    kind = int


class BooleanEnvironmentVariable(EnvironmentVariable):
    """True for y, yes, t, true, on and 1, in any case.

    >>> from paddle.utils.environments import BooleanEnvironmentVariable
    >>> BooleanEnvironmentVariable("NOT_SET_ANYWHERE", True).get()
    True
    """

    kind = bool
    BOOLEAN_IS_SET = ("y", "yes", "t", "true", "on", "1")

    def _read(self, text):
        return text.lower() in self.BOOLEAN_IS_SET


class EnvironmentVariableGuard:
    """Sets a variable at once and gives it its former value when the block ends.

    >>> from paddle.utils.environments import EnvironmentVariableGuard, IntegerEnvironmentVariable
    >>> threads = IntegerEnvironmentVariable("THREADS_OF_MINE", 1)
    >>> with EnvironmentVariableGuard(threads, 4):
    ...     print(threads)
    Env(THREADS_OF_MINE=4)
    >>> threads.get()
    1
    """

    def __init__(self, variable, value):
        self.variable, self.original_value = variable, variable.get()
        variable.set(value)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.variable.set(self.original_value)
