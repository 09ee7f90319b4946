"""The exceptions of damaged, hostile or unsupported files."""

import pickle


class FormatError(ValueError, RuntimeError):
    """A file's bytes break its format (RuntimeError in Paddle); `position` is the byte offset at which that was noticed."""

    def __init__(self, message, position=None):
        super().__init__(message if position is None else f"{message} (at byte {position})")
        self.position = position

    def within(self, place):
        """The same error with the place, such as a file's name, in front of its message."""
        other = type(self)(f"{place}: {self}")
        other.position = self.position
        return other


class UnpicklingError(FormatError, pickle.UnpicklingError):
    """A pickle is damaged, or names something that may not be rebuilt from a file."""


class UnsupportedError(FormatError, NotImplementedError):
    """A file is sound but holds something that is not supported here, such as an operator."""


def check_room(what, position, size, end):
    """Refuse a read of `size` bytes at `position` that would go past `end`."""
    if size < 0 or size > end - position:
        raise FormatError(f"{what}: needs {size} bytes, {max(end - position, 0)} are left: the file is cut short or "
                          f"damaged", position)
